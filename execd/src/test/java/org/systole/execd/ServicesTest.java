package org.systole.execd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.systole.common.operation.AgentName;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.OcfCode;
import org.systole.common.values.OperationName;
import org.systole.common.values.ResourceId;
import org.systole.common.world.Processes.Exit;
import org.systole.common.world.TestWorld;
import org.systole.execd.client.ExecMessage;

/// Systemd units, init scripts, and services, which are either.
final class ServicesTest {
  private static final AgentName WEB = new AgentName("systemd", "", "web");
  private static final AgentName SERVICE = new AgentName("service", "", "web");
  private static final String SHOW =
      "systemctl show --property=LoadState,ActiveState -- web.service";

  private final ExecutorUnderTest executor = new ExecutorUnderTest(new TestWorld());

  private static String state(String active) {
    return "LoadState=loaded\nActiveState=" + active + "\n";
  }

  @ParameterizedTest
  @CsvSource({"start", "stop"})
  void aUnitIsStartedAndStoppedByItsWholeName(String action) {
    executor.ask("r", WEB, action);
    prepared(action, "web.service");
    var command = executor.runs("systemctl " + action + " -- web.service");
    assertEquals(Duration.ofSeconds(20), command.program().timeout());
    command.exits(0, "");

    assertEquals(OcfCode.OK, executor.last().code());
    assertEquals(ExecStatus.DONE, executor.last().status());
    assertEquals("", executor.last().exitReason());
  }

  @ParameterizedTest
  @CsvSource({"a.socket", "b.mount", "c.timer", "d.path", "e.service"})
  void aUnitThatIsNoServiceKeepsItsName(String unit) {
    executor.ask("r", new AgentName("systemd", "", unit), "start");
    prepared("start", unit);

    executor.runs("systemctl start -- " + unit);
  }

  /// Installs or removes the drop-in of a unit.
  private void prepared(String action, String unit) {
    var dropIn = "/run/systemd/system/" + unit + ".d/50-systole.conf";
    var kind = unit.endsWith(".service") ? "service" : "other";
    var share = ExecutorUnderTest.LAYOUT.share() + "/systole/unit-" + kind + ".conf";
    var place =
        action.equals("start")
            ? "install -D -m 644 -- " + share + " " + dropIn
            : "rm -f -- " + dropIn;
    executor.runs(place).exits(0, "");
    executor.runs("systemctl daemon-reload").exits(0, "");
  }

  @ParameterizedTest
  @CsvSource({"start", "stop"})
  void aUnitWhoseDropInFailsIsStartedAndStoppedAllTheSame(String action) {
    executor.ask("r", WEB, action);
    var place = executor.world.programs().running().getLast();
    place.exits(1, "");
    executor.runs("systemctl " + action + " -- web.service").exits(0, "");

    assertEquals(OcfCode.OK, executor.last().code());
    assertTrue(executor.world.lines().toString().contains("systemd's order"));
  }

  @ParameterizedTest
  @CsvSource({
    "active, OK",
    "reloading, OK",
    "refreshing, OK",
    "inactive, NOT_RUNNING",
    "failed, NOT_RUNNING",
    "maintenance, NOT_RUNNING"
  })
  void aMonitorReportsTheUnitsStateInSystemd(String active, OcfCode expected) {
    executor.ask("r", WEB, "monitor");
    executor.runs(SHOW).exits(0, state(active));

    assertEquals(expected, executor.last().code());
    assertEquals(ExecStatus.DONE, executor.last().status());
  }

  @Test
  void aUnitThatSystemdDoesNotKnowIsNotInstalled() {
    executor.ask("r", WEB, "monitor");
    executor.runs(SHOW).exits(0, "LoadState=not-found\nActiveState=inactive\n");

    assertEquals(ExecStatus.NOT_INSTALLED, executor.last().status());
    assertEquals(OcfCode.NOT_INSTALLED, executor.last().code());
    assertEquals("systemd unit web.service not found", executor.last().exitReason());
  }

  /// As after its package was removed or renamed it, and systemd read its files anew.
  @ParameterizedTest
  @CsvSource({"active, OK", "reloading, OK", "failed, NOT_INSTALLED"})
  void aUnitWhoseFileIsGoneRunsOn(String active, OcfCode expected) {
    executor.ask("r", WEB, "monitor");
    executor.runs(SHOW).exits(0, "LoadState=not-found\nActiveState=" + active + "\n");

    assertEquals(expected, executor.last().code());
  }

