package org.systole.controld.fsm;

import static org.systole.controld.fsm.State.ELECTION;
import static org.systole.controld.fsm.State.FINALIZE_JOIN;
import static org.systole.controld.fsm.State.IDLE;
import static org.systole.controld.fsm.State.INTEGRATION;
import static org.systole.controld.fsm.State.NOT_DC;
import static org.systole.controld.fsm.State.PENDING;
import static org.systole.controld.fsm.State.POLICY_ENGINE;
import static org.systole.controld.fsm.State.RECOVERY;
import static org.systole.controld.fsm.State.RELEASE_DC;
import static org.systole.controld.fsm.State.STARTING;
import static org.systole.controld.fsm.State.STOPPING;
import static org.systole.controld.fsm.State.TERMINATE;
import static org.systole.controld.fsm.State.TRANSITION_ENGINE;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/// The controller's whole behaviour as one table: input × state gives the next state and effects.
///
/// Every cell is decided, and ignoring an input takes a reason; a new input or state does not start
/// until someone has decided about it in all combinations.
public final class Transitions {
  private static final Set<State> ALL = EnumSet.allOf(State.class);
  private static final Set<State> ENDING = in(RECOVERY, STOPPING, TERMINATE);
  private static final Set<State> LIVING = but(ALL, ENDING);
  private static final Set<State> GOVERNING =
      in(INTEGRATION, FINALIZE_JOIN, POLICY_ENGINE, TRANSITION_ENGINE, IDLE);
  private static final Set<State> PLANNING = in(POLICY_ENGINE, TRANSITION_ENGINE, IDLE);
  private static final String LEAVING = "this controller is leaving: no way back";
  private static final String NOT_UP = "not connected yet";
  private static final String NO_DC_HERE = "only the DC acts on this";

  // spotless:off: one row per line reads as a table
  public static final Table TABLE =
      new Table.Builder()

          .stay(Input.StartUp.class, in(STARTING), _ -> List.of(new Effect.Connect()))
          .ignore(Input.StartUp.class, but(ALL, in(STARTING)), "started already")
          .row(Input.Ready.class, in(STARTING), PENDING, _ -> List.of(new Effect.Announce(), new Effect.AwaitDc()))
          .ignore(Input.Ready.class, but(ALL, in(STARTING)), "was ready before")

          // who is DC
          .row(Input.DcTimeout.class, in(PENDING, NOT_DC), ELECTION, it -> List.of(new Effect.Vote(it.why())))
          .ignore(Input.DcTimeout.class, in(STARTING), NOT_UP)
          .ignore(Input.DcTimeout.class, in(ELECTION), "an election is under way")
          .ignore(Input.DcTimeout.class, plus(GOVERNING, RELEASE_DC), "the DC is, or just was, this node")
          .ignore(Input.DcTimeout.class, ENDING, LEAVING)
          .row(Input.ElectionCalled.class, in(PENDING, NOT_DC, ELECTION), ELECTION, it -> List.of(new Effect.Vote(it.why())))
          .row(Input.ElectionCalled.class, GOVERNING, ELECTION, it -> List.of(new Effect.Halt("an election is called"), new Effect.Vote(it.why())))
          .ignore(Input.ElectionCalled.class, in(STARTING), NOT_UP)
          .ignore(Input.ElectionCalled.class, in(RELEASE_DC), "pending follows, and votes if still needed")
          .ignore(Input.ElectionCalled.class, ENDING, LEAVING)
          .row(Input.ElectionWon.class, in(ELECTION), INTEGRATION, it -> List.of(new Effect.TakeOver(), new Effect.OfferAll(it.why())))
          .ignore(Input.ElectionWon.class, in(STARTING), NOT_UP)
          .ignore(Input.ElectionWon.class, in(PENDING, NOT_DC, RELEASE_DC), "that election was lost in the meantime")
          .ignore(Input.ElectionWon.class, GOVERNING, "DC already")
          .ignore(Input.ElectionWon.class, ENDING, LEAVING)
          .row(Input.ElectionLost.class, plus(GOVERNING, ELECTION), RELEASE_DC, it -> List.of(new Effect.ReleaseDc("lost an election to " + it.winner())))
          .stay(Input.ElectionLost.class, in(PENDING), _ -> List.of(new Effect.AwaitDc()))
          .row(Input.ElectionLost.class, in(NOT_DC), PENDING, _ -> List.of(new Effect.AwaitDc()))
          .ignore(Input.ElectionLost.class, in(STARTING), NOT_UP)
          .ignore(Input.ElectionLost.class, in(RELEASE_DC), "handing over already")
          .ignore(Input.ElectionLost.class, ENDING, LEAVING)
          .row(Input.ReleaseCalled.class, plus(GOVERNING, ELECTION), RELEASE_DC, it -> List.of(new Effect.ReleaseDc(it.why())))
          .ignore(Input.ReleaseCalled.class, in(STARTING, PENDING, NOT_DC), NO_DC_HERE)
          .ignore(Input.ReleaseCalled.class, in(RELEASE_DC), "handing over already")
          .ignore(Input.ReleaseCalled.class, ENDING, LEAVING)
          .row(Input.Released.class, in(RELEASE_DC), PENDING, _ -> List.of(new Effect.AwaitDc()))
          .ignore(Input.Released.class, but(ALL, in(RELEASE_DC)), "it was not DC, or is again")

