package org.systole.common.real;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.CannotStart;
import org.systole.common.world.Delays;
import org.systole.common.world.SystemBus;
import org.systole.common.world.SystemBus.Call;
import org.systole.common.world.SystemBus.Failed;
import org.systole.common.world.SystemBus.Reply;
import org.systole.common.world.World;

/// A connection to the machine's bus. One thread connects and reads, another writes; a bus that does not answer holds up
/// nobody else.
final class BusLink implements SystemBus.Link {
  private static final Duration PATIENCE = Duration.ofSeconds(5); // for a connection to come about
  private static final int UNSENT_MAX = 4096;

  private record Waiting(Consumer<Reply> done, World.Timer limit) {}

  private final EventLoop loop;
  private final SystemBus.Handler handler;
  private final Map<Long, Waiting> waiting = new TreeMap<>();
  private final BlockingQueue<BusWire.Outgoing> outgoing = new LinkedBlockingQueue<>(UNSENT_MAX);
  private World.@Nullable Timer patience;
  private volatile @Nullable BusWire wire;
  private @Nullable Thread writer;
  private boolean over;

  BusLink(EventLoop loop, SystemBus.Handler handler) {
    this.loop = loop;
    this.handler = handler;
  }

  void connect(Path socket) {
    patience =
        loop.after(
            Delays.nanos(PATIENCE),
            () -> end("%s has not let this daemon in within %d s".formatted(socket, PATIENCE.toSeconds())));
    Thread.ofVirtual().name("bus").start(() -> serve(socket));
  }

  private void serve(Path socket) {
    try (var opened = new BusWire(socket)) {
      wire = opened;
      opened.connect();
      loop.post(this::opened);
      while (true) {
        var incoming = opened.read();
        loop.post(() -> take(incoming));
      }
    } catch (IOException | RuntimeException e) {
      lost(socket + ": " + (e instanceof IOException io ? CannotStart.reason(io) : e));
    } catch (LinkageError e) {
      lost("this copy of Systole has no part for the bus (lib/bus): " + e);
    }
  }

  /// Has the connection end in the loop. Callable from any thread.
  void lost(String why) {
    loop.post(() -> end(why));
  }

  private void opened() {
    var open = wire;
    if (open == null || over) {
      close(); // given up while it came about
      return;
    }
    if (patience != null) {
      patience.cancel();
    }
    writer = Thread.ofVirtual().name("bus-writer").start(() -> write(open));
    handler.opened();
  }

  private void write(BusWire open) {
    try {
      while (true) {
        open.send(outgoing.take());
      }
    } catch (IOException e) {
      lost(CannotStart.reason(e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the connection has ended
    }
  }

  @Override
  public void call(Call call, Duration limit, Consumer<Reply> done) {
    var open = wire;
    var message = over || open == null ? null : open.message(call);
    if (message == null || !outgoing.offer(message)) {
      loop.post(() -> done.accept(new Failed(Failed.DISCONNECTED, "the bus takes nothing")));
      return;
    }
    var serial = message.serial();
    var timer =
        loop.after(
            Delays.nanos(limit),
            () -> answer(serial, new Failed(Failed.NO_REPLY, "no answer to " + call.name())));
    waiting.put(serial, new Waiting(done, timer));
  }

  private void take(BusWire.Incoming incoming) {
    if (over) {
      return;
    }
    switch (incoming) {
      case BusWire.Heard(var signal) -> handler.signal(signal);
      case BusWire.Answered(var serial, var reply) -> answer(serial, reply);
    }
  }

  private void answer(long serial, Reply reply) {
    var who = waiting.remove(serial);
    if (who != null) {
      who.limit.cancel();
      who.done.accept(reply);
    }
  }

  private void end(String why) {
    if (over) {
      return;
    }
    var unanswered = List.copyOf(waiting.values());
    close();
    unanswered.forEach(who -> who.done.accept(new Failed(Failed.DISCONNECTED, why)));
    handler.closed(why);
  }

  @Override
  public void close() {
    over = true;
    if (patience != null) {
      patience.cancel();
    }
    if (writer != null) {
      writer.interrupt();
    }
    waiting.values().forEach(who -> who.limit.cancel());
    waiting.clear();
    var open = wire;
    if (open != null) {
      open.close();
    }
  }
}
