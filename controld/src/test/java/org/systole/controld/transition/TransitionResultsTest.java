package org.systole.controld.transition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.systole.controld.TestNodes.id;
import static org.systole.controld.TestNodes.inCib;
import static org.systole.controld.TestNodes.named;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.HistoryEntry;
import org.systole.common.operation.OcfCode;
import org.systole.common.operation.TransitionKey;
import org.systole.common.xml.Element;
import org.systole.controld.fsm.Input;
import org.systole.controld.fsm.State;

/// What the engine makes of results, of nodes that are lost and of what the CIB tells.
final class TransitionResultsTest extends EngineUnderTest {
  @Test
  void actionsOfALostNodeAreGivenUpAndTheOthersWaitedFor() {
    begin();
    engine.nodeLost(id(1), named("n1"));
    world.settle();
    assertTrue(engine.busy());
    assertEquals(List.of("b_stop_0 on n2"), engine.running());
    var progress = engine.progress();
    assertEquals(1, progress.number());
    assertTrue(progress.done() < progress.total(), progress::toString);
    world.pass(Duration.ofSeconds(60));
    results(1);
    assertFalse(engine.busy());
    assertEquals(1, replans().size());
    world.pass(Duration.ofMinutes(5));
    assertEquals(List.of(), host.timeouts, "what was given up is not missed as well");
  }

  @Test
  void losingANodeWithoutActionsIsNoReasonToPlanAgain() {
    begin();
    engine.nodeLost(id(9), named("n9"));
    results(0, 1, 2);
    assertEquals(List.of(new Input.TransitionDone()), host.inputs);
    engine.nodeLost(id(1), named("n1"));
    assertEquals(1, host.inputs.size(), "nor one that is lost after the end");
  }

  /// The second connects, the third to a guest; the fourth moves a connection.
  private static final String CONNECTING =
      "<transition_graph>"
          + action(1, "start", "s_start_0", "n1", "")
          + connects(action(2, "start", "far_start_0", "n1", ""))
          + connects(action(3, "start", "inside_start_0", "n2", "").replace("CRM_meta_timeout", "CRM_meta_container=\"vm\" CRM_meta_timeout"))
          + connects(action(4, "migrate_from", "off_migrate_from_0", "n2", ""))
          + "</transition_graph>";

  private static String connects(String action) {
    return action.replace("provider=\"p\" type=\"S\"", "provider=\"pacemaker\" type=\"remote\"");
  }

  /// What is lost is to be fenced before all else, and a host takes minutes to boot.
  @Test
  void aConnectionThatIsBeingMadeIsGivenUpWhereSomebodyIsLost() {
    begin(CONNECTING);
    engine.hurry();
    assertEquals(List.of(2), host.givenUp);
    engine.operation(
        inCib("1"), entry("far_start_0", host.keys.get(1).toString(), OcfCode.UNKNOWN_ERROR.number(), ExecStatus.INVALID));
    result("1", "s_start_0", host.keys.get(0), 0);
    result("2", "inside_start_0", host.keys.get(2), 0);
    result("2", "off_migrate_from_0", host.keys.get(3), 0);
    assertFalse(engine.busy());
    assertEquals(1, replans().size());
    assertEquals(List.of(), host.failures, "it has not failed");
    engine.hurry();
    assertEquals(List.of(2), host.givenUp, "all is over");
  }

  @Test
  void aConnectionThatIsBeingMadeIsGivenUpWhereAnotherIsLostAndNotWhereOneCannotBeMade() {
    begin(CONNECTING);
    var other = "7:9:0:be2e97d9-05e2-439d-863e-48f7aecab2aa";
    engine.operation(inCib("2"), entry("off_start_0", other, OcfCode.UNKNOWN_ERROR.number(), ExecStatus.DONE));
    engine.operation(inCib("2"), entry("off_monitor_10000", other, OcfCode.OK.number(), ExecStatus.DONE));
    assertEquals(List.of(), host.givenUp);
    engine.operation(inCib("2"), entry("off_monitor_10000", other, OcfCode.UNKNOWN_ERROR.number(), ExecStatus.DONE));
    assertEquals(List.of(2), host.givenUp);
  }

