package org.systole.cts.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// The same figures of the real Pacemaker and Corosync, by the tools that drive them where these
/// are: `realcluster` in `$SYSTOLE_REFERENCE` or in `../shared/tools`. They work in a directory of
/// their own and need the packages pacemaker and corosync, and gcc.
final class ReferenceBench {
  private static final Path WORK = Path.of("/var/tmp/realcluster");
  private static final Path RESULTS = WORK.resolve("results/results.jsonl");
  private static final String QUICK = "{'dc-deadtime':'2s'}";
  private static final long LIMIT_MINUTES = 60;

  private final Report report;

  ReferenceBench(Report report) {
    this.report = report;
  }

  void measure(String name, int runs) throws IOException {
    var call =
        switch (name) {
          case "start" -> "m1(%d,{},'start')".formatted(runs);
          case "failover" ->
              "m2(%d,'plain',{},False,props=%s); m2(%d,'fence',{},True,props=%s)"
                  .formatted(runs, QUICK, runs, QUICK);
          case "monitor" -> "m3(%d)".formatted(runs);
          case "writes" -> "m4b(%d,what='sync')".formatted(runs);
          case "attributes" -> "m4b(%d,what='attrd')".formatted(runs);
          case "bulk" -> "m6(%d)".formatted(Math.min(runs, 3));
          case "footprint" -> "m5()";
          default -> "";
        };
    if (call.isEmpty()) {
      return;
    }
    var why = prepare(call.startsWith("m4b"));
    if (!why.isEmpty()) {
      report.progress("no reference for %s: %s", name, why);
      return;
    }
    report.progress("the reference: %s", call);
    Files.deleteIfExists(RESULTS);
    run(WORK, "python3", "bench.py", call);
    for (var line : Files.readAllLines(RESULTS)) {
      take(new ObjectMapper().readTree(line));
    }
  }

  /// @return what is missing, or nothing
  private static String prepare(boolean connections) throws IOException {
    var named = System.getenv("SYSTOLE_REFERENCE");
    var tools = Path.of(named == null ? "../shared/tools/realcluster" : named).toAbsolutePath();
    if (!Files.exists(tools.resolve("bench.py"))) {
      return "the tools are not in " + tools;
    }
    for (var program : List.of("/usr/sbin/pacemakerd", "/usr/sbin/corosync", "/usr/bin/gcc")) {
      if (!Files.isExecutable(Path.of(program))) {
        return "there is no " + program;
      }
    }
    if (!Files.exists(WORK.resolve("nsinit"))) {
      copy(tools);
      for (var directory : List.of("nodes", "out", "results", "stamps")) {
        Files.createDirectories(WORK.resolve(directory));
      }
      Files.writeString(WORK.resolve("stamps/ra.log"), "");
      run(WORK, "gcc", "-O1", "-o", "nsinit", "nsinit.c");
    }
    return connections && !Files.exists(WORK.resolve("cbench"))
        ? "build its client first: " + WORK.resolve("build_cbench.sh")
        : "";
  }

  private static void copy(Path tools) throws IOException {
    try (var tree = Files.walk(tools)) {
      for (var from : tree.sorted(Comparator.naturalOrder()).toList()) {
        var to = WORK.resolve(tools.relativize(from).toString());
        if (Files.isDirectory(from)) {
          Files.createDirectories(to);
        } else if (!Files.exists(to)) {
          Files.copy(from, to);
          to.toFile().setWritable(true);
          to.toFile().setExecutable(true);
        }
      }
    }
  }

  private static void run(Path directory, String... command) throws IOException {
    var log = directory.resolve("bench.out").toFile();
    var process =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log)
            .start();
    try {
      if (!process.waitFor(LIMIT_MINUTES, TimeUnit.MINUTES) || process.exitValue() != 0) {
        process.destroyForcibly();
        throw new IOException(
            "the reference failed: " + Files.readString(log.toPath(), StandardCharsets.UTF_8));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  private void take(JsonNode it) {
    switch (it.path("m").asText()) {
      case "cold_start/start" -> {
        take(Figure.COLD_DC, it.path("dc"));
        take(Figure.COLD_RESOURCE, it.path("ra_started"));
      }
      case "failover/plain" -> take(Figure.KILLED, it.path("last_ra_done"));
      case "failover/fence" -> take(Figure.KILLED_FENCED, it.path("last_ra_done"));
      case "rsc_recovery" -> take(Figure.MONITOR, it.path("after_detect"));
      case "bulk/rc:Dummy/mon10" -> {
        take(Figure.CREATE, it.path("create_to_all_started"));
        take(Figure.STOP, it.path("stop_all"));
        take(Figure.START, it.path("start_all_no_probe"));
        take(Figure.DELETE, it.path("delete_all"));
      }
      case "mem_cpu/10rsc_mon10s" -> {
        it.path("pss_mib").forEach(value -> take(Figure.MEMORY, value));
        it.path("cpu_pct").forEach(value -> take(Figure.IDLE_CPU, value));
      }
      case "cib_capi/tmpfs" -> takeRate(it);
      default -> {}
    }
  }

  private void takeRate(JsonNode it) {
    if (!it.path("where").asText().equals("dc")) {
      return;
    }
    var one = it.path("par").asInt() == 1;
    switch (it.path("args").asText().split(" ")[0]) {
      case "sync" -> take(one ? Figure.WRITES_1_MEMORY : Figure.WRITES_8_MEMORY, it.path("per_s"));
      case "attrd" -> {
        if (one) {
          take(Figure.ATTRIBUTES, it.path("ack_per_s"));
        }
      }
      default -> {}
    }
  }

  private void take(Figure figure, JsonNode value) {
    if (value.isNumber()) {
      report.referenceSample(figure, value.asDouble());
    }
  }
}
