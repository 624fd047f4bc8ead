package org.systole.cts.bench;

import java.lang.management.ManagementFactory;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeName;
import org.systole.hostha.Decider;
import org.systole.hostha.HostRecords;
import org.systole.hostha.Input;
import org.systole.hostha.Order;
import org.systole.hostha.PowerState;
import org.systole.hostha.VolumeRead;
import org.systole.hostha.config.Configuration;
import org.systole.hostha.config.Scope;
import org.systole.hostha.fsm.HostState;

/// Measures what deciding about hosts costs, offline: hosts that are made up, answers that take 100
/// ms of made-up time, real processor time: `./systole bench hosts`.
final class HostsBench {
  private static final List<Integer> SIZES = List.of(500, 1000, 2000, 5000);
  private static final int SUSPECTS = 200;
  private static final int RACK = 50;
  private static final long ANSWER_MS = 100;
  private static final long WARM_MS = 120_000;
  private static final long MEASURED_MS = 600_000;

  private record Coming(long due, long number, Input input) {}

  private final PriorityQueue<Coming> coming =
      new PriorityQueue<>(
          Comparator.comparingLong(Coming::due).thenComparingLong(Coming::number));
  private final Set<NodeName> dead;
  private final Decider decider;
  private long number;
  private long now;
  private long healthChecks;
  private long activityChecks;

  private HostsBench(int hosts, Set<NodeName> dead) {
    this.dead = dead;
    var builder = new Configuration.Builder();
    accept(builder.set("ha.enabled", "true", null));
    accept(builder.set("kvm.ha.accepted.problematic.hosts.ratio", "1", null));
    for (var at = 0; at < hosts; at++) {
      var rack = "r" + at / RACK;
      if (at % RACK == 0) {
        accept(builder.partition(rack, Scope.PARTITION, null));
      }
      accept(builder.host(name(at), rack, List.of("disk")));
    }
    var kept = HostRecords.EMPTY.claimedBy(1);
    decider = new Decider(1, builder.build(), kept, Set.of(), 0, 0);
  }

  public static void main(String[] args) {
    if (args.length > 0) {
      System.err.println("usage: bench hosts");
      System.exit(64);
    }
    for (var round = 0; round < 2; round++) { // the first one is for the compiler
      new HostsBench(SIZES.getFirst(), Set.of()).measure();
    }
    System.out.printf(
        Locale.ROOT,
        "%7s %9s %16s %14s %14s %12s %11s%n",
        "hosts",
        "suspects",
        "health checks/s",
        "activity/s",
        "cpu",
        "us a check",
        "memory");
    for (var size : SIZES) {
      System.out.println(new HostsBench(size, Set.of()).measure());
    }
    for (var size : SIZES) {
      System.out.println(new HostsBench(size, suspects(size)).measure());
    }
  }

  private static NodeName name(int number) {
    return new NodeName(String.format(Locale.ROOT, "host%05d", number));
  }

  /// Spread over all racks, as they are not all of one.
  private static Set<NodeName> suspects(int hosts) {
    var all = new TreeSet<NodeName>();
    for (var at = 0; at < SUSPECTS; at++) {
      all.add(name((int) ((long) at * hosts / SUSPECTS)));
    }
    return all;
  }

  private static void accept(@Nullable String problem) {
    if (problem != null) {
      throw new IllegalStateException(problem);
    }
  }

  private String measure() {
    run(WARM_MS);
    healthChecks = 0;
    activityChecks = 0;
    var before = cpu();
    run(now + MEASURED_MS);
    var spent = cpu() - before;
    var hosts = decider.views().size();
    var suspects = hosts - decider.count(HostState.AVAILABLE);
    var seconds = MEASURED_MS / 1000.0;
    return String.format(
        Locale.ROOT,
        "%7d %9d %16.1f %14.1f %11.2f %% %12.2f %8d MB",
        hosts,
        suspects,
        healthChecks / seconds,
        activityChecks / seconds,
        spent / 1e7 / seconds,
        spent / 1e3 / Math.max(1, healthChecks + activityChecks),
        memory());
  }

  private static long cpu() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }

  private static long memory() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() >> 20;
  }

  private void run(long until) {
    while (true) {
      var answer = coming.isEmpty() ? Long.MAX_VALUE : coming.element().due;
      var next = Math.min(answer, decider.nextDue());
      if (next > until) {
        now = until;
        return;
      }
      now = Math.max(now, next);
      var input = answer <= now ? coming.remove().input : new Input.Tick();
      decider.step(now, input).forEach(this::answer);
    }
  }

  private void answer(Order order) {
    switch (order) {
      case Order.CheckEligibility it -> later(new Input.Eligible(it.id(), true, ""));
      case Order.CheckHealth it -> {
        healthChecks++;
        later(new Input.Health(it.id(), !dead.contains(it.host()), ""));
      }
      case Order.CheckActivity it -> {
        activityChecks++;
        var volumes = new TreeMap<String, VolumeRead>();
        volumes.put("disk", VolumeRead.of(Long.toString(now), 0L)); // it writes, so it is degraded
        later(new Input.Activity(it.id(), volumes, null));
      }
      case Order.ReadPower it -> later(new Input.Power(it.id(), PowerState.ON));
      case Order.Write it -> later(new Input.Written(it.host(), it.revision(), true, ""));
      case Order.Recover _, Order.Fence _ ->
          throw new IllegalStateException("a host that writes is given up");
      case Order.Abandon _, Order.Moved _, Order.Explained _, Order.Tell _ -> {}
    }
  }

  private void later(Input input) {
    coming.add(new Coming(now + ANSWER_MS, ++number, input));
  }
}
