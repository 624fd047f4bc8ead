package org.systole.execd;

import java.time.Duration;
import java.util.function.Consumer;
import org.systole.common.operation.AgentName;
import org.systole.common.operation.ExecStatus;
import org.systole.execd.client.ExecMessage;

/// Runs a service by its init script if it has one, else as a systemd unit.
final class ServiceRunner implements Runner {
  private final LsbRunner scripts;
  private final SystemdRunner units;

  ServiceRunner(LsbRunner scripts, SystemdRunner units) {
    this.scripts = scripts;
    this.units = units;
  }

  @Override
  public Run start(Operation operation, Consumer<Outcome> done) {
    var either = new Either();
    either.run =
        scripts.start(
            operation,
            outcome -> {
              if (outcome.status() == ExecStatus.NOT_INSTALLED) {
                either.run = units.start(operation, done);
              } else {
                done.accept(outcome);
              }
            });
    return either;
  }

  @Override
  public void metadata(AgentName agent, Duration timeout, Consumer<ExecMessage.Metadata> done) {
    scripts.metadata(agent, timeout, done);
  }

  private static final class Either extends DelegatedRun {
    @Override
    public void kill() {
      if (run != null) {
        run.kill();
      }
    }
  }
}
