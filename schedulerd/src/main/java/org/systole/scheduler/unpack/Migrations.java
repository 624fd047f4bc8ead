package org.systole.scheduler.unpack;

import org.jspecify.annotations.Nullable;
import org.systole.common.operation.AgentName;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.HistoryEntry;
import org.systole.common.operation.OcfCode;
import org.systole.common.operation.TaskName;
import org.systole.common.values.Numbers;
import org.systole.common.xml.Element;
import org.systole.scheduler.model.ClusterFlag;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.NodeFlag;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.Role;
import org.systole.scheduler.model.WorkingSet;
import org.systole.scheduler.operations.Fencing;

/// Interprets live migrations in the history.
///
/// A complete one is a migrate_to on the source, a migrate_from on the target and a stop on the
/// source. Without the migrate_from it is partial, without the stop it is dangling. The history of
/// either node may have been cleared at any point.
final class Migrations {
  private final WorkingSet ws;

  Migrations(WorkingSet ws) {
    this.ws = ws;
  }

  private record Ends(String source, String target) {}

  private @Nullable Ends ends(RecordedResult entry, boolean onSource) {
    var source = entry.xml.get("migrate_source");
    var target = entry.xml.get("migrate_target");
    if (source == null || target == null) {
      ws.configError(
          "get_migration_node_names",
          "Ignoring resource history entry "
              + entry.id
              + " without migrate_source and migrate_target");
      return null;
    }
    if (!entry.node.name().equalsIgnoreCase(onSource ? source : target)) {
      ws.configError(
          "get_migration_node_names",
          "Ignoring resource history entry "
              + entry.id
              + " because "
              + (onSource ? "migrate_source='" + source : "migrate_target='" + target)
              + "' does not match "
              + entry.node.name());
      return null;
    }
    return new Ends(source, target);
  }

  /// A migration away from the entry's node succeeded there.
  void toSucceeded(RecordedResult entry) {
    var ends = ends(entry, true);
    if (ends == null) {
      return;
    }
    var resource = entry.resource;
    var sourceIsNewer = changedAfter(resource, ends.source, entry.xml);
    var from = ending(resource, ends, entry.xml);
    if (sourceIsNewer && (from != null && !isPending(from) || isConnection(resource))) {
      return; // a connection is nowhere before migrate_from: what its source did since tells all
    }
    var targetIsNewer = newerState(resource, ends.target, entry.xml, from);
    if (sourceIsNewer && targetIsNewer) {
      return;
    }
    if (from == null && (targetIsNewer || isUnknown(resource, ends.target)) && isGivenTo(resource, ends)) {
      resource.setRole(Role.STOPPED);
      resource.danglingMigrationSources().addFirst(entry.node); // that it was stopped there is to be recorded, or it would count as active later
      return;
    }
    var fromEntry = from == null ? null : new HistoryEntry(from);
    var fromOk = fromEntry == null || OcfCode.OK.is(fromEntry.rc(OcfCode.OK.number()));
    var fromStatus = fromEntry == null ? ExecStatus.PENDING : statusOr(fromEntry);
    if (fromOk && fromStatus == ExecStatus.DONE) {
      resource.setRole(Role.STOPPED);
      resource.danglingMigrationSources().addFirst(entry.node);
      return;
    }
    resource.setRole(Role.STARTED);
    var target = ws.node(ends.target);
    var activeOnTarget =
        !targetIsNewer && target != null && (target.online() || mayHaveArrived(resource, target, entry.xml));
    if (!targetIsNewer) {
      noteIfLost(resource, target);
    }
    if (fromStatus != ExecStatus.PENDING) {
      if (activeOnTarget) {
        addOn(target, resource, true);
      } else {
        forbidMigration(resource);
      }
      return;
    }
    partial(entry, ends, target, activeOnTarget, sourceIsNewer);
  }

