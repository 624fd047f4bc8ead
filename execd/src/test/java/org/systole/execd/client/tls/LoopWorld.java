package org.systole.execd.client.tls;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.systole.common.world.Log;
import org.systole.common.world.World;

/// As much of a world as connections need: a loop, timers and a log.
final class LoopWorld implements AutoCloseable {
  private final ScheduledExecutorService loop = Executors.newSingleThreadScheduledExecutor();
  private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
  final World world =
      (World)
          Proxy.newProxyInstance(
              World.class.getClassLoader(),
              new Class<?>[] {World.class},
              (_, method, given) ->
                  switch (method.getName()) {
                    case "post" -> post((Runnable) given[0]);
                    case "after" -> after((Duration) given[0], (Runnable) given[1]);
                    case "log" -> (Log) (_, line) -> lines.add(line);
                    default -> throw new UnsupportedOperationException(method.getName());
                  });

  private Object post(Runnable task) {
    try {
      loop.execute(task);
    } catch (RejectedExecutionException e) {
      return ""; // the test is over
    }
    return "";
  }

  private World.Timer after(Duration delay, Runnable task) {
    var due = loop.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
    return () -> due.cancel(false);
  }

  /// What was logged.
  BlockingQueue<String> lines() {
    return lines;
  }

  @Override
  public void close() {
    loop.shutdownNow();
  }
}
