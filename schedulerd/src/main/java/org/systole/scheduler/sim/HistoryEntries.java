package org.systole.scheduler.sim;

import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.HistoryEntry;
import org.systole.common.operation.OperationRequest;
import org.systole.common.operation.OperationResult;
import org.systole.common.operation.TransitionKey;
import org.systole.common.values.NodeName;
import org.systole.common.values.Numbers;
import org.systole.common.xml.Element;

/// Puts operation results into the history of a resource, as a controller would.
final class HistoryEntries {
  private static final String ORIGIN = "crm_simulate";

  /// What came of an operation.
  ///
  /// @param knowsParameters whether the request has the parameters of the operation
  /// @param code what the agent returned
  /// @param expected what it should have returned
  /// @param reason what the agent said about it
  /// @param time seconds since the epoch
  record Result(
      OperationRequest request,
      boolean knowsParameters,
      int code,
      int expected,
      String reason,
      NodeName node,
      long time) {}

  private HistoryEntries() {}

  /// The history of a resource with the result in it.
  static Element add(Element history, Result result) {
    var call = 1;
    for (var entry : history.children()) {
      call = Math.max(call, Numbers.parseInt(entry.get("call-id"), 0) + 1);
    }
    var key = TransitionKey.unplanned(call, result.expected()).toString();
    var ended =
        new OperationResult(
            result.request().under(key),
            call,
            result.code(),
            ExecStatus.DONE,
            result.reason(),
            "",
            0,
            0,
            result.time(),
            result.time(),
            false);
    var changed = history;
    for (var entry : HistoryEntry.of(ended, result.node(), null, ORIGIN)) {
      var xml = result.knowsParameters() ? entry.xml() : entry.xml().without("op-digest");
      changed =
          SimulatedCib.change(
              changed, HistoryEntry.ELEMENT, "id", entry.id(), old -> over(old, xml));
    }
    return changed;
  }

  /// What stood there and is not written anew stays.
  private static Element over(Element old, Element xml) {
    var changed = old;
    for (var at = 0; at < xml.attributeCount(); at++) {
      changed = changed.with(xml.attributeName(at), xml.attributeValue(at));
    }
    return changed;
  }
}
