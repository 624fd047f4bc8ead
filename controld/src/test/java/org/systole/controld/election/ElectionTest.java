package org.systole.controld.election;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.systole.controld.TestNodes.id;
import static org.systole.controld.TestNodes.ids;
import static org.systole.controld.TestNodes.named;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.common.values.NodeId;
import org.systole.common.world.TestWorld;
import org.systole.controld.fsm.Input;
import org.systole.controld.io.PeerMessage;

final class ElectionTest {
  private final TestWorld world = new TestWorld();
  private final List<Object> sent = new ArrayList<>();
  private final List<Input> inputs = new ArrayList<>();
  private final Election election = new Election(world, new Host(), id(2));

  private final class Host implements Election.Host {
    @Override
    public Election.Claim claim() {
      return new Election.Claim("3.20.5", 5, false, named("node2"));
    }

    @Override
    public long highestEpoch() {
      return 0;
    }

    @Override
    public void broadcast(PeerMessage message) {
      sent.add(message);
    }

    @Override
    public void send(NodeId node, PeerMessage message) {
      sent.add(node + " " + message);
    }

    @Override
    public void offer(Input input) {
      inputs.add(input);
    }
  }

  private static PeerMessage.Vote voteSince(long since) {
    return new PeerMessage.Vote(7, "3.20.5", since, false, 0);
  }

  @Test
  void anElectionIsWonOnceAllOthersGaveWay() {
    election.voters(ids(1, 2, 3));
    election.vote();

    election.gaveWay(id(1), new PeerMessage.NoVote(1));
    assertEquals(List.of(), inputs);
    election.gaveWay(id(3), new PeerMessage.NoVote(1));

    assertInstanceOf(Input.ElectionWon.class, inputs.getFirst());
  }

  @Test
  void anAnswerOfAnOlderRoundDoesNotCount() {
    election.voters(ids(1, 2));
    election.vote();
    election.vote();

    election.gaveWay(id(1), new PeerMessage.NoVote(1));

    assertEquals(List.of(), inputs);
    assertTrue(election.running());
  }

  @Test
  void aNodeThatIsAloneWinsAtOnce() {
    election.voters(ids(2));
    election.vote();

    assertInstanceOf(Input.ElectionWon.class, inputs.getFirst());
  }

  @Test
  void aBetterCandidateIsGivenWayTo() {
    election.voters(ids(1, 2));
    election.vote();
    sent.clear();

    election.heard(id(1), named("node1"), voteSince(4));

    assertEquals(List.of("1 " + new PeerMessage.NoVote(7)), sent);
    assertEquals(List.of(new Input.ElectionLost(named("node1"))), inputs);
    assertFalse(election.running());
  }

  @Test
  void aWorseCandidateIsAnsweredWithABallot() {
    election.heard(id(3), named("node3"), voteSince(6));

    assertInstanceOf(Input.ElectionCalled.class, inputs.getFirst());
  }

  @Test
  void aNodeThatHasJustGivenWayDoesNotObjectToOthers() {
    election.heard(id(1), named("node1"), voteSince(4));
    inputs.clear();

    election.heard(id(3), named("node3"), voteSince(6));
    assertEquals(List.of(), inputs);
    world.pass(Duration.ofSeconds(3));
    election.heard(id(3), named("node3"), voteSince(6));

    assertInstanceOf(Input.ElectionCalled.class, inputs.getFirst());
  }

  @Test
  void aCandidateWithANowWorseClaimIsOpposedByThoseWhoGaveWayToIt() {
    election.heard(id(1), named("node1"), voteSince(4));
    inputs.clear();

    election.heard(id(1), named("node1"), voteSince(6));

    assertInstanceOf(Input.ElectionCalled.class, inputs.getFirst());
  }

  @Test
  void aNodeThatDoesNotVoteIsAskedAgain() {
    election.voters(ids(1, 2, 3));
    election.vote();
    election.gaveWay(id(1), new PeerMessage.NoVote(1));
    sent.clear();

    world.pass(Duration.ofSeconds(4));
    assertEquals(1, sent.size());
    assertTrue(sent.getFirst().toString().startsWith("3 "), sent::toString);
    election.gaveWay(id(3), new PeerMessage.NoVote(1));
    world.pass(Duration.ofSeconds(4));

    assertEquals(1, sent.size());
    assertInstanceOf(Input.ElectionWon.class, inputs.getFirst());
  }

  @Test
  void aLostNodesVoteIsNotWaitedFor() {
    election.voters(ids(1, 2, 3));
    election.vote();
    election.gaveWay(id(1), new PeerMessage.NoVote(1));

    election.voters(ids(1, 2));

    assertInstanceOf(Input.ElectionWon.class, inputs.getFirst());
  }

