package org.systole.pacemakerd;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.systole.attrd.client.AttrMessage;
import org.systole.cibd.client.CibMessage;
import org.systole.common.layout.Layout;
import org.systole.common.values.Bool;
import org.systole.common.world.ClusterAccount;
import org.systole.common.world.Processes.Exit;
import org.systole.common.world.Processes.Program;
import org.systole.common.world.World;
import org.systole.controld.client.CtlMessage;
import org.systole.execd.client.ExecMessage;
import org.systole.fenced.client.FenceMessage;
import org.systole.schedulerd.client.SchedulerMessage;

/// Starts the node's daemons in order, restarts those that end, and stops them in reverse order.
final class Supervisor {
  private static final String CONTROLLER = "controld";
  private static final List<String> DAEMONS =
      List.of("cibd", "fenced", "execd", "attrd", "schedulerd", CONTROLLER);
  static final Map<String, String> SOCKETS =
      Map.of(
          "cibd",
          CibMessage.SOCKET,
          "fenced",
          FenceMessage.SOCKET,
          "execd",
          ExecMessage.SOCKET,
          "attrd",
          AttrMessage.SOCKET,
          "schedulerd",
          SchedulerMessage.SOCKET,
          CONTROLLER,
          CtlMessage.SOCKET);
  private static final Set<String> AS_ROOT = Set.of("fenced", "execd"); // they run agents
  private static final int RESTARTS_MAX = 100;

  /// A daemon that lived as long as this ended for another reason than before.
  private static final Duration LONG_LIFE = Duration.ofHours(1);

  private static final int FATAL = 100;
  private static final int PANIC = 101;
  private static final Duration LEAVE = Duration.ofMinutes(20); // resources move away first
  private static final Duration STOP = Duration.ofSeconds(30);
  private static final Duration STARTING = Duration.ofSeconds(30);

  /// How long a daemon's loop may be busy with one thing, unless it has announced a longer time.
  private static final Duration SILENCE = Duration.ofSeconds(20);

  /// How long a daemon may be away before the node cannot be trusted with resources. One that hangs
  /// is killed after [#SILENCE] and counts from then.
  private static final Duration AWAY = Duration.ofSeconds(30);

  private static final String START_STATE = "PCMK_node_start_state";
  private static final int LEAVING_TRIES = 3;
  private static final Duration SHORT_LIFE = Duration.ofSeconds(2);
  private static final Duration REST = Duration.ofMillis(500);

  /// The pause between two attempts to start a daemon that could not be started: the node is out of
  /// processes, memory or descriptors, or the program is just being replaced. That passes, and a
  /// node that gave up over it would leave its resources unmanaged.
  private static final Duration NOT_STARTED_REST = Duration.ofSeconds(2);

  private static final int NOT_STARTED_LEAVING_MAX = 60; // attempts while the node stops

  /// The node's state, in Pacemaker's words.
  enum State {
    INIT("init"),
    STARTING("starting_daemons"),
    RUNNING("running"),
    STOPPING("shutting_down"),
    STOPPED("shutdown_complete");

    private final String word;

    State(String word) {
      this.word = word;
    }

    String word() {
      return word;
    }
  }

  private final World world;
  private final Layout layout;
  private final Map<String, String> environment;
  private final Runnable whenStopped;
  private Runnable whenLeft = () -> {};
  private Runnable whenPanicking = () -> {};
  private final List<Child> children = new ArrayList<>();
  private State state = State.INIT;
  private @Nullable Child stopping;
  private int leavingTries;
  private int fatal;
  private boolean panicking;
  private boolean staysDown;
  private String debug = World.DEBUG_AS_CONFIGURED;
  private final Set<String> answering = new TreeSet<>();
  private boolean ready;

  /// @param environment handed on to the daemons
  /// @param whenStopped called once all daemons have ended after [#stop]
  Supervisor(World world, Layout layout, Map<String, String> environment, Runnable whenStopped) {
    this.world = world;
    this.layout = layout;
    this.environment = new LinkedHashMap<>(environment);
    this.whenStopped = whenStopped;
    DAEMONS.forEach(it -> children.add(child(it)));
  }

  private Child child(String name) {
    var child = new Child(name);
    child.watchedBy(
        new Liveness(
            world,
            SOCKETS.getOrDefault(name, name),
            SILENCE,
            () -> {
              world.log().error(name + " does not answer any more; killing it");
              child.kill();
            }));
    return child;
  }

  State state() {
    return state;
  }

