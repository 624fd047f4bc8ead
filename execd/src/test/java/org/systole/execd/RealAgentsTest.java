package org.systole.execd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.systole.common.layout.Layout;
import org.systole.common.operation.AgentName;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.OcfCode;
import org.systole.common.operation.OperationRequest;
import org.systole.common.operation.OperationResult;
import org.systole.common.real.RealWorld;
import org.systole.common.values.OperationName;
import org.systole.common.values.ResourceId;
import org.systole.common.world.Store;
import org.systole.execd.client.ExecConnection;
import org.systole.execd.client.ExecMessage;

/// A whole executor with real agents.
final class RealAgentsTest {
  private static final AgentName DUMMY = new AgentName("ocf", "pacemaker", "Dummy");
  private static final AgentName STATEFUL = new AgentName("ocf", "pacemaker", "Stateful");
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @TempDir Path root;
  private ExecConnection executor;
  private RealWorld world;

  @BeforeEach
  void start() throws Exception {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/setsid")), "there is no setsid");
    var installed = root.resolve("share/systole/ocf/resource.d/pacemaker");
    Files.createDirectories(installed);
    for (var agent : List.of("Dummy", "Stateful")) {
      Files.copy(
          project().resolve("agents/src/main/ocf/resource.d/pacemaker").resolve(agent),
          installed.resolve(agent),
          StandardCopyOption.COPY_ATTRIBUTES);
    }
    var layout = new Layout(root.resolve("node"), root.resolve("share"));
    var environment = Map.of("SYSTOLE_NODE", "node1", "PCMK_logfile", "none");
    world = RealWorld.create(layout, environment, "execd", "exec");
    var runner = new Thread(() -> world.runInProcess(() -> ExecDaemon.start(world, layout, environment)));
    runner.setDaemon(true);
    runner.start();
    executor = open(layout);
    executor.subscribe();
  }

  private static ExecConnection open(Layout layout) throws Exception {
    for (var round = 0; ; round++) {
      try {
        return ExecConnection.open(layout);
      } catch (IOException e) {
        if (round == 200) {
          throw e;
        }
        Thread.sleep(50);
      }
    }
  }

  @AfterEach
  void stop() throws InterruptedException {
    if (executor != null) {
      executor.close();
      writeAll();
    }
  }

  /// What the executor still had to write is on disk, and does not come while all of it is removed.
  private void writeAll() throws InterruptedException {
    var written = new CountDownLatch(1);
    var last = List.<Store.Change>of(new Store.Change.Write("last", new byte[0]));
    world.post(() -> world.store().change(last, _ -> written.countDown()));
    assertTrue(written.await(PATIENCE.toSeconds(), TimeUnit.SECONDS), "the disk takes nothing");
  }

  private static Path project() {
    var at = Path.of(System.getProperty("user.dir"));
    while (!Files.isDirectory(at.resolve("agents/src/main/ocf"))) {
      at = at.getParent();
      assertNotNull(at, "the agents module is nowhere above the working directory");
    }
    return at;
  }

  private static OperationRequest operation(
      AgentName agent,
      String name,
      long intervalMillis,
      long timeoutMillis,
      Map<String, String> parameters) {
    var all = new HashMap<>(parameters);
    all.put("CRM_meta_interval", Long.toString(intervalMillis));
    return new OperationRequest(
        new ResourceId("rsc"), agent, new OperationName(name), intervalMillis, timeoutMillis, 0, all, "key");
  }

  private OperationResult run(AgentName agent, String name, Map<String, String> parameters)
      throws IOException {
    executor.execute(operation(agent, name, 0, 20_000, parameters));
    return result();
  }

  private OperationResult result() throws IOException {
    return Objects.requireNonNull(executor.result(PATIENCE));
  }

  @Test
  void aResourceIsStartedMonitoredAndStopped() throws IOException {
    assertEquals(OcfCode.NOT_RUNNING, run(DUMMY, "monitor", Map.of()).code());
    var started = run(DUMMY, "start", Map.of());
    assertEquals(OcfCode.OK, started.code(), started::toString);
    assertEquals(ExecStatus.DONE, started.status());
    assertEquals("key", started.transitionKey());
    assertEquals(OcfCode.OK, run(DUMMY, "monitor", Map.of()).code());
    assertEquals(OcfCode.OK, run(DUMMY, "stop", Map.of()).code());
    assertEquals(OcfCode.NOT_RUNNING, run(DUMMY, "monitor", Map.of()).code());
    assertEquals(OcfCode.UNIMPLEMENTED, run(DUMMY, "promote", Map.of()).code());
  }

  @Test
  void aPromotableResourceChangesItsRole() throws IOException {
    assertEquals(OcfCode.OK, run(STATEFUL, "start", Map.of()).code());
    assertEquals(OcfCode.OK, run(STATEFUL, "promote", Map.of()).code());
    assertEquals(OcfCode.RUNNING_PROMOTED, run(STATEFUL, "monitor", Map.of()).code());
    assertEquals(OcfCode.RUNNING_PROMOTED, run(STATEFUL, "stop", Map.of()).code());
    assertEquals(OcfCode.OK, run(STATEFUL, "demote", Map.of()).code());
    assertEquals(OcfCode.OK, run(STATEFUL, "stop", Map.of()).code());
  }