  /// The migrate_from is pending, done but erased, or still to be scheduled.
  private void partial(
      RecordedResult entry,
      Ends ends,
      @Nullable Node target,
      boolean activeOnTarget,
      boolean sourceIsNewer) {
    var resource = entry.resource;
    if (target != null
        && target.online()
        && isUnknown(resource, ends.target)
        && (sourceIsNewer || ws.is(ClusterFlag.PROBE_RESOURCES) && !resource.is(ResourceFlag.REMOVED))) {
      // Probably cleaned up; a probe will tell, where there are any. Or the target was fenced, and what its source did
      // since tells all. What was removed is not looked for, and would run on there unknown.
      return;
    }
    if (activeOnTarget && target != null) {
      var source = ws.node(ends.source);
      addOn(target, resource, false);
      if (target.online() && source != null && source.online()) {
        resource.setPartialMigrationTarget(target);
        resource.setPartialMigrationSource(source);
      }
    } else if (!sourceIsNewer && !isKept(entry, ends)) {
      forbidMigration(resource);
      if (mayRunUnseen(target) && !isConnection(resource)) {
        ActiveResources.block(resource);
      }
    }
  }

  /// Whether what was sent to a remote node may run there though nobody is connected to it any more, and it was not fenced. That the
  /// source has stopped its copy since tells nothing of that one, which is to be stopped there, or fenced with its node, before it is
  /// started elsewhere. Pacemaker forgets it as soon as the connection is stopped.
  private boolean mayHaveArrived(Resource resource, Node target, Element to) {
    return target.isRemote()
        && !target.online()
        && !target.is(NodeFlag.REMOTE_FENCED)
        && ws.is(ClusterFlag.FENCING_ENABLED)
        && !isConnection(resource)
        && !isElsewhere(resource, target.name(), to);
  }

  private void addOn(Node target, Resource resource, boolean failed) {
    ActiveResources.add(resource, target, failed);
    if (!target.online()) {
      forbidMigration(resource);
      if (!target.maintenance() && resource.is(ResourceFlag.MANAGED)) {
        ResourceStates.fenceLostNode(ws, resource, target);
      }
    }
  }

  /// Whether it was sent to a remote node that is not in the configuration any more, and nothing newer is known, there or elsewhere.
  boolean isSentTo(String target, Resource resource) {
    return ws.historyIndex().nodes().stream().anyMatch(it -> isSent(resource, it, target));
  }

  private boolean isSent(Resource resource, String source, String target) {
    var to = source.equals(target) ? null : operation(resource, source, TaskName.MIGRATE_TO, target);
    return to != null
        && !isConnection(resource)
        && !newerState(resource, target, to, ending(resource, new Ends(source, target), to))
        && !isElsewhere(resource, target, to);
  }

  /// Whether it was begun on another node than the target since it was sent there: that was found out then.
  private boolean isElsewhere(Resource resource, String target, Element to) {
    return ws.historyIndex().nodes().stream()
        .filter(it -> !it.equals(target))
        .flatMap(it -> ws.historyIndex().resources(it, resource.nameInHistories()).stream())
        .flatMap(it -> it.children(HistoryEntry.ELEMENT).stream())
        .anyMatch(it -> begins(it) && isNewer(resource, it, to));
  }

  private static boolean begins(Element entry) {
    return switch (entry.get("operation", "")) {
      case TaskName.START, TaskName.PROMOTE, TaskName.MIGRATE_FROM -> ended(entry, OcfCode.OK);
      default -> false;
    };
  }

  /// Whether the target has what was migrated to it for all that is known, and can be neither asked nor fenced, as on a side
  /// without quorum whose policy is to freeze. Pacemaker starts it elsewhere there.
  private boolean mayRunUnseen(@Nullable Node target) {
    return target != null
        && ws.is(ClusterFlag.FENCING_ENABLED)
        && !target.online()
        && target.unclean()
        && !Fencing.canFence(ws, target);
  }

