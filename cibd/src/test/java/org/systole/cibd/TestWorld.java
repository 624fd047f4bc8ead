package org.systole.cibd;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.Connection;
import org.systole.common.world.ConnectionHandler;
import org.systole.common.world.Delays;
import org.systole.common.world.Load;
import org.systole.common.world.Log;
import org.systole.common.world.Processes;
import org.systole.common.world.Server;
import org.systole.common.world.ServerHandler;
import org.systole.common.world.Store;
import org.systole.common.world.World;

/// A daemon's world in a test: time passes when it is told to, files are in memory, and who is at
/// the other end of a socket is the test.
final class TestWorld implements World, Store {
  /// One end of a connection whose other end is the daemon.
  static final class End implements Connection {
    final List<byte[]> heard = new ArrayList<>();
    private final boolean privileged;
    boolean closed;

    End(boolean privileged) {
      this.privileged = privileged;
    }

    @Override
    public void send(byte[] frame) {
      heard.add(frame);
    }

    @Override
    public void close() {
      closed = true;
    }

    @Override
    public Credentials peer() {
      return privileged
          ? new Credentials("hacluster", List.of("haclient"), true)
          : new Credentials("somebody", List.of("haclient"), false);
    }
  }

  private record Due(long at, long order, Runnable task) {}

  final List<String> log = new ArrayList<>();
  final Map<String, ServerHandler> servers = new TreeMap<>();
  final Map<String, ConnectionHandler> connecting = new TreeMap<>();
  final Map<String, byte[]> files = new TreeMap<>();
  private final Deque<Runnable> posted = new ArrayDeque<>();
  private final Deque<Runnable> onDisk = new ArrayDeque<>();
  private final PriorityQueue<Due> timers =
      new PriorityQueue<>(Comparator.comparingLong(Due::at).thenComparingLong(Due::order));
  private final Random random = new Random(1);
  private boolean diskWaits;
  private long now;
  private long order;

  /// Lets time pass, and all happen that is to happen meanwhile.
  void pass(Duration duration) {
    var until = now + duration.toNanos();
    settle();
    while (!timers.isEmpty() && timers.peek().at() <= until) {
      var due = timers.remove();
      now = Math.max(now, due.at());
      due.task().run();
      settle();
    }
    now = until;
  }

  /// Lets happen what takes no time.
  void settle() {
    while (!posted.isEmpty() || !diskWaits && !onDisk.isEmpty()) {
      (posted.isEmpty() ? onDisk : posted).remove().run();
    }
  }

  /// Whether what is written waits, until it is said to wait no longer.
  void diskWaits(boolean yes) {
    diskWaits = yes;
    settle();
  }

  @Override
  public Instant now() {
    return Instant.ofEpochSecond(1_700_000_000).plusNanos(now);
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
  public void post(Runnable task) {
    posted.add(task);
  }

  @Override
  public Timer after(Duration delay, Runnable task) {
    var due = new Due(now + Math.max(1, Delays.nanos(delay)), order++, task);
    timers.add(due);
    return () -> timers.remove(due);
  }

  @Override
  public RandomGenerator random() {
    return random;
  }

  @Override
  public Log log() {
    return (level, message) -> log.add(level + ": " + message);
  }

  @Override
  public Server listen(String name, Access access, ServerHandler handler) {
    servers.put(name, handler);
    return () -> servers.remove(name);
  }

  @Override
  public void connect(String name, ConnectionHandler handler) {
    connecting.put(name, handler);
  }

  @Override
  public void groupsOf(String user, Consumer<List<String>> done) {
    post(() -> done.accept(List.of()));
  }

  @Override
  public Store store() {
    return this;
  }

  @Override
  public Processes processes() {
    throw new UnsupportedOperationException();
  }

  @Override
  public Load load() {
    return new Load(0, 4);
  }

  @Override
  public void onTerminate(Runnable request) {}

  @Override
  public void setDebug(String daemons) {}

  @Override
  public void exit(int status, String why) {
    throw new IllegalStateException("exit " + status + ": " + why);
  }

  // --- files

  @Override
  public byte @Nullable [] read(String name) {
    return files.get(name);
  }

  @Override
  public List<String> list() {
    return List.copyOf(files.keySet());
  }

  @Override
  public void change(List<Change> batch, Consumer<@Nullable String> done) {
    onDisk.add(
        () -> {
          batch.forEach(this::carryOut);
          post(() -> done.accept(null));
        });
    post(() -> {});
  }

  private void carryOut(Change change) {
    switch (change) {
      case Change.Write(var name, var content) -> files.put(name, content);
      case Change.Append(var name, var content) -> files.merge(name, content, TestWorld::together);
      case Change.Rename(var from, var to) -> {
        var content = files.remove(from);
        if (content != null) {
          files.put(to, content);
        }
      }
      case Change.Delete(var name) -> files.remove(name);
    }
  }

  private static byte[] together(byte[] one, byte[] other) {
    var both = java.util.Arrays.copyOf(one, one.length + other.length);
    System.arraycopy(other, 0, both, one.length, other.length);
    return both;
  }
}
