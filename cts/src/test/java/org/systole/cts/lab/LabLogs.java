package org.systole.cts.lab;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;

/// What the nodes of a lab leave for whoever wants to know what happened.
final class LabLogs {
  private static final int LOG_LINES = 25;

  private LabLogs() {}

  /// Ends of the logs, and the status as each node tells it.
  static String ends(Lab lab) throws IOException {
    var text = new StringBuilder();
    for (var node : lab.nodes()) {
      text.append("--- ").append(node.name()).append(": crm_mon\n");
      text.append(node.run("crm_mon", "-1", "-r", "-f").output());
      for (var name : List.of("console.log", "pacemaker.log")) {
        var log = node.layout().log().resolve(name);
        if (Files.exists(log)) {
          var lines = Files.readAllLines(log, StandardCharsets.ISO_8859_1);
          text.append("--- ").append(node.name()).append(": ").append(name).append('\n');
          lines
              .subList(Math.max(0, lines.size() - LOG_LINES), lines.size())
              .forEach(it -> text.append(it).append('\n'));
        }
      }
    }
    return text.toString();
  }
}
