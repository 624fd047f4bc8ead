package org.systole.controld.operations;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.OperationResult;
import org.systole.common.transition.GraphAction;
import org.systole.common.values.OperationName;
import org.systole.common.values.ResourceId;
import org.systole.controld.TestCib;
import org.systole.execd.client.ExecMessage;

final class OperationRunnerTest {
  private static final String DELETED =
      "delete //node_state[@id='1']/lrm/lrm_resources/lrm_resource[@id='web']";

  private final RunnerUnderTest node = RunnerUnderTest.up();

  private void started() {
    node.order("start", 0, "");
    node.ends("web_start_0", 0);
    node.world.pass(Duration.ofSeconds(3)); // the agent is asked what it is
    node.deeds();
  }

  private void monitored() {
    started();
    node.order("monitor", 10_000, "");
    node.ends("web_monitor_10000", 0);
    node.deeds();
  }

  @Test
  void anOperationIsRecordedBeforeItRunsAndAfter() {
    node.order("start", 0, "");
    assertEquals(
        List.of("ask for metadata", "write web_last_0 start 193", "do web_start_0").stream()
            .sorted()
            .toList(),
        node.deeds().stream().sorted().toList());
    assertEquals(List.of("web_last_0 start 193"), node.told(), "a new DC hears of it");

    node.ends("web_start_0", 0);

    assertEquals(List.of("write web_last_0 start 0"), node.deeds());
    assertEquals(List.of("web"), node.running());
    assertEquals(List.of("web_last_0 start 0"), node.told());
  }

  @Test
  void aResourceBeingStartedCountsAsMayBeRunning() {
    node.order("start", 0, "");
    assertEquals(List.of("web"), node.running());
    assertEquals(List.of(new ResourceId("web")), node.runner.knownResources());
    node.ends("web_start_0", 0);
    assertEquals(List.of("web"), node.running());
    node.order("stop", 0, "");
    assertEquals(List.of("web"), node.running(), "until it is known to have stopped");
    node.ends("web_stop_0", 0);
    assertEquals(List.of(), node.running());
  }

  @Test
  void aPendingOperationIsReportedToANewDcThoughNotRecorded() {
    node.order("start", 0, "CRM_meta_record_pending=\"false\"");
    assertTrue(node.deeds().stream().noneMatch(it -> it.startsWith("write")));
    assertEquals(List.of("web_last_0 start 193"), node.told(), "it may run when there is a new DC");
  }

  /// A node that is cut off would else bring a resource to another one unknown to all.
  @Test
  void aLiveMigrationBeginsOnceTheClusterKnowsOfIt() {
    started();
    var known = node.announced = new ArrayList<>();
    node.order("migrate_to", 0, "CRM_meta_record_pending=\"false\"");
    assertEquals(List.of("write web_migrate_to_0 migrate_to 193"), node.deeds(), "however it is to be recorded");
    known.getFirst().accept(null);
    assertEquals(List.of("do web_migrate_to_0"), node.deeds());
    node.world.pass(Duration.ofMinutes(1));
    assertEquals(List.of(), node.deeds());
  }

  /// As that a remote node is given away.
  @Test
  void whatIsToFollowWaitsUntilTheLiveMigrationsThatWaitAreAskedForOrGivenUp() {
    started();
    var done = new ArrayList<String>();
    assertFalse(node.runner.afterAnnounced(() -> done.add("too early")));
    for (var why : new String[] {"the CIB could not be told of it", null}) {
      var known = node.announced = new ArrayList<>();
      node.order("migrate_to", 0, "");
      node.deeds();
      assertTrue(node.runner.afterAnnounced(() -> done.add("given away")));
      node.world.settle();
      assertEquals(List.of(), done);
      known.getFirst().accept(why);
      node.world.settle();
      var deeds = node.deeds();
      assertEquals(why == null ? List.of("do web_migrate_to_0") : NEVER_BEGUN, deeds);
      assertEquals(List.of("given away"), done);
      done.clear();
      assertFalse(node.runner.afterAnnounced(() -> done.add("too early")));
    }
  }

  private static final List<String> NEVER_BEGUN =
      List.of(
          DELETED + "/lrm_rsc_op[@op-status='-1' and @transition-key='" + RunnerUnderTest.KEY + "']",
          "acknowledge web_migrate_to_0 migrate_to 1 INVALID");

  @Test
  void aLiveMigrationDoesNotBeginIfTheClusterCannotBeTold() {
    started();
    var known = node.announced = new ArrayList<>();
    node.order("migrate_to", 0, "");
    node.deeds();
    known.getFirst().accept("the CIB could not be told of it");
    node.world.settle();
    assertEquals(NEVER_BEGUN, node.deeds());
    assertEquals(List.of("web_last_0 start 0"), node.told());
  }

  /// Who had the connection of a remote node then is lost, and may have had it begun.
  @Test
  void aLiveMigrationThatWasAnnouncedBeforeIsNotTakenForOneThatNeverBegan() {
    started();
    node.cibSays(
        """
        <node_state id="1" uname="node1"><lrm id="1"><lrm_resources><lrm_resource id="web">
        <lrm_rsc_op id="web_last_0" operation="migrate_to" operation_key="web_migrate_to_0" interval="0" call-id="-1"
          op-status="-1" rc-code="193" transition-key="%s" migrate_source="node1" migrate_target="node3"/>
        </lrm_resource></lrm_resources></lrm></node_state>"""
            .formatted(RunnerUnderTest.KEY));
    var known = node.announced = new ArrayList<>();
    node.order("migrate_to", 0, "CRM_meta_migrate_target=\"node3\"");
    node.deeds();
    known.getFirst().accept("node3 is not in the cluster");
    node.world.settle();
    assertEquals(List.of("acknowledge web_migrate_to_0 migrate_to 1 INVALID"), node.deeds());
  }

