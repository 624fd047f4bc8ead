package org.systole.execd;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.OcfCode;
import org.systole.common.operation.Task;
import org.systole.common.world.Processes.Exit;
import org.systole.common.world.SystemBus.Failed;
import org.systole.common.world.SystemBus.Reply;
import org.systole.common.world.World;

/// One operation of a unit. systemd is asked over the bus, and tells when a job has ended and when the unit has changed; where
/// there is no bus, or it is lost in the middle, `systemctl` does what is left to do.
final class SystemdRun extends DelegatedRun implements SystemdBus.Listener {
  /// In which a unit runs. The last is one that takes new files of its own while it does.
  static final Set<String> ACTIVE = Set.of("active", "reloading", "refreshing");

  static final Set<String> BETWEEN = Set.of("activating", "deactivating");

  /// systemd has no such unit, or none that it can make sense of.
  private static final Set<String> NO_UNIT =
      Set.of(
          SystemdBus.SYSTEMD + ".InvalidName",
          SystemdBus.SYSTEMD + ".LoadFailed",
          SystemdBus.SYSTEMD + ".NoSuchUnit");

  /// Nothing is known of what was asked for: it can be asked for once more.
  private static final Set<String> UNKNOWN =
      Set.of(
          Failed.DISCONNECTED,
          Failed.NO_REPLY,
          "org.freedesktop.DBus.Error.LimitsExceeded",
          "org.freedesktop.DBus.Error.NameHasNoOwner",
          "org.freedesktop.DBus.Error.ServiceUnknown",
          "org.freedesktop.DBus.Error.Timeout",
          "org.freedesktop.DBus.Error.UnknownObject");

  private static final int OUTPUT_MAX = 4096;
  private static final int TRIES = 3; // over the bus
  private static final Duration AGAIN = Duration.ofSeconds(1);
  private static final Duration CALL = Duration.ofSeconds(10); // for an answer, not for a job to be done

  /// A signal may be lost, as where systemd begins anew: what is waited for is looked at now and then.
  private static final Duration LOOK_AFTER = Duration.ofSeconds(10);

  private final World world;
  private final SystemdBus bus;
  private final AgentEnvironment environment;
  private final Operation operation;
  private final String unit;
  private final Consumer<Outcome> done;
  private final long beganNanos;
  private Runner.@Nullable Watch listens;
  private World.@Nullable Timer deadline;
  private World.@Nullable Timer next;
  private final Consumer<@Nullable String> jobEnded = this::jobEnded;
  private @Nullable String job;
  private int tries;
  private boolean prepared;
  private boolean waits; // for the unit's next change
  private boolean heard; // of a change since it was last asked for the state
  private boolean acted; // the unit was started; its state is to settle
  private boolean runs; // when it was last looked at
  private boolean killed;
  private boolean over;

  SystemdRun(
      World world,
      SystemdBus bus,
      AgentEnvironment environment,
      Operation operation,
      String unit,
      Consumer<Outcome> done) {
    this.world = world;
    this.bus = bus;
    this.environment = environment;
    this.operation = operation;
    this.unit = unit;
    this.done = done;
    this.beganNanos = world.nanoTime();
  }

  static Outcome notInstalled(String unit) {
    return Outcome.error(
        OcfCode.NOT_INSTALLED, ExecStatus.NOT_INSTALLED, "systemd unit " + unit + " not found");
  }

  /// @param state what systemd calls the unit's state, which is the reason
  static Outcome notRunning(String state, String output) {
    return new Outcome(OcfCode.NOT_RUNNING, ExecStatus.DONE, state, output);
  }

  void begin() {
    var limit = operation.timeout();
    if (limit != null) {
      deadline = world.after(limit, this::timeIsUp);
    }
    go();
  }

  /// Takes the way that there is at present.
  private void go() {
    bus.use(
        there -> {
          if (over) {
            return;
          }
          if (there && tries++ < TRIES) {
            overBus();
          } else {
            bySystemctl();
          }
        });
  }

  private void again() {
    job = null;
    waits = false;
    cancel(next);
    next = world.after(AGAIN, this::go);
  }

  private void bySystemctl() {
    cancel(deadline); // it keeps to the limit itself
    cancel(next);
    forgetJob();
    waits = false;
    deadline = null;
    var left = new SystemctlRun(world, environment, operation, unit, beganNanos, this::finish);
    run = left;
    left.begin(prepared);
  }

  private void overBus() {
    var dropIn = new DropIn(environment, unit);
    switch (operation.request().task()) {
      case START -> prepare(dropIn.install());
      case STOP -> prepare(dropIn.remove());
      case null, default -> look();
    }
  }

  private void prepare(List<String> command) {
    if (prepared) {
      act();
      return;
    }
    run =
        AgentProgram.start(
            world.processes(),
            List.of(new AgentProgram.Candidate(command, environment.base())),
            left(),
            OUTPUT_MAX,
            exit -> {
              if (over) {
                return;
              }
              if (killed) {
                finish(Outcome.cancelled());
                return;
              }
              if (exit instanceof Exit.TimedOut) {
                finish(OcfRunner.outcome("systemctl", exit));
                return;
              }
              run = null;
              prepared = DropIn.logFailure(world, unit, command, exit);
              if (prepared) {
                act();
              } else {
                bus.reload(this::reloaded);
              }
            });
  }

  private void reloaded(Reply reply) {
    if (over) {
      return;
    }
    if (reply instanceof Failed why) {
      if (UNKNOWN.contains(why.error())) {
        again();
        return;
      }
      DropIn.warn(world, unit, "systemd does not read its files anew: " + why.message());
    }
    prepared = true;
    act();
  }