  @Test
  void theEnvironmentIsThatOfTheStandard() throws IOException {
    var file = root.resolve("env");
    run(DUMMY, "start", Map.of("envfile", file.toString(), "OCF_CHECK_LEVEL", "0"));

    var lines = Files.readAllLines(file);
    for (var line :
        List.of(
            "OCF_RA_VERSION_MAJOR=1",
            "OCF_RESOURCE_INSTANCE=rsc",
            "OCF_RESOURCE_TYPE=Dummy",
            "OCF_RESOURCE_PROVIDER=pacemaker",
            "OCF_RESKEY_CRM_meta_interval=0",
            "OCF_CHECK_LEVEL=0",
            "OCF_ROOT=" + root.resolve("share/systole/ocf"),
            "HA_RSCTMP=" + root.resolve("node/run/systole/rsctmp"))) {
      assertTrue(lines.contains(line), line + " is missing in " + lines);
    }
  }

  @Test
  void anAgentThatExceedsItsTimeoutIsKilled() throws IOException {
    executor.execute(operation(DUMMY, "start", 0, 500, Map.of("op_sleep", "20")));

    var result = result();

    assertEquals(ExecStatus.TIMEOUT, result.status());
    assertEquals(OcfCode.UNKNOWN_ERROR, result.code());
    assertEquals("Resource agent did not complete within 500ms", result.exitReason());
    assertTrue(result.execMillis() < 15_000, result::toString);
  }

  @Test
  void anAgentThatIsNotThereIsNotInstalled() throws IOException {
    var result = run(new AgentName("ocf", "heartbeat", "NoSuchThing"), "start", Map.of());

    assertEquals(OcfCode.NOT_INSTALLED, result.code());
    assertEquals(ExecStatus.NOT_INSTALLED, result.status());
  }

  @Test
  void aMonitorRecursAndReportsOnlyChanges() throws IOException {
    run(DUMMY, "start", Map.of());
    var callId = executor.execute(operation(DUMMY, "monitor", 100, 20_000, Map.of()));
    assertEquals(OcfCode.OK, result().code());
    assertNull(executor.result(Duration.ofMillis(600)), "nothing has changed");
    Files.delete(root.resolve("node/run/systole/rsctmp/Dummy-rsc.state"));

    var failed = result();

    assertEquals(OcfCode.NOT_RUNNING, failed.code());
    assertEquals(callId, failed.callId());
    executor.ask(new ExecMessage.Cancel(new ResourceId("rsc"), new OperationName("monitor"), 100), PATIENCE);
    assertEquals(ExecStatus.CANCELLED, result().status());
  }

  @Test
  void aStopEndsTheMonitors() throws IOException {
    run(DUMMY, "start", Map.of());
    executor.execute(operation(DUMMY, "monitor", 10_000, 20_000, Map.of()));
    assertEquals(OcfCode.OK, result().code());

    executor.execute(operation(DUMMY, "stop", 0, 20_000, Map.of()));

    assertEquals(ExecStatus.CANCELLED, result().status());
    assertEquals("stop", result().operation().text());
    var state = executor.state(new ResourceId("rsc")).getFirst();
    assertEquals(List.of(), state.recurring());
    assertEquals(
        List.of("start", "stop"),
        state.lastResults().stream().map(it -> it.operation().text()).toList());
  }

  /// A monitor of the promoted role would find the resource unpromoted, and that would count as a
  /// failure.
  @Test
  void aDemotionEndsTheMonitorsOfThePromotedRole() throws IOException {
    run(STATEFUL, "start", Map.of());
    run(STATEFUL, "promote", Map.of());
    executor.execute(operation(STATEFUL, "monitor", 10_000, 20_000, Map.of()));
    assertEquals(OcfCode.RUNNING_PROMOTED, result().code());

    executor.execute(operation(STATEFUL, "demote", 0, 20_000, Map.of()));

    assertEquals(ExecStatus.CANCELLED, result().status());
    assertEquals("demote", result().operation().text());
    assertEquals(List.of(), executor.state(new ResourceId("rsc")).getFirst().recurring());
  }

  @Test
  void theExitReasonIsTheAgentsOwn() throws IOException {
    run(DUMMY, "start", Map.of());

    var result = run(DUMMY, "monitor", Map.of("OCF_CHECK_LEVEL", "30"));

    assertEquals(OcfCode.UNKNOWN_ERROR, result.code());
    assertEquals("failed, as this check level always does", result.exitReason());
  }

  @Test
  void metadataComesFromTheAgent() throws IOException {
    var metadata = executor.metadata(STATEFUL, PATIENCE);

    assertTrue(metadata.xml().contains("<resource-agent name=\"Stateful\""), metadata::toString);
    assertFalse(executor.metadata(new AgentName("ocf", "x", "y"), PATIENCE).why().isEmpty());
  }

  @Test
  void agentsOfTheSystemWorkToo() throws IOException {
    assumeTrue(
        Files.isExecutable(Path.of("/usr/lib/ocf/resource.d/heartbeat/Dummy")),
        "the resource-agents package is not installed");
    var dummy = new AgentName("ocf", "heartbeat", "Dummy");

    var started = run(dummy, "start", Map.of());

    assertEquals(OcfCode.OK, started.code(), started::toString);
    assertEquals(OcfCode.OK, run(dummy, "monitor", Map.of()).code());
    assertEquals(OcfCode.OK, run(dummy, "stop", Map.of()).code());
    assertEquals(OcfCode.NOT_RUNNING, run(dummy, "monitor", Map.of()).code());
  }
}
