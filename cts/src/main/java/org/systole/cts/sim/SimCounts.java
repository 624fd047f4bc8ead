package org.systole.cts.sim;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;

/// The failures that DCs had counted, as their logs tell, and what the attribute managers made of
/// them: never more. That a failure was counted already is known to the attribute managers only: where
/// all that knew are lost before the DC has its answer, it may count twice.
final class SimCounts {
  private static final Pattern DECIDED =
      Pattern.compile("notice: (\\S+) of (\\S+) failed on (\\S+): failcount value\\+\\+");
  private static final Pattern COUNTED =
      Pattern.compile(
          "notice: Setting fail-count-(.+)#([^#_]+)_\\d+\\[(\\S+)] in \\S+: \\S+ -> (\\d+) .*");
  private static final String READY = "info: Writing node attributes to the CIB from now on";
  private static final String MANAGER = "attrd";

  /// For so long the DC asks again.
  private static final long AGAIN = Duration.ofSeconds(60).toNanos();

  /// A failure that was counted.
  private static final class Decision {
    final long at;
    final Set<SimProcess> knowing = new LinkedHashSet<>(); // managers
    boolean forgotten;

    Decision(long at) {
      this.at = at;
    }

    boolean isKnown() {
      return knowing.stream().anyMatch(SimProcess::isAlive);
    }
  }

  private final SimCluster cluster;
  private final Map<String, List<Decision>> decided = new LinkedHashMap<>();

  SimCounts(SimCluster cluster) {
    this.cluster = cluster;
  }

  /// A daemon says something.
  void said(SimProcess process, String text) {
    if (process.name().equals("controld") && text.endsWith("failcount value++")) {
      var it = DECIDED.matcher(text);
      if (it.matches()) {
        decided("%s of %s on %s".formatted(it.group(1), it.group(2), it.group(3)));
      }
    } else if (process.name().equals(MANAGER) && text.equals(READY)) {
      learns(process);
    } else if (process.name().equals(MANAGER) && text.startsWith("notice: Setting fail-count-")) {
      var it = COUNTED.matcher(text);
      if (it.matches()) {
        compare("%s of %s on %s".formatted(it.group(2), it.group(1), it.group(3)), it.group(4));
      }
    }
  }

  private void decided(String what) {
    var decision = new Decision(cluster.queue().now());
    cluster.nodes().stream()
        .map(it -> it.process(MANAGER))
        .filter(Objects::nonNull)
        .forEach(decision.knowing::add);
    decided.computeIfAbsent(what, _ -> new ArrayList<>()).add(decision);
  }

  /// A manager that was started since has what the others have.
  private void learns(SimProcess manager) {
    for (var some : decided.values()) {
      some.stream().filter(Decision::isKnown).forEach(it -> it.knowing.add(manager));
    }
  }

  private void compare(String what, String count) {
    var all = decided.getOrDefault(what, List.of());
    if (Integer.parseInt(count) <= all.size()) {
      return;
    }
    for (var it : all) {
      it.forgotten |= cluster.queue().now() - it.at <= AGAIN && !it.isKnown();
    }
    var most = all.size() + all.stream().filter(it -> it.forgotten).count();
    if (Integer.parseInt(count) > most) {
      cluster.fail(
          SimCheck.COUNTED_TWICE,
          "%s failed %d times and is counted %s times".formatted(what, all.size(), count));
    }
  }
}