          // the CIB manager beside the DC is the primary one: all nodes report again what it may
          // have lost
          .row(Input.CibLost.class, GOVERNING, INTEGRATION, it -> List.of(new Effect.Halt(it.why()), new Effect.RetakeCib(), new Effect.OfferAll(it.why())))
          .ignore(Input.CibLost.class, in(STARTING, PENDING, NOT_DC), "writes wait until it is back")
          .ignore(Input.CibLost.class, in(ELECTION, RELEASE_DC), "whoever wins takes the CIB over")
          .ignore(Input.CibLost.class, ENDING, LEAVING)

          // joining, seen from the node
          .stay(Input.Offered.class, plus(GOVERNING, PENDING), it -> List.of(new Effect.AnswerOffer(it)))
          .row(Input.Offered.class, in(NOT_DC), PENDING, it -> List.of(new Effect.AnswerOffer(it)))
          .row(Input.Offered.class, in(ELECTION), PENDING, it -> List.of(new Effect.ReleaseDc("another DC invites this node"), new Effect.AnswerOffer(it)))
          .ignore(Input.Offered.class, in(STARTING), NOT_UP)
          .ignore(Input.Offered.class, in(RELEASE_DC), "pending follows, and announces this node")
          .ignore(Input.Offered.class, ENDING, LEAVING)
          .row(Input.JoinAccepted.class, in(PENDING), NOT_DC, it -> List.of(new Effect.Confirm(it)))
          .stay(Input.JoinAccepted.class, GOVERNING, it -> List.of(new Effect.Confirm(it)))
          .ignore(Input.JoinAccepted.class, in(STARTING), NOT_UP)
          .ignore(Input.JoinAccepted.class, in(ELECTION, RELEASE_DC, NOT_DC), "the answer is of a round before")
          .ignore(Input.JoinAccepted.class, ENDING, LEAVING)
          .stay(Input.JoinRefused.class, plus(GOVERNING, PENDING), it -> List.of(new Effect.Refused(it)))
          .ignore(Input.JoinRefused.class, in(STARTING), NOT_UP)
          .ignore(Input.JoinRefused.class, in(ELECTION, RELEASE_DC, NOT_DC), "the answer is of a round before")
          .ignore(Input.JoinRefused.class, ENDING, LEAVING)

          // joining, seen from the DC
          .row(Input.NodesChanged.class, GOVERNING, INTEGRATION, it -> List.of(new Effect.Halt(it.why()), new Effect.OfferNew(it.why())))
          .ignore(Input.NodesChanged.class, in(STARTING, PENDING, NOT_DC), NO_DC_HERE)
          .ignore(Input.NodesChanged.class, in(ELECTION, RELEASE_DC), "the winner invites all nodes")
          .ignore(Input.NodesChanged.class, ENDING, LEAVING)
          .stay(Input.JoinRequested.class, in(INTEGRATION, FINALIZE_JOIN), it -> List.of(new Effect.Admit(it)))
          .ignore(Input.JoinRequested.class, PLANNING, "of a round that is over")
          .ignore(Input.JoinRequested.class, in(STARTING, PENDING, NOT_DC, ELECTION, RELEASE_DC), NO_DC_HERE)
          .ignore(Input.JoinRequested.class, ENDING, LEAVING)
          .row(Input.Integrated.class, in(INTEGRATION), FINALIZE_JOIN, _ -> List.of(new Effect.Finalize()))
          .ignore(Input.Integrated.class, but(GOVERNING, in(INTEGRATION)), "of a round that is over")
          .ignore(Input.Integrated.class, in(STARTING, PENDING, NOT_DC, ELECTION, RELEASE_DC), NO_DC_HERE)
          .ignore(Input.Integrated.class, ENDING, LEAVING)
          .stay(Input.JoinConfirmed.class, in(INTEGRATION, FINALIZE_JOIN), it -> List.of(new Effect.RecordNode(it)))
          .ignore(Input.JoinConfirmed.class, PLANNING, "of a round that is over")
          .ignore(Input.JoinConfirmed.class, in(STARTING, PENDING, NOT_DC, ELECTION, RELEASE_DC), NO_DC_HERE)
          .ignore(Input.JoinConfirmed.class, ENDING, LEAVING)
          .row(Input.Finalized.class, in(FINALIZE_JOIN), POLICY_ENGINE, it -> List.of(new Effect.JoinDone(), new Effect.Schedule("join round " + it.joinId() + " is complete")))
          .ignore(Input.Finalized.class, but(GOVERNING, in(FINALIZE_JOIN)), "of a round that is over")
          .ignore(Input.Finalized.class, in(STARTING, PENDING, NOT_DC, ELECTION, RELEASE_DC), NO_DC_HERE)
          .ignore(Input.Finalized.class, ENDING, LEAVING)

