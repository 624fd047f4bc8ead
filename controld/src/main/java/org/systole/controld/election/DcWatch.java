package org.systole.controld.election;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.systole.common.cluster.Terms;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.world.World;
import org.systole.controld.fsm.Input;
import org.systole.controld.fsm.State;
import org.systole.controld.io.PeerMessage;

/// Which node is DC, as far as this node knows; the epochs heard of; and how long this node waits
/// to hear of a DC. Conclusions go to the state machine as an [Input].
public final class DcWatch {
  private static final int HEARTBEAT_SECONDS = 2;
  static final Duration HEARTBEAT = Duration.ofSeconds(HEARTBEAT_SECONDS);
  /// A pending node that hears a DC but is not let in asks again after so many heartbeats.
  private static final int BEATS_TO_JOIN = 8;
  private static final Duration SILENCE = Duration.ofSeconds(4 * HEARTBEAT_SECONDS);
  private static final String NOT_HEARD = "nothing was heard of the DC for ";
  private static final Duration ALONE = Duration.ofMillis(100);
  private static final Duration COMPANY = HEARTBEAT.plusMillis(500);

  /// What the watch needs of the controller.
  public interface Host {
    State state();

    void offer(Input input);

    void broadcast(PeerMessage message);

    void send(NodeId node, PeerMessage message);

    /// How long to wait for a DC that may be there.
    Duration dcDeadtime();

    /// The nodes whose controllers are there, sorted by id.
    List<NodeId> online();

    /// Whether the controllers of all configured nodes are there.
    boolean allConfiguredOnline();

    NodeName nodeName(NodeId node);

    /// This node is DC, and a node without one looks for it.
    void seeking(NodeId node);
  }

  private final World world;
  private final Host host;
  private final NodeId self;

  private boolean own;
  private @Nullable NodeId id;
  private long epoch;
  private long highestEpoch;
  private int beatsPending;
  private @Nullable NodeName beatenBy;
  private World.@Nullable Timer deadline;
  private World.@Nullable Timer heartbeat;

  /// Nodes that have announced that they look for a DC, since this one last heard of any.
  private final TreeSet<NodeId> leaderless = new TreeSet<>();

  public DcWatch(World world, Host host, NodeId self) {
    this.world = world;
    this.host = host;
    this.self = self;
  }

  /// Whether this node is the DC.
  public boolean isOwn() {
    return own;
  }

  /// Null if there is none at present.
  public @Nullable NodeId id() {
    return id;
  }

  public boolean is(NodeId node) {
    return node.equals(id);
  }

  /// Of this node's last term as DC.
  public long epoch() {
    return epoch;
  }

  public long highestEpoch() {
    return highestEpoch;
  }

  public void heardOf(long someEpoch) {
    if (Terms.isPlausible(someEpoch, highestEpoch)) {
      highestEpoch = Math.max(highestEpoch, someEpoch);
    }
  }

  // Waiting for one

  /// Waits to hear of a DC; if none is heard of, an election is called.
  public void await() {
    var wait = host.dcDeadtime();
    if (beatenBy != null) {
      wait = SILENCE;
    } else if (host.allConfiguredOnline()) {
      // no node is missing: a DC would have been heard by now
      wait = host.online().size() == 1 ? ALONE : COMPANY;
    }
    expect(wait, "no DC was heard of for ");
  }

  public boolean isAwaited() {
    return deadline != null;
  }

  private void expect(Duration wait, String why) {
    stopWaiting();
    var due = world.nanoTime() + wait.toNanos();
    deadline =
        world.after(
            wait,
            () -> {
              deadline = null;
              if (world.nanoTime() - due > HEARTBEAT.toNanos()) {
                // this node itself was paused; what the DC sent meanwhile is still to be read
                expect(Duration.ofSeconds(2 * HEARTBEAT_SECONDS), why);
                return;
              }
              beatenBy = null;
              id = null;
              host.offer(new Input.DcTimeout(why + wait.toMillis() + " ms"));
            });
  }

  public void stopWaiting() {
    if (deadline != null) {
      deadline.cancel();
      deadline = null;
    }
  }

  // What others say

