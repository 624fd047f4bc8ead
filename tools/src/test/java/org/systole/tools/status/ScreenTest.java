package org.systole.tools.status;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.systole.common.output.ExitStatus;
import org.systole.common.output.TextOutput;
import org.systole.common.xml.XmlReader;
import org.systole.controld.client.CtlMessage;
import org.systole.scheduler.status.Parts;
import org.systole.scheduler.status.Show;
import org.systole.scheduler.unpack.Status;
import org.systole.tools.cli.Terminal;
import org.systole.tools.cli.WorkUnderWay;

/// `crm_mon` on a terminal.
class ScreenTest {
  @TempDir private Path directory;
  private final ByteArrayOutputStream screen = new ByteArrayOutputStream();
  private final Set<Parts> parts = EnumSet.of(Parts.NODES, Parts.DC, Parts.FENCING_FAILED);
  private final Set<Show> show = EnumSet.of(Show.PENDING);
  private final ScreenKeys keys = new ScreenKeys(parts, show);

  private StatusScreen screen(String text, int lines, String typed) {
    var out = new PrintStream(screen, true, StandardCharsets.UTF_8);
    var terminal =
        new Terminal(
            new ByteArrayInputStream(typed.getBytes(StandardCharsets.UTF_8)),
            out,
            out,
            Map.of("SYSTOLE_ROOT", directory.toString()),
            directory,
            () -> Instant.EPOCH,
            () -> ZoneOffset.UTC);
    return new StatusScreen(terminal, Duration.ofSeconds(30), () -> text, keys, () -> lines);
  }

  private String shown() {
    var text = screen.toString(StandardCharsets.UTF_8);
    return text.substring(text.lastIndexOf("\033[2J") + 4);
  }

  private void press(String typed) {
    typed.chars().forEach(keys::press);
  }

  @Test
  void lettersSwitchTheirPartsOnAndOff() {
    press("cfoAL");
    assertTrue(
        parts.containsAll(
            Set.of(Parts.TICKETS, Parts.FAILCOUNTS, Parts.OPERATIONS, Parts.ATTRIBUTES, Parts.BANS)));
    press("cfoALnrbjt");
    assertEquals(Set.of(Parts.NODES, Parts.DC, Parts.FENCING_FAILED, Parts.OPERATIONS), parts);
    assertEquals(Set.of(Show.BY_NODE, Show.INACTIVE, Show.BRIEF, Show.TIMING), show);
    press("o");
    assertFalse(show.contains(Show.TIMING), "no times without the history");
    press("D");
    assertFalse(parts.contains(Parts.DC));
    press("DR");
    assertTrue(parts.contains(Parts.DC) && show.contains(Show.NODE_ID));
    press("m");
    assertTrue(parts.contains(Parts.FENCING_SUCCEEDED), "failures were shown before");
    press("m");
    assertFalse(parts.contains(Parts.FENCING_FAILED));
  }

  @Test
  void theKeysAreExplainedUntilAnotherOneIsPressed() throws Exception {
    var shown = screen("status\n", 30, "");
    shown.press('?');
    assertTrue(shown().contains("* j  operations under way"), shown());
    shown.press('j');
    assertTrue(shown().contains("  j  operations under way"), shown());
    shown.press('x');
    assertEquals("status\n", shown());
  }

  @Test
  void whatDoesNotFitIsOnPages() throws Exception {
    var text = IntStream.range(0, 20).mapToObj(it -> "line " + it).collect(Collectors.joining("\n"));
    var shown = screen(text, 12, "");
    shown.draw();
    assertTrue(shown().startsWith("line 0\n"));
    assertTrue(shown().endsWith("line 9\n-- page 1 of 2; space: next, ?: keys\n"), shown());
    shown.press(' ');
    assertTrue(shown().startsWith("line 10\n"), shown());
    shown.press(' ');
    assertTrue(shown().startsWith("line 0\n"), shown());
  }

  @Test
  void qEndsTheDisplay() throws Exception {
    assertEquals(ExitStatus.OK, screen("status\n", 30, "nq").run());
    assertTrue(show.contains(Show.BY_NODE));
  }

  @Test
  void whatIsWrongComesFirst() throws Exception {
    var cib =
        """
        <cib have-quorum="1" dc-uuid="1" crm_feature_set="3.20.5" validate-with="pacemaker-4.0"><configuration>
          <crm_config><cluster_property_set id="o"><nvpair id="f" name="fencing-enabled" value="false"/>
          </cluster_property_set></crm_config>
          <nodes><node id="1" uname="alpha"/><node id="2" uname="beta"/></nodes>
          <resources><primitive id="web" class="ocf" provider="pacemaker" type="Dummy"/>
            <primitive id="off" class="ocf" provider="pacemaker" type="Dummy"><meta_attributes id="m">
              <nvpair id="t" name="target-role" value="Stopped"/></meta_attributes></primitive>
            <clone id="c"><primitive id="all" class="ocf" provider="pacemaker" type="Dummy"/></clone></resources>
          <constraints/></configuration>
          <status><node_state id="1" uname="alpha" in_ccm="true" crmd="online" join="member" expected="member"/>
          </status></cib>
        """;
    var status = Status.of(XmlReader.parse(cib), Instant.ofEpochSecond(1_700_000_000), ZoneOffset.UTC, Set.of());
    var problems = Problems.of(status);
    assertEquals(
        List.of(
            "node beta is offline",
            "web is stopped: crm_resource --why -r web --explain",
            "fencing is switched off: a node that is lost may go on running what is started elsewhere"
                + " (fencing-off, see crm_verify -L --lint)"),
        problems);

    var out = new PrintStream(screen, true, StandardCharsets.UTF_8);
    var text = new TextOutput(out, out);
    text.setFancy(true);
    FirstLines.show(text, problems.subList(0, 1), "planning");
    assertEquals(
        """
        Problems:
          * node beta is offline
        Now:
          * planning

        """,
        screen.toString(StandardCharsets.UTF_8));
  }

  @Test
  void theTransitionUnderWayIsToldWithItsProgress() {
    var pending = List.of("a_start_0 on n1", "b_start_0 on n1", "c_stop_0 on n2", "d_stop_0 on n2");
    assertEquals(
        "transition 12: 5 of 9 steps done; now a_start_0 on n1, b_start_0 on n1, c_stop_0 on n2 and 1 more",
        WorkUnderWay.text(
            new CtlMessage.Work(
                false, "S_TRANSITION_ENGINE", pending, new CtlMessage.Transition(12, 5, 9))));
    assertEquals(
        "planning",
        WorkUnderWay.text(new CtlMessage.Work(false, "S_POLICY_ENGINE", List.of(), null)));
    assertNull(WorkUnderWay.text(new CtlMessage.Work(true, "S_IDLE", List.of(), null)));
  }
}
