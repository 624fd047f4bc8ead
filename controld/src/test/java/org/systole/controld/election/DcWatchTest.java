package org.systole.controld.election;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.systole.controld.TestNodes.id;
import static org.systole.controld.TestNodes.ids;
import static org.systole.controld.TestNodes.named;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.world.TestWorld;
import org.systole.controld.fsm.Input;
import org.systole.controld.fsm.State;
import org.systole.controld.io.PeerMessage;

/// Who is DC as far as node2 of three knows.
final class DcWatchTest {
  private final TestWorld world = new TestWorld();
  private final Host host = new Host();
  private final DcWatch watch = new DcWatch(world, host, id(2));

  private final class Host implements DcWatch.Host {
    final List<Input> inputs = new ArrayList<>();
    final List<String> sent = new ArrayList<>();
    final List<NodeId> sought = new ArrayList<>();
    State state = State.PENDING;
    List<NodeId> online = ids(1, 2, 3);
    boolean complete = true;

    @Override
    public State state() {
      return state;
    }

    @Override
    public void offer(Input input) {
      inputs.add(input);
    }

    @Override
    public void broadcast(PeerMessage message) {
      sent.add("all " + message);
    }

    @Override
    public void send(NodeId node, PeerMessage message) {
      sent.add(node + " " + message);
    }

    @Override
    public Duration dcDeadtime() {
      return Duration.ofSeconds(20);
    }

    @Override
    public List<NodeId> online() {
      return online;
    }

    @Override
    public boolean allConfiguredOnline() {
      return complete;
    }

    @Override
    public NodeName nodeName(NodeId node) {
      return named("node" + node);
    }

    @Override
    public void seeking(NodeId node) {
      sought.add(node);
    }
  }

  /// How long it is before something is told; all of it is forgotten then.
  private long millisUntilTold() {
    for (var millis = 0L; millis < 60_000; millis += 100) {
      if (!host.inputs.isEmpty()) {
        host.inputs.clear();
        return millis;
      }
      world.pass(Duration.ofMillis(100));
    }
    return Long.MAX_VALUE;
  }

  private void follow(int node) {
    watch.follow(id(node), 1025);
    host.state = State.NOT_DC;
  }

  // Waiting

  @Test
  void aDcIsWaitedForAsLongAsOneMayBeThere() {
    watch.await();
    assertTrue(watch.isAwaited());
    assertEquals(2500, millisUntilTold(), "all are there: it would have been heard");
    assertFalse(watch.isAwaited());
    host.online = ids(2);
    watch.await();
    assertEquals(100, millisUntilTold(), "alone in a cluster of one");
    host.complete = false;
    watch.await();
    assertEquals(20_000, millisUntilTold(), "who is missing may have a DC");
    watch.beaten(named("node1"));
    watch.await();
    assertEquals(8000, millisUntilTold(), "who has won will say so");
    watch.await();
    assertEquals(20_000, millisUntilTold(), "that one has not");
  }

  @Test
  void theLaterDeadlineCounts() {
    watch.await();
    world.pass(Duration.ofSeconds(2));
    watch.await();
    assertEquals(2500, millisUntilTold());
    watch.await();
    watch.stopWaiting();
    assertFalse(watch.isAwaited());
    assertEquals(Long.MAX_VALUE, millisUntilTold());
  }

  @Test
  void aNodeThatWasPausedListensBeforeItTakesTheDcForLost() {
    follow(1);
    world.stall(Duration.ofSeconds(11));
    world.pass(Duration.ofMillis(1));
    assertEquals(List.of(), host.inputs);
    assertTrue(watch.is(id(1)));
    assertEquals(4000, millisUntilTold());
    assertNull(watch.id());

    follow(1);
    world.stall(Duration.ofSeconds(10));
    world.pass(Duration.ofMillis(1));
    assertEquals(1, host.inputs.size(), "a little late is not asleep");
  }

  // Heartbeats

