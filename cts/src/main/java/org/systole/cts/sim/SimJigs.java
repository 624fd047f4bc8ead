package org.systole.cts.sim;

import java.util.List;
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

  /// What roles that have a secret have for it, on all nodes.
  static final String SECRET = "p\u00e4\"S3CRET/w\nx";

  /// A part of it, which stands in no log and no document.
  static final String SECRET_PART = "S3C";

  private static final String IN_PLAIN = "S3CRET";

  /// Ways in which JSON may write it.
  private static final List<String> WAYS =
      List.of(
          "p\u00e4\\\"S3CRET/w\\nx",
          "p\\u00e4\\\"S3CRET\\/w\\u000ax",
          "p\\u00E4\\u0022\\u0053\\u0033CRET/w\\nx");

  /// Not all of it is nonsense: some is just what is taken at most.
  private static final List<String> NONSENSE =
      List.of(
          "{\"a\":",
          "\u0000\ud800[1,",
          "{\"a\":1e999999999}",
          "{\"a\":1e99999999999}",
          "{\"a\":-1e-999999999,\"b\":100e2147483647}",
          "{\"a\":" + "9".repeat(100_000) + "}",
          "{\"a\":" + "8".repeat(799) + "e999000}",
          "{\"a\":" + "[".repeat(49) + "]".repeat(49) + "}");

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
      cluster.checks().roles().looks().begins(noderole);
      check(child, noderole, program.command().hashCode());
      return;
    }
    cluster.checks().roles().stepsStart(node, child, program);
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
      case "" -> output.is(
          "{\"done\":" + number + "}" + END_OF_STEP + "{\"by\":\"" + noderole + "\"" + told(program) + "}" + END_OF_STEP, "");
      case "fails" -> {
        output.is("", "no such device\n" + failed(program));
        status = 5;
      }
      case "half" -> {
        output.is("{\"done\":" + number + "}" + END_OF_STEP, "the second step\nfailed\n");
        status = 1;
      }
      case "nonsense" -> output.is(NONSENSE.get(random.nextInt(NONSENSE.size())), "");
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

  private static boolean hasSecret(Program program) {
    return program.input().contains(IN_PLAIN);
  }

  /// Steps that tell what they should not.
  private static String told(Program program) {
    var way = Math.floorMod(program.environment().hashCode(), WAYS.size());
    return hasSecret(program) ? ",\"said\":\"" + WAYS.get(way) + "\"" : "";
  }

  /// The last of it is not whole: the steps were ended. The line before is cut at 500 characters, in the middle
  /// of the secret, behind the part of it that is looked for.
  private static String failed(Program program) {
    return hasSecret(program)
        ? "y".repeat(493) + SECRET + "\nit was " + SECRET.substring(0, SECRET.length() - 5)
        : "";
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
