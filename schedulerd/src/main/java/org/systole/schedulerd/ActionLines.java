package org.systole.schedulerd;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import org.systole.common.output.TextOutput;
import org.systole.scheduler.model.WorkingSet;
import org.systole.scheduler.status.PlannedActions;
import org.systole.scheduler.status.View;

/// What a plan changes, one line a resource or node, in the words of `crm_simulate`'s summary.
final class ActionLines {
  private static final String ITEM = "* ";

  private ActionLines() {}

  /// @param cluster as a run of the scheduler has left it
  static List<String> of(WorkingSet cluster) {
    var bytes = new ByteArrayOutputStream();
    var stream = new PrintStream(bytes, false, StandardCharsets.UTF_8);
    var out = new TextOutput(stream, stream);
    out.setFancy(true);
    out.begin("Transition Summary");
    PlannedActions.show(View.of(cluster, out, Set.of()));
    out.end();
    stream.flush();
    return bytes
        .toString(StandardCharsets.UTF_8)
        .lines()
        .map(String::strip)
        .filter(it -> it.startsWith(ITEM))
        .map(it -> it.substring(ITEM.length()))
        .toList();
  }
}
