package org.systole.controld;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.systole.common.world.ConnectionHandler;
import org.systole.common.world.Load;
import org.systole.common.world.Log;
import org.systole.common.world.Processes;
import org.systole.common.world.Server;
import org.systole.common.world.ServerHandler;
import org.systole.common.world.Store;
import org.systole.common.world.World;

/// A clock turned by hand, and nothing else.
public final class FakeWorld implements World {
  private record Due(long at, long order, Runnable task) {}

  final List<String> log = new ArrayList<>();
  private final Deque<Runnable> posted = new ArrayDeque<>();
  private final PriorityQueue<Due> timers =
      new PriorityQueue<>(
          (a, b) ->
              a.at() != b.at() ? Long.compare(a.at(), b.at()) : Long.compare(a.order(), b.order()));
  private final Random random = new Random(1);
  private long now;
  private long order;

  public void pass(Duration duration) {
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

  public void settle() {
    while (!posted.isEmpty()) {
      posted.remove().run();
    }
  }

  @Override
  public Instant now() {
    return Instant.ofEpochSecond(1_700_000_000).plusNanos(now);
  }

  @Override
  public long nanoTime() {
    return now;
  }

  @Override
  public long elapsedNanos() {
    return nanoTime();
  }

  @Override
  public void post(Runnable task) {
    posted.add(task);
  }

  @Override
  public Timer after(Duration delay, Runnable task) {
    var due = new Due(now + delay.toNanos(), order++, task);
    timers.add(due);
    return () -> timers.remove(due);
  }

  @Override
  public RandomGenerator random() {
    return random;
  }

  @Override
  public void setDebug(String daemons) {
    throw new UnsupportedOperationException("only the supervisor is asked that");
  }

  @Override
  public Log log() {
    return (level, message) -> log.add(level + ": " + message);
  }

  @Override
  public Server listen(String name, Access access, ServerHandler handler) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void connect(String name, ConnectionHandler handler) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Store store() {
    throw new UnsupportedOperationException();
  }

  @Override
  public Processes processes() {
    throw new UnsupportedOperationException();
  }

  @Override
  public ZoneId zone() {
    return ZoneOffset.UTC;
  }

  @Override
  public void groupsOf(String user, Consumer<List<String>> done) {
    post(() -> done.accept(List.of())); // nobody is known here
  }

  @Override
  public Load load() {
    return new Load(0, 4);
  }

  @Override
  public void onTerminate(Runnable request) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void exit(int status, String why) {
    throw new UnsupportedOperationException();
  }
}