  /// Else what another member announces then under the same key would be deleted.
  @Test
  void thatALiveMigrationWasNeverBegunIsToldOnceTheCibSaysSo() {
    started();
    var known = node.announced = new ArrayList<>();
    node.order("migrate_to", 0, "");
    node.deeds();
    node.cibAnswers = false;
    known.getFirst().accept("another member may have the node by now");
    node.world.settle();
    assertEquals(NEVER_BEGUN.subList(0, 1), node.deeds());
    node.cibAnswers = true;
    node.unwritten.forEach(Runnable::run);
    assertEquals(NEVER_BEGUN.subList(1, 2), node.deeds());
  }

  /// The DC has given it up by then, and may be another one.
  @Test
  void aLiveMigrationThatWaitsIsGivenUpWithWhoAskedForIt() {
    started();
    var known = node.announced = new ArrayList<>();
    node.order("migrate_to", 0, "");
    node.deeds();
    assertEquals(List.of("web_last_0 start 0"), node.told(), "to a new DC");
    node.world.settle();
    assertEquals(NEVER_BEGUN, node.deeds());
    known.getFirst().accept(null);
    assertEquals(List.of(), node.deeds());
  }

  @Test
  void aLiveMigrationThatWaitsIsGivenUpForWhatIsAskedForNext() {
    started();
    var known = node.announced = new ArrayList<>();
    node.order("migrate_to", 0, "");
    node.deeds();
    node.order("stop", 0, "");
    known.getFirst().accept(null);
    node.world.settle();
    var deeds = node.deeds();
    assertTrue(deeds.containsAll(NEVER_BEGUN), deeds.toString());
    assertEquals(List.of("do web_stop_0"), deeds.stream().filter(it -> it.startsWith("do")).toList());
  }

  @Test
  void aLiveMigrationDoesNotWaitForEver() {
    started();
    node.announced = new ArrayList<>();
    node.order("migrate_to", 0, "");
    node.deeds();
    node.world.pass(Duration.ofSeconds(19));
    assertEquals(List.of(), node.deeds());
    node.world.pass(Duration.ofSeconds(2));
    assertEquals(NEVER_BEGUN, node.deeds());
  }

  @Test
  void aLiveMigrationThatWaitsIsNotAskedForAsTheExecutorComesBack() {
    started();
    var known = node.announced = new ArrayList<>();
    node.order("migrate_to", 0, "");
    node.restartExecutor();
    assertTrue(node.deeds().stream().noneMatch(it -> it.equals("do web_migrate_to_0")));
    known.getFirst().accept(null);
    assertTrue(node.deeds().stream().filter(it -> it.equals("do web_migrate_to_0")).count() <= 1);
  }

  @Test
  void anOperationThatMayNotBeginIsRefusedAndNotRecorded() {
    node.objection = "shutting down";
    node.order("start", 0, "");
    assertEquals(List.of("acknowledge web_last_failure_0 start 1 INVALID"), node.deeds());
    assertEquals(List.of(), node.told());
  }

  @Test
  void whatWasTakenOverEndsWithoutAWordWhenItIsHandedOn() {
    var monitor = RunnerUnderTest.request("monitor", 10_000, 0);
    node.runner.adopt(monitor.resource(), monitor.agent(), 7, List.of(monitor));
    node.runner.abandon("the connection was closed");
    assertEquals(List.of(), node.deeds(), "the member before has told its first result");
  }

  @Test
  void aFailureIsRecordedAndAlerted() {
    node.order("start", 0, "");
    node.deeds();
    node.ends("web_start_0", 1);
    assertEquals(
        List.of("alert", "write web_last_failure_0 start 1", "write web_last_0 start 1"),
        node.deeds());
  }

  @Test
  void aStateFoundIsLeftToTheSchedulerToJudge() {
    node.order("monitor", 0, "CRM_meta_op_target_rc=\"7\"");
    node.deeds();
    node.ends("web_monitor_0", 7, ExecStatus.ERROR);
    assertTrue(node.world.logged("exit status 7"));
    assertEquals(List.of(), node.running());
  }

  /// Elsewhere the resource would be started once it is stopped here, and here, too, a bit later.
  @Test
  void aStartThatWaitsForMetadataDoesNotComeAfterAStopThatWasAskedForLater() {
    node.answersMetadata = false;
    node.order("start", 0, "");
    assertEquals(List.of(), done());
    node.order("stop", 0, "");
    assertEquals(List.of("do web_start_0", "do web_stop_0"), done());
    node.world.pass(Duration.ofMinutes(2));
    assertEquals(List.of(), done());
  }

  private List<String> done() {
    return node.deeds().stream().filter(it -> it.startsWith("do ")).toList();
  }

  @Test
  void anExecutorThatRefusesIsAFailureOfTheOperation() {
    node.refusal = "the queue is full";
    node.order("monitor", 10_000, "");
    assertEquals(
        List.of(
            "write web_monitor_10000 monitor 193",
            "ask for metadata",
            "do web_monitor_10000",
            "alert",
            "write web_last_failure_0 monitor 1",
            "delete //node_state[@id='1']/lrm/lrm_resources/lrm_resource[@id='web']"
                + "/lrm_rsc_op[@id='web_monitor_10000' and @op-status='-1']"),
        node.deeds());
  }

  @Test
  void aStopUsesWhatTheResourceWasStartedWith() {
    started();
    node.order("stop", 0, "more=\"now\"");
    assertEquals(Map.of("state", "/tmp/x"), node.request("web_stop_0").ownParameters());
  }

  @Test
  void aNotificationIsOnlyAcknowledged() {
    started();
    node.order(
        "notify", 0, "CRM_meta_notify_type=\"pre\" CRM_meta_notify_operation=\"start\"");
    node.ends("web_notify_0", 0);
    assertEquals(
        List.of("do web_notify_0", "acknowledge web_pre_notify_start_0 notify 0 DONE"), node.deeds());
  }

