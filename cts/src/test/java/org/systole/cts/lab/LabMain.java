package org.systole.cts.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// `./systole lab`: runs scenarios of the live lab, each as often as wanted.
public final class LabMain {
  private static final int USAGE = 64;

  private final int times;
  private final Path parent;
  private @Nullable Lab lab;
  private boolean interrupted;

  private LabMain(int times, Path parent) {
    this.times = times;
    this.parent = parent;
  }

  static List<Scenario> scenarios() {
    var all = new ArrayList<Scenario>();
    all.addAll(DaemonScenarios.all());
    all.addAll(NodeScenarios.all());
    all.addAll(NetworkScenarios.all());
    all.addAll(ClusterScenarios.all());
    return all;
  }

  public static void main(String[] args) throws IOException {
    System.exit(run(List.of(args)));
  }

  private static int run(List<String> args) throws IOException {
    var byName = new LinkedHashMap<String, Scenario>();
    scenarios().forEach(it -> byName.put(it.name(), it));
    var chosen = new ArrayList<Scenario>();
    var times = 1;
    for (var rest = args.iterator(); rest.hasNext(); ) {
      var word = rest.next();
      if (word.equals("--list")) {
        byName.values().forEach(it -> System.out.printf("%-28s %s%n", it.name(), it.about()));
        return 0;
      } else if (word.equals("--times") && rest.hasNext()) {
        times = number(rest.next());
      } else {
        var matching = byName.keySet().stream().filter(it -> matches(it, word)).toList();
        matching.forEach(it -> chosen.add(byName.get(it)));
        if (matching.isEmpty()) {
          return refuse("there is no scenario '%s'; --list shows them".formatted(word));
        }
      }
    }
    if (times < 1) {
      return refuse("--times needs a number from 1 on");
    }
    var obstacle = obstacle();
    if (!obstacle.isEmpty()) {
      return refuse(obstacle);
    }
    var parent = Path.of(System.getProperty("java.io.tmpdir")).toRealPath();
    return new LabMain(times, parent).runAll(chosen.isEmpty() ? scenarios() : chosen) ? 0 : 1;
  }

  /// A name, or the beginning of several with a `*`.
  private static boolean matches(String name, String word) {
    return word.endsWith("*")
        ? name.startsWith(word.substring(0, word.length() - 1))
        : name.equals(word);
  }

  private static int number(String text) {
    return text.matches("[0-9]{1,4}") ? Integer.parseInt(text) : 0;
  }

  private static int refuse(String why) {
    System.err.println("lab: " + why);
    return USAGE;
  }

  /// Why there can be no lab here, empty if there can.
  static String obstacle() {
    if (!"root".equals(System.getProperty("user.name"))) {
      return "the live lab needs root for namespaces";
    }
    var home = LabHome.distribution();
    if (!Files.exists(home.resolve("sbin/pacemakerd"))) {
      return "the live lab needs the packaged program in " + home + "; 'mvn verify' makes it";
    }
    var obstacle = LabNetwork.obstacle();
    return obstacle.isEmpty() ? "" : "the live lab needs network namespaces: " + obstacle;
  }

  private boolean runAll(List<Scenario> chosen) throws IOException {
    Runtime.getRuntime().addShutdownHook(new Thread(this::clearAway));
    var summary = new ArrayList<String>();
    var good = true;
    try {
      for (var scenario : chosen) {
        var results = new LabResults(scenario.name(), times);
        for (var number = 1; number <= times; number++) {
          results.add(once(scenario, number));
        }
        good &= results.allGood();
        summary.add(results.summary());
      }
    } finally {
      clearAway();
    }
    System.out.println();
    summary.forEach(System.out::println);
    return good;
  }

  /// @return the run, null if it failed
  private @Nullable Run once(Scenario scenario, int number) throws IOException {
    var begin = System.nanoTime();
    try {
      var run = new Run(ready(scenario), number);
      scenario.story().tell(run);
      run.conclude();
      print(scenario, number, "ok", run.line());
      return run;
    } catch (IOException | RuntimeException | AssertionError e) {
      if (interrupted) {
        throw e;
      }
      var why = "after %.1f s: %s".formatted((System.nanoTime() - begin) / 1e9, e);
      print(scenario, number, "FAILED", why + keep(scenario, number, why));
      return null;
    }
  }

  private void print(Scenario scenario, int number, String verdict, String rest) {
    System.out.println(
        String.format(
            Locale.ROOT, "%-28s %2d/%d  %-6s %s", scenario.name(), number, times, verdict, rest));
  }

  /// The cluster of the run before if it will do, else a new one.
  private synchronized Lab ready(Scenario scenario) throws IOException {
    var present = lab;
    if (present != null && (scenario.fresh() || !present.shape().equals(scenario.shape()))) {
      close();
      present = null;
    }
    if (present == null) {
      present = Lab.make(LabHome.distribution(), parent, scenario.shape());
      lab = present;
      if (!scenario.fresh()) {
        Health.begin(present);
      }
    }
    if (!scenario.fresh()) {
      Health.await(present);
    }
    return present;
  }

  /// Keeps all files of the failed run's cluster, and ends it.
  private synchronized String keep(Scenario scenario, int number, String why) throws IOException {
    var present = lab;
    if (present == null) {
      return "";
    }
    present.spoil();
    Files.writeString(
        present.dir().resolve("failure.txt"),
        "%s, run %d: %s%n%n%s".formatted(scenario.name(), number, why, LabLogs.ends(present)));
    close();
    return "";
  }

  private synchronized void close() throws IOException {
    var present = lab;
    lab = null;
    if (present != null) {
      present.close();
    }
  }

  private void clearAway() {
    interrupted = true;
    try {
      close();
    } catch (IOException e) {
      System.err.println("lab: not all could be removed: " + e.getMessage());
    }
  }
}
