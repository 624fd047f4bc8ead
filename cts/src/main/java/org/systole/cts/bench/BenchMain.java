package org.systole.cts.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.systole.cts.lab.LabNetwork;

/// Measures what `docs/performance.md` tells, on nodes in namespaces of their own: `./systole
/// bench`.
public final class BenchMain {
  private static final List<String> ALL =
      List.of(
          "start",
          "failover",
          "silence",
          "monitor",
          "writes",
          "attributes",
          "bulk",
          "footprint",
          "mon");

  private BenchMain() {}

  public static void main(String[] args) throws IOException {
    var wanted = new ArrayList<String>();
    var runs = 5;
    var reference = false;
    for (var at = 0; at < args.length; at++) {
      switch (args[at]) {
        case "--runs" -> {
          at++;
          if (at >= args.length || !args[at].matches("[1-9][0-9]{0,2}")) {
            refuse("--runs takes a number from 1 to 999");
          }
          runs = Integer.parseInt(args[at]);
        }
        case "--reference" -> reference = true;
        default -> {
          if (!ALL.contains(args[at])) {
            refuse("'" + args[at] + "' is not known");
          }
          wanted.add(args[at]);
        }
      }
    }
    var home = Path.of(System.getProperty("systole.home", "tools/target/systole"));
    if (!Files.isExecutable(home.resolve("sbin/pacemakerd"))) {
      refuse("there is no built program in " + home + "; run ./systole build");
    }
    var obstacle = LabNetwork.obstacle();
    if (!obstacle.isEmpty()) {
      refuse("it needs namespaces, so it has to run as root: " + obstacle);
    }
    var bench = new Bench(home.toAbsolutePath(), runs, new Report());
    System.exit(bench.run(wanted.isEmpty() ? ALL : wanted, reference) ? 0 : 1);
  }

  private static void refuse(String why) {
    System.err.println("systole bench: " + why);
    System.err.println("usage: bench [" + String.join("|", ALL) + " ...] [--runs N] [--reference]");
    System.exit(64);
  }
}
