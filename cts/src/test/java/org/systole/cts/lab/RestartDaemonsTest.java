package org.systole.cts.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What an upgrade of the packages does to a node that runs: the script itself, with its commands played by others of their
/// names, and with this process as the supervisor, whose children stand for the daemons.
final class RestartDaemonsTest {
  private static final List<String> ORDER =
      List.of("schedulerd", "attrd", "fenced", "execd", "cibd", "controld");
  private static final String WIRE = "digest-of-all-messages";
  private static final String DONE = "the daemons run the new version now";
  private static final String AS_IT_WAS = "the node runs on as it was";
  private static final String IDLE =
      "case $* in *dc_lookup*) echo alpha ;; *) echo S_IDLE ;; esac";
  private static final String HANGS = "exec tail --pid=" + ProcessHandle.current().pid() + " -f /dev/null";

  @TempDir private Path directory;
  private final Map<String, Process> daemons = new ConcurrentHashMap<>();
  private volatile String lost = ""; // is not started again

  private record Outcome(String said, List<String> ended, List<String> log) {}

  @BeforeEach
  void runANode() throws IOException {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/ps")), "there is no ps");
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/timeout")), "there is no timeout");
    Files.createDirectories(directory.resolve("home/share/systole"));
    Files.writeString(directory.resolve("home/share/systole/wire-forms"), WIRE + "\n");
    Files.writeString(directory.resolve("runs"), pid() + " " + WIRE + "\n");
    command("systemctl", "echo " + pid());
    command("crmadmin", IDLE);
    command("crm_node", "echo beta");
    command("crm_mon", "true");
    command("sleep", "exec /bin/sleep 0.1");
    for (var it : ORDER) {
      start(it);
    }
  }

  @AfterEach
  void endIt() {
    lost = "all";
    daemons.values().forEach(Process::destroyForcibly);
  }

  @Test
  void eachDaemonIsStartedAnewInItsTurnAndTheDcIsAskedBeforeEach() throws Exception {
    var outcome = run();
    assertEquals(ORDER, outcome.ended());
    assertTrue(outcome.said().contains(DONE), outcome.said());
    var asked = "";
    for (var it : outcome.log()) {
      if (it.startsWith("ended")) {
        assertEquals("crm_mon -1 --output-as=xml --include=none,roles", asked, it);
      }
      asked = it;
    }
    assertTrue(outcome.log().contains("crmadmin --quiet --status alpha"), () -> "" + outcome);
  }

  @Test
  void aClusterWithoutADcIsLeftAlone() throws Exception {
    command("crmadmin", "exit 113");
    leavesAll("the cluster is busy");
    command("crmadmin", "true"); // no name, and yet no complaint
    leavesAll("the cluster is busy");
  }

  @Test
  void aDcThatIsBusyIsWaitedForBeforeEachDaemon() throws Exception {
    var count = directory.resolve("count");
    command(
        "crmadmin",
        """
        case $* in *dc_lookup*) echo alpha; exit ;; esac
        echo x >>%s
        if [ $(($(wc -l <%s) %% 3)) = 0 ]; then echo S_IDLE; else echo S_TRANSITION_ENGINE; fi"""
            .formatted(count, count));
    var outcome = run();
    assertEquals(ORDER, outcome.ended());
    assertTrue(outcome.said().contains(DONE), outcome.said());
    assertEquals(7 * 3, Files.readAllLines(count).size()); // before each, and in the end
  }

  @Test
  void aDcThatStaysBusyHalfWayIsToldAsHalfAnUpgrade() throws Exception {
    command(
        "crmadmin",
        "case $* in *dc_lookup*) echo alpha ;; *) ! grep -q 'ended attrd' %s || exit 1; echo S_IDLE ;; esac"
            .formatted(directory.resolve("log")));
    var outcome = run();
    assertEquals(List.of("schedulerd", "attrd"), outcome.ended());
    assertTrue(outcome.said().contains("the cluster is busy before fenced was started anew"), outcome.said());
    assertFalse(outcome.said().contains(AS_IT_WAS), outcome.said());
    assertFalse(outcome.said().contains(DONE), outcome.said());
  }

  @Test
  void aCommandThatIsMissingIsNamedAtOnce() throws Exception {
    for (var it : List.of("crmadmin", "crm_mon", "crm_node")) {
      Files.delete(directory.resolve("bin").resolve(it));
      leavesAll(it + ", which says whether the cluster is busy, is not there");
      command(it, "true");
    }
  }

  @Test
  void aCommandThatHangsIsGivenUp() throws Exception {
    command("crmadmin", HANGS);
    leavesAll("the cluster is busy");
    command("crmadmin", IDLE);
    command("crm_mon", HANGS);
    leavesAll("the node does not say whether a role is under way");
  }

  @Test
  void aCommandOfAnotherBuildThatDoesNotKnowItsOptionsCountsAsNoAnswer() throws Exception {
    command("crmadmin", "echo \"Unknown option: '--quiet'\" >&2; echo Usage: crmadmin; exit 64");
    leavesAll("the cluster is busy");
  }

  @Test
  void aRoleOfThisNodeIsWaitedForAndOneOfAnotherIsNot() throws Exception {
    role("alpha", "transition");
    assertEquals(ORDER, run().ended());
    role("beta", "todo");
    assertEquals(ORDER, run().ended());
    role("beta", "transition");
    leavesAll("role disk is under way on this node");
  }