  /// `systemctl stop '*.service'` would stop the whole machine.
  @ParameterizedTest
  @ValueSource(strings = {"*", "web@*", "[a-z]?", "a b", "a\nb", "ä"})
  void aNameThatNoUnitCanHaveIsNeverGivenToSystemd(String type) {
    for (var action : List.of("start", "monitor", "stop")) {
      executor.ask("r", new AgentName("systemd", "", type), action);
      executor.pass(0);
      assertEquals(List.of(), executor.world.programs().running());
      var stopped = action.equals("stop");
      assertEquals(stopped ? OcfCode.OK : OcfCode.NOT_INSTALLED, executor.last().code(), action);
    }
  }

  @Test
  void aUnitBetweenStatesIsLookedAtAgainUntilItIsInOne() {
    executor.ask("r", WEB, "monitor");
    executor.runs(SHOW).exits(0, state("activating"));
    executor.pass(1_999);
    assertEquals(List.of(), executor.world.programs().running());
    executor.pass(1);
    executor.runs(SHOW).exits(0, state("deactivating"));
    executor.pass(2_000);
    executor.runs(SHOW).exits(0, state("inactive"));

    assertEquals(1, executor.results().size());
    assertEquals(OcfCode.NOT_RUNNING, executor.last().code());
  }

  @Test
  void aUnitThatStaysBetweenStatesTimesOutWithinTheOperationsTime() {
    executor.ask("r", WEB, "monitor");
    for (var look = 0; look < 9; look++) {
      executor.runs(SHOW).exits(0, state("activating"));
      executor.pass(2_000);
    }
    assertEquals(List.of(), executor.results());
    var lastLook = executor.runs(SHOW);
    assertEquals(Duration.ofSeconds(2), lastLook.program().timeout(), "what is left");
    lastLook.exits(0, state("activating"));

    assertEquals(ExecStatus.TIMEOUT, executor.last().status());
    assertEquals(OcfCode.UNKNOWN_ERROR, executor.last().code());
  }

  @Test
  void aMonitorWithoutALimitLooksForAsLongAsItTakes() {
    executor.ask(ExecutorUnderTest.request("r", WEB, "monitor", 0, 0));
    for (var look = 0; look < 100; look++) {
      executor.runs(SHOW).exits(0, state("activating"));
      executor.pass(2_000);
    }
    executor.runs(SHOW).exits(0, state("active"));

    assertEquals(OcfCode.OK, executor.last().code());
  }

  @Test
  void aMonitorIsCancelledWhileItLooksAndWhileItWaits() {
    for (var waits : List.of(false, true)) {
      executor.ask(ExecutorUnderTest.request("r", WEB, "monitor", 10_000, 20_000));
      if (waits) {
        executor.runs(SHOW).exits(0, state("activating"));
      }
      executor.client.ask(new ExecMessage.Cancel(new ResourceId("r"), new OperationName("monitor"), 10_000));
      executor.world.settle();

      assertEquals(ExecStatus.CANCELLED, executor.last().status());
      assertEquals(List.of(), executor.world.programs().running());
      executor.pass(60_000);
      assertEquals(List.of(), executor.world.programs().running());
    }
  }

  @Test
  void aStartThatSystemdRefusesGivesTheFirstLineAsItsReason() {
    var errors = "Job for web.service failed.\nSee journalctl.\n";
    executor.world.programs().script(_ -> new Exit.Exited(1, 0, "", errors, Duration.ZERO));
    executor.ask("r", WEB, "start");

    assertEquals(OcfCode.UNKNOWN_ERROR, executor.last().code());
    assertEquals(ExecStatus.DONE, executor.last().status());
    assertEquals("Job for web.service failed.", executor.last().exitReason());
    assertEquals(errors, executor.last().output());
  }

  @Test
  void aUnitThatIsNotThereIsStoppedButCannotBeStarted() {
    executor.world.programs().script(_ -> new Exit.Exited(5, 0, "", "no unit", Duration.ZERO));
    executor.ask("r", WEB, "stop");
    assertEquals(OcfCode.OK, executor.last().code());

    executor.ask("r", WEB, "start");
    assertEquals(ExecStatus.NOT_INSTALLED, executor.last().status());
  }

  @Test
  void aSystemctlThatHangsIsATimeoutAndOneThatIsKilledAnError() {
    executor.ask("r", WEB, "start");
    prepared("start", "web.service");
    executor.pass(20_000);
    assertEquals(ExecStatus.TIMEOUT, executor.last().status());

    executor.ask("r", WEB, "monitor");
    executor.runs(SHOW).kill();
    executor.world.settle();
    assertEquals(ExecStatus.ERROR, executor.last().status());
    assertEquals(OcfCode.UNKNOWN_ERROR, executor.last().code());

    executor.ask("r", WEB, "monitor");
    executor.runs(SHOW).exits(1, state("active"));
    assertEquals(OcfCode.UNKNOWN_ERROR, executor.last().code(), "it has not really been asked");
  }