  @Test
  void aMonitorThatBeginsFarOffIsAcknowledgedAtOnce() {
    started();
    node.order("monitor", 10_000, "CRM_meta_start_delay=\"300000\"");
    assertEquals(
        List.of("write web_monitor_10000 monitor 193", "do web_monitor_10000"), node.deeds());
    node.order("monitor", 20_000, "CRM_meta_start_delay=\"300001\"");
    assertEquals(
        List.of(
            "write web_monitor_20000 monitor 193",
            "do web_monitor_20000",
            "acknowledge web_monitor_20000 monitor 0 DONE"),
        node.deeds());
  }

  @Test
  void aRequestWithoutAResourceIsIgnored() {
    node.runner.execute(
        GraphAction.of(
            TestCib.xml(
                "<crm_event id='1' operation='start' operation_key='x_start_0'/>")),
        "1:1:0:" + RunnerUnderTest.TERM);
    assertEquals(List.of(), node.deeds());
    assertTrue(node.world.logged("names no resource"));
  }

  // What agents say of themselves

  @Test
  void anAgentsMetadataIsFetchedOnceSoonAfterStarts() {
    started(); // now it is known
    node.order("a", "start", 0, "");
    node.order("b", "start", 0, "");
    node.ends("a_start_0", 0);
    node.deeds();
    node.world.pass(Duration.ofSeconds(3));
    assertEquals(List.of("ask for metadata"), node.deeds());
  }

  @Test
  void anAgentWithoutMetadataDelaysAStartOnlyForAWhile() {
    node.answersMetadata = false;
    node.order("start", 0, "");
    assertTrue(node.deeds().stream().noneMatch(it -> it.equals("do web_start_0")));
    node.world.pass(Duration.ofSeconds(61));
    assertEquals(List.of("do web_start_0"), node.deeds());
  }

  @Test
  void metadataThatIsNoXmlIsNotFatal() {
    node.metadata = "<broken";
    node.order("start", 0, "");
    assertTrue(node.deeds().contains("do web_start_0"));
    assertTrue(node.world.logged("is no XML"));
  }

  @Test
  void anAgentThatKnowsTheOldReloadOnlyIsAskedForThat() {
    started();
    node.order("reload-agent", 0, "");
    assertTrue(node.deeds().contains("do web_reload-agent_0"));
    node.ends("web_reload-agent_0", 0);
    node.metadata =
        """
        <resource-agent name="Dummy"><version>1.0</version><parameters>
        <parameter name="state" unique="0"/></parameters><actions><action name="reload"/></actions>
        </resource-agent>
        """;
    started();

    node.order("reload-agent", 0, "");

    assertTrue(node.deeds().contains("do web_reload_0"));
    assertEquals(List.of("web_last_0 start 0"), node.told(), "it runs on meanwhile");
  }

  // What a new DC is told

  @Test
  void aResourceThatIsStillBeingStoppedCountsAsRunningForANewDc() {
    monitored();

    node.order("stop", 0, "");

    assertTrue(node.deeds().contains("write web_last_0 stop 193"));
    node.tells(RunnerUnderTest.result(node.request("web_monitor_10000"), 2, 0, ExecStatus.CANCELLED));
    assertEquals(List.of("web_last_0 start 0"), node.told(), "it would be started elsewhere");
    node.ends("web_stop_0", 0);
    assertEquals(List.of("web_last_0 stop 0"), node.told());
  }

  @Test
  void whatIsPromotedStaysSoForANewDcUntilItIsDemoted() {
    started();
    node.order("promote", 0, "");
    assertEquals(List.of("web_last_0 promote 193"), node.told());
    node.ends("web_promote_0", 0);

    node.order("demote", 0, "");

    assertEquals(List.of("web_last_0 promote 0"), node.told());
  }

  @Test
  void aMonitorIsNotBegunWhileAStopOfAnEarlierPlanGoesOn() {
    started();
    node.order("stop", 0, "");
    node.deeds();

    node.order("monitor", 10_000, "");
    assertEquals(List.of("acknowledge web_last_failure_0 monitor 1 INVALID"), node.deeds());
    node.order("start", 0, "");
    assertTrue(node.deeds().contains("do web_start_0"), "what changes it waits for its turn");
    node.order("other", "monitor", 10_000, "");
    assertTrue(node.deeds().contains("do other_monitor_10000"));
  }

  @Test
  void onARemoteNodeAStopIsNotWrittenInPlaceOfTheOnlyRecordThatTheResourceRuns() {
    node.remote = true;
    started();
    node.order("stop", 0, "");
    assertEquals(List.of("do web_stop_0"), node.deeds());
    node.ends("web_stop_0", 0);
    node.deeds();

    monitored();
    node.order("stop", 0, "");
    assertTrue(node.deeds().contains("write web_last_0 stop 193"), "the monitor's record stays");
  }

  // Cancelling

  @Test
  void aCancelledMonitorIsAcknowledgedOnceItsRecordIsGone() {
    monitored();
    node.cancellable.add("web_monitor_10000");
    node.cibAnswers = false;
    node.order("cancel", 10_000, "CRM_meta_operation=\"monitor\"");
    assertEquals(List.of("cancel"), node.deeds());

    node.ends("web_monitor_10000", 0, ExecStatus.CANCELLED);

    assertEquals(
        List.of(DELETED + "/lrm_rsc_op[@id='web_monitor_10000']"), node.deeds(), "the record");
    node.unwritten.forEach(Runnable::run);
    assertEquals(List.of("acknowledge web_last_0 cancel 0 DONE"), node.deeds());
    assertEquals(List.of("web_last_0 start 0"), node.told());
  }