  @Test
  void aFollowerThatHearsNothingOfItsDcReportsATimeout() {
    follow(1);
    world.pass(Duration.ofSeconds(7));
    watch.heard(id(1), 1025);
    world.pass(Duration.ofSeconds(7));
    watch.heard(id(3), 1026); // another one's are no sign of life
    assertEquals(List.of(), host.inputs);
    world.pass(Duration.ofSeconds(1));
    assertEquals(
        List.of(new Input.DcTimeout("nothing was heard of the DC for 8000 ms")), host.inputs);
    assertNull(watch.id());
  }

  @Test
  void aPendingNodeThatHearsADcAsksToBeLetIn() {
    watch.heard(id(1), 1025);
    assertEquals(List.of("1 " + new PeerMessage.Announce(1025)), host.sent);
    assertEquals(8000, millisUntilTold());

    watch.follow(id(1), 1025);
    host.sent.clear();
    for (var i = 0; i < 7; i++) {
      watch.heard(id(1), 1025);
    }
    assertEquals(List.of(), host.sent, "it has been invited");
    watch.heard(id(1), 1025);
    assertEquals(1, host.sent.size(), "but was not let in");
  }

  @Test
  void inOtherStatesAHeartbeatOnlyTellsItsEpoch() {
    for (var state : State.values()) {
      if (state != State.PENDING && state != State.NOT_DC) {
        host.state = state;
        watch.heard(id(1), 1025);
      }
    }
    assertEquals(List.of(), host.sent);
    assertEquals(List.of(), host.inputs);
    assertEquals(1025, watch.highestEpoch());
    assertFalse(watch.isAwaited());
  }

  @Test
  void twoDcsHoldAnElection() {
    watch.takeOver();
    host.state = State.IDLE;
    watch.heard(id(2), watch.epoch());
    assertEquals(List.of(), host.inputs, "its own heartbeat");
    watch.heard(id(1), 5);
    assertEquals(List.of(new Input.ElectionCalled("node1 is DC too")), host.inputs);
  }

  @Test
  void aDcIsHeardAtOnceAndAgainAsLongAsItIsDc() {
    watch.beat();
    assertEquals(List.of(), host.sent);
    watch.takeOver();
    watch.beat();
    assertEquals(List.of("all " + new PeerMessage.Heartbeat(watch.epoch())), host.sent);
    watch.beat();
    world.pass(Duration.ofSeconds(4));
    assertEquals(4, host.sent.size(), "one row of heartbeats");
    watch.release();
    world.pass(Duration.ofSeconds(10));
    assertEquals(4, host.sent.size());
    assertFalse(watch.isOwn());
    assertNull(watch.id());
  }

  // Epochs

  @Test
  void everyTermHasAHigherEpochThanAllHeardOfAndItsOwn() {
    watch.takeOver();
    assertEquals((1L << 32) + 2, watch.epoch());
    assertTrue(watch.is(id(2)) && watch.isOwn());
    var heard = (5L << 32) + 7;
    watch.heardOf(heard);
    watch.heardOf(4000);
    assertEquals(heard, watch.highestEpoch());
    assertEquals((1L << 32) + 2, watch.epoch());
    watch.takeOver();
    assertEquals((6L << 32) + 2, watch.epoch());
    assertEquals(watch.epoch(), watch.highestEpoch());
  }

  @Test
  void noTwoNodesComeToTheSameEpochWhateverTheyKnowOfEachOther() {
    var epochs = new TreeSet<Long>();
    for (var number : List.of(1, 2, 1024, 1025, Integer.MAX_VALUE)) {
      var other = new DcWatch(world, host, id(number));
      other.heardOf(5000);
      other.takeOver();
      assertTrue(other.epoch() > 5000, "higher than what was heard");
      assertTrue(epochs.add(other.epoch()), "node " + number + " comes to another's epoch");
    }
  }

  @Test
  void whatOthersSayRaisesTheHighestEpoch() {
    watch.voteHeard(10);
    assertEquals(10, watch.highestEpoch());
    watch.announced(id(1), 11);
    assertEquals(11, watch.highestEpoch());
    watch.follow(id(1), 12);
    assertEquals(12, watch.highestEpoch());
    watch.heard(id(1), 13);
    assertEquals(13, watch.highestEpoch());
  }

  // Nodes that look for a DC

