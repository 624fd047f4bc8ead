package org.systole.cts.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/// The log of a running node: what an administrator does with it.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class LoggingTest {
  private static final String ON = "Debugging messages are logged from now on";
  private static final String OFF = "Debugging messages are no longer logged";
  private static final int USAGE = 64;

  private OneNode one;

  @BeforeAll
  void start() throws IOException {
    one = OneNode.make();
    one.start();
  }

  @AfterAll
  void stop() throws IOException {
    if (one != null) {
      one.close();
    }
  }

  @Test
  void debuggingIsSwitchedForOneDaemonAndOutlivesIt() throws IOException {
    one.succeed("pacemakerd", "--debug=pacemaker-attrd");
    one.awaitLog("attrd[", ON);
    assertFalse(Files.readString(one.logFile()).contains("cibd[" + pid("cibd") + "] (Log)"));
    var before = pid("attrd");
    ProcessHandle.of(before).orElseThrow().destroyForcibly();
    Lab.awaitProcess("attrd is back", () -> pid("attrd") != before && pid("attrd") != 0);
    one.awaitLog("attrd[" + pid("attrd") + "]", ON);
    one.succeed("pacemakerd", "--debug=default");
    one.awaitLog("attrd[" + pid("attrd") + "]", OFF);
  }

  private long pid(String daemon) {
    return one.node().processes().stream()
        .filter(it -> List.of(it.info().arguments().orElse(new String[0])).contains(daemon))
        .mapToLong(ProcessHandle::pid)
        .findFirst()
        .orElse(0);
  }

  @Test
  void aDaemonThatDoesNotExistIsNamed() throws IOException {
    var answer = one.node().run("pacemakerd", "--debug=corosync");
    assertEquals(USAGE, answer.status(), answer::output);
  }

  @Test
  void afterARenameAllDaemonsWriteToTheNewFile() throws IOException {
    var old = one.logFile().resolveSibling("pacemaker.log.1");
    Files.move(one.logFile(), old);
    // until one that may make a file there has made it, the others write to the old one
    one.succeed("pacemakerd", "--debug=pacemakerd");
    one.awaitLog(" pacemakerd[", ON);
    one.succeed("pacemakerd", "--debug=yes");
    for (var daemon : List.of("cibd", "fenced", "execd", "attrd", "controld")) {
      one.awaitLog(" " + daemon + "[", ON);
    }
    one.succeed("pacemakerd", "--debug=default");
    assertNotEquals(Files.readString(old), Files.readString(one.logFile()));
  }

  /// What was decided, asked for and done has the same name in all daemons.
  @Test
  void oneTransitionIsFollowedThroughAllDaemons() throws IOException {
    one.succeed(
        "cibadmin",
        "-M",
        "-c",
        "-o",
        "configuration",
        "-X",
        """
        <configuration><crm_config><cluster_property_set id="cib-bootstrap-options"><nvpair
        id="fencing" name="stonith-enabled" value="false"/></cluster_property_set></crm_config>
        <resources><primitive id="followed" class="ocf" provider="pacemaker" type="Dummy"/>
        </resources></configuration>""");
    one.awaitLog("controld", "Result of followed_start_0", "exit status 0");
    var name = name(one.logFile(), "Result of followed_start_0");
    one.awaitLog("schedulerd[", "Actions: Start", "followed", name);
    one.awaitLog("schedulerd[", "Calculated transition " + name.replaceAll(".*=|-.*", ""), name);
    one.awaitLog("controld[", "Initiating", "followed_start_0", name);
    one.awaitLog("execd[", "followed_start_0", "exited with 0", name);
    one.awaitLog("controld[", "complete", "pe-", name);
    var warnings =
        Files.readAllLines(one.logFile()).stream()
            .filter(it -> it.contains("legacy name 'stonith-enabled'"))
            .count();
    assertEquals(1, warnings, "old names are told once");
  }

  private static String name(Path log, String of) throws IOException {
    var found = Pattern.compile("\\| (transition=\\S+)");
    for (var line : Files.readAllLines(log)) {
      var match = found.matcher(line);
      if (line.contains(of) && match.find()) {
        return match.group(1);
      }
    }
    throw new AssertionError("no line has a name: " + of);
  }
}
