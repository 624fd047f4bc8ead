package org.systole.controld.operations;

import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.OcfCode;
import org.systole.common.operation.OperationRequest;
import org.systole.common.operation.Task;
import org.systole.common.values.OperationName;
import org.systole.execd.client.ExecMessage;
import org.systole.execd.client.NodeExecutor;

/// Cancels recurring operations. The DC gets an acknowledgement once the record is gone from the
/// CIB. What does not recur may be given up by its executor, which says what came of it as always. And holds back what is not to begin
/// before something else has ended.
final class Cancellations {
  private final NodeExecutor executor;
  private final ActiveOperations active;
  private final OperationRecords records;
  private final LostOperations underWay;

  Cancellations(NodeExecutor executor, ActiveOperations active, OperationRecords records, LostOperations underWay) {
    this.executor = executor;
    this.active = active;
    this.records = records;
    this.underWay = underWay;
  }

  /// @param request names the operation to cancel; a monitor if it names none
  void cancel(OperationRequest request) {
    var named = request.metaValue("operation");
    var operation = named == null ? Task.MONITOR.operation() : OperationName.of(named);
    if (operation == null) { // nothing can run or be recorded under what is no name
      acknowledge(request.once());
      return;
    }
    var wanted = request.as(operation);
    if (!wanted.recurs()) {
      if (active.get(wanted.key()) != null) { // else it has ended, and its record stays
        executor.cancel(wanted.resource(), operation, 0, _ -> {});
      }
      return;
    }
    Runnable finish = () -> records.deleteRecurring(wanted, () -> acknowledge(request.once()));
    var running = active.get(wanted.key());
    if (running == null) {
      finish.run();
      return;
    }
    running.cancelling = true;
    running.whenCancelled.add(finish);
    running.whenNotCancelled.add(() -> underWay.notDone(request.once()));
    ask(running);
  }

  /// Begins an operation. What recurs already, but in another way (a new time limit, other parameters), is ended before: an
  /// executor that is asked for it again, Pacemaker's as well, goes on with what it has. A live migration that an earlier DC's plan has begun
  /// ends first, and another one is not done: it would take the place of the first in the history, and nobody know any more that the
  /// resource is where that has brought it.
  void before(OperationRequest request, Runnable begin) {
    var migration = active.migrationBefore(request);
    if (migration != null) {
      migration.whenOver.add(() -> records.onceWritten(migration.request, () -> records.notDone(request, "it was being migrated already")));
      return;
    }
    var running = request.recurs() ? active.get(request.key()) : null;
    if (running == null || running.request.under(request.transitionKey()).equals(request)) {
      begin.run();
      return;
    }
    running.cancelling = true;
    running.whenCancelled.add(() -> beginAnew(request, begin));
    running.whenNotCancelled.add(() -> underWay.notDone(request));
    ask(running);
  }

  private void beginAnew(OperationRequest request, Runnable begin) {
    if (executor.isConnected()) {
      begin.run();
    } else {
      records.notDone(request, "the executor was lost before it could be begun anew");
    }
  }

  private void acknowledge(OperationRequest request) {
    records.acknowledge(records.made(request, OcfCode.OK, ExecStatus.DONE, ""));
  }

  /// Asks the executor to end an operation; its result says that it has.
  void ask(UnderWay operation) {
    var request = operation.request;
    executor.cancel(
        request.resource(),
        request.operation(),
        request.intervalMillis(),
        answer -> {
          var found = answer instanceof ExecMessage.Cancelled(var there, var _) && there;
          if (answer instanceof ExecMessage.Refused && underWay.isHandedOn()) {
            operation.notCancelled();
          } else if (!found && executor.isConnected()) {
            gone(operation);
          }
        });
  }

  /// The operation does not recur any more.
  void gone(UnderWay operation) {
    underWay.gone(operation);
  }
}
