package org.systole.cts.tidy;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/// Words that may not stand in places, and what to write instead.
final class Bans {
  private record Ban(Pattern pattern, Predicate<SourceFile> where, String instead) {}

  /// Where the real world and the commands are: they may look at clocks and start threads.
  private static final List<String> OUTSIDE =
      List.of(
          "/org/systole/common/logging/",
          "/org/systole/common/real/",
          "/common/wire/BlockingClient.java",
          "/cibd/client/Comeback.java", // only commands wait
          "/cibd/client/FileCib.java",
          "/org/systole/execd/client/tls/",
          "/org/systole/pacemakerd/jgroups/",
          "/org/systole/pacemakerd/outside/",
          "/cts/sim/SimMain.java",
          "/cts/sim/SimSeeds.java", // seeds side by side, each with a loop of its own
          "/org/systole/cts/bench/",
          "/org/systole/cts/demo/",
          "/org/systole/cts/farm/",
          "/org/systole/cts/local/",
          "/org/systole/cts/lab/",
          "/org/systole/tools/");

  /// In the modules of the daemons, what only commands and main methods use.
  private static final List<String> NOT_OF_CORES =
      List.of(
          "/cibd/client/Cibs.java",
          "/cibd/client/FileCib.java",
          "/cibd/client/ClusterFile.java",
          "/cibd/client/FileInPlace.java",
          "/execd/client/LocalAgents.java",
          "/org/systole/execd/client/tls/",
          "/execd/RemotedMain.java",
          "/pacemakerd/GuardianMain.java",
          "/pacemakerd/PacemakerdMain.java",
          "/org/systole/pacemakerd/jgroups/",
          "/org/systole/pacemakerd/outside/",
          "/org/systole/common/logging/",
          "/org/systole/common/real/");

  private static final List<String> OF_CORES =
      List.of(
          "common/",
          "cibd/",
          "fenced/",
          "execd/",
          "attrd/",
          "schedulerd/",
          "roles/",
          "controld/",
          "pacemakerd/",
          "hostha/");

  private static final List<Ban> BANS =
      List.of(
          inside("System\\.(nanoTime|currentTimeMillis)\\(", "ask the World for the time"),
          inside("Instant\\.now\\(", "ask the World for the time"),
          inside("Thread\\.sleep\\(", "World.after"),
          inside("new Thread\\(|Thread\\.of|Executors\\.|parallelStream", "one loop, no threads"),
          inside(
              "new Random\\(|Math\\.random\\(|ThreadLocalRandom|UUID\\.randomUUID", "World.random"),
          inside("System\\.exit\\(|\\.halt\\(", "World.exit, or return an exit status"),
          inside("new ProcessBuilder|Runtime\\.getRuntime\\(\\)\\.exec", "World.processes"),
          cores("\\borg\\.systole\\.common\\.real\\b", "a core knows its World, not the real one"),
          cores("\\bZoneId\\.systemDefault\\(", "World.zone"),
          cores("\\bjava\\.nio\\.file\\.Files\\b|\\bFiles\\.\\w", "World.store"),
          everywhere("\\bServiceLoader\\b", "say `new`: what a module needs its pom names"),
          new Ban(
              Pattern.compile("\\.ordinal\\(\\)"),
              it ->
                  isCore(it)
                      // an index of an array in memory
                      && !it.path().endsWith("/common/schema/CibGrammar.java"),
              "give each constant a code: an order is changed without a thought"));

  private static final String UNDONE = "FIX" + "ME";

  private Bans() {}

  /// A core is what runs in both worlds: a daemon without its main method, and what it rests on.
  static boolean isCore(SourceFile file) {
    return OF_CORES.stream().anyMatch(file.path()::startsWith) && !isIn(file, NOT_OF_CORES);
  }

  static List<Problem> check(List<SourceFile> files) {
    var found = new ArrayList<Problem>();
    for (var file : files) {
      BANS.stream().filter(it -> it.where().test(file)).forEach(it -> check(file, it, found));
      if (file.text().contains(UNDONE)) {
        var text = file.path() + ": mend it, or open an issue and name it in a TODO";
        found.add(new Problem("undone", file.type(), 1, text));
      }
    }
    return found;
  }

  private static void check(SourceFile file, Ban ban, List<Problem> into) {
    var lines = file.lines();
    for (var at = 0; at < lines.size(); at++) {
      var match = ban.pattern().matcher(lines.get(at));
      if (match.find()) {
        var what = file.type() + " " + match.group().replaceAll("[\\s()]", "");
        var text = "%s:%d: %s".formatted(file.path(), at + 1, ban.instead());
        into.add(new Problem("use", what, 1, text));
      }
    }
  }

  private static Ban inside(String pattern, String instead) {
    return new Ban(Pattern.compile(pattern), it -> !isIn(it, OUTSIDE), instead);
  }

  private static Ban cores(String pattern, String instead) {
    return new Ban(Pattern.compile(pattern), Bans::isCore, instead);
  }

  private static Ban everywhere(String pattern, String instead) {
    return new Ban(Pattern.compile(pattern), _ -> true, instead);
  }

  private static boolean isIn(SourceFile file, List<String> places) {
    return places.stream().anyMatch(("/" + file.path())::contains);
  }
}