  @Test
  void anOperationThatNoLongerRecursCountsAsCancelled() {
    monitored();
    node.order("cancel", 10_000, "CRM_meta_operation=\"monitor\"");
    assertEquals(
        List.of(
            "cancel",
            DELETED + "/lrm_rsc_op[@id='web_monitor_10000']",
            "acknowledge web_last_0 cancel 0 DONE"),
        node.deeds());
    node.order("cancel", 10_000, "CRM_meta_operation=\"monitor\"");
    assertEquals(
        List.of(
            DELETED + "/lrm_rsc_op[@id='web_monitor_10000']",
            "acknowledge web_last_0 cancel 0 DONE"),
        node.deeds(),
        "nor is the executor asked for what is not under way");
  }

  @Test
  void whatRecursInAnotherWayIsEndedBeforeItIsBegunAnew() {
    monitored();
    node.cancellable.add("web_monitor_10000");
    node.order("monitor", 10_000, "");
    assertFalse(node.deeds().contains("cancel"), "the same: the executor goes on with it");

    node.order("monitor", 10_000, "OCF_CHECK_LEVEL=\"10\"");
    assertEquals(List.of("cancel"), node.deeds());
    node.ends("web_monitor_10000", 0, ExecStatus.CANCELLED);
    assertTrue(node.deeds().contains("do web_monitor_10000"));
    assertEquals("10", node.request("web_monitor_10000").parameters().get("OCF_CHECK_LEVEL"));
  }

  @Test
  void whatRecursInAnotherWayAndIsGoneIsBegunAtOnce() {
    monitored();
    node.order("monitor", 10_000, "OCF_CHECK_LEVEL=\"10\"");
    assertEquals(
        List.of("cancel", "write web_monitor_10000 monitor 193", "do web_monitor_10000"), node.deeds());
  }

  @Test
  void aOneOffOperationThatIsCancelledIsAcknowledged() {
    node.order("start", 0, "");
    node.deeds();
    node.ends("web_start_0", 0, ExecStatus.CANCELLED);
    assertEquals(List.of("acknowledge web_last_0 start 0 CANCELLED"), node.deeds());
    assertEquals(List.of(), node.told());
  }

  /// The request to give it up may come just when it has ended: what it has led to is known, and stays.
  @Test
  void aOneOffOperationIsGivenUpWhileItIsUnderWayOnly() {
    node.order("start", 0, "");
    node.deeds();
    node.order("cancel", 0, "CRM_meta_operation=\"start\"");
    assertEquals(List.of("cancel"), node.deeds());
    node.ends("web_start_0", 0, ExecStatus.DONE);
    node.deeds();
    node.order("cancel", 0, "CRM_meta_operation=\"start\"");
    assertEquals(List.of(), node.deeds());
  }

  // Forgetting

  @Test
  void aResourceIsForgottenHereAndInTheCib() {
    monitored();
    node.order("delete", 0, "");
    assertEquals(
        List.of("forget web", DELETED, "acknowledge web_last_0 delete 0 DONE"), node.deeds());
    assertEquals(List.of(), node.told());
    assertEquals(List.of("web"), node.running(), "it may run until it has been looked for");
  }

  @Test
  void aStartThatWaitsForMetadataDoesNotRunAfterItsResourceIsForgotten() {
    node.answersMetadata = false;
    node.order("start", 0, "");
    node.deeds();
    node.order("delete", 0, "");
    assertEquals(
        List.of("do web_start_0", "forget web", DELETED, "acknowledge web_last_0 delete 0 DONE"),
        node.deeds(),
        "the executor answers for it");
    node.world.pass(Duration.ofSeconds(61));
    assertEquals(List.of(), node.deeds());
  }

  @Test
  void aResultThatIsForgottenOnItsWayToTheCibIsToldToTheDc() {
    monitored();
    node.world.pass(Duration.ofSeconds(31));
    node.cibAnswers = false; // it may carry out the write and the deletion together
    node.order("migrate_to", 0, "");
    node.ends("web_migrate_to_0", 0);
    node.deeds();

    node.runner.forget(List.of(new ResourceId("web")), _ -> {});
    node.world.settle();

    assertEquals(
        List.of("forget web", "acknowledge web_migrate_to_0 migrate_to 0 DONE", DELETED), node.deeds());
  }

  /// As where a live migration had brought it here under an earlier DC. The DC's copy of the CIB may show the result and the deletion at once.
  @Test
  void aResultThatSomebodyElseHasDeletedIsToldToTheDc() {
    var there = "<node_state id='1'><lrm id='1'><lrm_resources><lrm_resource id='web'/></lrm_resources></lrm></node_state>";
    var gone = "<node_state id='1'><lrm id='1'><lrm_resources/></lrm></node_state>";
    monitored();
    node.world.pass(Duration.ofSeconds(31));
    node.order("migrate_to", 0, "");
    node.ends("web_migrate_to_0", 0);
    node.deeds();
    reads(there);
    assertEquals(List.of(), node.deeds());
    reads(gone);
    assertEquals(List.of("acknowledge web_migrate_to_0 migrate_to 0 DONE"), node.deeds());
    reads(gone);
    assertEquals(List.of(), node.deeds(), "told once");
    node.order("stop", 0, "");
    node.ends("web_stop_0", 0);
    node.deeds();
    node.world.pass(Duration.ofSeconds(31));
    reads(gone);
    assertEquals(List.of(), node.deeds(), "the DC has had time to read it");
  }

  /// Longer than it takes to look at the CIB.
  private void reads(String status) {
    node.cibSays(status);
    node.runner.cibChanged();
    node.world.pass(Duration.ofSeconds(1));
  }

  private static final String DELETED_BUT_MOVES = DELETED + "/lrm_rsc_op[not(@operation='migrate_to' and @op-status='-1')]";