  /// @param left called when the controller has ended in good order: nothing runs here any more that
  ///     others must not run
  /// @param panicking called before the node panics
  void tell(Runnable left, Runnable panicking) {
    whenLeft = left;
    whenPanicking = panicking;
  }

  /// Why the node cannot look after resources, null if it can: a daemon has been away too long.
  @Nullable String unfit() {
    var now = world.nanoTime();
    for (var child : children) {
      if (state == State.RUNNING && child.awayNanos(now) > AWAY.toNanos()) {
        return "%s has been away for more than %d s".formatted(child.name(), AWAY.toSeconds());
      }
    }
    return null;
  }

  /// The exit status of the supervisor itself.
  int status() {
    return fatal;
  }

  /// Switches debugging messages of all daemons on or off, also for those that restart later.
  ///
  /// @param daemons as [World#setDebug] has it
  void setDebug(String daemons) {
    debug = daemons.lines().collect(Collectors.joining(","));
    world.setDebug(debug);
    children.forEach(it -> it.tell(World.DEBUG_COMMAND + debug));
  }

  void start() {
    state = State.STARTING;
    children.forEach(this::start);
    state = State.RUNNING;
    children.forEach(child -> child.whenAlive(() -> answers(child)));
    world.after(STARTING, () -> ready("Running; not all daemons answer yet, see the log"));
  }

  private void answers(Child child) {
    answering.add(child.name());
    if (answering.size() == children.size()) {
      ready("Running");
    }
  }

  /// Tells the service manager that the service has started.
  private void ready(String status) {
    if (!ready && state == State.RUNNING) {
      ready = true;
      world.tellServiceManager("READY=1\nSTATUS=" + status);
    }
  }

  private void start(Child child) {
    var home = Path.of(environment.getOrDefault(Layout.HOME, "/usr"));
    var command = List.of(home.resolve("libexec/systole").resolve(child.name()).toString());
    var commands =
        AS_ROOT.contains(child.name())
            ? List.of(command)
            : ClusterAccount.commands(environment, command);
    var given = new LinkedHashMap<>(environment);
    if (child.wasStartedBefore()) {
      given.remove(START_STATE); // the node has started before; only this daemon restarts
    }
    var hears = debug.equals(World.DEBUG_AS_CONFIGURED) ? "" : World.DEBUG_COMMAND + debug + '\n';
    var programs = commands.stream().map(it -> new Program(it, given, hears, null, 0)).toList();
    world.log().info("Starting " + child.name());
    var running = world.processes().startFirst(programs, exit -> ended(child, exit));
    child.started(running, world.nanoTime());
  }

  private void ended(Child child, Exit exit) {
    if (panicking) {
      child.ended(world.nanoTime());
      return;
    }
    if (exit instanceof Exit.NotStarted(var why)) {
      notStarted(child, why);
      return;
    }
    var lived = child.ended(world.nanoTime());
    var status = exit instanceof Exit.Exited it ? it.status() : 0;
    if (state == State.STOPPING && status != PANIC) {
      endedWhileStopping(child, exit, lived);
    } else if (status == PANIC) {
      panic(child.name() + " asks for it");
    } else if (status == FATAL) {
      world.log().critical("Shutting the node down: %s cannot go on".formatted(child.name()));
      fatal = FATAL;
      if (child.name().equals(CONTROLLER)) {
        leavingTries = LEAVING_TRIES; // no controller is left to move resources away
      }
      stop();
    } else {
      world.log().error("%s ended by itself (%s); starting it again".formatted(child.name(), exit.words()));
      again(child, lived);
    }
  }

  private void notStarted(Child child, String why) {
    var attempts = child.notStarted();
    world.log().error("Cannot start %s (attempt %d): %s".formatted(child.name(), attempts, why));
    if (state == State.STOPPING
        && child.name().equals(CONTROLLER)
        && attempts > NOT_STARTED_LEAVING_MAX) {
      world.log().critical("The node stops without moving its resources away");
      leavingTries = LEAVING_TRIES;
      stopNext();
      return;
    }
    child.retryBy(
        world.after(
            NOT_STARTED_REST,
            () -> {
              if (state == State.STOPPING && child == stopping) {
                stopNext(); // the controller, which has not moved the resources away yet
              } else {
                startAgain(child);
              }
            }));
  }

  private void startAgain(Child child) {
    var needed = stopping != null && stopping.name().equals(CONTROLLER);
    if (!child.isRunning() && (state == State.RUNNING || needed)) {
      start(child);
    }
  }

