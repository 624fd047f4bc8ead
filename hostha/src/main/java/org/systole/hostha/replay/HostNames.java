package org.systole.hostha.replay;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.systole.common.values.NodeName;

/// The hosts that a line of a script names: `n1`, `n1,n2` or `n1..n9`.
record HostNames(int line) {
  /// So many hosts a script can have.
  static final int MAX = 20_000;

  List<NodeName> of(List<String> words) throws ReplayException {
    var all = new ArrayList<NodeName>();
    for (var word : words) {
      for (var part : word.split(",")) {
        range(part, all);
        if (all.size() > MAX) {
          throw tooMany();
        }
      }
    }
    if (all.isEmpty()) {
      throw refuse("no host is named");
    }
    return all;
  }

  private void range(String word, List<NodeName> into) throws ReplayException {
    var between = word.indexOf("..");
    if (between < 0) {
      into.add(name(word));
      return;
    }
    var first = word.substring(0, between);
    var digits = first.replaceFirst("^.*?(\\d*)$", "$1");
    var stem = first.substring(0, first.length() - digits.length());
    var last = word.substring(between + 2);
    if (!last.startsWith(stem) || digits.isEmpty()) {
      throw refuse("'" + word + "' is no range; n1..n9 is one");
    }
    var to = count(last.substring(stem.length()), line);
    if (to > MAX) {
      throw tooMany();
    }
    for (var at = count(digits, line); at <= to; at++) {
      var number = String.format(Locale.ROOT, "%0" + digits.length() + "d", at);
      into.add(name(stem + number));
    }
  }

  private NodeName name(String text) throws ReplayException {
    var name = NodeName.of(text);
    if (name == null) {
      throw refuse("'" + text + "' can be no host's name");
    }
    return name;
  }

  static long count(String text, int line) throws ReplayException {
    if (!text.matches("\\d{1,9}")) {
      throw new ReplayException(line, "'" + text + "' is no number");
    }
    return Long.parseLong(text);
  }

  private ReplayException tooMany() {
    return refuse("at most " + MAX + " hosts");
  }

  private ReplayException refuse(String why) {
    return new ReplayException(line, why);
  }
}