  /// If this node were lost, nobody else would know where the resource has gone.
  @Test
  void aLiveMigrationIsNotForgottenWithItsResource() {
    monitored();
    node.order("migrate_to", 0, "CRM_meta_migrate_target=\"node3\"");
    node.deeds();
    node.runner.forget(List.of(new ResourceId("web")), _ -> {});
    assertTrue(node.deeds().contains(DELETED_BUT_MOVES));
    node.tells(RunnerUnderTest.result(node.request("web_migrate_to_0"), 9, 0, ExecStatus.DONE).asForgotten());
    assertEquals(List.of("write web_migrate_to_0 migrate_to 0"), node.deeds());
    assertEquals(List.of("web_migrate_to_0 migrate_to 0"), node.told(), "to a new DC");
    node.runner.forget(List.of(new ResourceId("web")), _ -> {});
    assertTrue(node.deeds().contains(DELETED), "it has ended");
  }

  /// The executor was busy with something else of that resource.
  @Test
  void aLiveMigrationThatIsForgottenBeforeItBeganWasNeverBegun() {
    monitored();
    node.order("migrate_to", 0, "CRM_meta_migrate_target=\"node3\"");
    node.runner.forget(List.of(new ResourceId("web")), _ -> {});
    node.deeds();
    node.tells(RunnerUnderTest.result(node.request("web_migrate_to_0"), 9, 0, ExecStatus.CANCELLED).asForgotten());
    assertEquals(NEVER_BEGUN, node.deeds());
  }

  @Test
  void aLiveMigrationThatIsAnnouncedWhileItsResourceIsBeingForgottenStaysAnnounced() {
    monitored();
    node.deeds();
    var known = node.announced = new ArrayList<>();
    node.runner.forget(List.of(new ResourceId("web")), _ -> {});
    node.order("migrate_to", 0, "CRM_meta_migrate_target=\"node3\"");
    assertTrue(node.deeds().contains(DELETED_BUT_MOVES));
    known.getFirst().accept(null);
    node.world.settle();
    assertEquals(List.of("do web_migrate_to_0"), node.deeds());
  }

  /// The DC's copy of the CIB may show the result and the deletion at once.
  @Test
  void aResultThatIsForgottenJustAfterItWasWrittenIsToldToTheDc() {
    monitored();
    node.order("migrate_to", 0, "");
    node.ends("web_migrate_to_0", 0);
    node.world.pass(Duration.ofSeconds(29));
    node.order("stop", 0, "");
    node.ends("web_stop_0", 1);
    node.deeds();

    node.runner.forget(List.of(new ResourceId("db")), _ -> {});
    node.deeds();
    node.runner.forget(List.of(new ResourceId("web")), _ -> {});

    var told = node.deeds().stream().filter(it -> it.startsWith("acknowledge")).toList();
    assertTrue(told.contains("acknowledge web_migrate_to_0 migrate_to 0 DONE"), told::toString);
    assertTrue(
        told.contains("acknowledge web_last_failure_0 stop 1 INVALID"),
        () -> "its failure counts no second time: " + told);
    node.runner.forget(List.of(new ResourceId("web")), _ -> {});
    assertEquals(List.of("forget web", DELETED), node.deeds(), "told once");
  }

  /// A DC was elected again while a plan had a machine moved live to one node, and plans to move it to another: when the first move has
  /// ended nobody would know any more where it is.
  @Test
  void aLiveMigrationIsNotBegunWhileAnotherOneGoesOn() {
    monitored();
    node.order("migrate_to", 0, "CRM_meta_migrate_target=\"node3\"");
    node.deeds();
    var later = RunnerUnderTest.action("migrate_to", "/tmp/x");
    node.runner.execute(later, "3:5:0:" + RunnerUnderTest.TERM);
    assertEquals(List.of(), node.deeds());
    assertTrue(node.told().contains("web_migrate_to_0 migrate_to 193"));

    node.cibAnswers = false;
    node.ends("web_migrate_to_0", 0);
    assertEquals(List.of("write web_migrate_to_0 migrate_to 0"), node.deeds(), "the next plan has to know of that");
    node.cibAnswers = true;
    node.unwritten.forEach(Runnable::run);
    assertEquals(List.of("acknowledge web_migrate_to_0 migrate_to 1 INVALID"), node.deeds());

    node.runner.execute(later, "3:6:0:" + RunnerUnderTest.TERM);
    assertTrue(node.deeds().contains("do web_migrate_to_0"), "nothing goes on");
    node.runner.execute(later, "3:6:0:" + RunnerUnderTest.TERM);
    assertTrue(node.deeds().contains("do web_migrate_to_0"), "it is asked for again");
    node.runner.execute(later, "3:7:0:" + RunnerUnderTest.TERM);
    node.executor.goes("killed");
    node.runner.abandon("the executor is lost");
    var told = node.deeds();
    assertEquals("acknowledge web_migrate_to_0 migrate_to 1 INVALID", told.getLast(), told.toString());
  }

  /// A probe of a connection ends at once, while the stop that an earlier DC asked for still goes on.
  @Test
  void aResultThatIsSoonReplacedByThatOfAnEarlierOperationIsToldToTheDc() {
    monitored();
    node.order("stop", 0, "");
    node.order("monitor", 0, "");
    node.deeds();

    node.ends("web_monitor_0", 0);
    assertEquals(List.of("write web_last_0 monitor 0", "acknowledge web_last_0 monitor 0 DONE"), node.deeds());
    node.ends("web_stop_0", 0);
    assertEquals(List.of("write web_last_0 stop 0"), node.deeds(), "nothing else is under way");
  }

  @Test
  void aResultThatTheDcHasHadTheTimeToReadIsNotToldAgain() {
    monitored();
    node.world.pass(Duration.ofSeconds(31));
    node.runner.forget(List.of(new ResourceId("web")), _ -> {});
    assertEquals(List.of("forget web", DELETED), node.deeds());
  }

  @Test
  void whatIsBegunWhileItsResourceIsBeingForgottenIsUnderWay() {
    started();
    var asked = new ArrayList<Long>();
    node.executor.script(
        (id, request) -> {
          if (request instanceof ExecMessage.Forget) {
            asked.add(id);
          }
        });
    node.order("delete", 0, "");
    node.order("start", 0, "");
    node.executor.reply(asked.getFirst(), new ExecMessage.Ok());
    node.world.settle();
    assertEquals(List.of("web_last_0 start 193"), node.told());
    assertEquals(List.of("web"), node.running());
  }