  @Test
  void nobodyIsEndedWhereItIsNotKnownWhetherARoleIsUnderWay() throws Exception {
    command("crm_mon", "exit 102");
    leavesAll("the node does not say whether a role is under way");
    command("crm_mon", "true");
    command("crm_node", "exit 102");
    leavesAll("the node does not say whether a role is under way");
  }

  @Test
  void aDaemonThatDoesNotComeBackEndsItThere() throws Exception {
    lost = "attrd";
    var outcome = run();
    assertEquals(List.of("schedulerd", "attrd"), outcome.ended());
    assertTrue(outcome.said().contains("attrd does not come back"), outcome.said());
    assertFalse(outcome.said().contains(AS_IT_WAS), outcome.said());
  }

  /// Whoever upgrades may be in the shell of a shadow.
  @Test
  void theNodeIsAskedWhateverCibTheCallersCommandsAreAbout() throws Exception {
    command("crm_mon", "[ -z \"$CIB_file$CIB_shadow$CIB_server\" ] || exit 1");
    assertEquals(ORDER, run("CIB_shadow", "CIB_file", "CIB_server").ended());
  }

  @Test
  void otherWordsBetweenTheNodesLeaveAllAsItIs() throws Exception {
    Files.writeString(directory.resolve("home/share/systole/wire-forms"), "others\n");
    leavesAll("the new version's daemons do not speak as those that run");
  }

  @Test
  void theAdministratorMayForbidIt() throws Exception {
    Files.writeString(directory.resolve("pacemaker"), "SYSTOLE_RESTART_DAEMONS=\"no\"\n");
    leavesAll("SYSTOLE_RESTART_DAEMONS says not to restart daemons");
  }

  @Test
  void aNodeThatIsDownIsNobodysConcern() throws Exception {
    command("systemctl", "echo 0");
    assertEquals(new Outcome("", List.of(), List.of("systemctl show --property MainPID --value systole.service")), run());
  }

  private void leavesAll(String why) throws IOException, InterruptedException {
    var outcome = run();
    assertEquals(List.of(), outcome.ended(), why);
    assertTrue(outcome.said().contains("systole: " + why), outcome.said());
    assertTrue(outcome.said().contains(AS_IT_WAS), outcome.said());
  }

  private void role(String node, String state) throws IOException {
    command(
        "crm_mon",
        """
        cat <<END
        <pacemaker-result>
          <roles>
            <node name="%s">
              <role id="disk" state="%s"/>
            </node>
            <node name="gamma">
              <role id="other" state="transition"/>
            </node>
          </roles>
        </pacemaker-result>
        END"""
            .formatted(node, state));
  }

  private static long pid() {
    return ProcessHandle.current().pid();
  }

  private void command(String name, String text) throws IOException {
    var file = directory.resolve("bin").resolve(name);
    Files.createDirectories(file.getParent());
    var noted = name.equals("sleep") ? "" : "echo \"%s $*\" >>%s\n".formatted(name, directory.resolve("log"));
    Files.writeString(file, "#!/bin/sh\n" + noted + text + "\n");
    assertTrue(file.toFile().setExecutable(true));
  }

  /// A process that has the daemon's name among its words, and is started again when it ends.
  private void start(String daemon) throws IOException {
    var process =
        new ProcessBuilder("tail", "--pid=" + pid(), "-q", "-f", "/dev/null", daemon)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    daemons.put(daemon, process);
    process.onExit().thenRun(() -> ended(daemon));
  }

  private void ended(String daemon) {
    try {
      if (!lost.equals("all")) {
        Files.writeString(
            directory.resolve("log"),
            "ended " + daemon + "\n",
            StandardOpenOption.APPEND,
            StandardOpenOption.CREATE);
        if (!lost.equals(daemon)) {
          start(daemon);
        }
      }
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private Outcome run(String... variables) throws IOException, InterruptedException {
    var log = directory.resolve("log");
    Files.deleteIfExists(log);
    var script = directory.resolve("restart-daemons");
    Files.writeString(
        script,
        Files.readString(project().resolve("tools/src/main/deb/restart-daemons"))
            .replace("\nruns=/run/systole-runs\n", "\nruns=" + directory.resolve("runs") + "\n")
            .replace("\nhome=/usr/lib/systole\n", "\nhome=" + directory.resolve("home") + "\n")
            .replace("\npatience=120\n", "\npatience=2\n")
            .replace(" --kill-after=5 30 ", " --kill-after=1 1 ")
            .replace("/etc/default/pacemaker 2>", directory.resolve("pacemaker") + " 2>")
            .replace("cat /etc/sysconfig/pacemaker ", "cat "));
    var said = directory.resolve("said");
    var builder = new ProcessBuilder("sh", script.toString()).redirectErrorStream(true);
    builder.redirectOutput(said.toFile());
    builder.environment().put("PATH", directory.resolve("bin") + ":/usr/bin:/bin");
    for (var it : variables) {
      builder.environment().put(it, "other");
    }
    var process = builder.start();
    if (!process.waitFor(2, TimeUnit.MINUTES)) {
      process.destroyForcibly();
    }
    assertEquals(0, process.waitFor(), () -> "the upgrade would fail");
    var lines = Files.readAllLines(log);
    var ended = new ArrayList<String>();
    lines.stream()
        .filter(it -> it.startsWith("ended "))
        .forEach(it -> ended.add(it.substring("ended ".length())));
    return new Outcome(Files.readString(said), ended, lines);
  }

  private static Path project() {
    var here = Path.of(System.getProperty("user.dir"));
    return (Files.exists(here.resolve("tools")) ? here : here.resolve("..")).normalize();
  }
}
