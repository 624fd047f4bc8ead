package org.systole.controld.operations;

import org.systole.common.operation.OperationRequest;
import org.systole.common.operation.OperationResult;
import org.systole.common.world.Affair;
import org.systole.common.world.Log;
import org.systole.common.world.World;

/// What is said in the log of a node's operations.
final class OperationLog {
  private final World world;
  private final OperationRecords.Host host;

  OperationLog(World world, OperationRecords.Host host) {
    this.world = world;
    this.host = host;
  }

  Log of(OperationRequest request) {
    return world.log().about(Affair.ofTransitionKey(request.transitionKey()));
  }

  void result(OperationResult result) {
    var text = "Result of %s on %s: ".formatted(result.request().key(), host.nodeName());
    var log = of(result.request());
    switch (result.status()) {
      case DONE -> log.notice(text + "exit status " + result.rc() + result.reasonInBrackets());
      case CANCELLED -> log.info(text + result.status().text());
      case UNKNOWN, PENDING, TIMEOUT, NOT_SUPPORTED, ERROR, ERROR_HARD, ERROR_FATAL, NOT_INSTALLED,
          NOT_CONNECTED, INVALID, NO_FENCE_DEVICE, NO_SECRETS ->
          log.error(text + result.status().text() + result.reasonInBrackets());
    }
  }
}
