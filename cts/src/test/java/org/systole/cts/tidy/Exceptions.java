package org.systole.cts.tidy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/// What breaks a rule today and is named in `exceptions.txt`. The list only gets shorter: what has
/// grown fails, and so does an exception that is no longer needed, or says more than is needed.
final class Exceptions {
  /// By how much something may be shorter than its exception says before that has to be lowered.
  private static final double SLACK = 0.1;

  private static final Pattern LINE = Pattern.compile("(\\S+) (.+?)(?: (\\d+))?");

  private final Map<String, Integer> amounts = new LinkedHashMap<>();

  private Exceptions(String text) {
    for (var line : text.split("\n")) {
      var parts = LINE.matcher(line.strip());
      if (!line.startsWith("#") && parts.matches()) {
        var amount = parts.group(3) == null ? 1 : Integer.parseInt(parts.group(3));
        amounts.put(parts.group(1) + " " + parts.group(2), amount);
      }
    }
  }

  static Exceptions of(String text) {
    return new Exceptions(text);
  }

  static Exceptions ofToday() throws IOException {
    try (var in = Exceptions.class.getResourceAsStream("exceptions.txt")) {
      if (in == null) {
        throw new IOException("exceptions.txt is missing");
      }
      return of(new String(in.readAllBytes(), StandardCharsets.UTF_8));
    }
  }

  /// What is left to complain about.
  List<String> judge(List<Problem> problems) {
    var complaints = new ArrayList<String>();
    var seen = new LinkedHashMap<String, Integer>();
    for (var problem : problems) {
      var name = problem.rule() + " " + problem.what();
      seen.merge(name, problem.amount(), Math::max);
      var allowed = amounts.get(name);
      if (allowed == null) {
        complaints.add(problem.text());
      } else if (problem.amount() > allowed) {
        complaints.add(problem.text() + "; it had " + allowed + " and may only get shorter");
      }
    }
    amounts.forEach(
        (name, allowed) -> {
          var now = seen.get(name);
          if (now == null) {
            complaints.add("exceptions.txt: strike '" + name + "', it is no longer needed");
          } else if (now < allowed * (1 - SLACK)) {
            complaints.add("exceptions.txt: '%s %d' is %d now".formatted(name, allowed, now));
          }
        });
    return complaints;
  }
}