  /// A heartbeat of a DC.
  public void heard(NodeId from, long theirs) {
    heardOf(theirs);
    leaderless.clear();
    if (from.equals(self)) {
      return;
    }
    if (own) {
      host.offer(new Input.ElectionCalled(host.nodeName(from) + " is DC too"));
      return;
    }
    switch (host.state()) {
      case PENDING -> {
        if (id == null || ++beatsPending % BEATS_TO_JOIN == 0) {
          host.send(from, new PeerMessage.Announce(highestEpoch));
        }
        expect(SILENCE, NOT_HEARD);
      }
      case NOT_DC -> {
        if (is(from)) {
          expect(SILENCE, NOT_HEARD);
        }
      }
      case STARTING,
          ELECTION,
          INTEGRATION,
          FINALIZE_JOIN,
          POLICY_ENGINE,
          TRANSITION_ENGINE,
          IDLE,
          RELEASE_DC,
          RECOVERY,
          STOPPING,
          TERMINATE -> {}
    }
  }

  /// A node looks for its DC.
  public void announced(NodeId from, long heard) {
    heardOf(heard);
    if (!own) {
      leaderless.add(from);
      electIfLeaderless();
      return;
    }
    if (heard > epoch) {
      host.offer(
          new Input.ElectionCalled(
              host.nodeName(from) + " has heard of a later DC and would not follow this one"));
    } else {
      host.seeking(from);
    }
  }

  /// Calls an election at once if every node of the cluster is there and looks for a DC.
  private void electIfLeaderless() {
    if (isSought()
        && host.online().size() > 1
        && host.allConfiguredOnline()
        && leaderless.containsAll(host.online())) {
      leaderless.clear();
      host.offer(new Input.DcTimeout("all nodes are there and none is DC"));
    }
  }

  private boolean isSought() {
    return host.state() == State.PENDING && id == null && beatenBy == null;
  }

  /// A node asks for votes: the election will give a DC.
  public void voteHeard(long theirs) {
    heardOf(theirs);
    leaderless.clear();
  }

  /// Controllers came into the group.
  public void came(Collection<NodeId> nodes) {
    leaderless.removeAll(nodes);
    if (isSought()) {
      host.broadcast(new PeerMessage.Announce(highestEpoch)); // they have not heard it
      await();
    }
  }

  /// Controllers have left the group.
  public void left(Collection<NodeId> nodes) {
    leaderless.removeAll(nodes);
  }

  /// The controller of a node is gone for good: if it was the DC or was to be, another is needed.
  public void lost(NodeId node, NodeName name) {
    if (is(node)) {
      id = null;
      host.offer(new Input.ElectionCalled("the DC " + name + " has left"));
    } else if (name.equals(beatenBy)) {
      beatenBy = null;
      host.offer(new Input.DcTimeout(name + ", who won the election, has left"));
    }
  }

  // Elections and what comes of them

  public void votes() {
    stopWaiting();
    beatenBy = null;
    if (!own) {
      id = null;
    }
  }

  public void beaten(@Nullable NodeName winner) {
    beatenBy = winner;
  }

  /// Accepts a DC's join offer.
  public void follow(NodeId from, long theirs) {
    heardOf(theirs);
    beatenBy = null;
    id = from;
    if (!own) {
      expect(SILENCE, NOT_HEARD);
    }
  }

  /// This node is DC from now on, in an epoch of its own, higher than any heard of.
  public void takeOver() {
    stopWaiting();
    own = true;
    beatenBy = null;
    id = self;
    epoch = Terms.of(Terms.counter(highestEpoch) + 1, self);
    highestEpoch = epoch;
  }

  /// The number of this epoch among all, as people read it.
  public long term() {
    return Terms.counter(epoch);
  }

  /// This node is no longer DC.
  public void release() {
    own = false;
    id = null;
    beat();
  }

  /// Tells all nodes now, and every [#HEARTBEAT], that this one is DC, as long as it is.
  public void beat() {
    if (heartbeat != null) {
      heartbeat.cancel();
      heartbeat = null;
    }
    if (!own) {
      return;
    }
    host.broadcast(new PeerMessage.Heartbeat(epoch));
    heartbeat = world.after(HEARTBEAT, this::beat);
  }
}
