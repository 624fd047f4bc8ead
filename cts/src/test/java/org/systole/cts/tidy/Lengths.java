package org.systole.cts.tidy;

import java.util.ArrayList;
import java.util.List;

/// No file and no method is longer than can be kept in mind.
final class Lengths {
  static final int FILE_MAX = 500;
  static final int METHOD_MAX = 60;

  private Lengths() {}

  static List<Problem> check(List<SourceFile> files) {
    var found = new ArrayList<Problem>();
    for (var file : files) {
      var lines = file.lines().size() - 1; // the last line ends, too
      if (lines > FILE_MAX) {
        var text = "%s has %d lines: split it by reason to change".formatted(file.path(), lines);
        found.add(new Problem("file", file.type(), lines, text));
      }
      for (var method : file.methods()) {
        if (method.lines() > METHOD_MAX) {
          var name = method.type() + "." + method.name();
          var text =
              "%s: %s has %d lines: one function decides, others do"
                  .formatted(file.path(), name, method.lines());
          found.add(new Problem("method", name, method.lines(), text));
        }
      }
    }
    return found;
  }
}
