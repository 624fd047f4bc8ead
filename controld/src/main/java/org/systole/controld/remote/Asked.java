package org.systole.controld.remote;

import java.time.Duration;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.OcfCode;
import org.systole.common.operation.OperationRequest;
import org.systole.common.operation.OperationResult;
import org.systole.common.operation.Task;
import org.systole.common.world.World;

/// An operation of a connection that was asked for.
///
/// @param call its number
record Asked(OperationRequest request, long call) {
  private static final Duration TIMEOUT_DEFAULT = Duration.ofSeconds(60);

  boolean is(Task task) {
    return request.is(task);
  }

  /// Until when it is to be over if it begins now, on the monotonic clock.
  long deadline(World world) {
    var timeout = request.timeoutMillis();
    return world.nanoTime()
        + (timeout > 0 ? Duration.ofMillis(timeout) : TIMEOUT_DEFAULT).toNanos();
  }

  /// What came of it just now.
  OperationResult ended(World world, OcfCode code, ExecStatus status, String why) {
    return OperationResult.made(request, code, status, why, world.now().getEpochSecond()).withCallId(call);
  }

  /// @param otherwise how it ended if it did not end well
  OperationResult ended(World world, boolean well, ExecStatus otherwise, String why) {
    var code = well ? OcfCode.OK : OcfCode.UNKNOWN_ERROR;
    return ended(world, code, well ? ExecStatus.DONE : otherwise, well ? "" : why);
  }

  /// It was not done, as nobody wants it any more. Of a start that is no error: it is not there, as was asked for.
  OperationResult givenUp(World world, String why) {
    return is(Task.START)
        ? ended(world, OcfCode.NOT_RUNNING, ExecStatus.DONE, why)
        : ended(world, false, why);
  }

  OperationResult ended(World world, boolean well, String why) {
    return ended(world, well, ExecStatus.ERROR, why);
  }
}
