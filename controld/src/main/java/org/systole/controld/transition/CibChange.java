package org.systole.controld.transition;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.systole.common.hosts.HostStatus;
import org.systole.common.operation.HistoryEntry;
import org.systole.common.output.Product;
import org.systole.common.values.CibNodeId;
import org.systole.common.xml.Element;
import org.systole.controld.remote.RemoteRecords;

/// The parts of a CIB change that matter to a running transition.
public sealed interface CibChange {
  String CONFIGURATION = "Configuration change";

  /// The present plan is void as a whole.
  record Plan(String why) implements CibChange {}

  /// A remote node is connected: what runs there is to be looked for. Connections that the present plan
  /// opens are still right.
  record Connected(CibNodeId node, String why) implements CibChange {}

  /// The connection to a remote node, which stays connected, is another member's by now.
  record Moved(CibNodeId node) implements CibChange {}

  /// The connection to a host is lost, and host HA looks after it.
  record ConnectionLost(CibNodeId node) implements CibChange {}

  /// Part of a node's status went away: expected if the node was to go down.
  record StatusGone(CibNodeId node, String why) implements CibChange {}

  /// A result, or news of one.
  record Operation(CibNodeId node, HistoryEntry operation) implements CibChange {}

  /// A recurring operation's record was deleted, others of its resource were not.
  record OperationGone(CibNodeId node, String id) implements CibChange {}

  /// The records of several resources of a node changed at the same time.
  record Refresh(CibNodeId node, List<Operation> operations) implements CibChange {}

  /// The changes between two CIBs; subtrees they share are skipped. That a remote node is connected comes before
  /// any result: the result of its connection's start may be in the same change, and what the plan has to be done
  /// there after that start goes by what was known of the node before.
  static List<CibChange> between(Element before, Element after) {
    var changes = new ArrayList<CibChange>();
    if (!same(before.first("configuration"), after.first("configuration"))) {
      changes.add(new Plan(CONFIGURATION));
    }
    var oldStatus = before.first("status");
    var newStatus = after.first("status");
    if (same(oldStatus, newStatus)) {
      return changes;
    }
    if (!same(child(oldStatus, "tickets"), child(newStatus, "tickets"))) {
      changes.add(new Plan("Ticket attribute change"));
    }
    var oldNodes = byId(oldStatus, "node_state", newStatus);
    var newNodes = byId(newStatus, "node_state", oldStatus);
    var ids = new LinkedHashSet<>(oldNodes.keySet());
    ids.addAll(newNodes.keySet());
    var results = new ArrayList<CibChange>();
    for (var id : ids) {
      if (same(oldNodes.get(id), newNodes.get(id))) {
        continue;
      }
      var node = CibNodeId.of(id);
      if (node == null) {
        changes.add(new Plan("Change of a node state that names no node"));
      } else {
        var its = new ArrayList<CibChange>();
        node(node, oldNodes.get(id), newNodes.get(id), its);
        if (isConnected(oldNodes.get(id), newNodes.get(id))) {
          // what was known of it was dropped, as always then
          its.removeIf(it -> it instanceof StatusGone || it instanceof OperationGone);
          changes.add(new Connected(node, "Remote node connected"));
        } else if (isMoved(oldNodes.get(id), newNodes.get(id))) {
          changes.add(new Moved(node));
        }
        results.addAll(its);
      }
    }
    changes.addAll(results);
    return changes;
  }

  private static void node(
      CibNodeId id, @Nullable Element before, @Nullable Element after, List<CibChange> changes) {
    if (after == null) {
      changes.add(new StatusGone(id, "Node state removal"));
      return;
    }
    if (hold(before) != hold(after)) {
      changes.add(new Plan("Host HA has another state of a host"));
    }
    if (isLost(after) && !isLost(before)) {
      changes.add(new ConnectionLost(id));
    }
    var oldAttributes = child(before, "transient_attributes");
    var newAttributes = child(after, "transient_attributes");
    if (!same(oldAttributes, newAttributes)
        && (newAttributes == null
            || !planned(oldAttributes).equals(planned(newAttributes)))) {
      changes.add(
          newAttributes == null
              ? new StatusGone(id, "Transient attribute change")
              : new Plan("Transient attribute change"));
    }
    var oldLrm = child(before, "lrm");
    var newLrm = child(after, "lrm");
    if (same(oldLrm, newLrm)) {
      return;
    }
    if (newLrm == null) {
      changes.add(new StatusGone(id, "Resource state removal"));
      return;
    }
    resources(id, child(oldLrm, "lrm_resources"), newLrm.first("lrm_resources"), changes);
  }

