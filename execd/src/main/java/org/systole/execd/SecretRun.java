package org.systole.execd;

import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.OcfCode;
import org.systole.common.operation.Task;
import org.systole.common.secrets.Secrets;
import org.systole.common.world.World;

/// A run whose agent is told parameters that are kept out of the CIB: they are read first. Neither
/// the operation nor its result ever has them.
final class SecretRun extends DelegatedRun {
  /// As long as nothing else limits it.
  private static final Duration READING = Duration.ofSeconds(20);

  private static final int KILL = 9;

  /// Runs the agent with the parameters it is told.
  @FunctionalInterface
  interface Agent {
    Runner.Run start(
        Operation operation,
        Map<String, String> parameters,
        @Nullable Duration timeout,
        Consumer<Outcome> done);
  }

  private final World world;
  private final Operation operation;
  private final Consumer<Outcome> done;
  private final Agent agent;
  private final long beganNanos;
  private boolean killed;

  SecretRun(World world, Operation operation, Consumer<Outcome> done, Agent agent) {
    this.world = world;
    this.operation = operation;
    this.done = done;
    this.agent = agent;
    this.beganNanos = world.nanoTime();
  }

  SecretRun begin() {
    var request = operation.request();
    var limit = operation.timeout();
    new Secrets(world)
        .fill(
            request.resource().text(),
            request.parameters(),
            limit == null ? READING : limit,
            this::read);
    return this;
  }

  private void read(Secrets.Filled filled) {
    if (killed) {
      return;
    }
    var resource = operation.request().resource();
    if (!filled.isWhole() && !operation.is(Task.STOP)) {
      done.accept(
          Outcome.error(
              OcfCode.NOT_CONFIGURED, ExecStatus.DONE, "Unable to load CIB secrets"));
      return;
    }
    if (!filled.isWhole()) {
      world
          .log()
          .warning(
              "Proceeding with stop of %s though its secret parameters cannot be had"
                  .formatted(resource));
    }
    run = agent.start(operation, filled.parameters(), left(), done);
  }

  private @Nullable Duration left() {
    return operation.left(world.nanoTime() - beganNanos);
  }

  @Override
  public void kill() {
    if (run != null) {
      run.kill();
    } else if (!killed) {
      killed = true;
      world.post(() -> done.accept(AgentProgram.interrupted(KILL)));
    }
  }
}
