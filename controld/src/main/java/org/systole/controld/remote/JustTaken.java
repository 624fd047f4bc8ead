package org.systole.controld.remote;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.cib.CibOp;
import org.systole.common.operation.AgentName;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.HistoryEntry;
import org.systole.common.operation.OcfCode;
import org.systole.common.operation.Task;
import org.systole.common.operation.TransitionKey;
import org.systole.common.values.CibNodeId;
import org.systole.common.values.NodeName;
import org.systole.common.values.ResourceId;
import org.systole.common.xml.Element;
import org.systole.controld.operations.HistoryXml;

/// Connections to remote nodes that a member had just taken over when it was lost: the CIB names it, and does not have the result of
/// that. Taken for a move that came to nothing it would have the nodes fenced, which are well: nobody is connected to them, as to all
/// whose member is lost, and the connections can be made from elsewhere.
public final class JustTaken {
  private JustTaken() {}

  /// What makes the CIB say that the member had taken them over.
  ///
  /// @param member its entry in the status section
  public static List<CibOp> recorded(@Nullable Element cib, @Nullable Element member) {
    var resources = member == null ? null : member.path("lrm", "lrm_resources");
    var id = member == null ? null : CibNodeId.of(member.get("id"));
    var name = member == null ? null : NodeName.of(member.get("uname"));
    var changes = new ArrayList<CibOp>();
    if (resources == null || id == null || name == null) {
      return changes;
    }
    for (var resource : resources.children("lrm_resource")) {
      var node = AgentName.of(resource).isRemoteConnection() ? NodeName.of(resource.id()) : null;
      var ended = node != null && name.equals(RemoteRecords.connection(cib, node)) ? ended(resource) : null;
      var known = ended == null ? null : ResourceId.of(resource.id());
      if (ended != null && known != null) {
        var entry = HistoryXml.resource(known, AgentName.of(resource)).add(ended).build();
        changes.add(CibOp.put("status", HistoryXml.nodeState(id, name, List.of(entry))));
      }
    }
    return changes;
  }

  /// The entry of a move that is under way, as it would be had it ended well; null if none is.
  private static @Nullable Element ended(Element resource) {
    @Nullable HistoryEntry move = null;
    for (var xml : resource.children(HistoryEntry.ELEMENT)) {
      var entry = new HistoryEntry(xml);
      move = entry.is(Task.MIGRATE_FROM) && entry.isPending() ? entry : move;
    }
    if (move == null) {
      return null;
    }
    return move.xml()
        .with("op-status", String.valueOf(ExecStatus.DONE.code()))
        .with("rc-code", String.valueOf(OcfCode.OK.number()))
        .with("call-id", String.valueOf(HistoryXml.lastCallId(resource) + 1))
        .with("transition-magic", TransitionKey.magic(ExecStatus.DONE, OcfCode.OK.number(), move.xml().get("transition-key", "")));
  }
}