  /// An executor that hangs does not say that it has taken a stop. What would be known of that is to be forgotten: its failure would
  /// keep the resource from the node, and nothing would say any more what has failed.
  @Test
  void whatTheExecutorDoesNotTakeIsNoFailureOfAResourceThatIsForgottenMeanwhile() {
    var asked = hungAtAStop(1);
    node.executor.reply(asked.getFirst(), new ExecMessage.Refused("it did not answer"));
    assertEquals(List.of(), node.deeds());

    node.executor.reply(asked.getLast(), new ExecMessage.Ok());
    var deeds = node.deeds();
    assertTrue(deeds.contains(DELETED), deeds::toString);
    assertTrue(deeds.stream().noneMatch(it -> it.startsWith("write") || it.contains(" stop ")), deeds::toString);
    node.world.pass(Duration.ofSeconds(19));
    assertEquals(List.of(), node.deeds(), "it may have begun it all the same");
    node.world.pass(Duration.ofSeconds(2));
    assertEquals(List.of("acknowledge web_last_failure_0 stop 1 INVALID"), node.deeds());
  }

  @Test
  void whatTheExecutorWasLateToTakeIsToldAsItEnds() {
    var asked = hungAtAStop(1);
    node.executor.reply(asked.getFirst(), new ExecMessage.Refused("it did not answer"));
    node.executor.reply(asked.getLast(), new ExecMessage.Ok());
    node.deeds();
    var request = RunnerUnderTest.request("stop", 0, 0);
    node.tells(new OperationResult(request, 2, 0, ExecStatus.DONE, "", "", 1, 0, 1, 1, true));
    assertEquals(List.of("acknowledge web_last_0 stop 0 DONE"), node.deeds());
    node.world.pass(Duration.ofMinutes(1));
    assertEquals(List.of(), node.deeds(), "told once");
  }

  @Test
  void whatTheExecutorDoesNotTakeIsAFailureOfAResourceThatCannotBeForgotten() {
    var asked = hungAtAStop(2);
    node.executor.reply(asked.get(0), new ExecMessage.Refused("it did not answer"));
    node.executor.reply(asked.get(1), new ExecMessage.Refused("it did not answer"));
    assertEquals(List.of(), node.deeds(), "it may be forgotten yet");

    node.executor.reply(asked.get(2), new ExecMessage.Refused("it did not answer"));
    var deeds = node.deeds();
    assertTrue(deeds.contains("write web_last_failure_0 stop 1"), deeds::toString);
    assertTrue(deeds.stream().noneMatch(DELETED::equals), deeds::toString);
  }

  /// The executor answers nothing any more; it is asked to stop the resource, and then to forget it.
  ///
  /// @return the requests it gets
  private List<Long> hungAtAStop(int forgets) {
    started();
    var asked = new ArrayList<Long>();
    node.executor.script((id, _) -> asked.add(id));
    node.order("stop", 0, "");
    for (var i = 0; i < forgets; i++) {
      node.runner.forget(List.of(new ResourceId("web")), _ -> {});
    }
    node.deeds();
    return asked;
  }

  @Test
  void aResourceTheExecutorDoesNotForgetStaysInTheHistory() {
    monitored();
    node.refusal = "not allowed";
    node.order("delete", 0, "");
    assertEquals(List.of("forget web", "acknowledge web_last_failure_0 delete 1 ERROR"), node.deeds());
    assertEquals(List.of("web"), node.running());
  }

  @Test
  void anExecutorThatIsGoneHasForgotten() {
    monitored();
    node.world.pass(Duration.ofSeconds(31));
    node.executor.goes("killed");
    node.deeds();
    var told = new ArrayList<String>();
    node.runner.forget(List.of(new ResourceId("web")), it -> told.add(String.valueOf(it)));
    node.world.settle();
    assertEquals(List.of(DELETED), node.deeds());
    assertEquals(List.of("null"), told);
    assertEquals(List.of(), node.told());
  }

  @Test
  void severalAreForgottenTogetherAndNoneIsAlsoDone() {
    var told = new ArrayList<String>();
    node.runner.forget(List.of(), it -> told.add("none"));
    node.world.settle();
    node.runner.forget(
        List.of(new ResourceId("web"), new ResourceId("db")), it -> told.add("both"));
    node.world.settle();
    assertEquals(List.of("none", "both"), told);
    assertEquals(4, node.deeds().size());
  }

  @Test
  void theResultOfAResourceThatWasForgottenMeanwhileIsOnlyAcknowledged() {
    node.order("start", 0, "");
    var request = node.request("web_start_0");
    node.runner.forget(List.of(new ResourceId("web")), _ -> {});
    node.deeds();
    node.tells(
        new OperationResult(
            request, 1, 0, ExecStatus.DONE, "", "", 1, 0, 1, 1, true));
    assertEquals(List.of("acknowledge web_last_0 start 0 DONE"), node.deeds());
    assertEquals(List.of(), node.told());
  }

  // What nobody has planned

  @Test
  void aPretendedFailureIsRecordedAsAnyOther() {
    started();
    node.runner.recordPretendedFailure(new ResourceId("web"), RunnerUnderTest.DUMMY);
    assertEquals(
        List.of("alert", "write web_last_failure_0 asyncmon 1"),
        node.deeds().stream().filter(it -> !it.contains("_last_0")).toList());
  }

  @Test
  void aPretendedFailureDoesNotHideWhatTheDcWaitsFor() {
    started();
    node.runner.recordPretendedFailure(new ResourceId("web"), RunnerUnderTest.DUMMY);
    var soon = node.deeds();
    assertTrue(soon.contains("acknowledge web_last_0 start 0 DONE"), soon::toString);
    node.world.pass(Duration.ofMinutes(1));
    node.runner.recordPretendedFailure(new ResourceId("web"), RunnerUnderTest.DUMMY);
    var late = node.deeds();
    assertFalse(late.stream().anyMatch(it -> it.startsWith("acknowledge")), late::toString);
  }

