package org.systole.cts.sim;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.systole.common.world.ConnectionHandler;
import org.systole.common.world.Delays;
import org.systole.common.world.Load;
import org.systole.common.world.Log;
import org.systole.common.world.Processes;
import org.systole.common.world.SecretStore;
import org.systole.common.world.Server;
import org.systole.common.world.ServerHandler;
import org.systole.common.world.Store;
import org.systole.common.world.SystemBus;
import org.systole.common.world.World;

/// The world of one simulated process.
final class SimWorld implements World {
  static final Instant BEGINNING = Instant.parse("2026-01-01T00:00:00Z");

  private static final Map<Log.Level, String> SAID_AS = new EnumMap<>(Log.Level.class);

  static {
    for (var level : Log.Level.values()) {
      SAID_AS.put(level, level.name().toLowerCase(Locale.ROOT) + ": ");
    }
  }

  private final SimProcess process;
  private final SimNode node;
  private final SimQueue queue;
  private final RandomGenerator random;
  private final Store store;
  private final Processes processes;

  SimWorld(SimProcess process, RandomGenerator random) {
    this.process = process;
    this.node = process.node();
    this.queue = node.cluster().queue();
    this.random = random;
    this.store = node.disk(process.name()).openedBy(process);
    this.processes = new SimPrograms(process);
  }

  SimProcess process() {
    return process;
  }

  @Override
  public Instant now() {
    return BEGINNING.plusNanos(queue.now()).plus(node.clockSkew());
  }

  @Override
  public long nanoTime() {
    return queue.now() + process.pid() * 1_000_003L;
  }

  @Override
  public long elapsedNanos() {
    return nanoTime();
  }

  @Override
  public void post(Runnable task) {
    queue.after(0, process, task);
  }

  @Override
  public Timer after(Duration delay, Runnable task) {
    return queue.after(Delays.nanos(delay), process, task)::cancel;
  }

  @Override
  public RandomGenerator random() {
    return random;
  }

  @Override
  public Log log() {
    return (level, message) ->
        node.cluster().said(process, SAID_AS.get(level) + message);
  }

  /// All is traced anyway.
  @Override
  public void setDebug(String daemons) {
    log().debug("debugging messages: " + daemons);
  }

  @Override
  public void tellServiceManager(String state) {
    log().debug("the service manager is told " + state);
  }

  @Override
  public Server listen(String name, Access access, ServerHandler handler) {
    return node.sockets().listen(process, name, handler);
  }

  @Override
  public void connect(String name, ConnectionHandler handler) {
    node.sockets().connect(process, name, handler);
  }

  @Override
  public Store store() {
    return store;
  }

  @Override
  public SecretStore secrets() {
    return node.secrets().openedBy(process);
  }

  @Override
  public Processes processes() {
    return processes;
  }

  @Override
  public void onTerminate(Runnable task) {
    process.onTerminate(task);
  }

  @Override
  public String boot() {
    return node.boot();
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
  public SystemBus systemBus() {
    return new SystemBus.None(this);
  }

  @Override
  public void giveBackMemory() {
    // it holds none of its own
  }

  @Override
  public Load load() {
    return new Load(0, 4);
  }

  @Override
  public void exit(int status, String why) {
    log().info("exits with status " + status + ": " + why);
    process.end(status, 0);
  }
}