  /// The migrate_to of a connection to a remote node takes nothing down: its source keeps it until the target has
  /// made it. Where that was only found not to have it, or is lost and the node's entry still names the source, it was
  /// not made; were it taken for failed, the node would be fenced.
  private boolean isKept(RecordedResult entry, Ends ends) {
    var resource = entry.resource;
    return resource.launcher() == null
        && isConnection(resource)
        && (!changedAfter(resource, ends.target, entry.xml) || isGone(ends.target) && isNamed(ends.source, resource));
  }

  /// A connection that its source has given up, as the CIB names the target. Where that does not have it, its controller was lost as it had
  /// made it, and nobody has it. Where nothing is known of it there, as its history was cleaned up just then, that member is to be asked, and
  /// not the source.
  private boolean isGivenTo(Resource resource, Ends ends) {
    return resource.launcher() == null && isConnection(resource) && isNamed(ends.target, resource);
  }

  private boolean isGone(String member) {
    var node = ws.node(member);
    return node == null || !node.online();
  }

  /// Whether the entry of a remote node names a member as the one that is connected to it.
  private boolean isNamed(String member, Resource connection) {
    return member.equals(ws.connectedMember(connection.id()));
  }

  private static boolean isConnection(Resource resource) {
    return AgentName.of(resource.xml()).isRemoteConnection();
  }

  private static void noteIfLost(Resource resource, @Nullable Node target) {
    if (target != null && !target.online()) {
      resource.setLostMigrationTarget(target);
    }
  }

  private static void forbidMigration(Resource resource) {
    resource.set(ResourceFlag.FAILED);
    resource.set(ResourceFlag.STOP_IF_FAILED);
    resource.clear(ResourceFlag.MIGRATABLE);
  }

  /// A migration away from the entry's node failed there; the resource may be active on both.
  void toFailed(RecordedResult entry) {
    var ends = ends(entry, true);
    if (ends == null) {
      return;
    }
    var resource = entry.resource;
    resource.setRole(Role.STARTED);
    var from = succeeded(ending(resource, ends, entry.xml));
    if (!isUnknown(resource, ends.target)
        && !newerState(resource, ends.target, entry.xml, from)) {
      var target = ws.node(ends.target);
      if (target != null && (target.online() || mayHaveArrived(resource, target, entry.xml))) {
        addOn(target, resource, false);
      }
      noteIfLost(resource, target);
    } else if (!changedAfter(resource, ends.source, entry.xml)) {
      resource.danglingMigrationSources().addFirst(entry.node);
    }
  }

  /// A migration to the entry's node failed there.
  void fromFailed(RecordedResult entry) {
    var ends = ends(entry, false);
    if (ends == null) {
      return;
    }
    var resource = entry.resource;
    resource.setRole(Role.STARTED);
    var to = succeeded(operation(resource, ends.source, TaskName.MIGRATE_TO, ends.target));
    if (!isUnknown(resource, ends.source)
        && !newerState(resource, ends.source, to, entry.xml)) {
      addIfOnline(resource, ends.source, true);
    }
  }

  private void addIfOnline(Resource resource, String name, boolean failed) {
    var node = ws.node(name);
    if (node != null && node.online()) {
      ActiveResources.add(resource, node, failed);
    }
  }

  private @Nullable Element operation(
      Resource resource, String node, String task, @Nullable String other) {
    return ws.historyIndex().operation(node, resource.nameInHistories(), task, other);
  }

  /// The migrate_from of the very migration that a migrate_to began. That of an earlier one between the same nodes is
  /// in the target's history until it is replaced by the next. Taken for this one's, and with what the target did since,
  /// it would hide the copy that is there now. Dates count only if the target knows of more since.
  private @Nullable Element ending(Resource resource, Ends ends, Element to) {
    var from = operation(resource, ends.target, TaskName.MIGRATE_FROM, ends.source);
    if (from == null || !hasCall(from) || !hasCall(to) || !PlanOrder.areOfTwoPlans(from, to)) {
      return from;
    }
    var earlier =
        switch (PlanOrder.compare(ws.historyIndex(), resource, from, to)) {
          case NEWER -> false;
          case NOT_NEWER -> true;
          case UNKNOWN ->
              HistoryOrder.compare(ws, from, to) < 0
                  && newerState(resource, ends.target, to, from);
        };
    return earlier ? null : from;
  }