  /// That of a connection that this member has given away, and loses, is one that found nothing.
  @Test
  void aPretendedFailureDoesNotHideWhatAProbeHasFound() {
    for (var rc : List.of(0, 7)) { // as it was expected, and not: what was found stands elsewhere in the history
      node.order("monitor", 0, "");
      node.ends("web_monitor_0", rc);
      node.deeds();
      for (var first : List.of(true, false)) {
        node.runner.recordPretendedFailure(new ResourceId("web"), RunnerUnderTest.DUMMY);
        var told = node.deeds().stream().filter(it -> it.startsWith("acknowledge")).toList();
        var last = rc == 0 ? "acknowledge web_last_0 monitor 0 DONE" : "acknowledge web_last_failure_0 monitor 7 DONE";
        assertEquals(first ? List.of(last) : List.of(), told, "what has taken its place is the cluster's to count");
      }
    }
  }

  /// As where a connection breaks, and is asked for its monitor just then.
  @Test
  void ofTwoFailuresTheDcIsToldOfTheOneThatItWaitsFor() {
    for (var settled : List.of(true, false)) {
      started();
      node.cibAnswers = settled;
      node.runner.recordPretendedFailure(new ResourceId("web"), RunnerUnderTest.DUMMY);
      node.order("monitor", 10_000, "");
      node.deeds();
      node.ends("web_monitor_10000", 1);
      var told = node.deeds().stream().filter(it -> it.startsWith("acknowledge")).toList();
      var monitor = List.of("acknowledge web_last_failure_0 monitor 1 INVALID");
      assertEquals(settled ? List.of() : monitor, told, "the CIB may have either");
      node.runner.recordPretendedFailure(new ResourceId("web"), RunnerUnderTest.DUMMY);
      assertEquals(settled, node.deeds().containsAll(monitor), "the next one takes its place, if that was not told before");
      node.world.pass(Duration.ofMinutes(1));
    }
  }

  /// As of a remote host in a stranger's hand, which may have what recurs there fail without end.
  @Test
  void thatAnotherFailureMayTakeItsPlaceIsToldOnceOfEach() {
    started();
    var kinds = 20;
    for (var each = 1; each <= kinds; each++) {
      node.order("monitor", 10_000 + each, "");
    }
    node.cibAnswers = false;
    node.deeds();
    for (var each = 1; each <= kinds; each++) {
      node.ends("web_monitor_" + (10_000 + each), 1);
    }
    assertEquals(kinds, node.deeds().stream().filter(it -> it.startsWith("acknowledge")).count());
  }

  /// The history is deleted in the change that follows at once.
  @Test
  void whatTheDcMayNotHaveReadIsToldBeforeTheHistoryIsWrittenAnew() {
    started();
    node.order("stop", 0, "");
    node.ends("web_stop_0", 0);
    node.order("other", "start", 0, "");
    node.ends("other_start_0", 1);
    node.deeds();
    node.runner.tellUnread();
    assertEquals(
        List.of(
            "acknowledge web_last_0 start 0 DONE",
            "acknowledge web_last_0 stop 0 DONE",
            "acknowledge other_last_failure_0 start 1 INVALID"),
        node.deeds());
    node.world.pass(Duration.ofSeconds(31));
    node.deeds();
    node.runner.tellUnread();
    assertEquals(List.of(), node.deeds());
  }

  @Test
  void aPretendedFailureCountsAsTheNextCallSoThatTheRecoveryIsNewer() {
    started();
    var started = node.lastCall;
    node.runner.recordPretendedFailure(new ResourceId("web"), RunnerUnderTest.DUMMY);
    node.world.settle();
    assertEquals(Long.toString(started + 1), node.calls.get("web_last_failure_0"));
    node.runner.recordPretendedFailure(new ResourceId("db"), RunnerUnderTest.DUMMY);
    node.world.settle();
    assertEquals("1", node.calls.get("db_last_failure_0"));
  }

  @Test
  void anOperationTheExecutorRefusesCountsAsTheNextCall() {
    started();
    node.refusal = "too much to do";
    node.order("stop", 0, "");
    node.world.settle();
    assertEquals(Long.toString(node.lastCall + 1), node.calls.get("web_last_failure_0"));
  }

  @Test
  void locksOfANodeThatIsShutDownLastUntilTheResourceRunsAgain() {
    node.runner.shutdownLocks(true);
    started();
    var stop =
        """
        <rsc_op id="3" operation="stop" operation_key="web_stop_0" on_node="node1" on_node_uuid="1"
          shutdown-lock="1700000001">
          <primitive id="web" class="ocf" provider="heartbeat" type="Dummy"/><attributes/></rsc_op>
        """;
    for (var operation : List.of("stop", "start")) {
      node.runner.execute(
          GraphAction.of(
              TestCib.xml(stop.replace("stop", operation))),
          "3:4:0:" + RunnerUnderTest.TERM);
      node.deeds();
      node.ends("web_" + operation + "_0", 0);
      var expected = operation.equals("stop") ? "lock 1700000001" : "lock 0";
      assertTrue(node.deeds().contains(expected), operation);
    }
  }

  @Test
  void aResourceLeftRunningIsProbedAndForgottenIfItIsStopped() {
    var done = new ArrayList<String>();
    var left =
        new LeftRunning.Resource(
            new ResourceId("web"), RunnerUnderTest.DUMMY, Map.of("state", "/tmp/y"));
    node.runner.presume(left);
    node.runner.look(left, () -> done.add("looked"));
    assertEquals(List.of("do web_monitor_0"), asked());
    assertEquals("/tmp/y", node.request("web_monitor_0").parameters().get("state"));
    assertEquals(60_000, node.request("web_monitor_0").timeoutMillis());

    node.ends("web_monitor_0", 7);

    assertEquals(List.of("forget web"), node.deeds(), "nothing is recorded of it");
    assertEquals(List.of("looked"), done);
    assertEquals(List.of(), node.told());
  }

