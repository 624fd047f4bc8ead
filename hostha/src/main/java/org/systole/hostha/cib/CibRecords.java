package org.systole.hostha.cib;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibXPath;
import org.systole.common.hosts.HostStatus;
import org.systole.common.hosts.SurvivingRecord;
import org.systole.common.values.Bool;
import org.systole.common.values.NodeName;
import org.systole.common.xml.Element;
import org.systole.hostha.HostRecord;
import org.systole.hostha.fsm.FenceReason;
import org.systole.hostha.fsm.HostState;

/// What survives of hosts, as node attributes for good of the CIB.
public final class CibRecords {
  private static final String MAINTENANCE = "maintenance";

  private CibRecords() {}

  /// All records of a CIB. One that cannot be read is left out.
  public static SortedMap<NodeName, HostRecord> read(Element cib) {
    var all = new TreeMap<NodeName, HostRecord>();
    var nodes = cib.path("configuration", "nodes");
    for (var node : nodes == null ? List.<Element>of() : nodes.children("node")) {
      var name = NodeName.of(node.get("uname"));
      var text = HostStatus.record(node);
      var record = name == null || text == null ? null : parse(name, text);
      if (record != null) {
        all.putIfAbsent(name, record);
      }
    }
    return all;
  }

  static String text(HostRecord record) {
    var reason = record.reason();
    return new SurvivingRecord(
            record.state().name(),
            record.since(),
            record.attempts(),
            record.begun(),
            reason == null ? null : reason.name(),
            record.held(),
            record.alive())
        .text();
  }

  static @Nullable HostRecord parse(NodeName host, String text) {
    var kept = SurvivingRecord.of(text);
    var state = kept == null ? null : HostState.of(kept.state());
    return kept == null || state == null
        ? null
        : new HostRecord(
            host, state, kept.since(), kept.attempts(), kept.begun(), FenceReason.of(kept.reason()), kept.held(), kept.alive());
  }

  /// Whether the CIB has of a host what was written.
  ///
  /// @param text as the CIB has it; null if it has nothing
  /// @param written null if that nothing is to be kept was
  public static boolean isAsWritten(@Nullable String text, @Nullable HostRecord written) {
    if (written == null && text != null) {
      var kept = SurvivingRecord.of(text);
      return kept != null && HostState.of(kept.state()) == null; // a later build's, which may come back
    }
    return Objects.equals(text, written == null ? null : text(written));
  }

  /// The changes that write a record, and with it a host's maintenance.
  ///
  /// @param kept null to write that there is none
  /// @param maintenance null to leave it alone
  public static List<CibOp> changes(
      Element cib, NodeName host, @Nullable HostRecord kept, @Nullable Boolean maintenance) {
    var changes = new ArrayList<CibOp>();
    set(cib, host, HostStatus.RECORD, "host-ha", kept == null ? null : text(kept), changes);
    if (maintenance != null) {
      set(cib, host, MAINTENANCE, MAINTENANCE, maintenance ? "true" : null, changes);
    }
    return changes;
  }

  private static void set(
      Element cib,
      NodeName host,
      String name,
      String idPart,
      @Nullable String value,
      List<CibOp> changes) {
    var nodes = cib.path("configuration", "nodes");
    var node =
        nodes == null
            ? null
            : nodes.find(it -> it.is("node") && host.text().equals(it.get("uname")));
    if (value == null) {
      if (node != null) {
        changes.add(deleteAll(host, "@name=" + CibXPath.literal(name)));
      }
      return;
    }
    var id = node == null ? host.text() : node.get("id", host.text());
    var set = "nodes-" + id;
    var pair = set + "-" + idPart;
    var found = 0;
    for (var each : node == null ? List.<Element>of() : node.children("instance_attributes")) {
      for (var there : each.children("nvpair")) {
        if (name.equals(there.get("name")) && found++ == 0) { // the first is the one that is read
          set = each.get("id", set);
          pair = there.get("id", pair);
        }
      }
    }
    if (found > 1) {
      var others = "@name=%s and @id!=%s".formatted(CibXPath.literal(name), CibXPath.literal(pair));
      changes.add(deleteAll(host, others));
    }
    var nvpair = Element.of("nvpair", "id", pair, "name", name, "value", value);
    var entry = Element.builder("node").attr("id", id).attr("uname", host.text());
    if (node == null) {
      entry.attr("type", "remote");
    }
    entry.add(Element.builder("instance_attributes").attr("id", set).add(nvpair));
    changes.add(CibOp.put("nodes", entry.build()));
  }

  private static CibOp deleteAll(NodeName host, String pairs) {
    return CibOp.deleteAllXPath(
        "/cib/configuration/nodes/node[@uname=%s]/instance_attributes/nvpair[%s]"
            .formatted(CibXPath.literal(host.text()), pairs));
  }

  /// Whether a host is in maintenance: for good, for now, or with the whole cluster.
  ///
  /// @param cluster whether the whole cluster is
  public static boolean isInMaintenance(Element cib, NodeName host, boolean cluster) {
    if (cluster) {
      return true;
    }
    var nodes = cib.path("configuration", "nodes");
    var status = cib.first("status");
    var node = nodes == null ? null : nodes.first("node", host.text());
    var state = status == null ? null : status.first("node_state", host.text());
    var now = state == null ? null : state.first("transient_attributes");
    return isSet(now) || isSet(node);
  }

  private static boolean isSet(@Nullable Element in) {
    return in != null
        && in.find(
                it ->
                    it.is("nvpair")
                        && MAINTENANCE.equals(it.get("name"))
                        && Bool.isTrue(it.get("value")))
            != null;
  }
}
