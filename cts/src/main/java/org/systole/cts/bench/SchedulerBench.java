package org.systole.cts.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/// Measures the scheduler over generated clusters, beside the reference where it is installed:
/// `./systole bench scheduler`.
final class SchedulerBench {
  private static final Path REFERENCE = Path.of("/usr/sbin/crm_simulate");
  private static final String ONLY = "-x %s -G /dev/null";
  private static final List<String> SIZES =
      List.of(
          "3x10",
          "32x1000",
          "32x1000.warm",
          "64x2000",
          "64x2000.warm",
          "100x5000",
          "100x5000.warm");
  private static final List<String> GROWTH = List.of("16x100", "16x200", "16x400", "16x800");

  /// What is aimed at.
  private record Target(double cpu, double warm, double megabytes) {}

  private static final Map<String, Target> TARGETS =
      Map.of(
          "3x10.cold", new Target(0.25, 0.002, 80),
          "32x1000.cold", new Target(3, 0.3, 600),
          "64x2000.cold", new Target(8, 1.5, 2048),
          "100x5000.cold", new Target(30, 8, 6144),
          "100x5000.warm", new Target(25, 6, 4096));

  /// What came of one input; a figure that was not measured is NaN.
  private record Row(
      String name,
      double cpu,
      double megabytes,
      double warm,
      double theirs,
      double theirMegabytes) {}

  private final Path home;
  private final String java;
  private final int runs;
  private final Duration limit;
  private final boolean withReference;
  private final Map<String, Row> rows = new LinkedHashMap<>();

  private SchedulerBench(Path home, String java, int runs, Duration limit, boolean withReference) {
    this.home = home;
    this.java = java;
    this.runs = runs;
    this.limit = limit;
    this.withReference = withReference && Files.isExecutable(REFERENCE);
  }

  public static void main(String[] args) throws IOException {
    var only = new ArrayList<String>();
    var runs = 3;
    var limit = 60;
    var reference = true;
    for (var at = 0; at < args.length; at++) {
      switch (args[at]) {
        case "--only" -> only.addAll(List.of(value(args, ++at).split(",")));
        case "--runs" -> runs = number(value(args, ++at));
        case "--limit" -> limit = number(value(args, ++at));
        case "--no-reference" -> reference = false;
        default -> refuse("'" + args[at] + "' is not known");
      }
    }
    var home = Path.of(System.getProperty("systole.home", "tools/target/systole")).toAbsolutePath();
    if (!Files.isExecutable(home.resolve("sbin/crm_simulate"))) {
      refuse("there is no built program in " + home + "; run ./systole build");
    }
    var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    var bench = new SchedulerBench(home, java, runs, Duration.ofSeconds(limit), reference);
    try {
      bench.run(only);
    } catch (IllegalArgumentException e) {
      refuse(String.valueOf(e.getMessage()));
    }
  }

  private static String value(String[] args, int at) {
    if (at >= args.length) {
      refuse(args[at - 1] + " needs a value");
    }
    return args[at];
  }

  private static int number(String text) {
    if (!text.matches("[1-9][0-9]{0,3}")) {
      refuse("'" + text + "' is no number from 1 to 9999");
    }
    return Integer.parseInt(text);
  }

  private static void refuse(String why) {
    System.err.println("systole bench scheduler: " + why);
    System.err.println(
        "usage: bench scheduler [--only NODESxPRIMITIVES[.warm],...] [--runs N] [--limit SECONDS]"
            + " [--no-reference]");
    System.exit(64);
  }

  private void run(List<String> only) throws IOException {
    var sizes = new ArrayList<>(only);
    if (only.isEmpty()) {
      sizes.addAll(SIZES);
      sizes.addAll(GROWTH);
    }
    var inputs = sizes.stream().map(GeneratedCib::of).toList();
    var work = Files.createTempDirectory("systole-bench");
    try {
      for (var input : inputs) {
        measure(input, work);
      }
    } finally {
      try (var files = Files.list(work)) {
        for (var file : files.toList()) {
          Files.delete(file);
        }
      }
      Files.delete(work);
    }
    System.out.println();
    System.out.print(table());
    System.out.print(growth());
  }

  private void measure(GeneratedCib input, Path work) throws IOException {
    say(input.name() + ": making the input");
    var file = work.resolve(input.name() + ".xml");
    write(input, file);
    say(input.name() + ": " + Files.size(file) / 1024 + " kB; crm_simulate, " + runs + " runs");
    var command = home.resolve("sbin/crm_simulate");
    var ours = repeat(command + " " + ONLY.formatted(file), limit.multipliedBy(5));
    say(
        "  %s CPU s, %s MB"
            .formatted(number(ours, ChildRun::cpuSeconds), number(ours, ChildRun::peakMegabytes)));
    var warm = warm(file, work.resolve("warm"));
    say("  %s CPU s in process".formatted(number(warm)));
    List<ChildRun> theirs = List.of();
    if (withReference) {
      theirs = repeat(REFERENCE + " " + ONLY.formatted(file), limit);
      say("  reference: %s CPU s".formatted(number(theirs, ChildRun::cpuSeconds)));
    }
    rows.put(
        input.name(),
        new Row(
            input.name(),
            median(ours, ChildRun::cpuSeconds),
            median(ours, ChildRun::peakMegabytes),
            warm,
            median(theirs, ChildRun::cpuSeconds),
            median(theirs, ChildRun::peakMegabytes)));
    Files.delete(file);
  }