  @Test
  void aResourceLeftRunningIsRecordedIfItRunsOrTheProbeFails() {
    for (var rc : new int[] {0, 8, 190, 191, 1}) {
      var left = new LeftRunning.Resource(new ResourceId("web"), RunnerUnderTest.DUMMY, Map.of());
      node.runner.look(left, () -> {});
      node.deeds();
      node.ends("web_monitor_0", rc);
      assertTrue(
          node.deeds().stream().anyMatch(it -> it.startsWith("write web_last")), "exit " + rc);
      assertEquals(rc == 1, node.world.logged("Cannot tell whether web"), "exit " + rc);
    }
  }

  private List<String> asked() {
    return node.deeds().stream().filter(it -> it.startsWith("do ")).toList();
  }

  @Test
  void aLockIsKeptByAStopAndByAProbeThatFindsNothingIfLocksAreEnabled() {
    var xml =
        """
        <rsc_op id="3" operation="monitor" operation_key="web_monitor_0" on_node="node1"
          on_node_uuid="1" shutdown-lock="1700000001">
          <primitive id="web" class="ocf" provider="heartbeat" type="Dummy"/><attributes/></rsc_op>
        """;
    for (var enabled : new boolean[] {true, false}) {
      for (var rc : new int[] {7, 0}) {
        node.runner.shutdownLocks(enabled);
        node.runner.execute(GraphAction.of(TestCib.xml(xml)), "3:4:7:" + RunnerUnderTest.TERM);
        node.deeds();
        node.ends("web_monitor_0", rc);
        var expected = enabled && rc == 7 ? "lock 1700000001" : "lock 0";
        assertTrue(node.deeds().contains(expected), enabled + " " + rc);
      }
    }
  }

  @Test
  void aForgottenFailureIsNotReportedToADc() {
    started();
    node.order("monitor", 10_000, "");
    node.ends("web_monitor_10000", 7);
    assertTrue(node.told().contains("web_last_failure_0 monitor 7"));
    node.runner.forgetFailure(new ResourceId("web"), new OperationName("stop"), 0);
    node.runner.forgetFailure(new ResourceId("db"), null, 0);
    node.runner.forgetFailure(new ResourceId("web"), new OperationName("monitor"), 20_000);
    assertTrue(node.told().contains("web_last_failure_0 monitor 7"));
    node.runner.forgetFailure(new ResourceId("web"), new OperationName("monitor"), 10_000);
    assertEquals(List.of("web_last_0 start 0"), without(node.told(), "monitor"));
    assertEquals(List.of(new ResourceId("web")), node.runner.knownResources());
    assertEquals(List.of(new ResourceId("web")), node.runner.activeResources());
    assertEquals(
        node.running(), node.runner.leftRunning().stream().map(it -> it.id().text()).toList());
  }

  private static List<String> without(List<String> entries, String operation) {
    return entries.stream().filter(it -> !it.contains(operation)).toList();
  }

  @Test
  void aFenceDeviceIsNotLeftRunning() {
    var xml =
        """
        <rsc_op id="3" operation="start" operation_key="f_start_0" on_node="node1" on_node_uuid="1">
          <primitive id="f" class="stonith" type="fence_x"/><attributes/></rsc_op>
        """;
    node.runner.execute(GraphAction.of(TestCib.xml(xml)), "3:4:0:" + RunnerUnderTest.TERM);
    node.world.settle();
    node.ends("f_start_0", 0);
    assertEquals(List.of(new ResourceId("f")), node.runner.activeResources());
    assertEquals(List.of(), node.running());
  }

  @Test
  void aResourceIsStoppedWithTheParametersAnEarlierControllerHad() {
    node.runner.presume(
        new LeftRunning.Resource(
            new ResourceId("web"), RunnerUnderTest.DUMMY, Map.of("state", "/tmp/old")));
    node.order("stop", 0, "");
    assertEquals(Map.of("state", "/tmp/old"), node.request("web_stop_0").ownParameters());
  }

  @Test
  void nothingIsAskedOfAnExecutorThatIsNotThere() {
    started();
    node.executor.goes("killed");
    node.order("stop", 0, "");
    assertTrue(node.world.lines().stream().noneMatch(it -> it.contains("Requesting web_stop_0")));
    assertEquals(List.of("web_last_0 start 0"), node.told(), "it runs as long as nobody stops it");
  }

  @Test
  void operationsOfAForgottenResourceAreNotUnderWayAndOthersAre() {
    node.order("start", 0, "");
    node.order("db", "start", 0, "");
    node.deeds();
    node.runner.forget(List.of(new ResourceId("web")), _ -> {});
    node.world.settle();
    assertEquals(List.of("db_last_0 start 193"), node.told());
    assertEquals(List.of("db"), node.runner.state().children().stream()
        .flatMap(it -> it.children().stream())
        .flatMap(it -> it.children().stream())
        .filter(it -> !it.children().isEmpty())
        .map(it -> it.id())
        .toList());
  }

  @Test
  void theResultOfAnotherPlanDoesNotEndAPendingOperation() {
    node.order("start", 0, "");
    node.deeds();
    var other = node.request("web_start_0").under("9:9:0:00000000-0000-0000-0000-000000000000");
    node.tells(RunnerUnderTest.result(other, 7, 1, ExecStatus.DONE));
    assertTrue(node.told().contains("web_last_0 start 193"), "it is still under way");
  }

  @Test
  void aCancelThatNamesNoOperationIsAboutAMonitor() {
    monitored();
    node.order("cancel", 10_000, "");
    assertTrue(node.deeds().contains("cancel"));
    assertEquals(List.of("web_last_0 start 0"), node.told());
  }
}
