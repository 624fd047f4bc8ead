package org.systole.execd;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.systole.common.values.ExecStatus;
import org.systole.common.world.Processes.Exit;
import org.systole.common.world.World;
import org.systole.execd.client.AgentName;
import org.systole.execd.client.ExecMessage;
import org.systole.execd.client.ServiceMetadata;

/// Runs init scripts.
final class LsbRunner implements Runner {
  private static final String DIRECTORY = "/etc/init.d/";
  private static final int OUTPUT_MAX = 64 << 10;

  private final World world;
  private final AgentEnvironment environment;

  LsbRunner(World world, AgentEnvironment environment) {
    this.world = world;
    this.environment = environment;
  }

  @Override
  public Run start(Operation operation, Consumer<Outcome> done) {
    var program = DIRECTORY + operation.agent().type();
    var isStatus = operation.name().equals("monitor") || operation.name().equals("status");
    var action = isStatus ? "status" : operation.name();
    return AgentProgram.start(
        world.processes(),
        List.of(new AgentProgram.Candidate(List.of(program, action), environment.base())),
        operation.timeout(),
        OUTPUT_MAX,
        exit -> done.accept(outcome(program, isStatus, exit)));
  }

  private static Outcome outcome(String program, boolean isStatus, Exit exit) {
    if (exit instanceof Exit.Exited(var status, var signal, var output, var errors, var _)
        && signal == 0) {
      var rc = isStatus ? ofStatus(status) : ofAction(status);
      return new Outcome(rc, ExecStatus.DONE, "", errors.isEmpty() ? output : errors);
    }
    return OcfRunner.outcome(program, exit);
  }

  /// The exit statuses of init scripts' `status` are numbered differently from all others.
  private static int ofStatus(int status) {
    return switch (status) {
      case 0 -> Outcome.OK;
      case 1, 2, 3 -> Outcome.NOT_RUNNING;
      case 150 -> Outcome.NOT_INSTALLED;
      case 151 -> Outcome.INSUFFICIENT_PRIVILEGES;
      default -> Outcome.UNKNOWN_ERROR;
    };
  }

  private static int ofAction(int status) {
    return status >= 0 && status <= Outcome.NOT_RUNNING ? status : Outcome.UNKNOWN_ERROR;
  }

  @Override
  public void metadata(AgentName agent, Duration timeout, Consumer<ExecMessage.Metadata> done) {
    var xml = ServiceMetadata.of(agent, "init script");
    world.post(() -> done.accept(new ExecMessage.Metadata(xml, ExecStatus.DONE, "")));
  }
}
