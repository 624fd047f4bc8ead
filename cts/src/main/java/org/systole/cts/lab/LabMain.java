package org.systole.cts.lab;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.systole.cts.replay.CorpusCase;

/// `./systole lab`: runs scenarios of the live lab, each as often as wanted.
public final class LabMain {
  private static final int USAGE = 64;
  private static final int CLEARING_SECONDS = 60;

  private final LabRunner runner;
  private final Wishes wishes;
  private final List<LabResults> results = new ArrayList<>();

  private LabMain(LabRunner runner, Wishes wishes) {
    this.runner = runner;
    this.wishes = wishes;
  }

  /// What the command line asks for.
  ///
  /// @param fresh every round has a cluster of its own
  /// @param endNanos no round begins after this moment
  private record Wishes(Set<Scenario> chosen, int times, boolean fresh, long endNanos) {}

  public static void main(String[] args) throws IOException {
    System.exit(run(List.of(args)));
  }

  private static int run(List<String> args) throws IOException {
    var chosen = new LinkedHashSet<Scenario>();
    var times = 1;
    var fresh = false;
    var seconds = Integer.MAX_VALUE;
    for (var rest = args.iterator(); rest.hasNext(); ) {
      var word = rest.next();
      if (word.equals("--list")) {
        LabRunner.scenarios().forEach(it -> System.out.printf("%-26s %s%n", it.name(), it.about()));
        return 0;
      } else if (word.equals("--fresh")) {
        fresh = true;
      } else if (word.equals("--times") && rest.hasNext()) {
        times = number(rest.next());
      } else if (word.equals("--seconds") && rest.hasNext()) {
        seconds = number(rest.next());
      } else if (!chosen.addAll(named(word))) {
        return refuse("there is no scenario '%s'; --list shows them".formatted(word));
      }
    }
    if (times < 1 || seconds < 1) {
      return refuse("--times and --seconds need a number from 1 on");
    }
    var distribution = LabHome.distribution();
    var obstacle = LabRunner.obstacle(distribution);
    if (!obstacle.isEmpty()) {
      return refuse(obstacle);
    }
    if (chosen.isEmpty()) {
      chosen.addAll(LabRunner.scenarios());
    }
    skip(chosen, LabQnetd.obstacle(), it -> it.shape().hasDevice());
    skip(chosen, LabStockHost.obstacle(), it -> it.name().startsWith(LabStockHost.SCENARIOS));
    skip(chosen, LabDisk.obstacle(), it -> RoleScenarios.NEED_A_DISK.contains(it.name()));
    skip(
        chosen,
        LabContainers.obstacle(),
        it -> it.name().startsWith("bundle-") || ReplayScenarios.needsContainers(it.name()));
    skip(chosen, LabMachines.obstacle(), it -> it.name().startsWith(InstallScenarios.SCENARIOS));
    skip(chosen, CorpusCase.obstacle(), it -> it.name().startsWith(ReplayScenarios.SCENARIOS));
    var end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    var wishes = new Wishes(chosen, times, fresh, end);
    return new LabMain(new LabRunner(distribution), wishes).runAll() ? 0 : 1;
  }

  private static void skip(Set<Scenario> chosen, String obstacle, Predicate<Scenario> which) {
    if (obstacle.isEmpty()) {
      return;
    }
    chosen.stream()
        .filter(which)
        .forEach(it -> System.out.printf("%-26s skipped: %s%n", it.name(), obstacle));
    chosen.removeIf(which);
  }

  /// A name, or several with a `*` for any part.
  private static List<Scenario> named(String word) {
    var parts = Stream.of(word.split("\\*", -1)).map(Pattern::quote);
    var pattern = parts.collect(Collectors.joining(".*"));
    return LabRunner.scenarios().stream().filter(it -> it.name().matches(pattern)).toList();
  }

  private static int number(String text) {
    return text.matches("[0-9]{1,4}") ? Integer.parseInt(text) : 0;
  }

  private static int refuse(String why) {
    System.err.println("lab: " + why);
    return USAGE;
  }

  /// @return whether no round failed and none was left out
  private boolean runAll() throws IOException {
    var cleared = new CountDownLatch(1);
    endWhenInterrupted(Thread.currentThread(), cleared);
    var inOrder = byShape();
    inOrder.forEach(it -> results.add(new LabResults(it.name(), wishes.times())));
    try {
      for (var at = 0; at < inOrder.size() && goesOn(); at++) {
        rounds(inOrder.get(at), results.get(at));
      }
    } finally {
      try {
        table();
      } finally {
        try {
          runner.close();
        } finally {
          cleared.countDown(); // nobody waits for more, whatever could not be removed
        }
      }
    }
    return results.stream().allMatch(LabResults::allGood);
  }

  /// The scenarios that want the same kind of cluster together, else as named.
  private List<Scenario> byShape() {
    var groups = new LinkedHashMap<Shape, List<Scenario>>();
    wishes
        .chosen()
        .forEach(it -> groups.computeIfAbsent(it.shape(), _ -> new ArrayList<>()).add(it));
    return groups.values().stream().flatMap(List::stream).toList();
  }

  private boolean goesOn() {
    return !Thread.currentThread().isInterrupted() && System.nanoTime() < wishes.endNanos();
  }

  /// The thread that runs the scenarios gives up, tells what was done, and removes what it has
  /// made.
  private static void endWhenInterrupted(Thread running, CountDownLatch cleared) {
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  try {
                    running.interrupt();
                    if (!cleared.await(CLEARING_SECONDS, TimeUnit.SECONDS)) {
                      System.err.println("lab: not all could be removed; the next run does it");
                    }
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                }));
  }

  private void rounds(Scenario scenario, LabResults result) throws IOException {
    for (var number = 1; number <= wishes.times() && goesOn() && !result.isHopeless(); number++) {
      if (wishes.fresh()) {
        runner.close();
      }
      round(scenario, number, result);
    }
    if (wishes.times() > 1) {
      System.out.println(result.summary());
    }
  }

  private void round(Scenario scenario, int number, LabResults result) throws IOException {
    var begin = System.nanoTime();
    try {
      var run = runner.once(scenario, number);
      result.add(run.times());
      print(scenario, number, "ok", begin, run.line());
    } catch (IOException | RuntimeException | AssertionError e) {
      if (Thread.currentThread().isInterrupted()) {
        print(scenario, number, "broken off", begin, "");
      } else {
        result.miss("round %d: %s (%s)".formatted(number, e.getMessage(), runner.kept()));
        print(scenario, number, "FAILED", begin, e.toString());
      }
    }
  }

  private void print(Scenario scenario, int number, String verdict, long begin, String rest) {
    var took = (System.nanoTime() - begin) / 1e9;
    System.out.println(
        String.format(
            Locale.ROOT,
            "%-26s %2d/%d %5.1f s  %-6s %s",
            scenario.name(),
            number,
            wishes.times(),
            took,
            verdict,
            rest));
  }

  private void table() {
    System.out.println();
    System.out.println(LabResults.header());
    results.stream().filter(LabResults::isBegun).map(LabResults::row).forEach(System.out::println);
    results.stream()
        .filter(it -> !it.misses().isEmpty())
        .forEach(
            it -> System.out.println(it.summary() + "\n  " + String.join("\n  ", it.misses())));
    var left = results.stream().filter(it -> !it.isBegun()).count();
    if (left > 0) {
      System.out.println("%d scenarios were not come to".formatted(left));
    }
    System.out.flush();
  }
}
