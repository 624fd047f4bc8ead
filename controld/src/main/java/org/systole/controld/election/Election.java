package org.systole.controld.election;

import java.time.Duration;
import java.util.Collection;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.values.Version;
import org.systole.common.world.World;
import org.systole.controld.fsm.Input;
import org.systole.controld.io.PeerMessage;

/// One node's part in choosing the DC.
///
/// Every candidate asks all others for their votes. A node that is the better candidate asks in
/// turn, any other gives way. A node that is leaving loses to one that is not. Then the lowest
/// feature set wins, then the node that has been a member longest; names decide ties. An election
/// is won once all others in the group have given way, or when its time is up.
public final class Election {
  /// A node that has just given way leaves it to the better candidate to object to others.
  private static final Duration DAMPENING = Duration.ofSeconds(2);

  /// A node that has not answered is asked again after this time. It is longer than [#DAMPENING],
  /// for which a node that has given way stays silent.
  private static final Duration AGAIN = Duration.ofSeconds(3);

  /// What makes a node a good DC.
  ///
  /// @param featureSet the lower wins, so that a DC speaks what all understand
  /// @param memberSince the lower wins: it has been there longer
  public record Claim(String featureSet, long memberSince, boolean leaving, NodeName name) {
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
  public interface Host {
    Claim claim();

    long highestEpoch();

    void broadcast(PeerMessage message);

    void send(NodeId node, PeerMessage message);

    void offer(Input input);
  }

  private final World world;
  private final Host host;
  private final NodeId self;
  private final TreeSet<NodeId> voters = new TreeSet<>();
  private final TreeSet<NodeId> gaveWay = new TreeSet<>();
  private Duration timeout = Duration.ofMinutes(2);
  private World.@Nullable Timer deadline;
  private World.@Nullable Timer again;
  private long round;
  private boolean running;
  private @Nullable NodeId winner;
  private long lostNanos;

  public Election(World world, Host host, NodeId self) {
    this.world = world;
    this.host = host;
    this.self = self;
  }

  public void timeout(Duration duration) {
    timeout = duration;
  }

  boolean running() {
    return running;
  }

  /// Opens a new round.
  public void vote() {
    running = true;
    round++;
    gaveWay.clear();
    host.broadcast(ballot());
    restartDeadline();
    count();
  }

  /// Gives up this node's candidacy without telling the others.
  public void cancel() {
    running = false;
    if (deadline != null) {
      deadline.cancel();
      deadline = null;
    }
    if (again != null) {
      again.cancel();
      again = null;
    }
  }

  /// The nodes whose controllers are there now, with or without this one.
  public void voters(Collection<NodeId> nodes) {
    for (var node : nodes) {
      if (!node.equals(self) && voters.add(node) && running) {
        host.send(node, ballot());
      }
    }
    voters.retainAll(nodes);
    gaveWay.retainAll(nodes);
    count();
  }

  /// A node asks for this node's vote.
  public void heard(NodeId from, NodeName name, PeerMessage.Vote vote) {
    if (from.equals(self)) {
      return;
    }
    var theirs = new Claim(vote.featureSet(), vote.memberSince(), vote.leaving(), name);
    if (theirs.beats(host.claim())) {
      host.send(from, new PeerMessage.NoVote(vote.round()));
      winner = from;
      lostNanos = world.nanoTime();
      cancel();
      host.offer(new Input.ElectionLost(name));
    } else if (running) {
      host.send(from, ballot());
    } else if (!isLeftToWinner(from)) {
      host.offer(new Input.ElectionCalled(name + " wants to be DC and this node comes first"));
    }
  }

  /// Whether objecting to a candidate is left to the node that this one has just given way to. Not
  /// if the candidate is that node itself: its first claim may have come late, from before its
  /// present stay, and its new claim may be worse than this node's.
  private boolean isLeftToWinner(NodeId candidate) {
    return winner != null
        && !winner.equals(candidate)
        && world.nanoTime() - lostNanos <= DAMPENING.toNanos();
  }

  public void gaveWay(NodeId from, PeerMessage.NoVote answer) {
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

  private void askAgain() {
    for (var node : voters) {
      if (!gaveWay.contains(node)) {
        host.send(node, ballot());
      }
    }
    again = world.after(AGAIN, this::askAgain);
  }

  private void restartDeadline() {
    if (deadline != null) {
      deadline.cancel();
    }
    if (again != null) {
      again.cancel();
    }
    again = world.after(AGAIN, this::askAgain);
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
