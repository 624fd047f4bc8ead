package org.systole.pacemakerd;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.ClusterAccount;
import org.systole.common.world.Connection;
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

/// The supervisor's world on virtual time. Programs run until the test or a signal ends them.
final class FakeHost implements World, Processes, Log {
  String debug = "";

  /// What the service manager was told, in order.
  final List<String> told = new ArrayList<>();

  private record Event(long at, long order, Runnable task) {}

  /// A program that was started.
  final class Run implements Running {
    final String name;
    final Program program;

    /// The commands to try: the first that is installed runs.
    final List<List<String>> commands;

    final long at = now;
    final List<String> heard = new ArrayList<>();
    boolean answers;
    boolean obeys = true; // whether it ends when asked to
    int terminated;
    boolean killed;
    private final Consumer<Exit> onExit;
    private @Nullable Pipe pipe;
    private boolean ended;

    Run(List<Program> programs, Consumer<Exit> onExit) {
      this.program = programs.getFirst();
      this.commands = programs.stream().map(Program::command).toList();
      this.onExit = onExit;
      var command = program.command();
      var throughAnother = ClusterAccount.SETPRIV.contains(command.getFirst());
      var path = throughAnother ? command.getLast() : command.getFirst();
      this.name = path.substring(path.lastIndexOf('/') + 1);
    }

    boolean isRunning() {
      return !ended;
    }

    /// Has it end by itself.
    void exit(int status, int signal) {
      end(new Exit.Exited(status, signal, "", "", Duration.ZERO));
    }

    private void end(Exit exit) {
      if (!ended) {
        ended = true;
        if (pipe != null) {
          pipe.close();
        }
        post(() -> onExit.accept(exit));
      }
    }

    /// Has it announce for how long it will not answer.
    void announce(Duration busy) {
      var present = pipe;
      if (present != null) {
        present.says("busy " + busy.toMillis());
      }
    }

    @Override
    public long pid() {
      return 1;
    }

    @Override
    public void tell(String line) {
      heard.add(line);
    }

    @Override
    public void whenGone(Runnable what) {
      throw new UnsupportedOperationException();
    }

    @Override
    public boolean isAlive() {
      return !ended;
    }

    @Override
    public void terminate() {
      terminated++;
      if (obeys) {
        exit(0, 0);
      }
    }

    @Override
    public void kill() {
      killed = true;
      exit(0, 9);
    }
  }

  /// The supervisor's connection to a daemon.
  private final class Pipe implements Connection {
    private final Run daemon;
    private final ConnectionHandler handler;

    Pipe(Run daemon, ConnectionHandler handler) {
      this.daemon = daemon;
      this.handler = handler;
    }

    void says(String text) {
      post(() -> handler.received(this, text.getBytes(StandardCharsets.US_ASCII)));
    }

    @Override
    public void send(byte[] frame) {
      if (daemon.answers && daemon.isRunning()) {
        says("pong");
      }
    }

    @Override
    public void close() {
      post(() -> handler.closed(this, "closed"));
    }

    @Override
    public long unsent() {
      return 0;
    }

    @Override
    public Credentials peer() {
      return new Credentials("root", List.of(), true);
    }
  }

  /// All programs that were started, in order.
  final List<Run> runs = new ArrayList<>();

  final List<String> log = new ArrayList<>();

  /// How often each program's start fails from now on.
  final Map<String, Integer> cannotStart = new LinkedHashMap<>();

  @Nullable Integer exited;
  private final Map<String, String> sockets;
  private final PriorityQueue<Event> events =
      new PriorityQueue<>(Comparator.comparingLong(Event::at).thenComparingLong(Event::order));
  private long now = 1_000_000_000_000L;
  private long order;

  /// @param sockets of each program
  FakeHost(Map<String, String> sockets) {
    this.sockets = sockets;
  }

  void pass(Duration time) {
    var end = now + time.toNanos();
    while (exited == null && !events.isEmpty() && events.peek().at <= end) {
      var event = events.remove();
      now = Math.max(now, event.at);
      event.task.run();
    }
    now = Math.max(now, end);
  }

  /// Lets time pass in which the supervisor gets no processor time.
  void stall(Duration time) {
    now += time.toNanos();
  }

  /// The names of the programs that run, in the order of their starts.
  List<String> running() {
    return runs.stream().filter(Run::isRunning).map(it -> it.name).toList();
  }

  /// The newest process of a program.
  Run newest(String name) {
    return runs.reversed().stream().filter(it -> it.name.equals(name)).findFirst().orElseThrow();
  }

  long starts(String name) {
    return runs.stream().filter(it -> it.name.equals(name)).count();
  }

  @Override
  public Running startFirst(List<Program> programs, Consumer<Exit> onExit) {
    var run = new Run(programs, onExit);
    var failures = cannotStart.getOrDefault(run.name, 0);
    if (failures > 0) {
      cannotStart.put(run.name, failures - 1);
      run.end(new Exit.NotStarted("Resource temporarily unavailable"));
    } else {
      runs.add(run);
    }
    return run;
  }

  @Override
  public void connect(String name, ConnectionHandler handler) {
    post(
        () -> {
          for (var run : runs.reversed()) {
            if (run.isRunning() && name.equals(sockets.get(run.name))) {
              run.pipe = new Pipe(run, handler);
              handler.opened(run.pipe);
              return;
            }
          }
          handler.closed(new Pipe(runs.getFirst(), handler), "nobody listens");
        });
  }

  @Override
  public void post(Runnable task) {
    events.add(new Event(now, ++order, task));
  }

  @Override
  public Timer after(Duration delay, Runnable task) {
    var live = new boolean[] {true};
    events.add(
        new Event(
            now + Math.max(0, delay.toNanos()),
            ++order,
            () -> {
              if (live[0]) {
                task.run();
              }
            }));
    return () -> live[0] = false;
  }

  @Override
  public void exit(int status, String why) {
    if (exited == null) {
      exited = status;
    }
  }

  @Override
  public void write(Level level, String message) {
    log.add(level + " " + message);
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
  public Instant now() {
    return Instant.ofEpochSecond(1_800_000_000L, now);
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
  public SystemBus systemBus() {
    return new SystemBus.None(this);
  }

  @Override
  public void giveBackMemory() {
    throw new UnsupportedOperationException();
  }

  @Override
  public Load load() {
    return new Load(0, 4);
  }

  @Override
  public void tellServiceManager(String state) {
    told.add(state);
  }

  @Override
  public void setDebug(String daemons) {
    debug = daemons;
  }

  @Override
  public Log log() {
    return this;
  }

  @Override
  public Processes processes() {
    return this;
  }

  @Override
  public RandomGenerator random() {
    throw new UnsupportedOperationException();
  }

  @Override
  public Server listen(String name, Access access, ServerHandler handler) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void groupsOf(String user, Consumer<List<String>> done) {
    throw new UnsupportedOperationException();
  }

  @Override
  public SecretStore secrets() {
    throw new UnsupportedOperationException();
  }

  @Override
  public Store store() {
    throw new UnsupportedOperationException();
  }

  @Override
  public void onTerminate(Runnable request) {
    throw new UnsupportedOperationException();
  }
}
