package org.systole.execd;

import java.time.Duration;
import java.util.function.Consumer;
import org.systole.common.operation.AgentName;
import org.systole.execd.client.ExecMessage;

/// Carries out the operations of one standard of agents.
interface Runner {
  /// A look-out, until it is cancelled.
  @FunctionalInterface
  interface Watch {
    void cancel();
  }

  /// One run under way.
  @FunctionalInterface
  interface Run {
    /// Kills it; its outcome is still reported.
    void kill();

    /// The id of the process that still runs after its outcome was reported, because it could not
    /// be killed; 0 if there is none.
    default long leftBehind() {
      return 0;
    }

    /// Calls back once that process has ended too.
    default void whenGone(Runnable what) {
      what.run();
    }

    /// After a run that has found the resource running: calls back, in the loop, each time when it may have ceased to, where
    /// there is somebody who tells. Most agents have to be asked.
    default Watch watch(Runnable ends) {
      return () -> {};
    }
  }

  /// Carries out an operation once.
  ///
  /// @param done called once, never from within this call
  Run start(Operation operation, Consumer<Outcome> done);

  /// Asks an agent for its metadata.
  ///
  /// @param done called once, never from within this call
  void metadata(AgentName agent, Duration timeout, Consumer<ExecMessage.Metadata> done);
}
