package org.systole.controld;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.systole.controld.TestNodes.id;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.systole.common.options.ClusterOptions;
import org.systole.common.values.NodeId;
import org.systole.common.values.ResourceId;
import org.systole.common.world.TestWorld;
import org.systole.common.xml.Element;
import org.systole.controld.fsm.Input;
import org.systole.controld.fsm.State;
import org.systole.controld.io.PeerMessage;

/// How node 2 leaves, and that it does not wait without end for anybody.
final class LeavingTest {
  private static final Duration ESCALATION = ClusterOptions.DEFAULTS.shutdownEscalation();

  private final TestWorld world = new TestWorld();
  private final Host host = new Host();
  private final Leaving leaving = new Leaving(world, host, id(2));

  private static final class Host implements Leaving.Host {
    final List<Input> inputs = new ArrayList<>();
    final List<String> sent = new ArrayList<>();
    final List<Runnable> keeping = new ArrayList<>();
    final List<Runnable> recording = new ArrayList<>();
    State state = State.NOT_DC;
    @Nullable NodeId dc = new NodeId(1);
    boolean isDc;
    boolean knows = true;
    boolean unsure;
    List<ResourceId> active = List.of();
    @Nullable Element cib;

    @Override
    public State state() {
      return state;
    }

    @Override
    public void offer(Input input) {
      inputs.add(input);
    }

    @Override
    public void send(NodeId node, PeerMessage message) {
      sent.add(node + " " + message);
    }

    @Override
    public @Nullable NodeId dcId() {
      return dc;
    }

    @Override
    public boolean isDc() {
      return isDc;
    }

    @Override
    public ClusterOptions options() {
      return ClusterOptions.DEFAULTS;
    }

    @Override
    public boolean knowsResources() {
      return knows;
    }

    @Override
    public List<ResourceId> activeResources() {
      return active;
    }

    @Override
    public boolean isUnsure() {
      return unsure;
    }

    @Override
    public void keepLeftRunning(Runnable done) {
      keeping.add(done);
    }

    @Override
    public void recordLeaving(Runnable done) {
      recording.add(done);
    }

    @Override
    public @Nullable Element cib() {
      return cib;
    }
  }

  private List<Input> told() {
    var now = List.copyOf(host.inputs);
    host.inputs.clear();
    return now;
  }

  private void pass(long seconds) {
    world.pass(Duration.ofSeconds(seconds));
  }

  private static Input end(String why) {
    return new Input.EndNow(why);
  }

  // Asking

  @Test
  void theDcIsAskedAndTheStateMachineRemindedEveryMinute() {
    assertFalse(leaving.isWanted());
    leaving.ask("SIGTERM");
    assertTrue(leaving.isWanted());
    assertEquals(List.of("1 " + new PeerMessage.LeaveRequest()), host.sent);
    pass(59);
    assertEquals(List.of(), told());
    leaving.ask("asked again");
    pass(59);
    assertEquals(List.of(), told(), "the minute begins anew");
    pass(1);
    assertEquals(List.of(new Input.ShutdownRequested("still waiting")), told());
    pass(300);
    assertEquals(List.of(), told(), "who is reminded asks again");
  }

  @Test
  void aNodeThatTheClusterDoesNotLetGoLeavesByItself() {
    leaving.ask("SIGTERM");
    world.pass(ESCALATION.dividedBy(2));
    leaving.ask("still waiting"); // is no new beginning
    told();
    world.pass(ESCALATION.dividedBy(2).minusSeconds(1));
    assertTrue(told().stream().noneMatch(Input.EndNow.class::isInstance));
    pass(1);
    assertTrue(told().contains(end("the cluster did not let this node go in time")));
  }

  @Test
  void withoutADcANodeOnWhichNothingRunsLeavesAtOnce() {
    host.dc = null;
    host.state = State.PENDING;
    leaving.ask("SIGTERM");
    assertEquals(List.of(new Input.StopNow("no DC, and nothing runs here")), told());
    assertEquals(List.of(), host.sent);
  }

  @Test
  void withoutADcANodeOnWhichSomethingRunsOrMayRunWaits() {
    host.dc = null;
    host.state = State.PENDING;
    host.active = List.of(new ResourceId("web"));
    leaving.ask("SIGTERM");
    assertEquals(List.of(), told());
    host.active = List.of();
    host.unsure = true;
    leaving.ask("SIGTERM");
    assertEquals(List.of(), told());
  }

  @Test
  void duringAnElectionALeavingNodeWaitsForTheNewDc() {
    host.dc = null;
    host.state = State.ELECTION;
    leaving.ask("SIGTERM");
    assertEquals(List.of(), told());
  }

