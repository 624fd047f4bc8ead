package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// A failover is told by the log alone, by what goes to the system's log: who was lost, who decides,
/// why and by whom it was fenced, what was started where.
final class LogStoryTest {
  private static final Pattern LINE =
      Pattern.compile("^\\s*([0-9.]+) (node\\d)\\s+(\\w+)\\s+(notice|warning|error|critical): (.*)$");

  private record Line(double seconds, String node, String daemon, String text) {}

  /// What an administrator reads at 3 a.m.: the lines of all nodes, by time, without information and
  /// what the simulator itself notes.
  private static List<Line> read(String trace) {
    var lines = new ArrayList<Line>();
    for (var line : trace.lines().toList()) {
      var found = LINE.matcher(line);
      if (found.matches()) {
        lines.add(
            new Line(
                Double.parseDouble(found.group(1)), found.group(2), found.group(3), found.group(5)));
      }
    }
    return lines;
  }

  private final List<Line> log = new ArrayList<>();
  private int at;

  /// The next line of a daemon that says this.
  private Matcher next(String daemon, String says) {
    var pattern = Pattern.compile(says);
    for (; at < log.size(); at++) {
      var found = pattern.matcher(log.get(at).text());
      if (log.get(at).daemon().equals(daemon) && found.find()) {
        return found;
      }
    }
    throw new AssertionError("the log does not go on with " + daemon + ": " + says);
  }

  @Test
  void theFailoverOfTheDcIsToldByTheLog() {
    var cluster = RealDaemons.cluster(5, 3);
    cluster.loadCib(SimCibs.standard(3));
    cluster.powerOnAll();
    assertTrue(cluster.settle(Duration.ofMinutes(3)), () -> cluster.unsettled().toString());
    var lost = cluster.resourceOn("a").getFirst();
    var before = cluster.trace().toString().length();
    cluster.node(lost).powerOff();
    cluster.run(Duration.ofSeconds(2));
    assertTrue(cluster.settle(Duration.ofMinutes(3)), () -> cluster.unsettled().toString());
    log.addAll(read(cluster.trace().toString().substring(before)));

    next("pacemakerd", "^Membership [0-9.]+: (?!.*" + lost + ")");
    next("controld", "^This node is DC now");
    var dc = log.get(at).node();
    var name = next("schedulerd", "^Cluster node " + lost + " will be fenced: peer .* \\| (transition=\\S+)$").group(1);
    next("schedulerd", "^Actions: Move +a .*" + lost + " -> node\\d .*\\| " + name + "$");
    next("schedulerd", "^Calculated transition .* saving inputs in \\S+\\.bz2 \\| " + name + "$");
    next("controld", "^Requesting fencing \\(reboot\\) of node " + lost + " \\| " + name + "$");
    assertEquals(dc, log.get(at).node());
    var fencing = next("fenced", "^Fencing \\(reboot\\) " + lost + " for \\S+ \\| (fencing=\\S+)$").group(1);
    next("fenced", "^Fencing \\(reboot\\) of " + lost + " by (node\\d) with fencing succeeded \\| " + fencing + "$");
    next("controld", "^Node " + lost + " was fenced \\(reboot\\) by node\\d .*\\| " + fencing + "$");
    var moved = next("schedulerd", "^Actions: Start +a .*(node\\d).*\\| (transition=\\S+)$");
    next("controld", "^Requesting a_start_0 on " + moved.group(1) + " \\| " + moved.group(2) + "$");
    next("controld", "^Result of a_start_0 on " + moved.group(1) + ": exit status 0 \\| " + moved.group(2) + "$");

    assertEquals(List.of(moved.group(1)), cluster.resourceOn("a"), "where the log says it runs");
    assertTrue(log.size() < 120, () -> "who reads " + log.size() + " lines at 3 a.m.?");
  }
}
