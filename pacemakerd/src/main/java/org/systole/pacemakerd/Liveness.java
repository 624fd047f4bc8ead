package org.systole.pacemakerd;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.systole.common.wire.Ping;
import org.systole.common.world.Connection;
import org.systole.common.world.ConnectionHandler;
import org.systole.common.world.World;

/// Pings one daemon regularly, and reports it if it has not answered for too long. A daemon that
/// hangs harms its node more than one that has ended.
final class Liveness {
  private static final Duration INTERVAL = Duration.ofSeconds(3);
  private static final Duration FIRST = Duration.ofMillis(500); // until it has answered once

  /// A daemon that has never answered may be starting on a machine that is very busy.
  private static final Duration STARTING = Duration.ofMinutes(3);

  private final World world;
  private final String socket;
  private final Duration patience;
  private final Runnable hangs;
  private @Nullable Connection connection;
  private World.@Nullable Timer timer;
  private boolean connecting;
  private boolean watching;
  private boolean answered;
  private long heardNanos;
  private Duration busy = Duration.ZERO; // as announced in its last answer
  private long dueNanos;
  private @Nullable Runnable onceAlive;

  /// @param patience how long a daemon that has answered once may be silent, beyond what it
  ///     announces
  /// @param hangs called once if it is silent for longer
  Liveness(World world, String socket, Duration patience, Runnable hangs) {
    this.world = world;
    this.socket = socket;
    this.patience = patience;
    this.hangs = hangs;
  }

  /// The daemon was started.
  void begin() {
    end();
    watching = true;
    answered = false;
    busy = Duration.ZERO;
    heardNanos = world.nanoTime();
    dueNanos = heardNanos;
    round();
  }

  /// The daemon has ended.
  void end() {
    watching = false;
    onceAlive = null;
    if (timer != null) {
      timer.cancel();
      timer = null;
    }
    if (connection != null) {
      connection.close();
      connection = null;
    }
  }

  /// Runs `task` as soon as the daemon has answered once; not at all if it ends before.
  void whenAlive(Runnable task) {
    if (answered) {
      task.run();
    } else {
      onceAlive = task;
    }
  }

  private void round() {
    var now = world.nanoTime();
    var late = now - dueNanos;
    if (late > INTERVAL.toNanos()) {
      heardNanos += late; // this process itself was paused
    }
    var limit = answered ? patience.plus(busy) : STARTING;
    if (now - heardNanos > limit.toNanos()) {
      watching = false;
      hangs.run();
      return;
    }
    if (connection != null) {
      connection.send(Ping.request());
    } else if (!connecting) {
      connecting = true;
      world.connect(socket, new Handler());
    }
    dueNanos = now + (answered ? untilAllAreAsked(now) : FIRST.toNanos());
    timer = world.after(Duration.ofNanos(dueNanos - now), this::round);
  }

  /// The time until all daemons are pinged, in one turn of the loop: a wake-up costs more than a
  /// ping.
  private static long untilAllAreAsked(long now) {
    return INTERVAL.toNanos() - Math.floorMod(now, INTERVAL.toNanos());
  }

  private void heard() {
    heardNanos = world.nanoTime();
    answered = true;
    var task = onceAlive;
    onceAlive = null;
    if (task != null) {
      task.run();
    }
  }

  private final class Handler implements ConnectionHandler {
    @Override
    public void opened(Connection opened) {
      connecting = false;
      if (!watching || connection != null) {
        opened.close();
        return;
      }
      connection = opened;
      opened.send(Ping.request());
    }

    @Override
    public void received(Connection from, byte[] frame) {
      if (from != connection || !watching) {
        return;
      }
      var announced = Ping.busy(frame);
      if (announced != null) {
        busy = announced;
        heard();
      } else if (Ping.isAnswer(frame)) {
        busy = Duration.ZERO;
        heard();
      }
    }

    @Override
    public void closed(Connection from, String why) {
      connecting = false;
      if (from == connection) {
        connection = null;
      }
    }
  }
}