  private static boolean isConnected(@Nullable Element before, @Nullable Element after) {
    return after != null
        && RemoteRecords.isRemote(after)
        && !RemoteRecords.since(after).equals("0")
        && !RemoteRecords.since(after).equals(RemoteRecords.since(before));
  }

  private static boolean isMoved(@Nullable Element before, @Nullable Element after) {
    return before != null
        && after != null
        && RemoteRecords.isRemote(after)
        && after.has(RemoteRecords.CONNECTION)
        && !Objects.equals(after.get(RemoteRecords.CONNECTION), before.get(RemoteRecords.CONNECTION));
  }

  private static boolean isLost(@Nullable Element state) {
    var status = state == null ? null : HostStatus.of(state);
    return status != null && status.lost();
  }

  private static HostStatus.Hold hold(@Nullable Element state) {
    var status = state == null ? null : HostStatus.of(state);
    return status == null ? HostStatus.Hold.NONE : status.hold();
  }

  /// The attributes that plans depend on: all but a node's feature set, which it sets whenever it
  /// joins.
  private static List<Element> planned(@Nullable Element attributes) {
    var planned = new ArrayList<Element>();
    if (attributes != null) {
      for (var set : attributes.children()) {
        set.children().stream()
            .filter(it -> !Product.FEATURE_SET_ATTRIBUTE.equals(it.get("name")))
            .forEach(planned::add);
      }
    }
    return planned;
  }

  private static void resources(
      CibNodeId node, @Nullable Element before, @Nullable Element after, List<CibChange> changes) {
    var oldResources = byId(before, "lrm_resource", after);
    var newResources = byId(after, "lrm_resource", before);
    for (var id : oldResources.keySet()) {
      if (!newResources.containsKey(id)) {
        changes.add(new StatusGone(node, "Resource state removal"));
      }
    }
    var operations = new ArrayList<Operation>();
    var changed = 0;
    for (var entry : newResources.entrySet()) {
      var old = oldResources.get(entry.getKey());
      if (same(old, entry.getValue())) {
        continue;
      }
      changed++;
      operations(node, old, entry.getValue(), operations, changes);
      if ("0".equals(entry.getValue().get("shutdown-lock"))
          && (old == null || !"0".equals(old.get("shutdown-lock")))) {
        changes.add(new Plan("Shutdown lock cleared"));
      }
    }
    if (changed > 1) {
      changes.add(new Refresh(node, operations));
    } else {
      changes.addAll(operations);
    }
  }

  private static void operations(
      CibNodeId node,
      @Nullable Element before,
      Element after,
      List<Operation> operations,
      List<CibChange> changes) {
    var oldOperations = byId(before, HistoryEntry.ELEMENT, null);
    var newOperations = byId(after, HistoryEntry.ELEMENT, null);
    for (var id : oldOperations.keySet()) {
      if (!newOperations.containsKey(id)) {
        changes.add(new OperationGone(node, id));
      }
    }
    newOperations.forEach(
        (id, operation) -> {
          if (!same(oldOperations.get(id), operation)) {
            operations.add(new Operation(node, new HistoryEntry(operation)));
          }
        });
  }

  /// The children of a name. What stands at the same place in the other version, the very same, is left
  /// out: of hundreds of nodes one has changed.
  private static Map<String, Element> byId(
      @Nullable Element parent, String name, @Nullable Element other) {
    var found = new LinkedHashMap<String, Element>();
    if (parent == null) {
      return found;
    }
    var children = parent.children();
    var others = other == null ? List.<Element>of() : other.children();
    for (var at = 0; at < children.size(); at++) {
      var child = children.get(at);
      if (child.is(name) && (at >= others.size() || others.get(at) != child)) {
        found.putIfAbsent(child.get("id", ""), child);
      }
    }
    return found;
  }

  private static @Nullable Element child(@Nullable Element parent, String name) {
    return parent == null ? null : parent.first(name);
  }

  private static boolean same(@Nullable Element a, @Nullable Element b) {
    return a == b || (a != null && b != null && Objects.equals(a, b));
  }
}
