package org.systole.cts.sim;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;

/// Runs simulated clusters from the command line: `--seeds A-B` random ones in a row, `--seed N`
/// one
/// with everything it did, `--script FILE` three nodes with the standard configuration and the
/// steps
/// in the file.
public final class SimMain {
  private SimMain() {}

  public static void main(String[] args) throws IOException {
    if (args.length == 2 && args[0].equals("--seed")) {
      System.exit(one(Long.parseLong(args[1]), true) ? 0 : 1);
    }
    if (args.length == 2 && args[0].equals("--seeds") && args[1].contains("-")) {
      var at = args[1].indexOf('-');
      var from = Long.parseLong(args[1].substring(0, at));
      var to = Long.parseLong(args[1].substring(at + 1));
      System.exit(many(from, to) ? 0 : 1);
    }
    if (args.length == 2 && args[0].equals("--script")) {
      script(Files.readAllLines(Path.of(args[1])));
      return;
    }
    System.err.println("usage: sim --seed N | --seeds A-B | --script FILE");
    System.exit(64);
  }

  private static void script(List<String> lines) {
    var cluster = RealDaemons.cluster(1, 3);
    cluster.loadCib(SimCibs.standard(3));
    cluster.trace().echo(true);
    new SimScript(cluster).run(lines).forEach(System.out::println);
    cluster.failures().forEach(System.out::println);
  }

  private static boolean many(long from, long to) {
    var failed = LongStream.rangeClosed(from, to).filter(it -> !one(it, false)).count();
    System.out.printf("%d of %d seeds failed%n", failed, to - from + 1);
    return failed == 0;
  }

  private static boolean one(long seed, boolean loud) {
    var run = new SimRun(seed);
    run.cluster().trace().echo(loud);
    var failures = run.carryOut();
    System.out.printf(
        "seed %d: %s, %s of virtual time, %d events, hash %016x%n",
        seed,
        failures.isEmpty() ? "ok" : "FAILED",
        run.cluster().now(),
        run.cluster().events(),
        run.cluster().trace().hash());
    failures.forEach(it -> System.out.println("  " + it));
    return failures.isEmpty();
  }
}
