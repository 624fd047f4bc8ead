package org.systole.execd;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.systole.common.operation.AgentName;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.OcfCode;
import org.systole.common.operation.Task;
import org.systole.common.world.Processes.Exit;
import org.systole.common.world.World;
import org.systole.execd.client.ExecMessage;
import org.systole.execd.client.ServiceMetadata;
import org.systole.execd.client.Units;

/// Has systemd units started, stopped and watched.
final class SystemdRunner implements Runner {
  private static final int DESCRIPTION_MAX = 4096;

  private final World world;
  private final AgentEnvironment environment;
  private final SystemdBus bus;

  SystemdRunner(World world, AgentEnvironment environment) {
    this.world = world;
    this.environment = environment;
    this.bus = new SystemdBus(world);
  }

  @Override
  public Run start(Operation operation, Consumer<Outcome> done) {
    var unit = Units.of(operation.request().agent());
    var action = operation.request().operation();
    if (!Units.canBe(unit)) {
      return told(noUnit(operation, unit), done);
    }
    return switch (Task.of(action)) {
      case START, STOP, MONITOR, STATUS -> {
        var run = new SystemdRun(world, bus, environment, operation, unit, done);
        run.begin();
        yield run;
      }
      case null, default ->
          told(
              Outcome.error(
                  OcfCode.UNIMPLEMENTED, ExecStatus.NOT_SUPPORTED, "systemd has no action " + action),
              done);
    };
  }

  /// What cannot be there does not run.
  private static Outcome noUnit(Operation operation, String unit) {
    return operation.is(Task.STOP)
        ? Outcome.done(OcfCode.OK)
        : Outcome.error(
            OcfCode.NOT_INSTALLED,
            ExecStatus.NOT_INSTALLED,
            "'%s' cannot be the name of a systemd unit".formatted(unit));
  }

  private Run told(Outcome outcome, Consumer<Outcome> done) {
    world.post(() -> done.accept(outcome));
    return () -> {};
  }

  @Override
  public void metadata(AgentName agent, Duration timeout, Consumer<ExecMessage.Metadata> done) {
    var unit = Units.of(agent);
    if (!Units.canBe(unit)) {
      world.post(() -> done.accept(told(agent, "")));
      return;
    }
    // By systemctl: this may be asked for a unit that nobody has run here.
    var command =
        new AgentProgram.Candidate(ServiceMetadata.description(unit), environment.base());
    AgentProgram.start(
        world.processes(),
        List.of(command),
        timeout,
        DESCRIPTION_MAX,
        exit ->
            done.accept(
                told(agent, exit instanceof Exit.Exited it && it.status() == 0 ? it.output() : "")));
  }

  private static ExecMessage.Metadata told(AgentName agent, String description) {
    return new ExecMessage.Metadata(ServiceMetadata.ofUnit(agent, description), ExecStatus.DONE, "");
  }
}