  // A controller that has not started

  @Test
  void aControllerThatStartsAndKnowsThatNothingRunsEndsAtOnce() {
    host.state = State.STARTING;
    leaving.ask("SIGTERM");
    assertEquals(List.of(new Input.StopNow("nothing runs here")), told());
    pass(40);
    assertEquals(List.of(), told());
  }

  @Test
  void aControllerThatCannotStartEndsAfterThirtySeconds() {
    host.state = State.STARTING;
    host.knows = false;
    leaving.ask("SIGTERM");
    pass(29);
    assertEquals(List.of(), told());
    pass(1);
    assertEquals(List.of(end("this controller could not start")), told());
  }

  @Test
  void aControllerThatHasStartedMeanwhileLeavesAsAnyOther() {
    host.state = State.STARTING;
    host.active = List.of(new ResourceId("web")); // left by a controller before it
    leaving.ask("SIGTERM");
    pass(10);
    host.state = State.PENDING;
    leaving.ready();
    pass(30);
    assertEquals(List.of(), told());
  }

  @Test
  void aNodeThatFindsNothingRunningAtItsStartLeaves() {
    leaving.ready();
    assertEquals(List.of(), told(), "nobody wants it to leave");
    host.state = State.STARTING;
    host.knows = false;
    leaving.ask("SIGTERM");
    leaving.ready();
    assertEquals(List.of(new Input.StopNow("nothing runs here")), told());
  }

  // Leaving

  @Test
  void aNodeThatIsLetGoStopsThoughItHasNotAsked() {
    leaving.letGo();
    assertEquals(List.of(new Input.StopNow("the cluster lets this node go")), told());
    assertTrue(world.logged("without having been asked"));
  }

  @Test
  void itEndsOnceTheListOfRunningResourcesIsSaved() {
    leaving.leave("let go");
    pass(60);
    assertEquals(List.of(), told());
    host.keeping.getFirst().run();
    assertEquals(List.of(end("let go")), told());
    assertEquals(List.of(), host.recording);
  }

  @Test
  void theEscalationTimerEndsWhenANodeLeaves() {
    leaving.ask("SIGTERM");
    leaving.leave("let go");
    host.keeping.getFirst().run();
    told();
    world.pass(ESCALATION.multipliedBy(2));
    assertTrue(told().stream().noneMatch(Input.EndNow.class::isInstance));
  }

  @Test
  void aDcRecordsThatItLeavesBeforeItEnds() {
    host.isDc = true;
    leaving.leave("let go");
    host.keeping.getFirst().run();
    assertEquals(List.of(), told());
    host.recording.getFirst().run();
    assertEquals(List.of(end("let go")), told());
  }

  @Test
  void aDcThatCannotRecordItsLeavingEndsAfterTenSeconds() {
    host.isDc = true;
    leaving.leave("let go");
    host.keeping.getFirst().run();
    pass(9);
    assertEquals(List.of(), told());
    pass(1);
    assertEquals(List.of(end("let go")), told());
  }

  @Test
  void resourcesThatStillRunAreLoggedAndDelayTheEndBriefly() {
    host.active = List.of(new ResourceId("web"), new ResourceId("db"));
    leaving.leave("let go");
    assertTrue(world.logged("ERROR: Leaving while resources still run here: web, db"));
    pass(9);
    assertEquals(List.of(), told());
    pass(1);
    assertEquals(List.of(end("let go")), told(), "the disk may take nothing");
  }

  // What an earlier controller wanted

  private boolean wasWanted(String status) {
    host.cib = TestCib.xml("<cib><configuration/><status>%s</status></cib>".formatted(status));
    return leaving.wasWanted();
  }

  private static String state(int node, String name, String value) {
    return ("<node_state id='%d'><transient_attributes id='%d'><instance_attributes id='i'>"
            + "<nvpair id='n' name='%s' value='%s'/></instance_attributes>"
            + "</transient_attributes></node_state>")
        .formatted(node, node, name, value);
  }

  @Test
  void theAttributeOfThisNodeTellsThatAnEarlierControllerAskedToLeave() {
    assertTrue(wasWanted(state(2, "shutdown", "1700000000")));
    assertFalse(wasWanted(state(2, "shutdown", "0")));
    assertFalse(wasWanted(state(1, "shutdown", "1700000000")), "of another node");
    assertFalse(wasWanted(state(2, "standby", "1700000000")));
    assertFalse(wasWanted("<node_state id='2'/>"));
    assertFalse(wasWanted(""));
    host.cib = null;
    assertFalse(leaving.wasWanted());
  }
}
