package org.systole.cts.sim;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// Runs simulated clusters from the command line: `--seeds A-B` random ones in a row, several at a
/// time (`--threads N`), `--seed N` one with everything it did, `--shrink N` the few steps a seed
/// needs to fail, `--planted A-B [NAME...]` seeds with each planted mistake until one fails (in the
/// top directory of the sources), `--script FILE` the standard configuration and the steps in the file.
/// `--previous DIRECTORY` before these has half of all starts run the build that is installed there;
/// `--guests` has all clusters have guests, to which most happens, and `--roles` all have roles, leaving
/// out those that cannot. A seed tells another story with the first two.
public final class SimMain {
  private static final int USAGE = 64;

  private SimMain() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    var words = List.of(args);
    if (words.size() > 2 && words.get(0).equals("--previous")) {
      SimPlan.mix(SimBuild.in(Path.of(words.get(1))));
      words = words.subList(2, words.size());
    }
    if (words.size() > 1 && words.get(0).equals("--guests")) {
      SimInside.everywhere();
      words = words.subList(1, words.size());
    }
    if (words.size() > 1 && words.get(0).equals("--hosts")) {
      SimPlan.hostsAlways();
      words = words.subList(1, words.size());
    }
    if (words.size() > 1 && words.get(0).equals("--roles")) {
      SimRolePlan.inAllClusters();
      words = words.subList(1, words.size());
    }
    if (words.size() > 2 && words.get(0).equals("--about")) {
      SimFocus.always(SimFocus.named(words.get(1)));
      words = words.subList(2, words.size());
    }
    if (words.size() == 2 && words.get(0).equals("--seed")) {
      System.exit(one(Long.parseLong(words.get(1))) ? 0 : 1);
    }
    if (words.size() >= 2
        && words.get(0).equals("--seeds")
        && words.get(1).matches("\\d+-\\d+")
        && (words.size() == 2 || words.size() == 4 && words.get(2).equals("--threads"))) {
      var ends = words.get(1).split("-");
      var from = Long.parseLong(ends[0]);
      var to = Long.parseLong(ends[1]);
      System.exit(new SimSeeds(System.out).run(from, to, threads(words)) ? 0 : 1);
    }
    if (words.size() >= 2 && words.get(0).equals("--shrink")) {
      System.exit(shrink(Long.parseLong(words.get(1)), words.subList(2, words.size())) ? 0 : 1);
    }
    if (words.size() >= 2
        && words.get(0).equals("--planted")
        && words.get(1).matches("\\d+-\\d+")) {
      planted(words.get(1), words.subList(2, words.size()));
      return;
    }
    if (words.size() == 2 && words.get(0).equals("--script")) {
      script(Path.of(words.get(1)));
      return;
    }
    System.err.println("usage: sim [--previous DIRECTORY] [--guests | --hosts | --roles | --about WHAT] --seed N | --seeds A-B [--threads N] | --shrink N [DIRECTORY] | --script FILE | --planted A-B [NAME...]");
    System.exit(USAGE);
  }

  private static int threads(List<String> words) {
    return words.size() == 4
        ? Integer.parseInt(words.get(3))
        : Runtime.getRuntime().availableProcessors();
  }

  /// Builds mistakes in, all or some by name, each alone, and says what finds them.
  private static void planted(String seeds, List<String> names) throws IOException {
    var ends = seeds.split("-");
    var top = Path.of("").toAbsolutePath();
    for (var each : SimPlanted.all(top.resolve(SimPlanted.DIRECTORY))) {
      if (names.isEmpty() || names.contains(each.name())) {
        System.out.print(each.name() + ": ");
        var found = SimPlanted.find(top, each, Long.parseLong(ends[0]), Long.parseLong(ends[1]));
        System.out.println(found.isEmpty() ? "not found in seeds " + seeds : found);
      }
    }
  }

  /// Runs seeds until one fails; returns which and why, empty if none fails.
  ///
  /// @param of which lives: `hosts`, `roles`, what they are about, or empty for any
  public static String find(long first, long last, String of) {
    switch (of) {
      case "hosts" -> SimPlan.hostsAlways();
      case "roles" -> SimRolePlan.inAllClusters();
      case "" -> {}
      default -> SimFocus.always(SimFocus.named(of));
    }
    return new SimSeeds(System.out).find(first, last);
  }

  /// Runs a script with the `cib.xml` beside it, or the standard one if there is none.
  private static void script(Path file) throws IOException {
    var lines = Files.readAllLines(file);
    var cluster = SimScript.cluster(lines);
    var cib = file.resolveSibling("cib.xml");
    if (Files.exists(cib)) {
      cluster.loadCib(Files.readString(cib));
    } else {
      cluster.loadCib(SimCibs.standard(cluster.nodes().getFirst().file().listed()));
    }
    cluster.trace().echo(true);
    new SimScript(cluster).run(lines).forEach(System.out::println);
    cluster.failures().forEach(System.out::println);
  }

  /// Prints what a seed needs to fail; with a directory, keeps it there as a scenario.
  private static boolean shrink(long seed, List<String> to) throws IOException {
    var run = new SimRun(seed);
    run.carryOut();
    if (run.cluster().failures().isEmpty()) {
      System.err.println("seed " + seed + " does not fail");
      return false;
    }
    var shrunk = SimShrink.shrink(run, deeds -> new SimRun(seed, deeds));
    if (shrunk == null) {
      System.err.println("seed " + seed + " fails, but not when its story is told again");
      return false;
    }
    System.out.printf(
        "# seed %d (%s): %s needs %d of %d steps%n",
        seed, run, shrunk.check(), shrunk.deeds().size(), shrunk.of());
    shrunk.script().forEach(System.out::println);
    if (!to.isEmpty()) {
      var directory = Files.createDirectories(Path.of(to.getFirst()));
      Files.write(directory.resolve("script"), shrunk.script());
      Files.writeString(directory.resolve("cib.xml"), shrunk.cib());
      Files.writeString(directory.resolve("expected"), "");
    }
    return true;
  }

  private static boolean one(long seed) {
    var run = new SimRun(seed);
    run.cluster().trace().echo(true);
    var failures = run.carryOut();
    System.out.printf(
        "seed %d (%s): %s, %s of virtual time, %d events, hash %016x%n",
        seed,
        run,
        failures.isEmpty() ? "ok" : "FAILED",
        run.cluster().now(),
        run.cluster().events(),
        run.cluster().trace().hash());
    failures.forEach(it -> System.out.println("  " + it));
    return failures.isEmpty();
  }
}