  private static final String AT_FAR =
      "<transition_graph>"
          + action(1, "start", "s_start_0", "nfar", "")
          + action(2, "start", "s_start_0", "nfar", "")
          + action(3, "start", "s_start_0", "n2", "")
          + action(4, "start", "s_start_0", "nfar", "<trigger><rsc_op id=\"1\"/></trigger>")
          + "</transition_graph>";

  /// The connection of the remote node was moved after the first was asked for.
  private void moved() {
    begin(AT_FAR);
    host.askedOfAnother.add(1);
    assertEquals(List.of(1, 2, 3), host.started);
  }

  private void isGivenUp() {
    world.settle();
    assertEquals(2, engine.running().size(), "who has made the connection says what came of what it was asked for");
    result("far", "s_start_0", host.keys.get(0), 0);
    result("far", "s_start_0", host.keys.get(1), 0);
    result("2", "s_start_0", host.keys.get(2), 0);
    assertFalse(engine.busy());
    assertEquals(1, replans().size());
    assertEquals(List.of(1, 2, 3), host.started);
    world.pass(Duration.ofMinutes(5));
    assertEquals(List.of(), host.timeouts);
  }

  private void unknown(int at) {
    var key = host.keys.get(at);
    engine.operation(inCib("far"), entry("s_start_0", key.toString(), OcfCode.NONE.number(), ExecStatus.INVALID));
    world.settle();
  }

  /// Nothing may be planned before it is known: it may be under way.
  @Test
  void whatMayHaveBeenDoneIsAskedForAgainAlsoOnceAnotherPlanIsToCome() {
    moved();
    host.elsewhere.add(1);
    engine.abort(TransitionEngine.INFINITY, TransitionEngine.Completion.RESTART, "the configuration has changed");
    unknown(0);
    assertEquals(List.of(1, 2, 3, 1), host.started);
    assertEquals(3, engine.running().size());
    assertEquals(List.of(), host.failures);
  }

  /// It may be under way. What it moves would be stopped where it goes to before it is there.
  @Test
  void aMigrationThatMayHaveBeenDoneIsAskedForAgainToo() {
    begin(AT_FAR.replace("start", "migrate_to"));
    host.elsewhere.add(1);
    migrationUnknown();
    assertEquals(List.of(), host.refusals);
    assertEquals(List.of(1, 2, 3, 1), host.started);
    assertEquals(3, engine.running().size());
  }

  @Test
  void aMigrationThatNobodyCanBeAskedForAgainHasFailed() {
    begin(AT_FAR.replace("start", "migrate_to"));
    migrationUnknown();
    assertEquals(List.of("s_migrate_to_0"), host.refusals, "it is recorded as failed");
    assertEquals(2, engine.running().size());
    assertEquals(List.of(1, 2, 3), host.started);
  }

  private void migrationUnknown() {
    var key = host.keys.getFirst().toString();
    engine.operation(inCib("far"), entry("s_migrate_to_0", key, OcfCode.NONE.number(), ExecStatus.INVALID));
  }

  /// It had the connection when it was asked, has handed it on, and may not have got to asking the node.
  @Test
  void whatAMemberThatIsLostWasAskedForIsAskedOfTheOneThatHasTheConnection() {
    moved();
    host.elsewhere.add(1);
    host.lost = id(7);
    engine.nodeLost(id(7), named("n7"));
    world.settle();
    assertEquals(List.of(1, 2, 3, 1), host.started);
    assertEquals(3, engine.running().size());
    host.askedOfAnother.add(2);
    engine.nodeLost(id(7), named("n7"));
    assertEquals(1, engine.running().size(), "those that cannot be asked of anybody are given up");
    assertEquals(List.of(), host.failures);
  }

