package org.systole.controld;

import java.time.Duration;
import java.util.Collection;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.World;

/// Who is DC, as far as this node knows: the one it follows or is itself, the epochs heard of, and
/// how long it waits to hear of one. What follows from it goes to the state machine as an [Input].
final class DcWatch {
  private static final int HEARTBEAT_SECONDS = 2;
  static final Duration HEARTBEAT = Duration.ofSeconds(HEARTBEAT_SECONDS);
  /// A node that hears its DC and is not let in asks again after so many heartbeats.
  private static final int BEATS_TO_JOIN = 8;
  private static final Duration SILENCE = Duration.ofSeconds(4 * HEARTBEAT_SECONDS);
  private static final String NOT_HEARD = "nothing was heard of the DC for ";
  private static final Duration ALONE = Duration.ofMillis(100);
  private static final Duration COMPANY = HEARTBEAT.plusMillis(500);

  private final World world;
  private final Controller controller;
  private final NodeBook book;

  private boolean own;
  private @Nullable Integer id;
  private long epoch;
  private long highestEpoch;
  private int beatsPending;
  private @Nullable String beatenBy;
  private World.@Nullable Timer deadline;
  private World.@Nullable Timer heartbeat;

  /// Nodes that have said to all that they look for a DC, since this one last heard of any.
  private final TreeSet<Integer> leaderless = new TreeSet<>();

  DcWatch(World world, Controller controller, NodeBook book) {
    this.world = world;
    this.controller = controller;
    this.book = book;
  }

  /// Whether this node is it.
  boolean isOwn() {
    return own;
  }

  /// Null if there is none at present.
  @Nullable Integer id() {
    return id;
  }

  boolean is(int node) {
    return id != null && id == node;
  }

  /// Of this node's last term as DC.
  long epoch() {
    return epoch;
  }

  long highestEpoch() {
    return highestEpoch;
  }

  void heardOf(long someEpoch) {
    highestEpoch = Math.max(highestEpoch, someEpoch);
  }

  // Waiting for one

  /// Waits for a DC to be heard of; when none is, an election is due.
  void await() {
    var wait = controller.options().dcDeadtime();
    if (beatenBy != null) {
      wait = SILENCE;
    } else if (book.allConfiguredOnline()) {
      // nobody is missing: whoever is DC would have been heard by now
      wait = book.online().size() == 1 ? ALONE : COMPANY;
    }
    expect(wait, "no DC was heard of for ");
  }

  boolean isAwaited() {
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
                // it was this node that slept; what the DC sent meanwhile is still to be read
                expect(Duration.ofSeconds(2 * HEARTBEAT_SECONDS), why);
                return;
              }
              beatenBy = null;
              id = null;
              controller.offer(new Input.DcTimeout(why + wait.toMillis() + " ms"));
            });
  }

  void stopWaiting() {
    if (deadline != null) {
      deadline.cancel();
      deadline = null;
    }
  }

  // What others say

  /// A heartbeat of a DC.
  void heard(int from, long theirs) {
    heardOf(theirs);
    leaderless.clear();
    if (!controller.knowsItself() || controller.isSelf(from)) {
      return;
    }
    if (own) {
      controller.offer(new Input.ElectionCalled(book.name(from) + " is DC too"));
      return;
    }
    switch (controller.state()) {
      case PENDING -> {
        if (id == null || ++beatsPending % BEATS_TO_JOIN == 0) {
          controller.send(from, new PeerMessage.Announce(highestEpoch));
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
  void announced(int from, long heard) {
    heardOf(heard);
    if (!own) {
      leaderless.add(from);
      electIfLeaderless();
      return;
    }
    if (heard > epoch) {
      controller.offer(
          new Input.ElectionCalled(
              book.name(from) + " has heard of a later DC and would not follow this one"));
    } else {
      controller.governor().announced(from);
    }
  }

  /// When every node of the cluster is there and looks for a DC, there is none to wait for.
  private void electIfLeaderless() {
    if (isSought()
        && book.online().size() > 1
        && book.allConfiguredOnline()
        && leaderless.containsAll(book.online())) {
      leaderless.clear();
      controller.offer(new Input.DcTimeout("all nodes are there and none is DC"));
    }
  }

  private boolean isSought() {
    return controller.state() == State.PENDING && id == null && beatenBy == null;
  }

  /// A node asks for voices: there is somebody who will be DC.
  void voteHeard(long theirs) {
    heardOf(theirs);
    leaderless.clear();
  }

  /// Controllers came into the group.
  void came(Collection<Integer> nodes) {
    leaderless.removeAll(nodes);
    if (isSought()) {
      controller.broadcast(new PeerMessage.Announce(highestEpoch)); // they have not heard it
      await();
    }
  }

  /// Controllers have left the group.
  void left(Collection<Integer> nodes) {
    leaderless.removeAll(nodes);
  }

  /// The controller of a node is gone for good: if it was the DC or was to be, another is needed.
  void lost(int node, String name) {
    if (is(node)) {
      id = null;
      controller.offer(new Input.ElectionCalled("the DC " + name + " has left"));
    } else if (name.equals(beatenBy)) {
      beatenBy = null;
      controller.offer(new Input.DcTimeout(name + ", who won the election, has left"));
    }
  }

  // Elections and what comes of them

  void votes() {
    stopWaiting();
    beatenBy = null;
    if (!own) {
      id = null;
    }
  }

  void beaten(@Nullable String winner) {
    beatenBy = winner;
  }

  /// Takes an offer of a DC to join.
  void follow(int from, long theirs) {
    heardOf(theirs);
    beatenBy = null;
    id = from;
    if (!own) {
      expect(SILENCE, NOT_HEARD);
    }
  }

  /// This node is DC from now on, in an epoch of its own.
  void takeOver(@Nullable Integer self) {
    stopWaiting();
    own = true;
    beatenBy = null;
    id = self;
    epoch = nextEpoch(self);
    highestEpoch = epoch;
  }

  /// Higher than any heard of, and no two nodes can come to the same.
  private long nextEpoch(@Nullable Integer self) {
    var place = self == null ? 0 : book.ids().indexOf(self);
    return (highestEpoch / 1024 + 1) * 1024 + place;
  }

  /// This node is no longer DC.
  void release() {
    own = false;
    id = null;
    beat();
  }

  /// Tells all nodes now and from time to time that this one is DC, as long as it is.
  void beat() {
    if (heartbeat != null) {
      heartbeat.cancel();
      heartbeat = null;
    }
    if (!own) {
      return;
    }
    controller.broadcast(new PeerMessage.Heartbeat(epoch));
    heartbeat = world.after(HEARTBEAT, this::beat);
  }
}
