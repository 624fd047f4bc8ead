package org.systole.controld.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.systole.common.operation.AgentName;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.OcfCode;
import org.systole.common.operation.OperationRequest;
import org.systole.common.operation.OperationResult;
import org.systole.common.values.NodeName;
import org.systole.common.values.OperationName;
import org.systole.common.values.ResourceId;
import org.systole.common.world.TestWorld;
import org.systole.controld.io.PeerMessage.AgentCall;
import org.systole.execd.client.ExecMessage;
import org.systole.execd.client.NodeExecutor;

/// Single runs of agents on hosts. The test plays the executors.
final class AgentRunsTest implements NodeExecutor {
  private static final NodeName HOST1 = new NodeName("host1");
  private static final NodeName HOST2 = new NodeName("host2");
  private static final ResourceId NAME = new ResourceId("host-ha-fence-host3");
  private static final AgentCall CALL =
      new AgentCall(
          new AgentName("ocf", "systole", "HostHa"), new OperationName("fence"), Map.of());

  private final TestWorld world = new TestWorld();
  private final List<OperationRequest> asked = new ArrayList<>();
  private final List<Integer> answers = new ArrayList<>();

  private OperationRequest run(AgentRuns runs, NodeName node) {
    runs.run(this, node, NAME, CALL, Duration.ofSeconds(60), it -> answers.add(it.rc()));
    world.settle();
    return asked.getLast();
  }

  private OperationResult good(OperationRequest request) {
    var now = world.now().getEpochSecond();
    return OperationResult.made(request, OcfCode.OK, ExecStatus.DONE, "", now);
  }

  @Test
  void whatAnotherHostTellsIsNoAnswer() {
    var runs = new AgentRuns(world);
    run(runs, HOST1);
    var second = run(runs, HOST2);
    assertFalse(runs.took(HOST1, good(second)), "host1 says that host2 has fenced host3");
    assertEquals(List.of(), answers);
    assertTrue(runs.took(HOST2, good(second)));
    assertEquals(List.of(0), answers);
  }

  @Test
  void whatAnEarlierControllerHadAskedIsNoAnswerToALaterOne() {
    var first = run(new AgentRuns(world), HOST1);
    world.pass(Duration.ofSeconds(1));
    var runs = new AgentRuns(world); // it was lost, and is started again
    assertNotEquals(first.transitionKey(), run(runs, HOST1).transitionKey());
    assertFalse(runs.took(HOST1, good(first)), "the host has only now done what the first one asked");
    assertEquals(List.of(), answers);
  }

  @Test
  void oneThatIsNotAnsweredEnds() {
    run(new AgentRuns(world), HOST1);
    world.pass(Duration.ofSeconds(63));
    assertEquals(List.of(1), answers);
  }

  @Override
  public boolean isConnected() {
    return true;
  }

  @Override
  public void execute(OperationRequest operation, Consumer<ExecMessage.Reply> done) {
    asked.add(operation);
    world.post(() -> done.accept(new ExecMessage.Accepted(asked.size())));
  }

  @Override
  public void cancel(
      ResourceId resource,
      OperationName operation,
      long intervalMillis,
      Consumer<ExecMessage.Reply> done) {
    throw new AssertionError("a single run does not recur");
  }

  @Override
  public void forget(ResourceId resource, Consumer<ExecMessage.Reply> done) {
    throw new AssertionError("for who has asked");
  }
}