  @Test
  void aDcInvitesANodeThatLooksForOneUnlessItKnowsALaterDc() {
    watch.takeOver();
    watch.announced(id(3), watch.epoch());
    assertEquals(ids(3), host.sought);
    assertEquals(List.of(), host.inputs);
    watch.announced(id(3), watch.epoch() + 1);
    assertEquals(ids(3), host.sought);
    assertEquals(1, host.inputs.size());
    assertTrue(host.inputs.getFirst() instanceof Input.ElectionCalled);
  }

  private void announceAll() {
    for (var node : host.online) {
      watch.announced(node, 0);
    }
  }

  @Test
  void whenAllNodesLookForADcAnElectionIsCalledAtOnce() {
    watch.announced(id(1), 0);
    watch.announced(id(3), 0);
    assertEquals(List.of(), host.inputs);
    watch.announced(id(2), 0);
    assertEquals(
        List.of(new Input.DcTimeout("all nodes are there and none is DC")), host.inputs);
  }

  @Test
  void noElectionIsCalledAtOnceWhereADcMayBe() {
    List<Runnable> reasons =
        List.of(
            () -> host.complete = false,
            () -> host.state = State.STARTING,
            () -> watch.follow(id(1), 1025),
            () -> watch.beaten(named("node1")),
            () -> host.online = ids(2));
    for (var i = 0; i < reasons.size(); i++) {
      host.complete = true;
      host.state = State.PENDING;
      host.online = ids(1, 2, 3);
      watch.votes();
      reasons.get(i).run();
      announceAll();
      assertEquals(List.of(), host.inputs, "reason " + i);
      watch.left(ids(1, 2, 3));
    }
  }

  @Test
  void announcementsFromBeforeADcWasHeardOfAreForgotten() {
    List<Runnable> news =
        List.of(
            () -> watch.heard(id(9), 0),
            () -> watch.voteHeard(0),
            () -> watch.left(ids(1)),
            () -> watch.came(ids(1)));
    for (var i = 0; i < news.size(); i++) {
      host.state = State.ELECTION; // what was heard is not acted upon yet
      watch.announced(id(1), 0);
      news.get(i).run();
      host.state = State.PENDING;
      watch.announced(id(2), 0);
      watch.announced(id(3), 0);
      assertEquals(List.of(), host.inputs, "news " + i);
      watch.left(ids(1, 2, 3));
    }
  }

  @Test
  void aNodeThatComesIsToldThatThisOneLooksForADc() {
    watch.came(ids(3));
    assertEquals(List.of("all " + new PeerMessage.Announce(0)), host.sent);
    assertTrue(watch.isAwaited());
    host.sent.clear();
    follow(1);
    watch.came(ids(3));
    assertEquals(List.of(), host.sent);
  }

  // The DC is gone

  @Test
  void aDcThatHasLeftIsReplaced() {
    follow(1);
    watch.lost(id(3), named("node3"));
    assertEquals(List.of(), host.inputs);
    assertTrue(watch.is(id(1)));
    watch.lost(id(1), named("node1"));
    assertEquals(List.of(new Input.ElectionCalled("the DC node1 has left")), host.inputs);
    assertNull(watch.id());
    assertFalse(watch.is(id(1)));
  }

  @Test
  void aWinnerThatLeavesBeforeItIsDcIsNotWaitedFor() {
    watch.beaten(named("node1"));
    watch.lost(id(3), named("node3"));
    assertEquals(List.of(), host.inputs);
    watch.lost(id(1), named("node1"));
    assertEquals(1, host.inputs.size());
    assertTrue(host.inputs.getFirst() instanceof Input.DcTimeout);
    watch.await();
    host.inputs.clear();
    assertEquals(2500, millisUntilTold(), "nobody has won any more");
  }

  @Test
  void aCandidateHasNoDcUnlessItIsDcItself() {
    follow(1);
    watch.votes();
    assertNull(watch.id());
    assertFalse(watch.isAwaited());
    watch.takeOver();
    assertFalse(watch.isAwaited());
    watch.votes();
    assertTrue(watch.is(id(2)));
    watch.follow(id(2), watch.epoch());
    assertFalse(watch.isAwaited(), "a DC does not wait for itself");
  }
}