  /// The DC would wait until its time is over: the member that has the connection by now knew nothing of it, and may not have
  /// heard of its end.
  @Test
  void whatWasAskedOfAnotherMemberIsGivenUpWhenTheConnectionIsMadeAnew() {
    moved();
    engine.changed(List.of(new CibChange.Connected(inCib("far"), "Remote node connected")));
    isGivenUp();
    assertEquals(List.of(), host.failures);
  }

  @Test
  void whatWasAskedOfAnotherMemberIsGivenUpWhenTheConnectionIsLost() {
    moved();
    engine.changed(List.of(new CibChange.ConnectionLost(inCib("other"))));
    world.settle();
    assertEquals(3, engine.running().size());
    engine.changed(List.of(new CibChange.ConnectionLost(inCib("far"))));
    isGivenUp();
  }

  /// The member that was to take the node over was lost as it had, and what it has written of that came later.
  @Test
  void whatWasAskedOfAnotherMemberIsGivenUpWhenTheConnectionIsThatOfALostOne() {
    moved();
    engine.changed(List.of(new CibChange.Moved(inCib("far"))));
    engine.nodeLost(id(7), named("n7"));
    engine.changed(List.of(new CibChange.Moved(inCib("far"))));
    world.settle();
    assertEquals(3, engine.running().size());
    engine.nodeLost(id(1), named("n1"));
    engine.changed(List.of(new CibChange.Moved(inCib("other"))));
    world.settle();
    assertEquals(3, engine.running().size());
    engine.changed(List.of(new CibChange.Moved(inCib("far"))));
    isGivenUp();
  }

  @Test
  void whatWasAskedOfAnotherMemberIsGivenUpWhenTheConnectionFails() {
    moved();
    var monitor = TransitionKey.unplanned(17, 0);
    result("2", "far_monitor_10000", monitor, 1);
    assertEquals(3, engine.running().size(), "that member has it no more");
    result("1", "far_monitor_10000", TransitionKey.unplanned(18, 0), 1);
    isGivenUp();
  }

  @Test
  void aNodeCannotSayWhatCameOfAnothersAction() {
    begin();
    var stop = host.keys.getLast();
    result("remote1", "a_monitor_10000", stop, 0);
    result("1", "b_stop_0", stop, 0);
    assertEquals(List.of("b_stop_0 on n2"), engine.running().stream().filter(it -> it.startsWith("b")).toList());
    assertEquals(List.of(), host.failures);
    results(0, 1);
    assertFalse(engine.busy());
    assertEquals(1, replans().size(), "somebody is mistaken: the plan is made anew");
  }

  @Test
  void whatTheClusterDoesItselfIsNotEndedByANodesResult() {
    begin(
        GRAPH
            .replace("<rsc_op id=\"3\" operation=\"stop\" operation_key=\"b_stop_0\"", "<crm_event id=\"3\" operation=\"stonith\" operation_key=\"stonith-n2-reboot\"")
            .replaceFirst("(?s)<primitive id=\"b\".*?</rsc_op>", "</crm_event>"));
    result("2", "b_stop_0", host.keys.getLast(), 0);
    assertEquals(List.of("stonith-n2-reboot"), engine.running().stream().map(it -> it.split(" ")[0]).filter(it -> it.startsWith("st")).toList());
  }

  @Test
  void aFailureThatIsToBeIgnoredIsNotedAndTheTransitionGoesOn() {
    begin(
        GRAPH.replaceFirst(
            "CRM_meta_timeout=\"20000\"", "CRM_meta_timeout=\"20000\" CRM_meta_on_fail=\"ignore\""));
    result("1", "a_start_0", host.keys.getFirst(), 1);
    assertEquals(List.of("1 a_start_0 null"), host.failures);
    assertEquals(List.of(1, 3, 2), host.started);
  }

