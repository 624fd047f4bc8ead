package org.systole.cts.lab;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.systole.cts.local.LocalNode;

/// The logs of a lab's nodes, and what they tell.
final class LabLogs {
  private static final String LOST = "Quorum lost";
  private static final String ACQUIRED = "Quorum acquired";
  private static final int LOG_LINES = 25;
  private static final Pattern MADE =
      Pattern.compile("Preparing membership (\\d+)\\.(\\d+) of nodes");

  private LabLogs() {}

  /// Ends of the logs, and the status as each node tells it.
  static String ends(Lab lab) throws IOException {
    var text = new StringBuilder();
    for (var node : lab.nodes()) {
      text.append("--- ").append(node.name()).append(": crm_mon\n");
      text.append(node.run("crm_mon", "-1", "-r", "-f").output());
      for (var name : List.of("console.log", "pacemaker.log")) {
        var log = node.layout().log().resolve(name);
        var lines = lines(log);
        if (!lines.isEmpty()) {
          text.append("--- ").append(node.name()).append(": ").append(name).append('\n');
          lines
              .subList(Math.max(0, lines.size() - LOG_LINES), lines.size())
              .forEach(it -> text.append(it).append('\n'));
        }
      }
    }
    return text.toString();
  }

  /// Keeps the CIB as each node has it, with its status, which no file of the node has.
  static void keepCibs(Lab lab) throws IOException {
    for (var node : lab.nodes()) {
      var cib = node.run("cibadmin", "--query", "--local");
      if (cib.ok()) {
        Files.writeString(lab.dir().resolve("cib-of-" + node.name() + ".xml"), cib.output());
      }
    }
  }

  /// The node whose log tells that it prepared the latest membership of all.
  static String leader(Lab lab) throws IOException {
    var highest = -1L;
    var leader = "";
    for (var node : lab.nodes()) {
      for (var line : lines(node.layout().log().resolve("pacemaker.log"))) {
        var made = MADE.matcher(line);
        if (made.find()) {
          var term = Long.parseLong(made.group(1));
          if (term > highest) {
            highest = term;
            leader = node.name();
          }
        }
      }
    }
    LabFailure.unless(!leader.isEmpty(), "no log tells who made the membership");
    return leader;
  }

  /// How often nodes have waited for the end of the claims that others might still have to quorum.
  static long waits(List<LocalNode> nodes) throws IOException {
    var count = 0L;
    for (var node : nodes) {
      count +=
          lines(node.layout().log().resolve("pacemaker.log")).stream()
              .filter(it -> it.contains("Others may still act for"))
              .count();
    }
    return count;
  }

  /// How often a node has lost its quorum without another membership.
  static long lapses(LocalNode node) {
    return told(node).filter(LOST::equals).count();
  }

  /// Whether the last of which a node told was that the quorum is back.
  static boolean isQuorate(LocalNode node) {
    return told(node).reduce("", (_, last) -> last).equals(ACQUIRED);
  }

  private static Stream<String> told(LocalNode node) {
    try {
      return lines(node.layout().log().resolve("pacemaker.log")).stream()
          .flatMap(line -> Stream.of(LOST, ACQUIRED).filter(line::endsWith));
    } catch (IOException _) {
      return Stream.empty(); // the next look tells
    }
  }

  static List<String> lines(Path log) throws IOException {
    return Files.exists(log) ? Files.readAllLines(log, StandardCharsets.ISO_8859_1) : List.of();
  }
}
