package org.systole.common.cluster;

import java.time.Duration;
import java.util.List;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.world.World;

/// The group of a daemon that stands alone: this node is the only one, and has no quorum, as it speaks for no cluster.
final class LoneGroup implements Group {
  private static final NodeId SELF = new NodeId(1);
  private static final int VOTES = 1;
  private static final long NUMBER = 1;
  private static final String CLUSTER = "";
  private static final Duration TOKEN = Duration.ofSeconds(1);

  private final World world;
  private final NodeName name;
  private final Listener listener;
  private boolean joined;

  LoneGroup(World world, NodeName name, Listener listener) {
    this.world = world;
    this.name = name;
    this.listener = listener;
  }

  @Override
  public void open() {
    world.post(this::join);
  }

  private void join() {
    joined = true;
    var nodes = List.of(new LinkMessage.ConfiguredNode(SELF, name, VOTES));
    listener.joined(new LinkMessage.Joined(SELF, name, CLUSTER, nodes, TOKEN.toMillis()));
    listener.membership(new Membership(NUMBER, List.of(new Member(SELF, name, NUMBER)), false));
    listener.group(List.of(SELF));
  }

  @Override
  public boolean isAlone() {
    return true;
  }

  @Override
  public boolean isJoined() {
    return joined;
  }

  @Override
  public int level() {
    return Levels.own().newest();
  }

  @Override
  public void broadcast(byte[] payload) {
    deliver(true, payload);
  }

  @Override
  public void inStep(long membership) {}

  @Override
  public void send(NodeId toId, byte[] payload) {
    if (toId.equals(SELF)) {
      deliver(false, payload);
    }
  }

  private void deliver(boolean broadcast, byte[] payload) {
    if (joined) {
      world.post(() -> listener.message(SELF, broadcast, payload));
    }
  }
}
