package org.systole.cts.tidy;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/// The daemons name tasks and exit codes in the words of `common.operation`, never by a text or a
/// number of their own.
final class Vocabulary {
  private static final List<String> DAEMONS =
      List.of("cibd/", "fenced/", "execd/", "attrd/", "schedulerd/", "controld/", "pacemakerd/");

  /// Words that mean a task wherever they stand.
  private static final Pattern TASK =
      Pattern.compile(
          "(?<![=\\w])\"(monitor|migrate_to|migrate_from|reload-agent|do_shutdown|lrm_delete"
              + "|lrm_refresh|clear_failcount|asyncmon|meta-data|validate-all)\"");

  /// Words that mean something else in other places: an order to stop, an attribute that is on.
  private static final Pattern COMPARED =
      Pattern.compile(
          "(?:equals\\(|case |, )\"(start|stop|promote|demote|notify|cancel|reboot|off|on)\"(?:"
              + " ->|,|\\))");

  private static final Pattern CODE =
      Pattern.compile(
          "\\brc(\\(\\))? *(==|!=) *-?\\d|\\bcase (0, 8|190|191|193)\\b|= *(190|191|193)\\b");

  private static final String INSTEAD = "say it with Task, TaskName or OcfCode";

  private Vocabulary() {}

  static List<Problem> check(List<SourceFile> files) {
    var found = new ArrayList<Problem>();
    for (var file : files) {
      if (DAEMONS.stream().anyMatch(file.path()::startsWith)) {
        check(file, found);
      }
    }
    return found;
  }

  private static void check(SourceFile file, List<Problem> into) {
    // of the scheduler's library only what is plain: its options have words that tasks have, too
    var library = file.packageName().startsWith("org.systole.scheduler");
    var at = 0;
    for (var line : file.text().split("\n", -1)) {
      at++;
      if (line.strip().startsWith("//")) {
        continue;
      }
      look(file, line, at, TASK, into);
      look(file, line, at, CODE, into);
      if (!library && !file.type().equals("StartState")) { // a state of a node, not a task
        look(file, line, at, COMPARED, into);
      }
    }
  }

  private static void look(
      SourceFile file, String line, int at, Pattern pattern, List<Problem> into) {
    var match = pattern.matcher(line);
    if (match.find()) {
      var what = file.type() + " " + match.group().strip();
      into.add(new Problem("vocabulary", what, 1, "%s:%d: %s".formatted(file.path(), at, INSTEAD)));
    }
  }
}
