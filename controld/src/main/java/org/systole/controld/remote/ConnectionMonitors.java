package org.systole.controld.remote;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.OcfCode;
import org.systole.common.world.World;

/// The recurring monitors of one connection.
final class ConnectionMonitors {
  /// A recurring monitor.
  private static final class Monitor {
    final Asked asked;
    World.@Nullable Timer timer;
    @Nullable Boolean well; // what was told last; null for nothing

    Monitor(Asked asked) {
      this.asked = asked;
    }

    void quiet() {
      if (timer != null) {
        timer.cancel();
      }
    }
  }

  /// What they need of their connection.
  interface Host {
    /// Asks for a sign of life.
    ///
    /// @param told called once, with what is wrong, or null; not if the connection is lost meanwhile
    void poke(Duration within, Told told);

    void end(Asked asked, OcfCode code, ExecStatus status, String why);
  }

  /// Told what is wrong, or null.
  interface Told {
    void accept(@Nullable String wrong);
  }

  private static final Duration POKE = Duration.ofSeconds(20);

  private final World world;
  private final Host host;
  private final LongSupplier calls;
  private final Map<String, Monitor> monitors = new LinkedHashMap<>();

  /// @param calls numbers for results that change
  ConnectionMonitors(World world, Host host, LongSupplier calls) {
    this.world = world;
    this.host = host;
    this.calls = calls;
  }

  boolean isEmpty() {
    return monitors.isEmpty();
  }

  void begin(Asked asked) {
    var before = monitors.remove(asked.request().kind());
    if (before != null) {
      before.quiet();
    }
    var monitor = new Monitor(asked);
    monitors.put(asked.request().kind(), monitor);
    look(monitor);
  }

  private void look(Monitor monitor) {
    var timeout = monitor.asked.request().timeoutMillis();
    host.poke(
        timeout > 0 ? Duration.ofMillis(timeout) : POKE,
        wrong -> {
          if (monitors.containsValue(monitor)) {
            seen(monitor, wrong == null, wrong == null ? "" : wrong);
          }
        });
  }

  private void seen(Monitor monitor, boolean well, String why) {
    if (monitor.well == null || monitor.well != well) {
      // a number of its own, or a failure within a second of a success could pass for the older
      var call = monitor.well == null ? monitor.asked.call() : calls.getAsLong();
      monitor.well = well;
      host.end(
          new Asked(monitor.asked.request(), call),
          well ? OcfCode.OK : OcfCode.UNKNOWN_ERROR,
          well ? ExecStatus.DONE : ExecStatus.ERROR,
          why);
    }
    monitor.quiet();
    monitor.timer =
        world.after(
            Duration.ofMillis(monitor.asked.request().intervalMillis()), () -> look(monitor));
  }

  /// The connection is lost: all have failed.
  void fail(String why) {
    List.copyOf(monitors.values()).forEach(it -> seen(it, false, why));
  }

  /// Ends one.
  ///
  /// @return whether there was one
  boolean cancel(String kind) {
    var monitor = monitors.remove(kind);
    if (monitor == null) {
      return false;
    }
    monitor.quiet();
    host.end(monitor.asked, OcfCode.OK, ExecStatus.CANCELLED, "");
    return true;
  }

  void cancelAll() {
    List.copyOf(monitors.keySet()).forEach(this::cancel);
  }

  /// Forgets them without a word.
  void forget() {
    monitors.values().forEach(Monitor::quiet);
    monitors.clear();
  }
}
