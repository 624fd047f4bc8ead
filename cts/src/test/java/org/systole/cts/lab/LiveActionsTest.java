package org.systole.cts.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.systole.cts.local.LocalNode;
import org.systole.cts.replay.LiveAction;

/// What is read from the logs of members and the evidence of agents.
final class LiveActionsTest {
  private static final String LOG =
      """
      Jan 02 07:59:07.469 node1 controld[19821] (TransitionEngine) info: Initiating web:1_start_0 on node1 (action 42) | transition=5-f0853b24
      Jan 02 07:59:07.480 node1 controld[19821] (OperationRunner) notice: Requesting web:1_start_0 on node1 | transition=5-f0853b24
      Jan 02 07:59:07.580 node1 controld[19821] (OperationLog) notice: Result of web:1_start_0 on node1: exit status 0 | transition=5-f0853b24
      Jan 02 07:59:07.600 node1 controld[19821] (OperationRunner) notice: Requesting far_start_0 on node1 | transition=5-f0853b24
      Jan 02 07:59:07.650 node1 controld[19821] (OperationRunner) notice: Requesting web_monitor_0 on far | transition=5-f0853b24
      Jan 02 07:59:07.700 node1 controld[19821] (OperationLog) notice: Result of web_monitor_0 on far: exit status 7 | transition=5-f0853b24
      Jan 02 07:59:08.600 node1 controld[19821] (OperationLog) error: Result of far_start_0 on node1: Timed Out (no answer) | transition=5-f0853b24
      Jan 02 07:59:09.000 node1 controld[19821] (OperationRunner) notice: Requesting web_stop_0 on node1 | transition=6-f0853b24
      """;

  private static final String OTHER =
      """
      Jan 02 07:59:09.300 node2 controld[19900] (OperationLog) notice: Result of web_stop_0 on node1: exit status 0 | transition=6-f0853b24
      """;

  @TempDir Path dir;

  /// What an agent records is added to the log's moments; nothing else is known of the day.
  private List<LiveAction> read(String... deeds) throws IOException {
    return read(List.of(member("node1", LOG)), deeds);
  }

  private LocalNode member(String name, String log) throws IOException {
    var node = new LocalNode(name, "127.0.0.1", dir.resolve("home"), dir.resolve(name), List.of());
    Files.createDirectories(node.layout().log());
    Files.writeString(node.layout().log().resolve("pacemaker.log"), log);
    return node;
  }

  private List<LiveAction> read(List<LocalNode> members, String... deeds) throws IOException {
    var evidence = new Evidence(dir.resolve("evidence"));
    var begin = LiveActions.since(members, evidence, 0, Set.of()).getFirst().begin();
    var lines = new StringBuilder();
    for (var deed : deeds) {
      var words = deed.split(" ", 2);
      lines.append(begin + Long.parseLong(words[0]) * 1_000_000).append(' ').append(words[1]);
      lines.append('\n');
    }
    Files.writeString(dir.resolve("evidence/agents.log"), lines);
    return LiveActions.since(members, evidence, begin, Set.of("web")).stream()
        .map(it -> new LiveAction(it.action(), millis(it.begin(), begin), millis(it.end(), begin), it.failure()))
        .toList();
  }

  private static long millis(long at, long begin) {
    return at == 0 ? 0 : (at - begin) / 1_000_000;
  }

  @Test
  void anOperationBeginsAndEndsWhenItsAgentSaysSo() throws IOException {
    assertEquals(
        List.of(
            new LiveAction("web_start_0 on node1", 20, 70, ""),
            new LiveAction("far_start_0 on node1", 120, 1120, "Timed Out (no answer)"),
            new LiveAction("web_monitor_0 on far", 170, 220, ""),
            new LiveAction("web_stop_0 on node1", 1520, 0, "")),
        read("20 node1 web starting", "70 node1 web started"));
  }

  @Test
  void whatOnlyOneSideTellsIsWrong() throws IOException {
    var found = read("5 far web stopping", "6 far web stopped");
    assertEquals(
        List.of(
            new LiveAction("web_start_0 on node1", 0, 100, "its agent has recorded nothing"),
            new LiveAction("web_stop_0 on far", 5, 6, "no member asked for it")),
        found.subList(0, 2));
  }

  /// Where a connection moves while something is done at its other end.
  @Test
  void anOperationMayEndAtAnotherMember() throws IOException {
    var members = List.of(member("node1", LOG), member("node2", OTHER));
    var found = read(members, "1530 node1 web stopping", "1700 node1 web stopped");
    assertEquals(new LiveAction("web_stop_0 on node1", 1530, 1700, ""), found.getLast());
  }
}
