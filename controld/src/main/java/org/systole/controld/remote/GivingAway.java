package org.systole.controld.remote;

import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeName;
import org.systole.common.values.ResourceId;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.controld.operations.OperationRunner;
import org.systole.execd.client.remote.RemoteExecutor;

/// What is remembered of a connection that this member has given away: who asked for that, how far the other member has come in
/// taking it over, and that it has failed meanwhile.
///
/// Lives on the owner's loop.
final class GivingAway {
  private final RemoteHost host;
  private final NodeName node;
  private final ResourceId resource;
  private final OperationRunner operations; // of connections
  private final HandOver handOver;
  private @Nullable Asked asked; // to give it away, while another member is to take it over

  GivingAway(World world, RemoteHost host, NodeName node, ResourceId resource, OperationRunner operations) {
    this.host = host;
    this.node = node;
    this.resource = resource;
    this.operations = operations;
    this.handOver = new HandOver(world);
  }

  /// Another member is to take it over.
  void begin(Asked request) {
    asked = request;
  }

  /// It is this member's, or nobody's.
  void forget() {
    asked = null;
  }

  /// Whether another member is to take it over, or has.
  boolean isOn() {
    return asked != null;
  }

  /// Whether the other member has connected.
  boolean isBegun() {
    return handOver.isBegun();
  }

  /// Whether another member has it, as far as the CIB says.
  boolean isTaken() {
    return RemoteRecords.isTaken(host.cib(), node, host.nodeName());
  }

  /// Whether another member has it that was meant to.
  boolean isAnothers() {
    return asked != null && (handOver.isBegun() || isTaken());
  }

  /// The CIB has changed, while this member is connected.
  void cibChanged(Element cib) {
    if (asked != null && !handOver.isBegun() && UnmadeMove.isInVain(cib, node, asked)) {
      asked = null; // who was to take it over tries no more
    }
  }

  /// The remote node says that the other member has connected.
  ///
  /// @return false if none was meant to
  boolean noticed(RemoteNode remote) {
    if (asked != null) {
      handOver.noticed(remote);
    }
    return asked != null;
  }

  /// The CIB names the other member, and this one is connected still.
  ///
  /// @param done run once all is heard that was told before
  void pass(RemoteNode remote, RemoteExecutor executor, Runnable done) {
    handOver.pass(remote, executor, done);
  }

  /// The CIB names the other member, and this one is not connected any more. That it has failed here counts no more.
  void named() {
    handOver.named();
    if (asked != null) {
      operations.forgetFailure(resource, null, 0);
    }
  }

  /// The connection is lost.
  ///
  /// @param remote what is lost with it that another member has by then; null if there is nothing
  void lost(@Nullable RemoteNode remote) {
    handOver.lost(remote);
  }

  /// The connection is closed.
  void end() {
    handOver.end();
  }

  /// See [HandOver#atEnd].
  void atEnd(Runnable task) {
    handOver.atEnd(task);
  }

  /// Has something done once the CIB names the other member; false if nobody waits for that.
  boolean afterwards(Runnable task) {
    return handOver.isBegun() && handOver.afterwards(task);
  }

  /// The node whose last results are still heard; null if there is none.
  @Nullable RemoteNode node() {
    return handOver.node();
  }
}
