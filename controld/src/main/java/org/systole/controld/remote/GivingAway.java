package org.systole.controld.remote;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.Task;
import org.systole.common.options.ClusterOptions;
import org.systole.common.values.NodeName;
import org.systole.common.values.ResourceId;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.controld.operations.OperationRunner;
import org.systole.execd.client.remote.RemoteExecutor;

/// What is remembered of a connection that this member has given away: who asked for that, how far the other member has come in
/// taking it over, and that it has failed meanwhile.
///
/// A connection that is lost before the other member has come so far has not failed yet: that one may be about to connect, and then
/// the node is well, and tells it of the end of what is under way there. A failure that was told by then would stay, as would its count,
/// and that of a stop would have the node fenced. So nothing is told before the CIB names the other member, or it is seen to have
/// tried in vain: then the connection is this member's as if it had never been given away. The same holds where the other member has
/// connected and is lost before the CIB names it: it may not come to that any more, nor tell of anything.
///
/// A member that was cut off may be overtaken instead, unasked: the others have the connection made again, and it is back before it was
/// fenced. Once the CIB names the other member it has nothing to tell: of a failure that it told the node would be fenced, which is well.
/// Where each side has quorum it may be this one that fences the other. Then the connection is made anew here, once that is done, and not
/// before: two must not use the node at once.
///
/// Lives on the owner's loop.
final class GivingAway {
  /// How long another member may be about to connect. Its own limit is not known here. Where something is under way on the node, the
  /// DC waits for the end of that for the `cluster-delay` beyond its time: not more than half of that, so that there is time to
  /// connect anew.
  static final Duration PATIENCE = Duration.ofSeconds(60);

  /// What it needs of its connection.
  interface Way {
    /// It was lost while another member was to take it over, which has not done so, or was fenced since.
    void lostAfterAll(RemoteNode remote, String why, HowLost how);
  }

  /// Who has a node, by its entry. The same member may have it anew before this one reads that it had it itself: since then.
  private record Had(NodeName member, String since) {
    static @Nullable Had of(@Nullable Element cib, NodeName node) {
      var member = RemoteRecords.last(cib, node);
      return member == null ? null : new Had(member, RemoteRecords.since(RemoteRecords.state(cib, node)));
    }

    /// The same, or that it was given up since.
    boolean isNoNewerThan(Had other) {
      return member.equals(other.member) && (since.equals(other.since) || since.equals("0"));
    }
  }

  /// A loss that is not told yet.
  private record Loss(RemoteNode remote, String why, HowLost how) {}

  private final World world;
  private final RemoteHost host;
  private final NodeName node;
  private final ResourceId resource;
  private final OperationRunner operations; // of connections
  private final Way way;
  private final HandOver handOver;
  private final WaitingTasks waiting;
  private @Nullable Asked asked; // to give it away, while another member is to take it over
  private boolean overtaken; // unasked
  private @Nullable Had before; // had the node, and is named by the CIB until this member has read that it has it itself
  private @Nullable Loss loss;
  private World.@Nullable Timer patience; // while it is not told
  private boolean fencing; // nothing else is waited for any more
  private final LostTakers lostTakers;

  GivingAway(World world, RemoteHost host, NodeName node, ResourceId resource, OperationRunner operations, Way way) {
    this.world = world;
    this.way = way;
    this.host = host;
    this.node = node;
    this.resource = resource;
    this.operations = operations;
    this.handOver = new HandOver(world);
    this.waiting = new WaitingTasks(world);
    this.lostTakers = new LostTakers(world);
  }

  /// Another member is to take it over.
  ///
  /// @param request null if there is nothing to take over
  void begin(@Nullable Asked request) {
    if (loss == null) {
      asked = request;
    }
  }

  /// Another member has it which was not meant to, as far as this one knows. It was lost here by that, and what is lost is not told
  /// before the CIB has had time to name that member.
  ///
  /// @param start by which this member had it made
  void overtaken(@Nullable Asked start) {
    asked = start;
    overtaken = true;
  }

  /// Whether another member has overtaken this one, and the CIB names it: all that this one knows of the connection is over.
  boolean isOver() {
    return overtaken && isTaken();
  }

  /// It is this member's, or nobody's.
  void forget() {
    asked = null;
    overtaken = false;
    before = null;
  }

  /// This member has connected, and the CIB is told so. It may be answered before it can read that itself: until then it does not take
  /// the member that had the node before for one that has it by now.
  void connected() {
    before = Had.of(host.cib(), node);
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
    var last = Had.of(host.cib(), node);
    return last != null && !last.member().equals(host.nodeName()) && !(before != null && last.isNoNewerThan(before));
  }

  /// Whether another member has it that was meant to.
  boolean isAnothers() {
    return asked != null && (handOver.isBegun() || isTaken());
  }