  private void endedWhileStopping(Child child, Exit exit, long lived) {
    var inOrder =
        exit instanceof Exit.Exited(var status, var signal, var _, var _, var _)
            && (status == 0 || status == FATAL)
            && signal == 0;
    var controller = child.name().equals(CONTROLLER);
    if (child != stopping) {
      if (stopping != null && stopping.name().equals(CONTROLLER)) {
        world.log().error("%s ended (%s); the controller needs it".formatted(child.name(), exit.words()));
        again(child, lived);
      } else {
        world.log().notice("%s has ended before its turn".formatted(child.name()));
      }
    } else if (controller && !inOrder && ++leavingTries < LEAVING_TRIES) {
      // it has not moved the node's resources away yet
      world.log().error("%s ended by itself (%s) while leaving".formatted(child.name(), exit.words()));
      stopNext();
    } else {
      world.log().notice("%s has stopped".formatted(child.name()));
      if (controller) {
        leavingTries = LEAVING_TRIES;
        if (inOrder && fatal == 0) {
          whenLeft.run();
        }
      }
      stopNext();
    }
  }

  private void again(Child child, long lived) {
    if (Bool.isTrue(environment.get("PCMK_fail_fast"))) {
      panic(child.name() + " ended, and PCMK_fail_fast is set");
    } else if (child.countRestart(lived > LONG_LIFE.toNanos()) > RESTARTS_MAX) {
      world
          .log()
          .critical(
              "%s ended more than %d times; it stays down".formatted(child.name(), RESTARTS_MAX));
    } else {
      world.after(lived < SHORT_LIFE.toNanos() ? REST : Duration.ZERO, () -> startAgain(child));
    }
  }

  /// The node can no longer be trusted, so nothing is stopped in good order. The machine
  /// goes as `PCMK_panic_action` says; a node that is one of several on a machine only exits.
  private void panic(String why) {
    world.log().critical("Panic: " + why);
    panicking = true;
    whenPanicking.run();
    children.forEach(Child::kill);
    if (layout.rootForChildren() != null) {
      world.exit(PANIC, "panic");
      return;
    }
    run(new ArrayDeque<>(PanicAction.of(environment).programs()), "");
  }

  /// Nothing keeps a machine that is to go up: whatever becomes of one way, the next is tried.
  private void run(Deque<Program> ways, String before) {
    var way = ways.poll();
    if (way == null) {
      world.exit(PANIC, "panic;" + before);
      return;
    }
    var name = Path.of(way.command().getFirst()).getFileName();
    world.processes().start(way, exit -> run(ways, "%s %s: %s".formatted(before, name, exit)));
  }

  /// Stops the node in good order and has it stay down: the cluster has no place for it any more.
  void leaveForGood() {
    staysDown = true;
    stop();
  }

  /// The exit status of the supervisor itself once all has stopped.
  int statusAtTheEnd() {
    return fatal == 0 && staysDown ? FATAL : fatal;
  }

  /// Stops the daemons, the controller first: it moves the node's resources away before it ends.
  void stop() {
    if (state == State.STOPPING || state == State.STOPPED) {
      return;
    }
    state = State.STOPPING;
    world.tellServiceManager("STOPPING=1\nSTATUS=Stopping; the resources move away first");
    world.log().notice("Shutting down");
    stopNext();
  }

  private void stopNext() {
    for (var child : children.reversed()) {
      if (child.name().equals(CONTROLLER) && leavingTries < LEAVING_TRIES) {
        stopController(child);
        return;
      }
      if (child.isRunning()) {
        stop(child, STOP);
        return;
      }
    }
    state = State.STOPPED;
    whenStopped.run();
  }

  /// A controller that has just ended is started first: only a running one can have the node's
  /// resources moved away. One that is starting is not signalled yet, as the signal would kill it.
  private void stopController(Child child) {
    if (!child.isRunning()) {
      start(child);
    }
    stopping = child;
    var told = new boolean[1];
    Runnable tell =
        () -> {
          if (!told[0] && stopping == child && child.isRunning()) {
            told[0] = true;
            stop(child, LEAVE);
          }
        };
    child.whenAlive(tell);
    world.after(STARTING, tell);
  }

  private void stop(Child child, Duration limit) {
    stopping = child;
    world.log().info("Stopping " + child.name());
    child.terminate(
        world.after(
            limit,
            () -> {
              world.log().error("%s does not stop; killing it".formatted(child.name()));
              leavingTries = LEAVING_TRIES;
              child.kill();
            }));
  }
}
