package org.systole.controld;

import java.time.Duration;
import java.util.Collection;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.Version;
import org.systole.common.world.World;

/// One node's part in choosing the DC.
///
/// Every candidate asks all others for their voice; who knows himself the better candidate asks in
/// turn, who does not gives way. The longest-lived node wins, names decide ties. An election is won
/// once everybody in the group has given way, or when the time for it is up.
final class Election {
  /// A node that has just given way to somebody need not fight off others for him.
  private static final Duration DAMPENING = Duration.ofSeconds(2);

  /// What makes a node a good DC.
  ///
  /// @param featureSet the lower wins, so that a DC speaks what all understand
  /// @param memberSince the lower wins: it has been there longer
  record Claim(String featureSet, long memberSince, boolean leaving, String name) {
    boolean beats(Claim other) {
      if (leaving != other.leaving) {
        return other.leaving;
      }
      var byFeatures = Version.compare(featureSet, other.featureSet);
      if (byFeatures != 0) {
        return byFeatures < 0;
      }
      if (memberSince != other.memberSince) {
        return memberSince < other.memberSince;
      }
      return name.compareTo(other.name) < 0;
    }
  }

  /// What an election needs of the controller.
  interface Host {
    Claim claim();

    long highestEpoch();

    void broadcast(PeerMessage message);

    void send(int node, PeerMessage message);

    void offer(Input input);
  }

  private final World world;
  private final Host host;
  private final int self;
  private final TreeSet<Integer> voters = new TreeSet<>();
  private final TreeSet<Integer> gaveWay = new TreeSet<>();
  private Duration timeout = Duration.ofMinutes(2);
  private World.@Nullable Timer deadline;
  private long round;
  private boolean running;
  private boolean lostBefore;
  private long lostNanos;

  Election(World world, Host host, int self) {
    this.world = world;
    this.host = host;
    this.self = self;
  }

  void timeout(Duration duration) {
    timeout = duration;
  }

  boolean running() {
    return running;
  }

  /// Opens a new round.
  void vote() {
    running = true;
    round++;
    gaveWay.clear();
    host.broadcast(ballot());
    restartDeadline();
    count();
  }

  /// Gives up this node's candidacy without a word.
  void cancel() {
    running = false;
    if (deadline != null) {
      deadline.cancel();
      deadline = null;
    }
  }

  /// The nodes whose controllers are there now, this one included or not.
  void voters(Collection<Integer> nodes) {
    for (var node : nodes) {
      if (node != self && voters.add(node) && running) {
        host.send(node, ballot());
      }
    }
    voters.retainAll(nodes);
    gaveWay.retainAll(nodes);
    count();
  }

  /// Somebody wants to be DC.
  void heard(int from, String name, PeerMessage.Vote vote) {
    if (from == self) {
      return;
    }
    var theirs = new Claim(vote.featureSet(), vote.memberSince(), vote.leaving(), name);
    if (theirs.beats(host.claim())) {
      host.send(from, new PeerMessage.NoVote(vote.round()));
      lostBefore = true;
      lostNanos = world.nanoTime();
      cancel();
      host.offer(new Input.ElectionLost(name));
    } else if (running) {
      host.send(from, ballot());
    } else if (!lostBefore || world.nanoTime() - lostNanos > DAMPENING.toNanos()) {
      host.offer(new Input.ElectionCalled(name + " wants to be DC and this node comes first"));
    }
  }

  void gaveWay(int from, PeerMessage.NoVote answer) {
    if (running && answer.round() == round && voters.contains(from)) {
      gaveWay.add(from);
      count();
    }
  }

  private void count() {
    if (running && gaveWay.containsAll(voters)) {
      cancel();
      host.offer(new Input.ElectionWon("won an election of " + (voters.size() + 1)));
    }
  }

  private void restartDeadline() {
    if (deadline != null) {
      deadline.cancel();
    }
    var ofRound = round;
    deadline =
        world.after(
            timeout,
            () -> {
              if (running && round == ofRound) {
                cancel();
                host.offer(new Input.ElectionWon("nobody objected within " + timeout));
              }
            });
  }

  private PeerMessage.Vote ballot() {
    var claim = host.claim();
    return new PeerMessage.Vote(
        round, claim.featureSet(), claim.memberSince(), claim.leaving(), host.highestEpoch());
  }
}
