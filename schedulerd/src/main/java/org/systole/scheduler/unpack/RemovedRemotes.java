package org.systole.scheduler.unpack;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.HistoryEntry;
import org.systole.common.operation.OcfCode;
import org.systole.common.operation.Task;
import org.systole.common.values.Bool;
import org.systole.common.values.Numbers;
import org.systole.common.xml.Element;
import org.systole.scheduler.model.Bundle;
import org.systole.scheduler.model.ClusterFlag;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.Places;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.WorkingSet;

/// Remote nodes that were taken out of the configuration while nobody was connected to them, or the connection was lost, so that what
/// runs there was not stopped. Nothing but the entry in the status tells of them once the histories of their connection are
/// deleted, too. What may run there is not started elsewhere before the node was fenced, or is connected again.
///
/// That the connection was not closed by who had it is in the entries of our controllers only. Pacemaker ignores such an entry, and
/// starts a second copy.
final class RemovedRemotes {
  private RemovedRemotes() {}

  /// To be called when all histories have been read.
  static void block(WorkingSet ws, @Nullable Element status) {
    removed(ws, status).forEach(it -> block(ws, it, mayRun(ws, it)));
  }

  /// What may run on all of them, as [#block] has it.
  static Set<String> mayRunOnAny(WorkingSet ws, @Nullable Element status) {
    var found = new TreeSet<String>();
    removed(ws, status).forEach(it -> found.addAll(mayRun(ws, it).keySet()));
    return found;
  }

  private static List<Element> removed(WorkingSet ws, @Nullable Element status) {
    return status == null || !ws.is(ClusterFlag.FENCING_ENABLED)
        ? List.of()
        : status.children("node_state").stream().filter(it -> isRemoved(ws, it)).toList();
  }

  private static boolean isRemoved(WorkingSet ws, Element state) {
    return Bool.isTrue(state.get("remote_node"))
        && "0".equals(state.get("left"))
        && Numbers.whole(state.get("node_fenced"), 0) == 0
        && state.id() != null
        && hasNoConnection(ws.nodeOf(state));
  }

  /// Its attributes may be left in the configuration, and make a remote node that nobody connects to.
  private static boolean hasNoConnection(@Nullable Node node) {
    return node == null || node.isRemote() && node.remote() == null;
  }

  /// What may run there, by the name in its history, and whether promoted: by its own history, and what was moved there live at last. Where
  /// its history was lost while somebody was connected, as it was refreshed just then, all that was not looked for there since.
  private static Map<String, Boolean> mayRun(WorkingSet ws, Element state) {
    var found = new TreeMap<String, Boolean>();
    var resources = state.path("lrm", "lrm_resources");
    for (var history : resources == null ? List.<Element>of() : resources.children("lrm_resource")) {
      if (!HistoryEntry.tellsStopped(history)) {
        found.put(history.get("id", ""), isPromoted(history));
      }
    }
    var migrations = new Migrations(ws);
    ws.resources().forEach(it -> addSent(migrations, state, it, found));
    for (var it : UnknownRemotes.unseen(ws, state)) {
      found.putIfAbsent(it.printableId(), it.top(false).is(ResourceFlag.PROMOTABLE));
    }
    return found;
  }

  private static void addSent(Migrations migrations, Element state, Resource resource, Map<String, Boolean> found) {
    resource.children().forEach(it -> addSent(migrations, state, it, found));
    if (resource.isPrimitive() && migrations.isSentTo(state.get("uname", ""), resource)) {
      found.putIfAbsent(resource.id(), false);
    }
  }

  private static boolean isPromoted(Element history) {
    return HistoryEntry.last(history)
        .filter(it -> it.is(Task.PROMOTE) || it.is(OcfCode.RUNNING_PROMOTED))
        .isPresent();
  }

  private static void block(WorkingSet ws, Element state, Map<String, Boolean> found) {
    var blocked = new TreeSet<String>();
    ws.resources().forEach(it -> block(it, found, blocked));
    if (!blocked.isEmpty()) {
      ws.configWarning(
          "%1$s was removed while it may run %2$s: that is not started elsewhere before %1$s is fenced, or confirmed to be off (stonith_admin --confirm %1$s)"
              .formatted(state.get("uname", ""), String.join(", ", blocked)));
    }
  }

  private static void block(Resource resource, Map<String, Boolean> found, Set<String> blocked) {
    if (resource instanceof Bundle bundle) {
      bundle.onHosts().forEach(it -> block(it, found, blocked));
      return;
    }
    if (Places.isAnonymousClone(resource)) {
      blockPromoted(resource, resource, found, blocked);
      return;
    }
    resource.children().forEach(it -> block(it, found, blocked));
    if (resource.isPrimitive()
        && resource.active().isEmpty()
        && !resource.is(ResourceFlag.FENCE_DEVICE)
        && found.containsKey(resource.id())) {
      ActiveResources.block(resource);
      blocked.add(resource.id());
    }
  }

  // One instance more than is wanted does no harm, unless it is promoted: then no other may be.
  private static void blockPromoted(Resource clone, Resource within, Map<String, Boolean> found, Set<String> blocked) {
    for (var child : within.children()) {
      blockPromoted(clone, child, found, blocked);
      if (child.isPrimitive() && found.getOrDefault(child.configId(), false)) {
        ActiveResources.block(child);
        blocked.add(clone.id());
      }
    }
  }
}
