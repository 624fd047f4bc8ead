package org.systole.scheduler.corpus;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.systole.scheduler.sim.Simulation;

/// Runs the corpus, or part of it.
///
/// As a program: `CorpusRun [--only REGEX] [--keep DIRECTORY] [--failing KIND]`. With a directory,
/// what came of each case that differs is written there beside what was expected.
final class CorpusRun {
  private final Corpus corpus;
  private final Simulation.Planner planner;
  private final Map<String, Integer> passed = new LinkedHashMap<>();

  /// Failing cases with the kinds that are as expected.
  private final Map<String, java.util.Set<String>> failing = new TreeMap<>();

  private int total;

  CorpusRun(Corpus corpus, Simulation.Planner planner) {
    this.corpus = corpus;
    this.planner = planner;
    CorpusCase.KINDS.forEach(kind -> passed.put(kind, 0));
  }

  void run(Predicate<String> wanted, java.util.Optional<Path> keep) throws IOException {
    for (var name : corpus.names()) {
      if (!wanted.test(name)) {
        continue;
      }
      total++;
      var one = new CorpusCase(corpus, name, planner);
      var good = one.run();
      good.forEach(kind -> passed.merge(kind, 1, Integer::sum));
      if (good.size() < CorpusCase.KINDS.size()) {
        failing.put(name, good);
      }
      if (keep.isPresent()) {
        keep(keep.get(), name, one);
      }
    }
  }

  private void keep(Path directory, String name, CorpusCase one) throws IOException {
    Files.createDirectories(directory);
    for (var kind : CorpusCase.KINDS) {
      Files.writeString(directory.resolve(name + "." + kind), one.results().getOrDefault(kind, ""));
      Files.writeString(
          directory.resolve(name + "." + kind + ".want"), corpus.expected(kind, name));
    }
  }

  int passed(String kind) {
    return passed.getOrDefault(kind, 0);
  }

  Map<String, java.util.Set<String>> failing() {
    return failing;
  }

  /// One line of figures.
  String figures() {
    var text = new StringBuilder();
    passed.forEach(
        (kind, count) ->
            text.append(kind).append(' ').append(count).append('/').append(total).append("  "));
    return text.append("all ").append(total - failing.size()).append('/').append(total).toString();
  }

  /// Runs the corpus and prints figures and failing cases.
  public static void main(String[] args) throws IOException {
    var only = ".";
    Path keep = null;
    var list = "";
    var name = "scheduler";
    for (var at = 0; at + 1 < args.length; at += 2) {
      switch (args[at]) {
        case "--only" -> only = args[at + 1];
        case "--keep" -> keep = Path.of(args[at + 1]);
        case "--failing" -> list = args[at + 1];
        case "--corpus" -> name = args[at + 1];
        default -> throw new IllegalArgumentException(args[at]);
      }
    }
    var corpus = Corpus.find(name);
    if (corpus == null) {
      System.err.println("no corpus found beside this directory");
      return;
    }
    var run = new CorpusRun(corpus, CorpusTest.PLANNER);
    var pattern = Pattern.compile(only);
    run.run(it -> pattern.matcher(it).find(), java.util.Optional.ofNullable(keep));
    for (var entry : run.failing().entrySet()) {
      if (list.isEmpty() || list.equals("any") || !entry.getValue().contains(list)) {
        System.out.println(entry.getKey() + "\tgood: " + String.join(" ", entry.getValue()));
      }
    }
    System.out.println(run.figures());
  }
}
