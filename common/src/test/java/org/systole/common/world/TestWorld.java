package org.systole.common.world;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.systole.common.wire.ClientProtocol;

/// The world of one daemon under test: time passes when the test says so, the daemons it talks to
/// and the clients it has are played by the test, and so are the programs it starts.
///
///     var world = new TestWorld();
///     var link = world.peer("link", LinkMessage.PROTOCOL);      // a daemon it connects to
///     new Core(world).start();
///     var client = world.client("fence", FenceMessage.PROTOCOL, TestWorld.ROOT);
///     client.ask(new FenceMessage.Subscribe());
///     world.pass(Duration.ofSeconds(5));
///
/// Nothing happens but within [#pass] and [#settle].
public final class TestWorld implements World {
  public static final Connection.Credentials ROOT =
      new Connection.Credentials("root", List.of("root"), true);
  public static final Connection.Credentials MEMBER =
      new Connection.Credentials("alice", List.of("haclient"), false);

  private boolean debugs;
  private long unsent;
  private record Due(long at, long order, Runnable task) {}

  private final List<String> lines = new ArrayList<>();
  private final Deque<Runnable> posted = new ArrayDeque<>();
  private final PriorityQueue<Due> timers =
      new PriorityQueue<>(
          (a, b) ->
              a.at() != b.at() ? Long.compare(a.at(), b.at()) : Long.compare(a.order(), b.order()));
  private final Random random = new Random(1);
  private final Map<String, ServerHandler> servers = new LinkedHashMap<>();
  private final Map<String, TestPeer<?, ?, ?>> peers = new LinkedHashMap<>();
  private final Map<String, List<String>> groups = new LinkedHashMap<>();
  private Duration groupsTake = Duration.ZERO;
  private int lookups;
  private int lookupsMost;
  private final TestPrograms programs = new TestPrograms(this);
  private final TestDisk disk = new TestDisk(this);
  private final TestSecrets secrets = new TestSecrets(this);
  private SystemBus systemBus = new SystemBus.None(this);
  private Load load = new Load(0, 4);
  private int memoryGivenBack;
  private @Nullable Runnable terminate;
  private @Nullable Integer exitStatus;
  private long now;
  private long order;

  // For the test

  /// Lets time pass, with all that falls due in it.
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

  /// What is being done at this moment takes so long.
  public void passes(Duration duration) {
    now += duration.toNanos();
  }

  /// The daemon gets no processor time for so long: what falls due meanwhile is done late.
  public void stall(Duration duration) {
    now += duration.toNanos();
  }

  /// Does all that is to be done at this moment.
  public void settle() {
    do {
      while (!posted.isEmpty()) {
        posted.remove().run();
      }
    } while (disk.work());
  }

  /// Plays a daemon of the node that the one under test connects to.
  public <Q, R, E> TestPeer<Q, R, E> peer(String socket, ClientProtocol<Q, R, E> protocol) {
    var peer = new TestPeer<>(this, protocol);
    peers.put(socket, peer);
    return peer;
  }

  /// Connects to the daemon under test.
  public <Q, R, E> TestClient<Q, R, E> client(
      String socket, ClientProtocol<Q, R, E> protocol, Connection.Credentials who) {
    var server = servers.get(socket);
    if (server == null) {
      throw new IllegalStateException("nobody serves " + socket);
    }
    var client = new TestClient<>(this, protocol);
    var pipe = new TestPipe(this, who, client);
    var handler = server.accept(pipe);
    pipe.to(handler);
    client.to(handler, pipe);
    handler.opened(pipe);
    settle();
    return client;
  }

  /// The daemon's files.
  public TestDisk disk() {
    return disk;
  }

  /// The node's secrets.
  @Override
  public TestSecrets secrets() {
    return secrets;
  }

  /// The programs that were started.
  public TestPrograms programs() {
    return programs;
  }

  public void user(String name, List<String> itsGroups) {
    groups.put(name, itsGroups);
  }

  /// The machine's bus from now on; it has none before.
  public void systemBus(SystemBus bus) {
    systemBus = bus;
  }

  /// How busy the machine is from now on.
  public void load(Load busy) {
    load = busy;
  }

  /// As SIGTERM does.
  public void terminate() {
    if (terminate != null) {
      post(terminate);
    }
    settle();
  }

  /// The status the daemon has ended with, null while it runs.
  public @Nullable Integer exitStatus() {
    return exitStatus;
  }

  /// What was logged, each line after its level.
  public List<String> lines() {
    return List.copyOf(lines);
  }

  public boolean logged(String part) {
    return lines.stream().anyMatch(line -> line.contains(part));
  }

  // For the daemon

  @Override
  public Instant now() {
    return Instant.ofEpochSecond(1_700_000_000).plusNanos(now);
  }

  @Override
  public String boot() {
    return "boot-1";
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
  public void tellServiceManager(String state) {
    lines.add("service manager: " + state);
  }

  @Override
  public void setDebug(String daemons) {
    lines.add("debug " + daemons);
  }

  @Override
  public Log log() {
    return new Log() {
      @Override
      public void write(Level level, String message) {
        lines.add(level + ": " + message);
      }

      @Override
      public boolean keeps(Level level) {
        return level != Level.DEBUG || debugs;
      }
    };
  }

  /// Has messages kept that are for debugging.
  public void keepDebugging() {
    debugs = true;
  }

  @Override
  public Server listen(String name, Access access, ServerHandler handler) {
    servers.put(name, handler);
    return () -> servers.remove(name);
  }

  @Override
  public void groupsOf(String user, Consumer<List<String>> done) {
    lookups++;
    lookupsMost = Math.max(lookups, lookupsMost);
    Runnable answer =
        () -> {
          lookups--;
          done.accept(groups.getOrDefault(user, List.of()));
        };
    if (groupsTake.isZero()) {
      post(answer);
    } else {
      after(groupsTake, answer);
    }
  }

  /// How long the user database takes from now on.
  public void groupsTake(Duration duration) {
    groupsTake = duration;
  }

  /// How many users were looked up at the same time.
  public int lookupsMost() {
    return lookupsMost;
  }

  @Override
  public void connect(String name, ConnectionHandler handler) {
    var peer = peers.get(name);
    post(
        () -> {
          if (peer == null) {
            handler.closed(new TestPipe(this, ROOT, handler), "nobody serves " + name);
          } else {
            peer.accept(handler);
          }
        });
  }

  @Override
  public Store store() {
    return disk;
  }

  @Override
  public Processes processes() {
    return programs;
  }

  @Override
  public SystemBus systemBus() {
    return systemBus;
  }

  @Override
  public Load load() {
    return load;
  }

  @Override
  public void giveBackMemory() {
    memoryGivenBack++;
  }

  public int memoryGivenBack() {
    return memoryGivenBack;
  }

  @Override
  public void onTerminate(Runnable request) {
    terminate = request;
  }

  @Override
  public void exit(int status, String why) {
    if (exitStatus == null) {
      exitStatus = status;
    }
    lines.add("EXIT: " + why);
    posted.clear();
    timers.clear();
  }

  /// Has every connection say from now on that its other end has not taken so many bytes.
  public void unsent(long bytes) {
    unsent = bytes;
  }

  long unsent() {
    return unsent;
  }
}