  @Test
  void aDegradedResourceHasStarted() {
    begin();
    result("1", "a_start_0", host.keys.getFirst(), 190);
    assertEquals(List.of(), host.failures);
    assertEquals(List.of(1, 3, 2), host.started);
  }

  @Test
  void anOperationThatNeverRanIsNoFailureOfTheResource() {
    begin();
    var key = host.keys.getFirst();
    engine.operation(inCib("1"), entry("a_start_0", key.toString(), 1, ExecStatus.INVALID));
    assertEquals(List.of(), host.failures);
    results(1);
    assertFalse(engine.busy());
    assertEquals(1, replans().size());
  }

  @Test
  void aRecordWithoutNewsChangesNothing() {
    begin();
    engine.operation(inCib("1"), entry("a_start_0", host.keys.getFirst().toString(), 0, ExecStatus.PENDING));
    engine.operation(
        inCib("1"), new HistoryEntry(Element.of(HistoryEntry.ELEMENT, "operation_key", "a_start_0")));
    world.settle();
    assertEquals(List.of(1, 3), host.started);
    engine.operation(inCib("1"), entry("a_start_0", "no key", 0, ExecStatus.DONE));
    results(0, 1);
    assertEquals(1, replans().size(), "a broken record is not understood: the plan is made anew");
  }

  @Test
  void aCancellationIsOverWhenTheRecordIsGoneFromItsNode() {
    begin(CANCEL);
    engine.changed(List.of(new CibChange.OperationGone(inCib("1"), "s_monitor_10000")));
    assertFalse(engine.busy());
    assertEquals(List.of(new Input.TransitionDone()), host.inputs);

    begin(CANCEL);
    engine.changed(List.of(new CibChange.OperationGone(inCib("2"), "s_monitor_10000")));
    world.settle();
    assertTrue(engine.busy(), "another node's says nothing");
    result("1", "s_monitor_10000", host.keys.getLast(), 0);
    assertEquals(1, replans().size());
  }

  @Test
  void aRecordThatIsGoneThoughNobodyAskedForItIsPlannedFor() {
    host.state = State.IDLE;
    engine.changed(List.of(new CibChange.OperationGone(inCib("1"), "s_monitor_10000")));
    assertEquals(List.of(new Input.ScheduleNeeded("Resource operation removal")), host.inputs);
  }

  @Test
  void theStatusOfANodeThatIsFencedMayGo() {
    begin(
        """
        <transition_graph><synapse id="0"><action_set><crm_event id="1" operation="stonith"
          operation_key="stonith-n2" on_node="n2" on_node_uuid="2"><downed><node id="2"/></downed>
          </crm_event></action_set><inputs/></synapse></transition_graph>
        """);
    engine.changed(List.of(new CibChange.StatusGone(inCib("2"), "history")));
    engine.ended(1, 1, true);
    assertEquals(List.of(new Input.TransitionDone()), host.inputs);

    host.inputs.clear();
    host.state = State.IDLE;
    engine.changed(List.of(new CibChange.StatusGone(inCib("3"), "history")));
    assertEquals(List.of(new Input.ScheduleNeeded("history")), host.inputs);
  }

  @Test
  void recordsThatComeTogetherAreResultsWhileSomeAreWaitedFor() {
    begin();
    engine.changed(
        List.of(
            new CibChange.Refresh(
                inCib("1"),
                List.of(
                    new CibChange.Operation(
                        inCib("1"), entry("a_start_0", host.keys.getFirst().toString(), 0, ExecStatus.DONE))))));
    world.settle();
    assertEquals(List.of(1, 3, 2), host.started);
    results(1, 2);
    host.inputs.clear();
    host.state = State.IDLE;
    engine.changed(List.of(new CibChange.Refresh(inCib("1"), List.of())));
    assertEquals(List.of(new Input.ScheduleNeeded("History refresh")), host.inputs);
  }
}
