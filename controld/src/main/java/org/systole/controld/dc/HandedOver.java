package org.systole.controld.dc;

import org.jspecify.annotations.Nullable;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibXPath;
import org.systole.common.operation.AgentName;
import org.systole.common.operation.HistoryEntry;
import org.systole.common.operation.TaskName;
import org.systole.common.xml.Element;

/// Connections that a member handed over before it left in good order.
///
/// A connection ends with the controller that has it, so the history of a member that has left says
/// nothing of where it is now. A plan would read it otherwise: a `migrate_to` there stands for a
/// connection on the member it went to, unless something later is known of that one. Times are in
/// seconds, and here a connection can move twice while three members leave within one second: which
/// was later cannot be told from two DCs' entries of the same second.
final class HandedOver {
  private HandedOver() {}

  /// What takes these entries out of a node's history; null if it has none or was lost.
  ///
  /// @param written the node's entry as it is about to be written
  /// @param known the entry that the CIB has of it
  static @Nullable CibOp forget(Element written, @Nullable Element known) {
    if (known == null) {
      return null;
    }
    var expected = written.get("expected", known.get("expected", ""));
    var left = "0".equals(written.get("crmd")) && expected.equals("down");
    var lrm = left ? known.first("lrm") : null;
    if (lrm == null || lrm.find(HandedOver::isOne) == null) {
      return null;
    }
    var remote = AgentName.REMOTE;
    return CibOp.deleteAllXPath(
        "//node_state[@id=%s]//lrm_resource[@class=%s and @provider=%s and @type=%s]/%s[@operation=%s]"
            .formatted(
                CibXPath.literal(written.get("id", "")),
                CibXPath.literal(remote.standard()),
                CibXPath.literal(remote.provider()),
                CibXPath.literal(remote.type()),
                HistoryEntry.ELEMENT,
                CibXPath.literal(TaskName.MIGRATE_TO)));
  }

  private static boolean isOne(Element history) {
    return history.is("lrm_resource")
        && AgentName.of(history).isRemoteConnection()
        && history.children(HistoryEntry.ELEMENT).stream()
            .anyMatch(it -> TaskName.MIGRATE_TO.equals(it.get("operation")));
  }
}
