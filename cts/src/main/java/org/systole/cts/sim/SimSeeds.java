package org.systole.cts.sim;

import com.sun.management.OperatingSystemMXBean;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

/// Runs many seeds, several at a time, each alone in its thread, and sums up.
final class SimSeeds {
  private static final int TRACE_MAX = 16;
  private static final int PROGRESS_EVERY = 100;

  private final PrintStream out;
  private final Map<SimCheck, Integer> failures = new EnumMap<>(SimCheck.class);
  private final List<Long> failed = new ArrayList<>();
  private final Map<String, SimBites.Count> struck = new TreeMap<>();
  private Duration simulated = Duration.ZERO;
  private long events;
  private int done;

  SimSeeds(PrintStream out) {
    this.out = out;
  }

  /// Runs the seeds from the first to the last; returns whether all went well.
  boolean run(long first, long last, int threads) throws InterruptedException {
    var next = new AtomicLong(first);
    var workers = new ArrayList<Thread>();
    for (var at = 0; at < threads; at++) {
      workers.add(Thread.ofPlatform().start(() -> work(next, last)));
    }
    for (var worker : workers) {
      worker.join();
    }
    summary(first, last);
    return failed.isEmpty();
  }

  /// Runs the seeds from the first on until one fails; returns which and why, empty if none fails.
  String find(long first, long last) {
    for (var seed = first; seed <= last; seed++) {
      var run = new SimRun(seed);
      if (run.isLeftOut()) {
        continue;
      }
      run.cluster().trace().keep(TRACE_MAX);
      run.carryOut();
      var failures = run.cluster().failures();
      if (!failures.isEmpty()) {
        return "seed %d: %s".formatted(seed, failures.getFirst());
      }
    }
    return "";
  }

  private void work(AtomicLong next, long last) {
    for (var seed = next.getAndIncrement(); seed <= last; seed = next.getAndIncrement()) {
      var run = new SimRun(seed);
      if (run.isLeftOut()) {
        continue;
      }
      run.cluster().trace().keep(TRACE_MAX); // --seed prints it all
      run.carryOut();
      ended(seed, run);
    }
  }

  private synchronized void ended(long seed, SimRun run) {
    var cluster = run.cluster();
    done++;
    events += cluster.events();
    simulated = simulated.plus(cluster.now());
    run.bites().counts().forEach((kind, count) -> struck.merge(kind, count, SimBites.Count::plus));
    if (!cluster.failures().isEmpty()) {
      failed.add(seed);
      cluster.checksFailed().forEach(it -> failures.merge(it, 1, Integer::sum));
      out.printf("seed %d: FAILED (%s)%n", seed, run);
      cluster.failures().forEach(it -> out.println("  " + it));
    }
    if (done % PROGRESS_EVERY == 0) {
      out.printf("%d seeds done, %d failed, %s%n", done, failed.size(), cost());
    }
  }

  private String cost() {
    var cpu = processCpu();
    var hours = simulated.toMillis() / 3_600_000.0;
    return "%.1f simulated hours, %.0f CPU s, %.1f CPU s per simulated hour"
        .formatted(hours, cpu, cpu / hours);
  }

  private static double processCpu() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system
        ? system.getProcessCpuTime() / 1e9
        : Double.NaN;
  }

  private void summary(long first, long last) {
    struck.forEach((kind, count) -> out.printf("faults that struck: %s: %s%n", kind, count));
    out.printf(
        "seeds %d-%d: %d of %d failed%s, by check %s; %d million events, %s%n",
        first,
        last,
        failed.size(),
        done,
        failed.isEmpty() ? "" : " " + failed.stream().sorted().toList(),
        failures,
        events / 1_000_000,
        cost());
  }
}
