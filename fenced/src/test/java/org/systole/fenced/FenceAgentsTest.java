package org.systole.fenced;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.systole.common.layout.Layout;
import org.systole.common.operation.ExecStatus;
import org.systole.common.world.Processes.Exit;
import org.systole.common.world.TestWorld;

/// How fence agents are found and run, and what their exits mean.
final class FenceAgentsTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(20);
  private static final Layout LAYOUT = new Layout(Path.of("/"), Path.of("/opt/systole/share"));

  private final TestWorld world = new TestWorld();
  private final FenceAgents agents =
      new FenceAgents(
          world, LAYOUT, Map.of("PATH", "/bin", "NOTIFY_SOCKET", "/run/systemd/notify"));
  private final List<Outcome> outcomes = new ArrayList<>();

  private Outcome run(Exit exit) {
    world.programs().script(_ -> exit);
    agents.run("fence_x", Map.of("action", "off"), TIMEOUT, outcomes::add);
    world.settle();
    return outcomes.getLast();
  }

  private static Exit exited(int status, int signal, String output, String errors) {
    return new Exit.Exited(status, signal, output, errors, Duration.ofMillis(5));
  }

  private List<String> started() {
    return world.programs().all().stream()
        .map(it -> it.program().command().getFirst())
        .toList();
  }

  @Test
  void anAgentIsLookedForInTheInstallationAndThenInTheSystem() {
    world
        .programs()
        .script(
            program ->
                program.command().getFirst().startsWith("/opt")
                    ? new Exit.NotStarted("/opt/systole/sbin/fence_x: no such file")
                    : exited(0, 0, "done", ""));
    agents.run("fence_x", Map.of("action", "off"), TIMEOUT, outcomes::add);
    world.settle();

    assertEquals(List.of("/opt/systole/sbin/fence_x", "/usr/sbin/fence_x"), started());
    assertTrue(outcomes.getFirst().isSuccess());
    assertEquals("done", outcomes.getFirst().output());
    assertEquals(1, outcomes.size());
  }

  @Test
  void anAgentThatIsNowhereIsNotInstalled() {
    var outcome = run(new Exit.NotStarted("no such file"));

    assertEquals(ExecStatus.NOT_INSTALLED, outcome.status());
    assertEquals("/usr/sbin/fence_x: No such file or directory", outcome.reason());
  }

  @Test
  void anAgentThatIsThereAndCannotRunIsNotLookedForElsewhere() {
    var outcome = run(new Exit.NotStarted("Permission denied"));

    assertEquals(ExecStatus.ERROR, outcome.status());
    assertEquals("Permission denied", outcome.reason());
    assertEquals(List.of("/opt/systole/sbin/fence_x"), started());
  }

  @Test
  void itGetsItsParametersAsLinesInOrderAndACleanEnvironment() {
    var parameters = new LinkedHashMap<String, String>();
    parameters.put("action", "off");
    parameters.put("plug", "3");
    parameters.put("a", "b=c");
    agents.run("fence_x", parameters, TIMEOUT, outcomes::add);
    var program = world.programs().running().getFirst().program();

    assertEquals("action=off\nplug=3\na=b=c\n", program.input());
    assertEquals(TIMEOUT, program.timeout());
    assertEquals("/opt/systole/sbin:/bin", program.environment().get("PATH"));
    assertFalse(program.environment().containsKey("NOTIFY_SOCKET"));
  }

  @Test
  void aParameterOfSeveralLinesIsRefused() {
    for (var bad : List.of(Map.of("plug", "3\naction=on"), Map.of("x\ny", "3"))) {
      agents.run("fence_x", bad, TIMEOUT, outcomes::add);
      assertTrue(outcomes.isEmpty(), "never from within the call");
      world.settle();
      assertEquals(ExecStatus.ERROR, outcomes.getFirst().status());
      assertTrue(outcomes.getFirst().reason().endsWith("has more than one line"));
      outcomes.clear();
    }
    assertEquals(List.of(), started());
  }

  @Test
  void theReasonOfAFailureIsTheLastThingTheAgentSays() {
    var outcome = run(exited(1, 0, "", "Connecting\nLogin failed\n\n"));

    assertEquals(1, outcome.rc());
    assertEquals(ExecStatus.DONE, outcome.status());
    assertEquals("Login failed", outcome.reason());
    assertTrue(world.logged("WARNING: fence_x: Connecting"));
    assertEquals("", run(exited(1, 0, "", "")).reason());
  }

  @Test
  void errorsOfASuccessfulAgentAreNeitherReasonNorWarning() {
    var before = world.lines().size();
    var outcome = run(exited(0, 0, "", "Warning: slow\n"));

    assertTrue(outcome.isSuccess());
    assertEquals("", outcome.reason());
    assertEquals(before, world.lines().size());
  }

  @Test
  void anAgentThatIsKilledOrHangsHasFailed() {
    var killed = run(exited(0, 9, "", ""));
    assertFalse(killed.isSuccess());
    assertEquals("Fence agent was killed by signal 9", killed.reason());

    var hung = run(new Exit.TimedOut("", "", TIMEOUT));
    assertEquals(ExecStatus.TIMEOUT, hung.status());
    assertEquals("Fence agent did not complete within 20s", hung.reason());
  }

  private List<FenceAgents.Described> describe(int times, String agent) {
    var told = new ArrayList<FenceAgents.Described>();
    for (var i = 0; i < times; i++) {
      agents.describe(agent, TIMEOUT, told::add);
    }
    world.settle();
    return told;
  }

  @Test
  void metadataIsFetchedOnceForAllWhoWantIt() {
    world.programs().script(_ -> exited(0, 0, FencerUnderTest.METADATA, ""));
    assertEquals(3, describe(3, "fence_x").size());
    var later = describe(1, "fence_x").getFirst();

    assertNotNull(later.metadata());
    assertEquals(1, world.programs().all().size());
    assertEquals("action=metadata\n", world.programs().all().getFirst().program().input());
  }

  @Test
  void metadataThatCouldNotBeFetchedIsAskedForAgain() {
    world.programs().script(_ -> exited(1, 0, "", "no"));
    var first = describe(1, "fence_x").getFirst();
    assertNull(first.metadata());
    assertEquals(ExecStatus.ERROR, first.status());

    world.programs().script(_ -> exited(0, 0, "<resource-agent", ""));
    assertTrue(describe(1, "fence_x").getFirst().why().contains("is not XML"));

    world.programs().script(_ -> new Exit.NotStarted("no such file"));
    assertEquals(ExecStatus.NOT_INSTALLED, describe(1, "fence_x").getFirst().status());

    world.programs().script(_ -> exited(0, 0, FencerUnderTest.METADATA, ""));
    assertNotNull(describe(1, "fence_x").getFirst().metadata());
  }

  @Test
  void aNameThatIsNoFenceAgentIsNotRun() {
    for (var name : List.of("", "../sh", "a/../b", "a/b/c", "a/", "-L", "fence_/../../bin/sh")) {
      assertEquals(ExecStatus.NOT_INSTALLED, describe(1, name).getFirst().status());
    }
    assertEquals(List.of(), started());
  }

  @Test
  void aDeviceOfClusterGlueIsSpokenForByOneProgram() {
    world.programs().script(_ -> exited(0, 0, FencerUnderTest.METADATA, ""));
    assertNotNull(describe(1, "external/ipmi").getFirst().metadata());
    agents.run("external/ipmi", Map.of("action", "off"), TIMEOUT, outcomes::add);
    world.settle();

    assertTrue(outcomes.getFirst().isSuccess());
    assertEquals(
        List.of("/opt/systole/sbin/fence_legacy", "/opt/systole/sbin/fence_legacy"), started());
    assertEquals(
        List.of("plugin=external/ipmi\naction=metadata\n", "plugin=external/ipmi\naction=off\n"),
        world.programs().all().stream().map(it -> it.program().input()).toList());
  }

  @Test
  void aDeviceThatClusterGlueDoesNotKnowIsNotInstalled() {
    world.programs().script(_ -> exited(1, 0, "", "fence_legacy: there is no plugin 'ipmilan2'"));
    var unknown = describe(1, "ipmilan2").getFirst();
    assertEquals(ExecStatus.NOT_INSTALLED, unknown.status());
    assertEquals(
        "\"ipmilan2\" is not a fence agent: fence_legacy: there is no plugin 'ipmilan2'",
        unknown.why());

    world.programs().script(_ -> new Exit.TimedOut("", "", TIMEOUT));
    assertEquals(ExecStatus.TIMEOUT, describe(1, "ipmilan2").getFirst().status());
  }
}