  private static @Nullable Element succeeded(@Nullable Element entry) {
    return entry != null && ended(entry, OcfCode.OK) ? entry : null;
  }

  private static boolean ended(Element xml, OcfCode code) {
    var entry = new HistoryEntry(xml);
    return entry.is(code) && entry.status() == ExecStatus.DONE;
  }

  /// Whether the target may be at it yet. Pacemaker forgets the copy there once the source has stopped its own.
  private static boolean isPending(Element from) {
    return statusOr(new HistoryEntry(from)) == ExecStatus.PENDING;
  }

  /// A migration whose status is not recorded is taken for one under way.
  private static ExecStatus statusOr(HistoryEntry entry) {
    return entry.xml().has("op-status") ? entry.status() : ExecStatus.PENDING;
  }

  /// Whether nothing is known of a resource on a node, or only that something is pending.
  private boolean isUnknown(Resource resource, String node) {
    for (var history : ws.historyIndex().resources(node, resource.nameInHistories())) {
      for (var entry : history.children(HistoryEntry.ELEMENT)) {
        if (entry.has("rc-code") && !new HistoryEntry(entry).is(OcfCode.NONE)) {
          return false;
        }
      }
    }
    return true;
  }

  /// Whether anything but monitors is newer on a node than an entry.
  private boolean changedAfter(Resource resource, String node, @Nullable Element than) {
    var histories = ws.historyIndex().resources(node, resource.nameInHistories());
    if (histories.isEmpty()) {
      return false;
    }
    for (var entry : histories.getFirst().children(HistoryEntry.ELEMENT)) {
      if (entry != than
          && switch (entry.get("operation", "")) {
            case TaskName.START, TaskName.STOP, TaskName.MIGRATE_TO, TaskName.MIGRATE_FROM -> true;
            default -> false;
          }
          && isNewer(resource, entry, than)) {
        return true;
      }
    }
    return false;
  }

  /// On one node calls are counted. Of two nodes Pacemaker compares dates, and a clock that is ahead makes an old
  /// probe the newer one: what migrate_to has brought there is taken for not there, and is
  /// started a second time elsewhere. So dates count only where nothing else tells.
  private boolean isNewer(Resource resource, Element entry, @Nullable Element than) {
    if (than == null) {
      return false;
    }
    if (!isSameNode(entry, than) && hasCall(entry) && hasCall(than)) {
      var age = PlanOrder.compare(ws.historyIndex(), resource, entry, than);
      if (age != PlanOrder.Age.UNKNOWN) {
        return age == PlanOrder.Age.NEWER;
      }
    }
    return HistoryOrder.compare(ws, entry, than) > 0;
  }

  private static boolean isSameNode(Element entry, Element other) {
    return entry.get("on_node", "").equalsIgnoreCase(other.get("on_node", ""));
  }

  private static boolean hasCall(Element entry) {
    return Numbers.integer(entry.get("call-id"), -1) >= 0;
  }

  /// Whether a node's history knows more than the migration: a change, or that nothing runs there.
  private boolean newerState(
      Resource resource, String node, @Nullable Element to, @Nullable Element from) {
    var than = from != null ? from : to;
    // On the source, its own entry is the better one to compare with: call ids are of use there.
    if (than != to && to != null && node.equalsIgnoreCase(than.get("migrate_source"))) {
      than = to;
    }
    if (changedAfter(resource, node, than)) {
      return true;
    }
    var monitor = ws.historyIndex().operation(node, resource.nameInHistories(), TaskName.MONITOR, null);
    return monitor != null && ended(monitor, OcfCode.NOT_RUNNING) && isNewer(resource, monitor, than);
  }
}
