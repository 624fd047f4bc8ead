package org.systole.controld;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.systole.common.world.ConnectionHandler;
import org.systole.common.world.Load;
import org.systole.common.world.Log;
import org.systole.common.world.Processes;
import org.systole.common.world.SecretStore;
import org.systole.common.world.Server;
import org.systole.common.world.ServerHandler;
import org.systole.common.world.Store;
import org.systole.common.world.SystemBus;
import org.systole.common.world.World;

/// A world with a clock, timers and chance, and nothing else in it: time that is made up, on one thread.
final class HostBenchWorld implements World {
  private static final long START = 1_000_000_000L;

  private record Task(long due, long number, Runnable what) {}

  private static final Log SILENT =
      new Log() {
        @Override
        public void write(Level level, String message) {}

        @Override
        public boolean keeps(Level level) {
          return false;
        }
      };

  private final PriorityQueue<Task> tasks =
      new PriorityQueue<>(Comparator.comparingLong(Task::due).thenComparingLong(Task::number));
  private final RandomGenerator random = new SplittableRandom(1);
  private long now;
  private long number;

  /// Lets time pass.
  void run(long nanos) {
    var until = now + nanos;
    while (!tasks.isEmpty() && tasks.element().due <= until) {
      var task = tasks.remove();
      now = task.due;
      task.what.run();
    }
    now = until;
  }

  @Override
  public Instant now() {
    return Instant.ofEpochSecond(START).plusNanos(now);
  }

  @Override
  public ZoneId zone() {
    return ZoneOffset.UTC;
  }

  @Override
  public long nanoTime() {
    return now;
  }

  @Override
  public long elapsedNanos() {
    return now;
  }

  @Override
  public String boot() {
    return "bench";
  }

  @Override
  public void post(Runnable task) {
    tasks.add(new Task(now, ++number, task));
  }

  @Override
  public Timer after(Duration delay, Runnable task) {
    var timer = new Task(now + delay.toNanos(), ++number, task);
    tasks.add(timer);
    return () -> tasks.remove(timer);
  }

  @Override
  public RandomGenerator random() {
    return random;
  }

  @Override
  public Log log() {
    return SILENT;
  }

  /// There is nobody to connect to.
  @Override
  public void connect(String name, ConnectionHandler handler) {}

  @Override
  public void setDebug(String daemons) {}

  @Override
  public void tellServiceManager(String state) {}

  @Override
  public Server listen(String name, Access access, ServerHandler handler) {
    throw none();
  }

  @Override
  public void groupsOf(String user, Consumer<List<String>> done) {
    throw none();
  }

  @Override
  public Store store() {
    throw none();
  }

  @Override
  public SecretStore secrets() {
    throw none();
  }

  @Override
  public Processes processes() {
    throw none();
  }

  @Override
  public SystemBus systemBus() {
    throw none();
  }

  @Override
  public void giveBackMemory() {
    throw none();
  }

  @Override
  public Load load() {
    throw none();
  }

  @Override
  public void onTerminate(Runnable request) {}

  @Override
  public void exit(int status, String why) {
    throw new IllegalStateException(why);
  }

  private static IllegalStateException none() {
    return new IllegalStateException("there is none here");
  }
}
