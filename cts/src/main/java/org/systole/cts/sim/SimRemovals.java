package org.systole.cts.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/// What must come of it when a remote node is taken out of the cluster in good order: nobody has it fenced, nothing runs
/// there any more, and nothing of it is left in the CIB.
final class SimRemovals {
  /// The steps of a script that have it looked at: from the first one on the host must not be fenced; by the last one it is gone.
  static final String BEGUN = "removing";

  static final String ENDED = "removed";

  private final SimCluster cluster;

  /// The hosts that must not be fenced.
  private final TreeSet<String> inOrder = new TreeSet<>();

  SimRemovals(SimCluster cluster) {
    this.cluster = cluster;
  }

  /// Whether a host is being taken out in good order.
  boolean isBegun(SimNode host) {
    return inOrder.contains(host.name());
  }

  void begin(SimNode host) {
    cluster.story().deed(BEGUN + " " + host.name(), () -> inOrder.add(host.name()));
  }

  /// It has to be gone by now. What happens to it from now on is another story.
  void end(SimNode host) {
    cluster
        .story()
        .deed(
            ENDED + " " + host.name(),
            () -> {
              inOrder.remove(host.name());
              var left = new ArrayList<>(host.activeResources());
              left.addAll(entries(host));
              if (!left.isEmpty()) {
                cluster.fail(SimCheck.REMOVED, "%s was removed in good order, and has still %s".formatted(host.name(), left));
              }
            });
  }

  private List<String> entries(SimNode host) {
    var found = new ArrayList<String>();
    for (var node : cluster.nodes()) {
      var cib = node.isDc() ? node.cib() : null;
      for (var name : cib == null ? List.<String>of() : List.of("node", "node_state", "primitive")) {
        if (cib.find(it -> it.is(name) && (host.name().equals(it.get("uname")) || host.name().equals(it.id()))) != null) {
          found.add("a " + name);
        }
      }
    }
    return found;
  }

  /// The power of a machine is about to be cut.
  void fences(String action, String target) {
    if (inOrder.contains(target) && (action.equals("off") || action.equals("reboot"))) {
      cluster.fail(SimCheck.REMOVED, target + " was stopped in good order to be removed, and is fenced");
    }
  }
}