  /// The CIB has changed.
  ///
  /// @param connected whether this member is still
  /// @return whether it is this member's again, which is connected
  boolean cibChanged(Element cib, boolean connected) {
    if (RemoteRecords.isLast(cib, node, host.nodeName())) {
      before = null;
    }
    if (asked == null || !connected && loss == null) {
      return false;
    }
    lostTakers.look(cib);
    var inVain = UnmadeMove.isInVain(cib, node, asked) && !isTaken(); // who was to take it over tries no more
    if (inVain || loss != null && RemoteRecords.isFenced(cib, node) || fencing && !lostTakers.isAnyLeft(cib)) {
      mine();
      return connected;
    }
    return false;
  }

  /// It is this member's again, and if it is lost this member has lost it.
  private void mine() {
    asked = null;
    var was = stopWaiting();
    if (was != null) {
      var isNobodys = overtaken && lostTakers.areOver(host.cib());
      overtaken &= !isNobodys;
      handOver.end();
      way.lostAfterAll(was.remote(), was.why(), isNobodys ? HowLost.LEFT : was.how());
    }
  }

  private @Nullable Loss stopWaiting() {
    var was = loss;
    loss = null;
    fencing = false;
    if (patience != null) {
      patience.cancel();
      patience = null;
    }
    waiting.release();
    return was;
  }

  /// The cluster counts on this member, so whoever was to take it over has not.
  ///
  /// @return false if another member has it, as far as the CIB says, or was not to
  boolean keep() {
    if (asked == null || isTaken()) {
      return false;
    }
    mine();
    return true;
  }

  /// The cluster asks for what only a member can do that is connected, which this one is not. Where another one has taken it over that has
  /// not come to say so, and is lost, the cluster may not know that this one has it no more: told that it has failed, it would have the
  /// node fenced. Where nobody has taken it over it is lost.
  ///
  /// @return whether it was told that it is not here
  boolean refuses(Asked it) {
    if (asked == null || !it.is(Task.MIGRATE_TO) && !(it.is(Task.MONITOR) && it.request().recurs())) {
      return false;
    }
    if (isTaken()) {
      return operations.withdraw(it.request(), "another member has taken the connection over");
    }
    if (loss != null && it.is(Task.MIGRATE_TO)) {
      mine(); // a monitor tells of that itself, see #keep
    }
    return false;
  }

  /// The connection is lost. Where another member may be about to connect, or to say that it has, that is not told before that is known.
  ///
  /// @param start by which this member had it made
  /// @return whether nothing has failed yet
  boolean awaits(RemoteNode remote, @Nullable Asked start, String why, HowLost how) {
    if (asked == null && isTaken()) {
      overtaken(start); // not noticed before
    }
    if (asked == null || isTaken()) {
      return false;
    }
    world.log().notice("Lost the connection to remote node %s, which another member is to take over: %s".formatted(node, why));
    loss = new Loss(remote, why, how);
    lostTakers.begin(host.cib());
    var most = remote.runner().underWay().isEmpty() ? PATIENCE : shortest(PATIENCE, clusterDelay().dividedBy(2));
    if (overtaken) {
      var first = shortest(HandOver.PATIENCE, most);
      patience = world.after(first, () -> awaitFencing(most.minus(first)));
    } else {
      patience = world.after(most, this::mine);
    }
    return true;
  }

  /// The CIB does not name the other member, which may be one that is to be fenced.
  private void awaitFencing(Duration most) {
    if (lostTakers.isAnyLeft(host.cib()) && !most.isZero()) {
      fencing = true;
      patience = world.after(most, this::mine);
    } else {
      mine();
    }
  }

  private Duration clusterDelay() {
    var cib = host.cib();
    var options = cib == null ? ClusterOptions.DEFAULTS : ClusterOptions.read(cib, world.now(), world.zone());
    return options.clusterDelay();
  }

  private static Duration shortest(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  /// Whether it is lost, and nobody was told.
  boolean isWaiting() {
    return loss != null;
  }

  /// The cluster begins something else with the connection. If it is lost what was under way there has failed, unless another member
  /// has the node by then.
  ///
  /// @return whether it is
  boolean endWaiting() {
    var was = stopWaiting();
    if (was != null) {
      was.remote().abandon(true, false, "the connection to the remote node was lost: " + was.why());
    }
    return was != null;
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
    var was = stopWaiting();
    if (was != null) {
      handOver.lost(was.remote());
    }
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

  /// Has something done once the CIB names the other member, or nobody is to take it over any more; false if nobody waits for that.
  boolean afterwards(Runnable task) {
    return loss != null ? waiting.add(task) : handOver.isBegun() && handOver.afterwards(task);
  }

  /// The node whose last results are still heard; null if there is none.
  @Nullable RemoteNode node() {
    return handOver.node();
  }
}
