package org.systole.controld;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.options.ClusterOptions;
import org.systole.common.values.CibNodeId;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.world.World;
import org.systole.controld.fsm.Input;
import org.systole.controld.fsm.State;
import org.systole.controld.io.PeerMessage;

/// What the parts of the controller need of each other. Each part sees only the interface that it
/// has declared itself; the wirings implement them.
abstract class Wiring {
  final World world;
  final Controller it;

  Wiring(World world, Controller it) {
    this.world = world;
    this.it = it;
  }

  public State state() {
    return it.machine.state();
  }

  public void offer(Input input) {
    it.machine.offer(input);
  }

  public void send(NodeId node, PeerMessage message) {
    it.peers.send(node, message);
  }

  public ClusterOptions options() {
    return it.options;
  }

  public NodeName nodeName() {
    return it.self.localName();
  }

  public CibNodeId nodeId() {
    return CibNodeId.of(it.self.localId());
  }

  public NodeName nodeName(NodeId id) {
    return it.book.name(id);
  }

  public @Nullable NodeId nodeId(NodeName name) {
    return it.book.id(name);
  }

  public boolean isOnline(NodeId id) {
    return it.book.isOnline(id);
  }

  public boolean isMember(NodeId id) {
    return it.book.isMember(id);
  }

  public boolean isConfigured(NodeId id) {
    return it.book.isConfigured(id);
  }

  public List<NodeId> online() {
    return it.book.online();
  }

  public boolean isDc() {
    return it.watch.isOwn();
  }

  public @Nullable NodeId dcId() {
    return it.watch.id();
  }

  public boolean hasJoined() {
    return state() == State.NOT_DC || state().governs();
  }

  public void setAttribute(String name, NodeName node, @Nullable String value) {
    var remote = it.book.remote(node);
    it.attributes.set(name, remote == null ? node : remote, value, remote != null);
  }

  /// Whether a name is that of a remote node, and not a member's.
  public boolean isRemote(NodeName node) {
    return it.book.remote(node) != null;
  }
}
