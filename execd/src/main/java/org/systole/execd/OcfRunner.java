package org.systole.execd;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.AgentName;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.OcfCode;
import org.systole.common.operation.Task;
import org.systole.common.secrets.Secrets;
import org.systole.common.values.OneLine;
import org.systole.common.values.OperationName;
import org.systole.common.world.Processes.Exit;
import org.systole.common.world.World;
import org.systole.execd.client.ExecMessage;

/// Runs OCF resource agents.
final class OcfRunner implements Runner {
  private static final int OUTPUT_MAX = 64 << 10;
  private static final int METADATA_MAX = 4 << 20;
  private static final int REASON_MAX = 1000; // it is in the CIB, in logs, and on terminals
  private static final String REASON = "ocf-exit-reason:";

  private final World world;
  private final AgentEnvironment environment;

  OcfRunner(World world, AgentEnvironment environment) {
    this.world = world;
    this.environment = environment;
  }

  @Override
  public Run start(Operation operation, Consumer<Outcome> done) {
    return Secrets.isIn(operation.request().parameters())
        ? new SecretRun(world, operation, done, this::run).begin()
        : run(operation, operation.request().parameters(), operation.timeout(), done);
  }

  /// @param parameters what the agent is told; nobody else is told those that are secret
  private Run run(
      Operation operation,
      Map<String, String> parameters,
      @Nullable Duration timeout,
      Consumer<Outcome> done) {
    var request = operation.request();
    var candidates =
        candidates(request.agent(), request.operation(), request.resource().text(), parameters);
    return AgentProgram.start(
        world.processes(),
        candidates,
        timeout,
        OUTPUT_MAX,
        exit -> done.accept(outcome(candidates.getLast().command().getFirst(), exit)));
  }

  @Override
  public void metadata(AgentName agent, Duration timeout, Consumer<ExecMessage.Metadata> done) {
    var candidates = candidates(agent, Task.META_DATA.operation(), agent.type(), Map.of());
    AgentProgram.start(
        world.processes(),
        candidates,
        timeout,
        METADATA_MAX,
        exit -> done.accept(metadata(candidates.getLast().command().getFirst(), exit)));
  }

  private List<AgentProgram.Candidate> candidates(
      AgentName agent, OperationName action, String instance, Map<String, String> parameters) {
    var candidates = new ArrayList<AgentProgram.Candidate>();
    for (var root : environment.ocfRoots()) {
      candidates.add(
          new AgentProgram.Candidate(
              List.of(AgentEnvironment.program(root, agent), action.text()),
              environment.ocf(root, instance, agent, parameters)));
    }
    return candidates;
  }

  static Outcome outcome(String program, Exit exit) {
    return switch (exit) {
      case Exit.Exited(var status, var signal, var output, var errors, var _) when signal == 0 ->
          new Outcome(
              OcfCode.ofAgent(status),
              ExecStatus.DONE,
              exitReason(errors),
              errors.isEmpty() ? output : errors);
      case Exit.Exited exited -> AgentProgram.interrupted(exited.signal());
      case Exit.TimedOut timedOut -> AgentProgram.timedOut(timedOut.after());
      case Exit.NotStarted(var why) -> AgentProgram.notStarted(program, why);
    };
  }

  static ExecMessage.Metadata metadata(String program, Exit exit) {
    var outcome = outcome(program, exit);
    if (outcome.isSuccess() && exit instanceof Exit.Exited exited) {
      return new ExecMessage.Metadata(exited.output(), ExecStatus.DONE, "");
    }
    var why =
        outcome.reason().isEmpty() ? "exit status " + outcome.code().number() : outcome.reason();
    var status = outcome.status() == ExecStatus.DONE ? ExecStatus.ERROR : outcome.status();
    return new ExecMessage.Metadata("", status, why);
  }

  /// The reason that the agent gave, which is the last one it wrote; empty if none.
  static String exitReason(String errors) {
    var at = errors.lastIndexOf(REASON);
    if (at < 0) {
      return "";
    }
    var rest = errors.substring(at + REASON.length());
    var end = rest.indexOf('\n');
    return OneLine.of(end < 0 ? rest : rest.substring(0, end), REASON_MAX);
  }
}
