package org.systole.cts.sim;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;

/// A file of a node is gone, empty, cut short or something else when the node comes back. What is beside it says all
/// that it said, so that nothing may be lost with it; where a node could not know any more whose votes
/// count, it must not make a majority.
final class SimFilesFault extends SimOddDeeds {
  private static final List<String> CONFIGURATION = List.of("cib.xml", "cib.xml", "cib.meta");
  private static final String ELECTORATE = "electorate";
  private static final String COPY = "electorate.copy";
  private static final String GONE = "gone";
  private static final List<String> HOW = List.of(GONE, "empty", "short", "other");
  private static final List<String> HOW_ONE = List.of(GONE, "empty", "short", "row", "other"); // the other copy is whole

  SimFilesFault(SimCluster cluster, RandomGenerator random, SimChanges changes, SimBites bites) {
    super(cluster, random, changes, bites);
  }

  void happen() {
    if (SimStanding.isOn(cluster) && random.nextInt(3) > 0) {
      electorate();
    } else {
      configuration();
    }
  }

  /// One node's, all nodes' at once, or that of one after the other.
  private void configuration() {
    var how = random.nextInt(3);
    var gap = how == 1 ? MILLI : 4 * SECOND;
    for (var each : how == 0 ? List.of(node) : cluster.nodes()) {
      after(random.nextLong(gap * cluster.nodes().size()), () -> ends(each));
    }
    cluster.run(Duration.ofSeconds(40 + random.nextInt(20)));
  }

  /// In good order, or not.
  private void ends(SimNode machine) {
    if (random.nextInt(3) == 0) {
      machine.shutdown();
      after(3 * SECOND + upTo(6), () -> returns(machine));
    } else {
      machine.powerOff();
      after(SECOND + upTo(5), () -> returns(machine));
    }
  }

  private void returns(SimNode machine) {
    machine.powerOff();
    var file = one(CONFIGURATION);
    var how = one(HOW_ONE);
    bites.count("files, %s %s".formatted(file, how), machine.file("cibd", file) != null);
    spoil(cluster, machine, "cibd", file, how);
    machine.powerOn();
  }

  /// Those who stay count without the others. Then one of them meets these, and does not know that any more.
  private void electorate() {
    var sides = new SimStanding(cluster, random).leaveOut();
    cluster.run(Duration.ofNanos(sides.lowered() + upTo(8)));
    var goes = cluster.node(sides.goes());
    goes.powerOff();
    var how = one(HOW);
    var copy = random.nextInt(3) == 0 ? "" : one(how.equals(GONE) ? HOW.subList(1, HOW.size()) : HOW);
    var kind = copy.isEmpty() ? "files, whose votes count is in the copy" : "files, whose votes count is lost";
    bites.count(kind, goes.file(SimDaemons.SUPERVISOR, COPY) != null);
    spoil(cluster, goes, SimDaemons.SUPERVISOR, ELECTORATE, how);
    if (!copy.isEmpty()) {
      spoil(cluster, goes, SimDaemons.SUPERVISOR, COPY, copy);
    }
    cluster.partition(List.of(sides.stay(), sides.out()));
    goes.powerOn();
    cluster.run(Duration.ofSeconds(40 + random.nextInt(20)));
    cluster.heal();
    cluster.run(Duration.ofSeconds(5 + random.nextInt(20)));
  }

  /// A file on a node that is down is not what it was any more.
  static void spoil(SimCluster cluster, SimNode node, String daemon, String file, String how) {
    var content = node.file(daemon, file);
    if (content != null) {
      cluster
          .story()
          .deed(
              "spoil %s %s %s %s".formatted(node.name(), daemon, file, how),
              () -> {
                cluster.note("%s: %s is %s".formatted(node.name(), file, how));
                if (how.equals(GONE)) {
                  node.disk(daemon).files().remove(file);
                } else {
                  node.file(daemon, file, spoiled(content, how));
                }
              });
    }
  }

  private static byte[] spoiled(byte[] content, String how) {
    return switch (how) {
      case "empty" -> new byte[0];
      case "short" -> Arrays.copyOf(content, content.length / 2);
      case "row" -> Arrays.copyOf(content, endOfARow(content));
      default -> "?".repeat(content.length).getBytes(StandardCharsets.US_ASCII);
    };
  }

  /// What is cut there still looks whole.
  private static int endOfARow(byte[] content) {
    for (var at = content.length - 2; at >= 0; at--) {
      if (content[at] == '\n') {
        return at + 1;
      }
    }
    return 0;
  }
}
