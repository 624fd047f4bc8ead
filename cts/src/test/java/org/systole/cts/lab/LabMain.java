package org.systole.cts.lab;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// `./systole lab`: runs scenarios of the live lab, each as often as wanted.
public final class LabMain {
  private static final int USAGE = 64;
  private static final int CLEARING_SECONDS = 60;

  private final LabRunner runner;
  private final int times;

  private LabMain(LabRunner runner, int times) {
    this.runner = runner;
    this.times = times;
  }

  public static void main(String[] args) throws IOException {
    System.exit(run(List.of(args)));
  }

  private static int run(List<String> args) throws IOException {
    var chosen = new ArrayList<Scenario>();
    var times = 1;
    for (var rest = args.iterator(); rest.hasNext(); ) {
      var word = rest.next();
      if (word.equals("--list")) {
        LabRunner.scenarios().forEach(it -> System.out.printf("%-26s %s%n", it.name(), it.about()));
        return 0;
      } else if (word.equals("--times") && rest.hasNext()) {
        times = number(rest.next());
      } else {
        var before = chosen.size();
        LabRunner.scenarios().stream().filter(it -> matches(it, word)).forEach(chosen::add);
        if (chosen.size() == before) {
          return refuse("there is no scenario '%s'; --list shows them".formatted(word));
        }
      }
    }
    if (times < 1) {
      return refuse("--times needs a number from 1 on");
    }
    var distribution = LabHome.distribution();
    var obstacle = LabRunner.obstacle(distribution);
    if (!obstacle.isEmpty()) {
      return refuse(obstacle);
    }
    var main = new LabMain(new LabRunner(distribution), times);
    return main.runAll(chosen.isEmpty() ? LabRunner.scenarios() : chosen) ? 0 : 1;
  }

  /// A name, or several with a `*` for any part.
  private static boolean matches(Scenario scenario, String word) {
    var parts = Stream.of(word.split("\\*", -1)).map(Pattern::quote);
    return scenario.name().matches(parts.collect(Collectors.joining(".*")));
  }

  private static int number(String text) {
    return text.matches("[0-9]{1,4}") ? Integer.parseInt(text) : 0;
  }

  private static int refuse(String why) {
    System.err.println("lab: " + why);
    return USAGE;
  }

  /// @return whether no run failed
  private boolean runAll(List<Scenario> chosen) throws IOException {
    var cleared = new CountDownLatch(1);
    clearAwayWhenInterrupted(Thread.currentThread(), cleared);
    var results = new ArrayList<LabResults>();
    try {
      for (var scenario : chosen) {
        var result = new LabResults(scenario.name(), times);
        results.add(result);
        for (var number = 1; number <= times && !Thread.currentThread().isInterrupted(); number++) {
          result.add(once(scenario, number));
        }
      }
    } finally {
      runner.close();
      cleared.countDown();
    }
    System.out.println();
    results.forEach(it -> System.out.println(it.summary()));
    return results.stream().allMatch(LabResults::allGood);
  }

  /// The thread that runs the scenarios gives up and removes what it has made.
  private static void clearAwayWhenInterrupted(Thread running, CountDownLatch cleared) {
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

  private @Nullable Run once(Scenario scenario, int number) throws IOException {
    var begin = System.nanoTime();
    try {
      var run = runner.once(scenario, number);
      print(scenario, number, "ok", run.line());
      return run;
    } catch (IOException | RuntimeException | AssertionError e) {
      var seconds = (System.nanoTime() - begin) / 1e9;
      print(scenario, number, "FAILED", String.format(Locale.ROOT, "%.1f s: %s", seconds, e));
      return null;
    }
  }

  private void print(Scenario scenario, int number, String verdict, String rest) {
    System.out.println(
        String.format(
            Locale.ROOT, "%-26s %2d/%d  %-6s %s", scenario.name(), number, times, verdict, rest));
  }
}
