package org.systole.tools.pacemakerd;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.systole.common.layout.Layout;
import org.systole.common.real.ClusterAccount;
import org.systole.common.world.Processes.Exit;
import org.systole.common.world.Processes.Program;
import org.systole.common.world.World;

/// Starts the node's daemons in order, starts those again that end, and stops them in reverse.
final class Supervisor {
  private static final List<String> DAEMONS =
      List.of("cibd", "fenced", "execd", "attrd", "schedulerd", "controld");
  private static final Set<String> AS_ROOT = Set.of("fenced", "execd"); // they run agents
  private static final int RESTARTS_MAX = 100;
  private static final int FATAL = 100;
  private static final int PANIC = 101;
  private static final Duration LEAVE = Duration.ofMinutes(20); // resources move away first
  private static final Duration STOP = Duration.ofSeconds(30);
  private static final Duration SHORT_LIFE = Duration.ofSeconds(2);
  private static final Duration REST = Duration.ofMillis(500);

  /// How far the node is, in Pacemaker's words.
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
  private final List<Child> children = new ArrayList<>();
  private State state = State.INIT;
  private int fatal;

  /// @param environment handed on to the daemons
  /// @param whenStopped told once all daemons have ended after [#stop]
  Supervisor(World world, Layout layout, Map<String, String> environment, Runnable whenStopped) {
    this.world = world;
    this.layout = layout;
    this.environment = new LinkedHashMap<>(environment);
    this.whenStopped = whenStopped;
    DAEMONS.forEach(it -> children.add(new Child(it)));
  }

  State state() {
    return state;
  }

  /// What the supervisor itself is to end with.
  int status() {
    return fatal;
  }

  void start() {
    state = State.STARTING;
    children.forEach(this::start);
    state = State.RUNNING;
  }

  private void start(Child child) {
    var home = Path.of(environment.getOrDefault(Layout.HOME, "/usr"));
    var command = new ArrayList<String>();
    if (!AS_ROOT.contains(child.name())) {
      command.addAll(ClusterAccount.prefix(environment));
    }
    command.add(home.resolve("libexec/systole").resolve(child.name()).toString());
    var program =
        new Program(
            command,
            environment,
            "",
            null,
            0);
    world.log().info("Starting " + child.name());
    child.started(world.processes().start(program, exit -> ended(child, exit)), world.nanoTime());
  }

  private void ended(Child child, Exit exit) {
    var lived = child.ended(world.nanoTime());
    var status =
        switch (exit) {
          case Exit.Exited it -> it.status();
          case Exit.TimedOut _ -> 0;
          case Exit.NotStarted(var why) -> {
            world.log().error("Cannot start %s: %s".formatted(child.name(), why));
            yield FATAL;
          }
        };
    if (state == State.STOPPING) {
      world.log().notice("%s has stopped".formatted(child.name()));
      stopNext();
    } else if (status == PANIC) {
      panic(child.name() + " asks for it");
    } else if (status == FATAL) {
      world.log().critical("Shutting the node down: %s cannot go on".formatted(child.name()));
      fatal = FATAL;
      stop();
    } else {
      world.log().error("%s ended by itself (%s); starting it again".formatted(child.name(), exit));
      again(child, lived);
    }
  }

  private void again(Child child, long lived) {
    if ("yes".equals(environment.get("PCMK_fail_fast"))) {
      panic(child.name() + " ended, and PCMK_fail_fast is set");
    } else if (child.countRestart() > RESTARTS_MAX) {
      world
          .log()
          .critical(
              "%s ended more than %d times; it stays down".formatted(child.name(), RESTARTS_MAX));
    } else {
      world.after(
          lived < SHORT_LIFE.toNanos() ? REST : Duration.ZERO,
          () -> {
            if (state == State.RUNNING) {
              start(child);
            }
          });
    }
  }

  /// The node cannot be trusted any more: nothing is stopped in good order. On a machine of its own
  /// it
  /// is rebooted; a node that is one of several on a machine only ends.
  private void panic(String why) {
    world.log().critical("Panic: " + why);
    children.forEach(Child::kill);
    if (layout.rootForChildren() != null) {
      world.exit(PANIC, "panic");
      return;
    }
    var reboot =
        new Program(
            List.of("/usr/sbin/reboot", "--force", "--force"),
            Map.of(),
            "",
            Duration.ofSeconds(30),
            0);
    world.processes().start(reboot, exit -> world.exit(PANIC, "panic; reboot: " + exit));
  }

  /// Stops the daemons, the controller first: it moves the node's resources away before it ends.
  void stop() {
    if (state == State.STOPPING || state == State.STOPPED) {
      return;
    }
    state = State.STOPPING;
    world.log().notice("Shutting down");
    stopNext();
  }

  private void stopNext() {
    for (var child : children.reversed()) {
      if (child.isRunning()) {
        var limit = child.name().equals("controld") ? LEAVE : STOP;
        world.log().info("Stopping " + child.name());
        child.terminate(
            world.after(
                limit,
                () -> {
                  world.log().error("%s does not stop; killing it".formatted(child.name()));
                  child.kill();
                }));
        return;
      }
    }
    state = State.STOPPED;
    whenStopped.run();
  }
}