  private void act() {
    if (acted) {
      look();
      return;
    }
    bus.job(
        operation.is(Task.START) ? "StartUnit" : "StopUnit",
        unit,
        limit(),
        this::refused,
        this::begun,
        jobEnded);
  }

  private void begun(String name) {
    if (!over) {
      job = name;
      lookAfter();
    }
  }

  private void refused(Failed why) {
    if (over) {
      return;
    }
    if (why.error().equals(Failed.NO_REPLY)) {
      bySystemctl();
    } else if (UNKNOWN.contains(why.error())) {
      again();
    } else if (acted) {
      finish(Outcome.done(OcfCode.OK));
    } else if (NO_UNIT.contains(why.error())) {
      finish(operation.is(Task.STOP) ? Outcome.done(OcfCode.OK) : notInstalled(unit));
    } else {
      finish(
          Outcome.error(
              OcfCode.UNKNOWN_ERROR,
              ExecStatus.ERROR,
              why.message().isEmpty() ? why.error() : why.message()));
    }
  }

  private void jobEnded(@Nullable String result) {
    if (over) {
      return;
    }
    job = null;
    var action = operation.request().operation();
    switch (result) {
      case null -> again();
      case "done" -> {
        acted = true;
        if (operation.is(Task.STOP)) {
          finish(Outcome.done(OcfCode.OK));
        } else {
          look();
        }
      }
      case "timeout" ->
          finish(
              Outcome.error(
                  OcfCode.UNKNOWN_ERROR,
                  ExecStatus.TIMEOUT,
                  "systemd %s job for %s timed out".formatted(action, unit)));
      default ->
          finish(
              Outcome.error(
                  OcfCode.UNKNOWN_ERROR,
                  ExecStatus.ERROR,
                  "systemd %s job for %s failed with result '%s'".formatted(action, unit, result)));
    }
  }

  private void look() {
    if (listens == null) {
      listens = bus.listen(unit, this);
    }
    waits = false;
    heard = false;
    bus.state(unit, limit(), this::looked);
  }

  private void looked(SystemdBus.Answer answer) {
    if (over) {
      return;
    }
    switch (answer) {
      case SystemdBus.NoState(var why) -> refused(why);
      case SystemdBus.State it when heard && !ACTIVE.contains(it.active()) ->
          look(); // it is another by now, or was between two of the answers
      case SystemdBus.State it when BETWEEN.contains(it.active()) || it.busy() && ran() -> {
        waits = true;
        lookAfter();
      }
      case SystemdBus.State it -> finish(acted ? Outcome.done(OcfCode.OK) : outcome(it));
    }
  }

  /// Whether the unit ran when it was last looked at: it may have been asked to start anew, and a unit that does is no
  /// failure, though it is inactive for a moment.
  private boolean ran() {
    return operation.recurs() && operation.last != null && operation.last.isSuccess();
  }

  private Outcome outcome(SystemdBus.State it) {
    runs = ACTIVE.contains(it.active());
    if (runs) {
      return Outcome.done(OcfCode.OK); // its file may be gone
    }
    return it.load().equals("not-found") ? notInstalled(unit) : notRunning(it.active(), "");
  }

  /// Looks at what is waited for where nothing is heard for a while.
  private void lookAfter() {
    cancel(next);
    next =
        world.after(
            LOOK_AFTER,
            () -> {
              if (waits) {
                look();
              } else if (job != null) {
                forgetJob();
                act(); // joins the job that is there
              }
            });
  }

  private void forgetJob() {
    if (job != null) {
      bus.forgetJob(job, jobEnded);
      job = null;
    }
  }

  @Override
  public void changed(@Nullable String active) {
    heard = true;
    if (waits && !over && !(active != null && BETWEEN.contains(active))) {
      look();
    }
  }

  @Override
  public void lost() {
    if (waits && !over) {
      again();
    }
  }

  @Override
  public Runner.Watch watch(Runnable ends) {
    if (run != null) {
      return super.watch(ends);
    }
    if (!runs) {
      return () -> {};
    }
    return bus.listen(
        unit,
        new SystemdBus.Listener() {
          @Override
          public void changed(@Nullable String active) {
            if (active != null && !ACTIVE.contains(active)) {
              ends.run();
            }
          }

          @Override
          public void lost() {
            // the state is looked at once the bus is back
          }
        });
  }

  private @Nullable Duration left() {
    return operation.left(world.nanoTime() - beganNanos);
  }

  /// How long a call may take: it leaves time for another way.
  private Duration limit() {
    var left = left();
    var half = left == null ? CALL : left.dividedBy(2);
    return half.compareTo(CALL) < 0 ? half : CALL;
  }

  private void timeIsUp() {
    if (run == null) {
      finish(
          Outcome.error(
              OcfCode.UNKNOWN_ERROR,
              ExecStatus.TIMEOUT,
              "%s action for systemd unit %s did not complete in time"
                  .formatted(operation.request().operation(), unit)));
    }
  }

  private void finish(Outcome outcome) {
    if (over) {
      return;
    }
    over = true;
    cancel(deadline);
    cancel(next);
    forgetJob();
    done.accept(outcome);
    if (listens != null) {
      listens.cancel();
    }
  }

  private static void cancel(World.@Nullable Timer timer) {
    if (timer != null) {
      timer.cancel();
    }
  }

  @Override
  public void kill() {
    killed = true;
    if (run != null) {
      run.kill();
    } else {
      finish(Outcome.cancelled());
    }
  }
}
