package org.systole.controld.operations;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.AgentName;
import org.systole.common.operation.OperationRequest;
import org.systole.common.operation.OperationResult;
import org.systole.common.operation.Task;

/// An operation under way on this node, or recurring.
final class UnderWay {
  final OperationRequest request;

  /// When the resource was locked to this node, seconds since 1970; 0 if it is not.
  final long lockTime;

  /// How a one-off operation is recorded while it runs; null for others.
  final @Nullable OperationResult pending;

  /// Whether another controller had it begun, and told its first result.
  boolean adopted;

  /// Whether the executor has said that it has it.
  boolean accepted;

  /// Whether a live migration may have begun already, over the connection of another member that announced it.
  boolean mayHaveBegun;

  /// How often its resource is being forgotten just now.
  int forgetting;

  /// Why the executor has not taken it, where that counts only if its resource is not forgotten; null otherwise.
  @Nullable String refusal;

  boolean cancelling;
  final List<Runnable> whenCancelled = new ArrayList<>();
  final List<Runnable> whenNotCancelled = new ArrayList<>();

  /// What waits for its end, whatever comes of it.
  final List<Runnable> whenOver = new ArrayList<>();

  /// How often it was begun; answers to an earlier try are ignored.
  int tries = 1;

  UnderWay(OperationRequest request, long lockTime, @Nullable OperationResult pending) {
    this.request = request;
    this.lockTime = lockTime;
    this.pending = pending;
  }

  /// Whether it brings a resource to another node. A connection is not among those: it is no loss to connect once more.
  boolean isLiveMove() {
    return request.is(Task.MIGRATE_TO) && !request.agent().equals(AgentName.REMOTE);
  }

  /// It goes on, as another controller has the node by now.
  void notCancelled() {
    cancelling = false;
    whenCancelled.clear();
    whenNotCancelled.forEach(Runnable::run);
    whenNotCancelled.clear();
  }

  static UnderWay adopted(OperationRequest recurring) {
    var adopted = new UnderWay(recurring, 0, null);
    adopted.adopted = true;
    return adopted;
  }
}