  @Test
  void aNodeThatComesDuringAnElectionIsAskedToo() {
    election.voters(ids(1, 2));
    election.vote();
    sent.clear();

    election.voters(ids(1, 2, 4));

    assertEquals(1, sent.size());
    election.gaveWay(id(1), new PeerMessage.NoVote(1));
    assertEquals(List.of(), inputs);
  }

  @Test
  void anElectionIsWonWhenItsTimeIsUp() {
    election.voters(ids(1, 2));
    election.vote();

    world.pass(Duration.ofMinutes(2));

    assertInstanceOf(Input.ElectionWon.class, inputs.getFirst());
  }

  @Test
  void aVoteOfANodeThatLeftDoesNotCountWhenItIsBack() {
    election.voters(ids(1, 2, 3));
    election.vote();
    election.gaveWay(id(1), new PeerMessage.NoVote(1));
    election.voters(ids(2, 3));
    election.voters(ids(1, 2, 3));
    election.gaveWay(id(3), new PeerMessage.NoVote(1));
    assertEquals(List.of(), inputs, "it may be DC of another side by now");
    election.gaveWay(id(9), new PeerMessage.NoVote(1));
    assertEquals(List.of(), inputs, "whom nobody asked has no vote");
    election.gaveWay(id(1), new PeerMessage.NoVote(1));
    assertEquals(List.of(new Input.ElectionWon("won an election of 3")), inputs);
  }

  @Test
  void anElectionThatIsGivenUpIsNotWonLater() {
    election.voters(ids(1, 2));
    election.vote();
    election.cancel();
    sent.clear();
    election.gaveWay(id(1), new PeerMessage.NoVote(1));
    world.pass(Duration.ofMinutes(3));
    assertEquals(List.of(), inputs);
    assertEquals(List.of(), sent, "nor is anybody asked again");
  }

  @Test
  void anElectionIsWonOnce() {
    election.voters(ids(1, 2));
    election.vote();
    election.gaveWay(id(1), new PeerMessage.NoVote(1));
    election.voters(ids(2));
    world.pass(Duration.ofMinutes(3));
    assertEquals(1, inputs.size());
  }

  @Test
  void aNewRoundHasItsOwnTime() {
    election.timeout(Duration.ofSeconds(10));
    election.voters(ids(1, 2));
    election.vote();
    world.pass(Duration.ofSeconds(9));
    election.vote();
    sent.clear();
    world.pass(Duration.ofSeconds(9));
    assertEquals(List.of(), inputs);
    assertEquals(3, sent.size(), "asked again every three seconds, by this round alone");
    world.pass(Duration.ofSeconds(1));
    assertEquals(List.of(new Input.ElectionWon("nobody objected within PT10S")), inputs);
  }

  @Test
  void aCandidateAnswersAWorseOneWithItsClaim() {
    election.voters(ids(1, 2));
    election.vote();
    sent.clear();
    election.heard(id(1), named("node1"), voteSince(9));
    assertEquals(List.of("1 " + new PeerMessage.Vote(1, "3.20.5", 5, false, 0)), sent);
    assertEquals(List.of(), inputs);
  }

  @Test
  void anOwnBallotIsIgnored() {
    election.heard(id(2), named("node2"), voteSince(1));
    assertEquals(List.of(), inputs);
    assertEquals(List.of(), sent);
  }

  @Test
  void aNodeThatGaveWayLongAgoObjectsAgain() {
    election.heard(id(1), named("node1"), voteSince(4));
    inputs.clear();
    world.pass(Duration.ofSeconds(2));
    election.heard(id(3), named("node3"), voteSince(6));
    assertEquals(List.of(), inputs);
    world.pass(Duration.ofMillis(1));
    election.heard(id(3), named("node3"), voteSince(6));
    assertEquals(1, inputs.size());
  }

  @Test
  void aVoteSaysHowLongItsNodeHasBeenThere() {
    election.voters(ids(1, 2));
    election.vote();
    assertEquals(List.of(new PeerMessage.Vote(1, "3.20.5", 5, false, 0)), sent);
  }

  @Test
  void ofTwoEqualClaimsExactlyOneIsTheBetter() {
    var claims =
        List.of(
            new Election.Claim("3.20.5", 5, false, named("node2")),
            new Election.Claim("3.20.5", 5, false, named("node3")),
            new Election.Claim("3.20.5", 4, false, named("node2")),
            new Election.Claim("3.20.4", 5, false, named("node2")),
            new Election.Claim("3.20.5", 5, true, named("node1")),
            new Election.Claim("3.20.10", 1, false, named("node1")));
    for (var one : claims) {
      assertFalse(one.beats(one));
      for (var other : claims) {
        assertTrue(one.equals(other) || one.beats(other) != other.beats(one), one + " " + other);
      }
    }
  }
}
