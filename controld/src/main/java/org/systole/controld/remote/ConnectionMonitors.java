package org.systole.controld.remote;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.OcfCode;
import org.systole.common.operation.OperationResult;
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

    void end(OperationResult result);
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

  /// Begins one, in the place of one of its kind.
  ///
  /// @param first done before it looks; a loss that is told by then is this one's first result, and not told twice
  void begin(Asked asked, Runnable first) {
    var before = monitors.remove(asked.request().kind());
    if (before != null) {
      before.quiet();
    }
    var monitor = new Monitor(asked);
    monitors.put(asked.request().kind(), monitor);
    first.run();
    if (monitors.containsValue(monitor)) {
      look(monitor);
    }
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
      var code = well ? OcfCode.OK : OcfCode.UNKNOWN_ERROR;
      var now = new Asked(monitor.asked.request(), call);
      host.end(now.ended(world, code, well ? ExecStatus.DONE : ExecStatus.ERROR, why));
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
    host.end(cancelled(monitor));
    return true;
  }

  private OperationResult cancelled(Monitor monitor) {
    return monitor.asked.ended(world, OcfCode.OK, ExecStatus.CANCELLED, "");
  }

  void cancelAll() {
    List.copyOf(monitors.keySet()).forEach(this::cancel);
  }

  /// Forgets them. One that has told nothing yet says so: the DC waits for its first result.
  void forget() {
    for (var monitor : monitors.values()) {
      monitor.quiet();
      if (monitor.well == null) {
        host.end(cancelled(monitor).asForgotten());
      }
    }
    monitors.clear();
  }
}
