package org.systole.cts.sim;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

/// The failures that DCs had counted, as their logs tell, and what the attribute managers made of
/// them: never more.
final class SimCounts {
  private static final Pattern DECIDED =
      Pattern.compile("notice: (\\S+) of (\\S+) failed on (\\S+): failcount value\\+\\+");
  private static final Pattern COUNTED =
      Pattern.compile(
          "notice: Setting fail-count-(.+)#([^#_]+)_\\d+\\[(\\S+)] in \\S+: \\S+ -> (\\d+) .*");

  private final SimCluster cluster;
  private final Map<String, Integer> decided = new LinkedHashMap<>();

  SimCounts(SimCluster cluster) {
    this.cluster = cluster;
  }

  /// A daemon says something.
  void said(String daemon, String text) {
    if (daemon.equals("controld") && text.endsWith("failcount value++")) {
      var it = DECIDED.matcher(text);
      if (it.matches()) {
        var what = "%s of %s on %s".formatted(it.group(1), it.group(2), it.group(3));
        decided.merge(what, 1, Integer::sum);
      }
    } else if (daemon.equals("attrd") && text.startsWith("notice: Setting fail-count-")) {
      var it = COUNTED.matcher(text);
      if (it.matches()) {
        compare("%s of %s on %s".formatted(it.group(2), it.group(1), it.group(3)), it.group(4));
      }
    }
  }

  private void compare(String what, String count) {
    var most = decided.getOrDefault(what, 0);
    if (Integer.parseInt(count) > most) {
      cluster.fail(
          SimCheck.COUNTED_TWICE,
          "%s failed %d times and is counted %s times".formatted(what, most, count));
    }
  }
}
