package org.systole.controld.fsm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.systole.controld.TestNodes.id;
import static org.systole.controld.TestNodes.named;

import java.util.EnumSet;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.systole.common.transition.TransitionGraph;

final class TransitionsTest {
  @Test
  void aFollowerThatLosesItsDcCallsAnElection() {
    var step = Transitions.TABLE.step(State.NOT_DC, new Input.ElectionCalled("node1 left"));

    assertEquals(State.ELECTION, step.next());
    assertEquals(List.of(new Effect.Vote("node1 left")), step.effects());
  }

  @Test
  void theLoserOfAnElectionIsPendingOnceItHasHandedOver() {
    var lost = Transitions.TABLE.step(State.IDLE, new Input.ElectionLost(named("node2")));
    var released = Transitions.TABLE.step(lost.next(), new Input.Released());

    assertEquals(State.RELEASE_DC, lost.next());
    assertEquals(State.PENDING, released.next());
  }

  @Test
  void aNewNodeInterruptsATransitionForItsJoin() {
    var step = Transitions.TABLE.step(State.TRANSITION_ENGINE, new Input.NodesChanged("node3"));

    assertEquals(State.INTEGRATION, step.next());
    assertEquals(List.of(new Effect.Halt("node3"), new Effect.OfferNew("node3")), step.effects());
  }

  @Test
  void aPlanThatWasOvertakenIsNotCarriedOut() {
    var step = Transitions.TABLE.step(State.INTEGRATION, new Input.Planned(TransitionGraph.EMPTY));

    assertEquals(State.INTEGRATION, step.next());
    assertEquals(List.of(), step.effects());
  }

  @ParameterizedTest
  @EnumSource(
      value = State.class,
      names = {"STOPPING", "TERMINATE", "RECOVERY"})
  void nothingLeadsBackFromTheEnd(State end) {
    var back = EnumSet.complementOf(EnumSet.of(State.STOPPING, State.TERMINATE, State.RECOVERY));
    Stream.of(
            new Input.ElectionWon("x"),
            new Input.ElectionLost(named("x")),
            new Input.DcTimeout("x"),
            new Input.Offered(id(1), 1, 1),
            new Input.Ready(),
            new Input.Broken("x"),
            new Input.StopNow("x"))
        .forEach(
            input -> assertEquals(false, back.contains(Transitions.TABLE.step(end, input).next())));
  }

  @Test
  void aTableWithAGapIsRefused() {
    var builder =
        new Table.Builder().ignore(Input.StartUp.class, EnumSet.allOf(State.class), "for the test");

    assertThrows(IllegalStateException.class, builder::build);
  }

  @Test
  void ignoringWithoutAReasonIsRefused() {
    var builder = new Table.Builder();

    assertThrows(
        IllegalArgumentException.class,
        () -> builder.ignore(Input.StartUp.class, EnumSet.of(State.IDLE), " "));
  }
}
