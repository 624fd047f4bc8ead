package org.systole.cts.sim;

import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/// What an administrator has set otherwise than usual in a random cluster.
///
/// @param cluster options of the cluster by their names
/// @param fences whether nodes that are lost are fenced; without, a resource may run twice
/// @param migrates whether `b` is moved while it runs
/// @param everywhere whether a clone runs on all nodes beside the promotable one
/// @param ticket whether a resource runs only while its ticket is granted
/// @param defaults of resources' meta-attributes, by their names
/// @param hosts how many remote nodes there are, `far1` and so on
record SimOptions(
    Map<String, String> cluster,
    boolean fences,
    boolean migrates,
    boolean everywhere,
    boolean ticket,
    Map<String, String> defaults,
    int hosts) {
  /// In an order that is the same in each process: a seed tells the same story to the last line.
  SimOptions {
    cluster = new TreeMap<>(cluster);
    defaults = new TreeMap<>(defaults);
  }

  /// The resource that needs the ticket, and the ticket.
  static final String TICKETED = "ticketed";

  static final String TICKET = "site";

  /// Nothing but what is usual.
  static final SimOptions USUAL =
      new SimOptions(Map.of(), true, false, false, false, Map.of(), 0);

  private static final int PERCENT = 100;

  static SimOptions of(RandomGenerator random) {
    var cluster = new TreeMap<String, String>();
    draw(random, 10, cluster, "shutdown-lock", "true");
    draw(random, 10, cluster, "batch-limit", String.valueOf(1 + random.nextInt(3)));
    draw(random, 10, cluster, "migration-limit", String.valueOf(random.nextInt(2)));
    draw(random, 10, cluster, "node-action-limit", "1");
    draw(random, 8, cluster, "fencing-action", "off");
    draw(random, 10, cluster, "concurrent-fencing", "false");
    draw(random, 10, cluster, "start-failure-is-fatal", "false");
    var fences = random.nextInt(PERCENT) >= 4;
    if (!fences) {
      cluster.put("fencing-enabled", "false");
    }
    var defaults = new TreeMap<String, String>();
    draw(random, 20, defaults, "resource-stickiness", "100");
    draw(random, 10, defaults, "migration-threshold", "2");
    draw(random, 10, defaults, "failure-timeout", "20s");
    return new SimOptions(
        cluster,
        fences,
        random.nextInt(PERCENT) < 25,
        random.nextInt(PERCENT) < 20,
        random.nextInt(PERCENT) < 15,
        defaults,
        random.nextInt(PERCENT) < 25 ? 1 + random.nextInt(2) : 0);
  }

  static String host(int number) {
    return "far" + number;
  }

  private static void draw(
      RandomGenerator random, int percent, Map<String, String> to, String name, String value) {
    if (random.nextInt(PERCENT) < percent) {
      to.put(name, value);
    }
  }

  @Override
  public String toString() {
    var text = new StringBuilder();
    cluster.forEach((name, value) -> text.append(", ").append(name).append(' ').append(value));
    defaults.forEach((name, value) -> text.append(", ").append(name).append(' ').append(value));
    return text.append(migrates ? ", live migration" : "")
        .append(everywhere ? ", a clone" : "")
        .append(ticket ? ", a ticket" : "")
        .append(hosts > 0 ? ", remote nodes: " + hosts : "")
        .toString();
  }
}