  @Test
  void aUnitHasNoOtherActions() {
    executor.ask("r", WEB, "promote");
    executor.world.settle();

    assertEquals(OcfCode.UNIMPLEMENTED, executor.last().code());
    assertEquals(ExecStatus.NOT_SUPPORTED, executor.last().status());
    assertEquals(List.of(), executor.world.programs().running());
  }

  private ExecMessage.Metadata metadata(AgentName agent) {
    var id = executor.client.ask(new ExecMessage.MetadataQuery(agent, 1000));
    executor.world.settle();
    return (ExecMessage.Metadata) executor.client.answerTo(id);
  }

  @Test
  void metadataIsMadeForServicesThatHaveNone() {
    var kinds = Map.of("lsb", "init script", "service", "init script");
    kinds.forEach(
        (standard, kind) -> {
          var metadata = metadata(new AgentName(standard, "", "web"));
          assertEquals(ExecStatus.DONE, metadata.status());
          assertTrue(metadata.xml().contains("<resource-agent name=\"web\""), metadata::xml);
          assertTrue(metadata.xml().contains(kind + " web"), metadata::xml);
        });
  }

  @ParameterizedTest
  @CsvSource({"0, Web & co., Web &amp; co.", "1, '', Systemd unit file for web"})
  void aUnitsMetadataHasWhatSystemdCallsIt(int status, String said, String text) {
    var id = executor.client.ask(new ExecMessage.MetadataQuery(WEB, 1000));
    executor.runs("systemctl show --property=Description --value -- web.service").exits(status, said + "\n");
    var metadata = (ExecMessage.Metadata) executor.client.answerTo(id);
    assertEquals(ExecStatus.DONE, metadata.status());
    assertTrue(metadata.xml().contains("<longdesc lang=\"en\">" + text + "</longdesc>"), metadata::xml);
    assertTrue(metadata.xml().contains("systemd unit file for web"), metadata::xml);
    assertTrue(metadata.xml().contains("<special tag=\"systemd\"/>"), metadata::xml);
  }

  @Test
  void aServiceIsItsInitScriptIfThereIsOne() {
    executor.ask("r", SERVICE, "start");
    executor.runs("/etc/init.d/web start").exits(1, "");

    assertEquals(OcfCode.UNKNOWN_ERROR, executor.last().code(), "no unit is tried instead");
    assertEquals(List.of(), executor.world.programs().running());
  }

  @Test
  void aServiceWithoutInitScriptIsAUnit() {
    executor
        .world
        .programs()
        .script(
            program ->
                program.command().getFirst().startsWith("/etc")
                    ? new Exit.NotStarted("/etc/init.d/web: no such file")
                    : null);
    executor.ask("r", SERVICE, "start");
    prepared("start", "web.service");
    executor.runs("systemctl start -- web.service").exits(0, "");
    assertEquals(OcfCode.OK, executor.last().code());

    executor.ask(ExecutorUnderTest.request("r", SERVICE, "monitor", 10_000, 20_000));
    executor.runs(SHOW);
    executor.client.ask(new ExecMessage.Cancel(new ResourceId("r"), new OperationName("monitor"), 10_000));
    executor.world.settle();
    assertEquals(List.of(), executor.world.programs().running());
    assertEquals(ExecStatus.CANCELLED, executor.last().status());
  }

  @ParameterizedTest
  @CsvSource({"0, OK", "5, NOT_INSTALLED", "6, NOT_CONFIGURED", "7, NOT_RUNNING", "8, UNKNOWN_ERROR"})
  void exitStatusesOfAnInitScriptsStartAreKnownUpToSeven(int status, OcfCode expected) {
    executor.ask("r", new AgentName("lsb", "", "web"), "start");
    executor.runs("/etc/init.d/web start").exits(status, "");

    assertEquals(expected, executor.last().code());
  }

  @Test
  void aStopWaitsUntilAServicesScriptThatHangsInTheKernelIsGone() {
    executor.ask("r", SERVICE, "start");
    var stuck = executor.world.programs().running().getLast();
    stuck.hangs();
    executor.world.pass(Duration.ofSeconds(30));
    assertEquals(ExecStatus.TIMEOUT, executor.last().status());
    executor.ask("r", SERVICE, "stop");
    executor.world.pass(Duration.ofMinutes(10));
    assertEquals("start", executor.last().request().operation().text());
    stuck.wakes();
    executor.world.programs().running().getLast().exits(0, "");
    assertEquals("stop", executor.last().request().operation().text());
  }
}
