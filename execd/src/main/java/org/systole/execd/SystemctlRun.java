package org.systole.execd;

import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.OcfCode;
import org.systole.common.operation.Task;
import org.systole.common.world.Processes.Exit;
import org.systole.common.world.World;

/// One operation of a unit by way of `systemctl`, where systemd cannot be asked over the bus. It may look at the unit several
/// times while that is between states.
final class SystemctlRun extends DelegatedRun {
  private static final int OUTPUT_MAX = 64 << 10;
  private static final Duration LOOK_AGAIN = Duration.ofSeconds(2);
  private static final String STATE = "ActiveState=";
  private static final Set<String> ACTIVE = withState(SystemdRun.ACTIVE);
  private static final Set<String> BETWEEN = withState(SystemdRun.BETWEEN);

  private final World world;
  private final AgentEnvironment environment;
  private final Operation operation;
  private final String unit;
  private final long beganNanos;
  private final Consumer<Outcome> done;
  private World.@Nullable Timer timer;
  private boolean killed;

  /// @param beganNanos when the operation's time began to run
  SystemctlRun(
      World world,
      AgentEnvironment environment,
      Operation operation,
      String unit,
      long beganNanos,
      Consumer<Outcome> done) {
    this.world = world;
    this.environment = environment;
    this.operation = operation;
    this.unit = unit;
    this.beganNanos = beganNanos;
    this.done = done;
  }

  private static Set<String> withState(Set<String> states) {
    return states.stream().map(STATE::concat).collect(Collectors.toUnmodifiableSet());
  }

  /// @param prepared whether the drop-in is installed or removed already
  void begin(boolean prepared) {
    var dropIn = new DropIn(environment, unit);
    switch (operation.request().task()) {
      case START -> prepare(prepared, dropIn.install());
      case STOP -> prepare(prepared, dropIn.remove());
      case null, default -> look();
    }
  }

  private void prepare(boolean prepared, List<String> command) {
    List<List<String>> steps =
        prepared ? List.of() : List.of(command, List.of("systemctl", "daemon-reload"));
    prepare(steps.iterator());
  }

  private void prepare(Iterator<List<String>> steps) {
    if (!steps.hasNext()) {
      act();
      return;
    }
    var step = steps.next();
    launch(
        step,
        exit -> {
          if (killed || exit instanceof Exit.TimedOut) {
            done.accept(ofCommand(exit));
          } else if (DropIn.logFailure(world, unit, step, exit)) {
            act();
          } else {
            prepare(steps);
          }
        });
  }

  private void act() {
    launch(
        List.of("systemctl", operation.request().operation().text(), "--", unit),
        exit -> done.accept(ofCommand(exit)));
  }

  private void look() {
    launch(
        List.of("systemctl", "show", "--property=LoadState,ActiveState", "--", unit), this::looked);
  }

  private void launch(List<String> command, Consumer<Exit> then) {
    run =
        AgentProgram.start(
            world.processes(),
            List.of(new AgentProgram.Candidate(command, environment.base())),
            left(),
            OUTPUT_MAX,
            then);
  }

  private @Nullable Duration left() {
    return operation.left(world.nanoTime() - beganNanos);
  }

  private void looked(Exit exit) {
    if (!(exit instanceof Exit.Exited exited) || exited.signal() != 0 || exited.status() != 0) {
      done.accept(ofCommand(exit));
      return;
    }
    var state = exited.output().lines().toList();
    // A unit whose file is gone may run on.
    if (state.stream().anyMatch(ACTIVE::contains)) {
      done.accept(new Outcome(OcfCode.OK, ExecStatus.DONE, "", exited.output()));
    } else if (state.stream().anyMatch(BETWEEN::contains)) {
      lookLater();
    } else if (state.contains("LoadState=not-found")) {
      done.accept(SystemdRun.notInstalled(unit));
    } else {
      var active = state.stream().filter(it -> it.startsWith(STATE)).findFirst().orElse(STATE);
      done.accept(SystemdRun.notRunning(active.substring(STATE.length()), exited.output()));
    }
  }

  private void lookLater() {
    var left = left();
    if (left != null && left.compareTo(LOOK_AGAIN) <= 0) {
      done.accept(AgentProgram.timedOut(Duration.ofMillis(operation.request().timeoutMillis())));
      return;
    }
    run = null;
    timer = world.after(LOOK_AGAIN, this::look);
  }

  private Outcome ofCommand(Exit exit) {
    if (exit instanceof Exit.Exited(var status, var signal, var output, var errors, var _)
        && signal == 0) {
      if (status == 5) {
        return operation.is(Task.STOP)
            ? new Outcome(OcfCode.OK, ExecStatus.DONE, "", errors)
            : SystemdRun.notInstalled(unit);
      }
      var code = status == 0 ? OcfCode.OK : OcfCode.UNKNOWN_ERROR;
      var reason = errors.lines().findFirst().orElse("");
      return new Outcome(
          code,
          ExecStatus.DONE,
          code == OcfCode.OK ? "" : reason,
          errors.isEmpty() ? output : errors);
    }
    return OcfRunner.outcome("systemctl", exit);
  }

  @Override
  public void kill() {
    killed = true;
    if (timer != null && run == null) {
      timer.cancel();
      done.accept(Outcome.cancelled());
    } else if (run != null) {
      run.kill();
    }
  }
}
