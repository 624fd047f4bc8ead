package org.systole.execd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.systole.common.operation.AgentName;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.OcfCode;
import org.systole.common.operation.OperationRequest;
import org.systole.common.values.OperationName;
import org.systole.common.values.ResourceId;
import org.systole.common.world.TestWorld;
import org.systole.execd.client.ExecMessage;

/// Parameters whose values are not in the CIB.
class SecretParametersTest {
  private static final AgentName DB = new AgentName("ocf", "heartbeat", "db");
  private static final String START = "/usr/share/systole/ocf/resource.d/heartbeat/db start";

  private final TestWorld world = new TestWorld();
  private final ExecutorUnderTest executor = new ExecutorUnderTest(world);

  private void ask(AgentName agent, String operation, long intervalMillis) {
    executor.ask(
        new OperationRequest(
            new ResourceId("db"),
            agent,
            new OperationName(operation),
            intervalMillis,
            20_000,
            0,
            Map.of("passwd", "lrm://"),
            "k"));
    world.settle();
  }

  @Test
  void theAgentIsToldTheValueAndNobodyElse() {
    world.secrets().put("db", "passwd", "Secr3t");
    ask(DB, "start", 0);

    var agent = executor.runs(START);
    assertEquals("Secr3t", agent.program().environment().get("OCF_RESKEY_passwd"));
    agent.exits(0, "");

    assertEquals("lrm://", executor.last().parameters().get("passwd"));
    var state = executor.client.answer(new ExecMessage.StateQuery("")).toString();
    assertFalse((state + executor.results() + world.lines()).contains("Secr3t"));
  }

  @Test
  void withoutTheValueTheResourceIsNotConfigured() {
    ask(DB, "start", 0);

    assertEquals(OcfCode.NOT_CONFIGURED.number(), executor.last().rc());
    assertEquals(ExecStatus.DONE, executor.last().status());
    assertEquals("Unable to load CIB secrets", executor.last().exitReason());
    assertEquals(0, world.programs().running().size());
    assertTrue(world.logged("The secret parameters of db cannot be had"));
  }

  @Test
  void aStopProceedsWithoutTheValue() {
    ask(DB, "stop", 0);

    var agent = executor.runs(START.replace("start", "stop"));
    assertEquals("lrm://", agent.program().environment().get("OCF_RESKEY_passwd"));
    agent.exits(0, "");
    assertEquals(0, executor.last().rc());
    assertTrue(world.logged("Proceeding with stop of db"));
  }

  @Test
  void everyRunReadsTheValueAnew() {
    world.secrets().put("db", "passwd", "old");
    ask(DB, "monitor", 10_000);
    executor.runs(START.replace("start", "monitor")).exits(0, "");
    world.secrets().put("db", "passwd", "new");
    executor.pass(10_000);

    var again = executor.runs(START.replace("start", "monitor"));
    assertEquals("new", again.program().environment().get("OCF_RESKEY_passwd"));
  }

  @Test
  void anOperationIsCancelledWhileTheDiskDoesNotAnswer() {
    world.secrets().put("db", "passwd", "Secr3t");
    world.secrets().waits(true);
    ask(DB, "monitor", 10_000);
    executor.client.ask(
        new ExecMessage.Cancel(new ResourceId("db"), new OperationName("monitor"), 10_000));
    world.settle();
    assertEquals(ExecStatus.CANCELLED, executor.last().status());

    world.secrets().waits(false);
    world.settle();
    assertEquals(0, world.programs().running().size());
    assertEquals(1, executor.results().size());
  }

  @Test
  void aDiskThatDoesNotAnswerKeepsNoOperationForever() {
    world.secrets().waits(true);
    ask(DB, "start", 0);
    executor.pass(20_000);

    assertEquals(OcfCode.NOT_CONFIGURED.number(), executor.last().rc());
  }

  @Test
  void agentsThatTakeNoParametersRunWithoutLooking() {
    ask(new AgentName("lsb", "", "legacy"), "start", 0);

    executor.runs("/etc/init.d/legacy start").exits(0, "");
    assertEquals(0, world.secrets().reads());
  }
}