          // planning and doing
          .row(Input.ScheduleNeeded.class, PLANNING, POLICY_ENGINE, it -> List.of(new Effect.Schedule(it.why())))
          .ignore(Input.ScheduleNeeded.class, in(INTEGRATION, FINALIZE_JOIN), "the join ends in scheduling")
          .ignore(Input.ScheduleNeeded.class, in(STARTING, PENDING, NOT_DC, ELECTION, RELEASE_DC), NO_DC_HERE)
          .ignore(Input.ScheduleNeeded.class, ENDING, LEAVING)
          .row(Input.Planned.class, in(POLICY_ENGINE), TRANSITION_ENGINE, it -> List.of(new Effect.RunTransition(it.graph())))
          .ignore(Input.Planned.class, but(GOVERNING, in(POLICY_ENGINE)), "the plan was overtaken by events")
          .ignore(Input.Planned.class, in(STARTING, PENDING, NOT_DC, ELECTION, RELEASE_DC), NO_DC_HERE)
          .ignore(Input.Planned.class, ENDING, LEAVING)
          .row(Input.TransitionDone.class, in(TRANSITION_ENGINE), IDLE, _ -> List.of(new Effect.Settle()))
          .ignore(Input.TransitionDone.class, but(GOVERNING, in(TRANSITION_ENGINE)), "that transition was given up before")
          .ignore(Input.TransitionDone.class, in(STARTING, PENDING, NOT_DC, ELECTION, RELEASE_DC), NO_DC_HERE)
          .ignore(Input.TransitionDone.class, ENDING, LEAVING)

          // the end
          .stay(Input.ShutdownRequested.class, LIVING, it -> List.of(new Effect.AskToLeave(it.why())))
          .ignore(Input.ShutdownRequested.class, ENDING, LEAVING)
          .row(Input.StopNow.class, LIVING, STOPPING, it -> List.of(new Effect.Leave(it.why())))
          .ignore(Input.StopNow.class, ENDING, LEAVING)
          .row(Input.Broken.class, LIVING, RECOVERY, it -> List.of(new Effect.ReleaseDc(it.why()), new Effect.Exit(Effect.End.FAILED, it.why())))
          .row(Input.Broken.class, in(STOPPING), TERMINATE, it -> List.of(new Effect.Exit(Effect.End.IN_ORDER, "leaving; " + it.why())))
          .ignore(Input.Broken.class, in(RECOVERY, TERMINATE), LEAVING)
          .row(Input.EndNow.class, but(ALL, in(TERMINATE)), TERMINATE, it -> List.of(new Effect.ReleaseDc(it.why()), new Effect.Exit(Effect.End.IN_ORDER, it.why())))
          .ignore(Input.EndNow.class, in(TERMINATE), LEAVING)
          .row(Input.TurnedDown.class, but(ALL, in(TERMINATE)), TERMINATE, it -> List.of(new Effect.ReleaseDc(it.why()), new Effect.Exit(Effect.End.FOR_GOOD, it.why())))
          .ignore(Input.TurnedDown.class, in(TERMINATE), LEAVING)
          .build();

  // spotless:on

  private Transitions() {}

  private static Set<State> in(State first, State... rest) {
    return EnumSet.of(first, rest);
  }

  private static Set<State> plus(Set<State> states, State... more) {
    var all = EnumSet.copyOf(states);
    all.addAll(List.of(more));
    return all;
  }

  private static Set<State> but(Set<State> states, Set<State> without) {
    var rest = EnumSet.copyOf(states);
    rest.removeAll(without);
    return rest;
  }
}