  // The shared generator makes the inputs that other measurements were made with.
  private void write(GeneratedCib input, Path file) throws IOException {
    var shared = generator();
    if (shared != null) {
      var line =
          "python3 '%s' --nodes %d --primitives %d --schema 3.9 %s -o '%s'"
              .formatted(
                  shared,
                  input.nodes(),
                  input.primitives(),
                  input.warm() ? "--state warm --fail 1" : "",
                  file);
      if (ChildRun.of(line, Duration.ofMinutes(5)).status() == 0) {
        return;
      }
    }
    input.write(file);
  }

  private @Nullable Path generator() {
    for (@Nullable Path at = home; at != null; at = at.getParent()) {
      var file = at.resolve("shared/tools/gen_cib.py");
      if (Files.exists(file)) {
        return file;
      }
    }
    return null;
  }

  // Once is enough for what takes long, and for what does not come to an end.
  private List<ChildRun> repeat(String line, Duration atMost) {
    var all = new ArrayList<ChildRun>();
    while (all.size() < runs) {
      var run = ChildRun.of(line, atMost);
      all.add(run);
      if (!run.finished() || run.cpuSeconds() > 20) {
        break;
      }
    }
    return all;
  }

  private double warm(Path file, Path result) throws IOException {
    var line =
        "%s -Xmx6g -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp '%s' %s '%s' %d '%s'"
            .formatted(
                java,
                System.getProperty("java.class.path"),
                WarmScheduler.class.getName(),
                file,
                Math.max(runs, 3),
                result);
    var run = ChildRun.of(line, limit.multipliedBy(5));
    if (run.status() != 0 || !Files.exists(result)) {
      return Double.NaN;
    }
    var seconds = Double.parseDouble(Files.readString(result));
    Files.delete(result);
    return seconds;
  }

  private String table() {
    var text = new StringBuilder();
    line(
        text,
        "input",
        "CPU s",
        "target",
        "in process",
        "target",
        "MB",
        "target",
        "reference CPU s",
        "MB",
        "ratio");
    line(text, "---", "---", "---", "---", "---", "---", "---", "---", "---", "---");
    for (var row : rows.values()) {
      var target = TARGETS.get(row.name);
      line(
          text,
          row.name,
          number(row.cpu),
          target == null ? "" : number(target.cpu),
          number(row.warm),
          target == null ? "" : number(target.warm),
          number(row.megabytes),
          target == null ? "" : number(target.megabytes),
          number(row.theirs),
          number(row.theirMegabytes),
          (row.theirs < 0 ? "under " : "") + number(row.cpu / Math.abs(row.theirs)));
    }
    return text.toString();
  }

  private static void line(StringBuilder text, String... cells) {
    text.append(
        "| %-13s | %7s | %7s | %10s | %7s | %7s | %7s | %15s | %9s | %10s |%n"
            .formatted((Object[]) cells));
  }

  // Of two sizes in a row that differ in one dimension: cost grows as size to the power of this.
  private String growth() {
    var text = new StringBuilder();
    Row before = null;
    for (var row : rows.values()) {
      if (before != null && isNext(before, row)) {
        var size = Math.log(product(row) / product(before));
        text.append(
            "growth %s to %s: exponent %s in process, %s whole%n"
                .formatted(
                    before.name,
                    row.name,
                    number(Math.log(row.warm / before.warm) / size),
                    number(Math.log(row.cpu / before.cpu) / size)));
      }
      before = row;
    }
    return text.toString();
  }

  private static boolean isNext(Row before, Row row) {
    var small = GeneratedCib.of(before.name);
    var large = GeneratedCib.of(row.name);
    return small.warm() == large.warm()
        && (small.nodes() == large.nodes()) != (small.primitives() == large.primitives())
        && product(row) > product(before);
  }

  private static double product(Row row) {
    var size = GeneratedCib.of(row.name);
    return (double) size.nodes() * size.primitives();
  }

  // Negative: it did not come to an end in that time.
  private double median(List<ChildRun> all, ToDoubleFunction<ChildRun> figure) {
    if (all.isEmpty()) {
      return Double.NaN;
    }
    var values = all.stream().mapToDouble(figure).sorted().toArray();
    var middle = values[values.length / 2];
    return all.stream().allMatch(ChildRun::finished) ? middle : -middle;
  }

  private String number(List<ChildRun> all, ToDoubleFunction<ChildRun> figure) {
    return number(median(all, figure));
  }

  private static String number(double value) {
    if (Double.isNaN(value)) {
      return "-";
    }
    var size = Math.abs(value);
    var digits = size >= 100 ? 0 : size >= 10 ? 1 : size >= 0.1 ? 2 : 4;
    return (value < 0 ? "over " : "") + String.format(Locale.ROOT, "%." + digits + "f", size);
  }

  private static void say(String text) {
    System.out.println("# " + text);
    System.out.flush();
  }
}
