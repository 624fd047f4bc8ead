package org.systole.controld.operations;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibXPath;
import org.systole.common.operation.HistoryEntry;
import org.systole.common.operation.OperationKey;
import org.systole.common.values.CibNodeId;
import org.systole.common.values.ResourceId;
import org.systole.common.xml.Element;

/// What a resource failed of on a node counts no more, as the DC has planned. The entry is deleted as well: as long as that is there each plan
/// has it cleared once more, and who waits for the cluster to come to rest waits in vain.
public final class ClearedFailure {
  private ClearedFailure() {}

  /// Deletes the very failure that this member has read, and no later one.
  ///
  /// @return nothing if there is none
  public static List<CibOp> changes(@Nullable Element cib, CibNodeId node, ResourceId resource) {
    var id = OperationKey.text(resource.text(), "last_failure", 0);
    var resources = cib == null ? null : HistoryXml.resources(cib, node);
    var known = resources == null ? null : resources.first("lrm_resource", resource.text());
    var failure = known == null ? null : known.first(HistoryEntry.ELEMENT, id);
    return failure == null
        ? List.of()
        : List.of(
            CibOp.deleteAllXPath(
                "//node_state[@id=%s]/lrm/lrm_resources/lrm_resource[@id=%s]/%s[@id=%s and @call-id=%s and @transition-key=%s]"
                    .formatted(
                        CibXPath.literal(node.text()),
                        CibXPath.literal(resource.text()),
                        HistoryEntry.ELEMENT,
                        CibXPath.literal(id),
                        CibXPath.literal(failure.get("call-id", "")),
                        CibXPath.literal(failure.get("transition-key", "")))));
  }
}
