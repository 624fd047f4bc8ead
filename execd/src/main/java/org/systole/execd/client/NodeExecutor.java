package org.systole.execd.client;

import java.util.function.Consumer;
import org.systole.common.operation.OperationRequest;
import org.systole.common.values.OperationName;
import org.systole.common.values.ResourceId;

/// What has operations done on a node. Lives on the owner's loop; answers come later, never from
/// within a call.
public interface NodeExecutor {
  boolean isConnected();

  /// Has an operation done; of a recurring one only changes are reported.
  ///
  /// @param done told once: [ExecMessage.Accepted], or [ExecMessage.Refused] also if the executor
  ///     cannot be reached
  void execute(OperationRequest operation, Consumer<ExecMessage.Reply> done);

  /// Ends a recurring operation; its result says that it has.
  ///
  /// @param done told once: [ExecMessage.Cancelled], or [ExecMessage.Refused]
  void cancel(
      ResourceId resource,
      OperationName operation,
      long intervalMillis,
      Consumer<ExecMessage.Reply> done);

  /// Has the executor forget a resource and end its operations.
  ///
  /// @param done told once: [ExecMessage.Ok], or [ExecMessage.Refused]
  void forget(ResourceId resource, Consumer<ExecMessage.Reply> done);
}
