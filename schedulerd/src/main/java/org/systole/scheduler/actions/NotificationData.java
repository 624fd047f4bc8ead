package org.systole.scheduler.actions;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.TaskName;
import org.systole.scheduler.model.Action;
import org.systole.scheduler.model.ActionFlag;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.NodeNames;
import org.systole.scheduler.model.NodeTable;
import org.systole.scheduler.model.Resource;

/// What instances of a clone are told around one kind of action, and the milestones around it.
final class NotificationData {
  /// An instance, and where it is.
  private record Entry(Resource rsc, @Nullable Node node) {}

  private static final Comparator<Entry> ORDER =
      Comparator.comparing((Entry entry) -> entry.rsc.id())
          .thenComparing(
              entry -> entry.node == null ? null : entry.node.id(),
              Comparator.nullsLast(Comparator.naturalOrder()));

  final String task;
  @Nullable Action pre;
  @Nullable Action preDone;
  @Nullable Action post;
  @Nullable Action postDone;

  /// The variables agents get.
  final Map<String, String> keys = new LinkedHashMap<>();

  private final List<Entry> active = new ArrayList<>();
  private final List<Entry> inactive = new ArrayList<>();
  private final List<Entry> unpromoted = new ArrayList<>();
  private final List<Entry> promoted = new ArrayList<>();
  private final List<Entry> starts = new ArrayList<>();
  private final List<Entry> stops = new ArrayList<>();
  private final List<Entry> promotes = new ArrayList<>();
  private final List<Entry> demotes = new ArrayList<>();
  private @Nullable NodeTable allowed;

  NotificationData(String task) {
    this.task = task;
  }

  /// Whether nobody does what this is about.
  boolean isIdle() {
    return switch (task) {
      case TaskName.START -> starts.isEmpty();
      case TaskName.PROMOTE -> promotes.isEmpty();
      case TaskName.DEMOTE -> demotes.isEmpty();
      // A stop may be implied by fencing.
      default -> false;
    };
  }

  /// Collects the state of all instances, with `planned` also what is planned for them.
  void collect(Resource rsc, boolean planned) {
    if (allowed == null) {
      allowed = rsc.allowed();
    }
    if (!rsc.children().isEmpty()) {
      rsc.children().forEach(child -> collect(child, planned));
      return;
    }
    var entry = new Entry(rsc, rsc.active().isEmpty() ? null : rsc.active().getFirst());
    switch (rsc.role()) {
      case STOPPED -> inactive.addFirst(entry);
      case STARTED -> active.addFirst(entry);
      case UNPROMOTED -> {
        unpromoted.addFirst(entry);
        active.addFirst(entry);
      }
      case PROMOTED -> {
        promoted.addFirst(entry);
        active.addFirst(entry);
      }
      case UNKNOWN ->
          rsc.cluster()
              .error(
                  "collect_resource_data",
                  "Resource %s role on %s (Unknown) is not supported for notifications (bug?)"
                      .formatted(
                          rsc.id(), entry.node == null ? "unspecified node" : entry.node.name()),
                  "");
    }
    if (planned) {
      for (var at = rsc.actions().size() - 1; at >= 0; at--) {
        collect(rsc, rsc.actions().get(at));
      }
    }
  }

  private void collect(Resource rsc, Action action) {
    var node = action.node();
    if (action.is(ActionFlag.OPTIONAL) || node == null) {
      return;
    }
    var stopsUnclean = action.task().equals(TaskName.STOP) && node.unclean();
    if (!stopsUnclean && !action.is(ActionFlag.RUNNABLE)) {
      return;
    }
    var entry = new Entry(rsc, node);
    switch (action.task()) {
      case TaskName.START -> starts.addFirst(entry);
      case TaskName.STOP -> stops.addFirst(entry);
      case TaskName.PROMOTE -> promotes.addFirst(entry);
      case TaskName.DEMOTE -> demotes.addFirst(entry);
      default -> {}
    }
  }

  /// Fills in the variables, and makes the milestones required if anybody is concerned.
  void addKeys(Resource clone) {
    var required =
        switch (task) {
          case TaskName.STOP -> !resources(stops, true).equals(" ");
          case TaskName.START -> !starts.isEmpty();
          case TaskName.DEMOTE -> !demotes.isEmpty();
          case TaskName.PROMOTE -> !promotes.isEmpty();
          default -> false;
        };
    add("stop", stops);
    add("start", starts);
    add("demote", demotes);
    add("promote", promotes);
    add("active", active);
    add("unpromoted", unpromoted);
    add("slave", unpromoted);
    add("promoted", promoted);
    add("master", promoted);
    keys.put("notify_inactive_resource", resources(inactive, false));
    addNodes(clone);
    if (required) {
      require(pre);
      require(preDone);
      require(post);
      require(postDone);
    }
  }

  private static void require(@Nullable Action action) {
    if (action != null) {
      action.clear(ActionFlag.OPTIONAL);
    }
  }

  private void add(String name, List<Entry> entries) {
    keys.put("notify_" + name + "_resource", resources(entries, true));
    keys.put("notify_" + name + "_uname", nodes(entries));
  }

  private static List<Entry> distinct(List<Entry> entries, boolean withNode) {
    var sorted = new ArrayList<>(entries);
    sorted.sort(ORDER);
    var found = new ArrayList<Entry>();
    String last = null;
    for (var entry : sorted) {
      if (!(withNode && entry.node == null) && !entry.rsc.id().equals(last)) {
        last = entry.rsc.id();
        found.add(entry);
      }
    }
    return found;
  }

  private static String resources(List<Entry> entries, boolean withNode) {
    return words(distinct(entries, withNode).stream().map(entry -> entry.rsc.id()).toList());
  }

  private static String nodes(List<Entry> entries) {
    var names = new ArrayList<String>();
    for (var entry : distinct(entries, true)) {
      if (entry.node != null) {
        names.add(entry.node.name());
      }
    }
    return words(names);
  }

  // An empty list is written as one space.
  private static String words(List<String> words) {
    return words.isEmpty() ? " " : String.join(" ", words);
  }

  private void addNodes(Resource clone) {
    var available = new ArrayList<String>();
    if (allowed != null) {
      allowed.forEach(entry -> available.add(entry.node().name()));
    }
    available.sort(NodeNames.ORDER);
    keys.put("notify_available_uname", words(available));
    var all = clone.cluster().nodes().stream().map(node -> node.name()).toList();
    if ("host".equals(clone.meta().get("container-attribute-target"))) {
      var hosts = clone.cluster().nodes().stream().map(NotificationData::host).toList();
      keys.put("notify_all_hosts", words(hosts));
    }
    keys.put("notify_all_uname", words(all));
  }

  private static String host(Node node) {
    var launcher = node.isGuest() && node.remote() != null ? node.remote().launcher() : null;
    var host = launcher == null || launcher.active().isEmpty() ? null : launcher.currentNode();
    return host == null ? node.name() : host.name();
  }
}
