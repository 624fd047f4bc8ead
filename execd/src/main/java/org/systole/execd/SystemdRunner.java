package org.systole.execd;

import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.AgentName;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.OcfCode;
import org.systole.common.operation.Task;
import org.systole.common.world.Delays;
import org.systole.common.world.Processes.Exit;
import org.systole.common.world.World;
import org.systole.execd.client.ExecMessage;
import org.systole.execd.client.ServiceMetadata;
import org.systole.execd.client.Units;

/// Has systemd units started, stopped and watched, by way of `systemctl`.
final class SystemdRunner implements Runner {
  private static final int OUTPUT_MAX = 64 << 10;
  private static final Duration LOOK_AGAIN = Duration.ofSeconds(2);
  /// Under `/run`, so that a boot removes it: after that the unit is not under the cluster's
  /// control.
  private static final String DROP_INS = "/run/systemd/system/%s.d/50-systole.conf";

  /// In which a unit runs. The last is one that takes new files of its own while it does.
  private static final Set<String> ACTIVE =
      Set.of("ActiveState=active", "ActiveState=reloading", "ActiveState=refreshing");

  private static final Set<String> BETWEEN =
      Set.of("ActiveState=activating", "ActiveState=deactivating");

  private final World world;
  private final AgentEnvironment environment;

  SystemdRunner(World world, AgentEnvironment environment) {
    this.world = world;
    this.environment = environment;
  }

  @Override
  public Run start(Operation operation, Consumer<Outcome> done) {
    var unit = Units.of(operation.request().agent());
    var action = operation.request().operation();
    if (!Units.canBe(unit)) {
      return noUnit(operation, unit, done);
    }
    return switch (Task.of(action)) {
      case START -> new Job(operation, unit, done).takeOver();
      case STOP -> new Job(operation, unit, done).release();
      case MONITOR, STATUS -> new Job(operation, unit, done).look();
      case null, default -> {
        world.post(
            () ->
                done.accept(
                    Outcome.error(
                        OcfCode.UNIMPLEMENTED,
                        ExecStatus.NOT_SUPPORTED,
                        "systemd has no action " + action)));
        yield () -> {};
      }
    };
  }

  /// What cannot be there does not run.
  private Run noUnit(Operation operation, String unit, Consumer<Outcome> done) {
    var outcome =
        operation.is(Task.STOP)
            ? new Outcome(OcfCode.OK, ExecStatus.DONE, "", "")
            : Outcome.error(
                OcfCode.NOT_INSTALLED,
                ExecStatus.NOT_INSTALLED,
                "'%s' cannot be the name of a systemd unit".formatted(unit));
    world.post(() -> done.accept(outcome));
    return () -> {};
  }

  @Override
  public void metadata(AgentName agent, Duration timeout, Consumer<ExecMessage.Metadata> done) {
    var xml = ServiceMetadata.of(agent, "systemd unit file");
    world.post(() -> done.accept(new ExecMessage.Metadata(xml, ExecStatus.DONE, "")));
  }

  /// One operation, which may query a unit several times while it is between states.
  private final class Job extends DelegatedRun {
    private final Operation operation;
    private final String unit;
    private final Consumer<Outcome> done;
    private final long beganNanos = world.nanoTime();
    private World.@Nullable Timer timer;
    private boolean killed;

    Job(Operation operation, String unit, Consumer<Outcome> done) {
      this.operation = operation;
      this.unit = unit;
      this.done = done;
    }

    /// Installs a drop-in before a start: with it systemd stops the unit only after the cluster,
    /// and does not restart it by itself.
    Job takeOver() {
      var file = Units.isService(unit) ? "unit-service.conf" : "unit-other.conf";
      var from = environment.share().resolve("systole").resolve(file).toString();
      prepare(List.of("install", "-D", "-m", "644", "--", from, dropIn()));
      return this;
    }

    /// Removes the drop-in before a stop: with it systemd stops the unit only once the cluster is
    /// down, while the cluster waits for the unit.
    Job release() {
      prepare(List.of("rm", "-f", "--", dropIn()));
      return this;
    }

    private String dropIn() {
      return DROP_INS.formatted(unit);
    }

    private void prepare(List<String> command) {
      prepare(List.of(command, List.of("systemctl", "daemon-reload")).iterator());
    }

    /// Problems here are only logged: a unit that systemd would stop at the wrong time is better
    /// than one that is not started.
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
            } else if (logFailure(step, exit)) {
              act();
            } else {
              prepare(steps);
            }
          });
    }

    private boolean logFailure(List<String> command, Exit exit) {
      if (exit instanceof Exit.Exited it && it.status() == 0 && it.signal() == 0) {
        return false;
      }
      world
          .log()
          .warning(
              "Cannot change systemd's ordering of %s: %s: %s"
                  .formatted(unit, String.join(" ", command), exit));
      return true;
    }

    private void act() {
      launch(
          List.of("systemctl", operation.request().operation().text(), "--", unit),
          exit -> done.accept(ofCommand(exit)));
    }

    Job look() {
      launch(
          List.of("systemctl", "show", "--property=LoadState,ActiveState", "--", unit),
          this::looked);
      return this;
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
      var limit = operation.timeout();
      return limit == null ? null : Delays.left(limit, world.nanoTime() - beganNanos);
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
        done.accept(notInstalled());
      } else {
        done.accept(new Outcome(OcfCode.NOT_RUNNING, ExecStatus.DONE, "", exited.output()));
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

    private Outcome notInstalled() {
      return Outcome.error(
          OcfCode.NOT_INSTALLED, ExecStatus.NOT_INSTALLED, "systemd unit " + unit + " not found");
    }

    private Outcome ofCommand(Exit exit) {
      if (exit instanceof Exit.Exited(var status, var signal, var output, var errors, var _)
          && signal == 0) {
        if (status == 5) {
          return operation.is(Task.STOP)
              ? new Outcome(OcfCode.OK, ExecStatus.DONE, "", errors)
              : notInstalled();
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
}
