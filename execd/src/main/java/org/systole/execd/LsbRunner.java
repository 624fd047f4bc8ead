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
    var program = DIRECTORY + operation.request().agent().type();
    var isStatus = operation.is(Task.MONITOR) || operation.is(Task.STATUS);
    var action = isStatus ? Task.STATUS.operation() : operation.request().operation();
    return AgentProgram.start(
        world.processes(),
        List.of(new AgentProgram.Candidate(List.of(program, action.text()), environment.base())),
        operation.timeout(),
        OUTPUT_MAX,
        exit -> done.accept(outcome(program, isStatus, exit)));
  }

  private static Outcome outcome(String program, boolean isStatus, Exit exit) {
    if (exit instanceof Exit.Exited(var status, var signal, var output, var errors, var _)
        && signal == 0) {
      var code = isStatus ? ofStatus(status) : ofAction(status);
      return new Outcome(code, ExecStatus.DONE, "", errors.isEmpty() ? output : errors);
    }
    return OcfRunner.outcome(program, exit);
  }

  /// The exit statuses of init scripts' `status` are numbered differently from all others.
  private static OcfCode ofStatus(int status) {
    return switch (status) {
      case 0 -> OcfCode.OK;
      case 1, 2, 3 -> OcfCode.NOT_RUNNING;
      case 150 -> OcfCode.NOT_INSTALLED;
      case 151 -> OcfCode.INSUFFICIENT_PRIVILEGES;
      default -> OcfCode.UNKNOWN_ERROR;
    };
  }

  private static OcfCode ofAction(int status) {
    return status <= OcfCode.NOT_RUNNING.number() ? OcfCode.ofAgent(status) : OcfCode.UNKNOWN_ERROR;
  }

  @Override
  public void metadata(AgentName agent, Duration timeout, Consumer<ExecMessage.Metadata> done) {
    var xml = ServiceMetadata.of(agent, "init script");
    world.post(() -> done.accept(new ExecMessage.Metadata(xml, ExecStatus.DONE, "")));
  }
}
