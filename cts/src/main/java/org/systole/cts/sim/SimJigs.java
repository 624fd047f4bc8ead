package org.systole.cts.sim;

import org.systole.common.world.Processes.Program;

/// What the steps of roles do on a node, for the jig `script`: most work, some fail, hang, do half of
/// their work, answer nonsense or far too much, or are killed.
final class SimJigs {
  /// The program that does a role's steps.
  static final String STEPS = "steps";

  private static final long SECOND = 1_000_000_000L;
  private static final long LEAST = 50_000_000L;
  private static final long LONGEST = 6 * SECOND;
  private static final int PERCENT = 100;
  private static final int HUGE = 64 << 20;
  private static final int DEEP = 60;
  private static final char END_OF_STEP = '\u001e';

  private final SimCluster cluster;
  private boolean well;

  SimJigs(SimCluster cluster) {
    this.cluster = cluster;
  }

  /// From now on all steps work.
  void allWell() {
    well = true;
  }

  void start(SimNode node, SimProcess child, Program program, SimAgents.Output output) {
    var noderole = program.environment().getOrDefault("SYSTOLE_NODEROLE", "");
    var number = program.environment().getOrDefault("SYSTOLE_RUN", "");
    if (program.command().contains("check")) {
      check(child, noderole, program.command().hashCode());
      return;
    }
    cluster.checks().roles().stepsStart(node, child);
    // by what runs, not by when: a story that is told again goes the same way
    var random = cluster.random("jig", node.name(), noderole, number.hashCode());
    var percent = random.nextInt(PERCENT);
    var takes = LEAST + random.nextLong(random.nextInt(3) == 0 ? LONGEST : SECOND);
    var status = 0;
    var kind = well || percent < 66 ? "" : how(percent);
    node.cluster()
        .trace()
        .add(cluster.queue().now(), node.name(), child.name(), noderole + " " + number + " " + kind);
    switch (kind) {
      case "" -> output.is("{\"done\":" + number + "}" + END_OF_STEP + "{\"at\":\"" + node.name() + "\"}" + END_OF_STEP, "");
      case "fails" -> {
        output.is("", "no such device\n");
        status = 5;
      }
      case "half" -> {
        output.is("{\"done\":" + number + "}" + END_OF_STEP, "the second step\nfailed\n");
        status = 1;
      }
      case "nonsense" -> output.is(random.nextBoolean() ? "{\"a\":" : "\u0000\ud800[1,", "");
      case "deep" -> output.is("{\"a\":".repeat(DEEP) + "1" + "}".repeat(DEEP), "");
      case "huge" -> output.is("{\"a\":\"" + "x".repeat(Math.min(HUGE, program.outputMax()) - 6), "");
      case "killed" -> {
        cluster.queue().after(takes, child, () -> child.end(0, 9));
        return;
      }
      default -> {
        return; // it hangs
      }
    }
    var ends = status;
    cluster.queue().after(takes, child, () -> child.end(ends, 0));
  }

  /// Whether what a run did is there still: mostly it is.
  private void check(SimProcess child, String noderole, int number) {
    var now = cluster.queue().now();
    var random = cluster.random("jig-check", child.node().name(), noderole, number + now);
    var percent = random.nextInt(PERCENT);
    if (!well && percent < 4) {
      return; // it hangs
    }
    cluster.queue().after(LEAST, child, () -> child.end(!well && percent < 14 ? 1 : 0, 0));
  }

  private static String how(int percent) {
    if (percent < 76) {
      return "fails";
    }
    if (percent < 82) {
      return "hangs";
    }
    if (percent < 88) {
      return "half";
    }
    if (percent < 93) {
      return "nonsense";
    }
    if (percent < 95) {
      return "deep";
    }
    return percent < 97 ? "huge" : "killed";
  }
}
