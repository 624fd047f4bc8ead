package org.systole.cts.sim;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.systole.common.cib.CibVersion;
import org.systole.common.options.ClusterOptions;
import org.systole.common.output.Rc;
import org.systole.common.xml.Element;

/// The changes of the configuration the cluster has acknowledged, each one an object with an id of
/// its own that is never deleted.
final class SimPromises {
  private static final Duration WAITED = Duration.ofSeconds(19);
  private static final Duration OUTLASTED = Duration.ofSeconds(22);

  private final SimCluster cluster;
  private final Set<String> acknowledged = new LinkedHashSet<>();
  private @Nullable Runnable next;
  private CibVersion highest = CibVersion.NONE;

  /// What a change that is asked for now comes after: the highest version that has been acknowledged.
  CibVersion floor() {
    return highest;
  }

  SimPromises(SimCluster cluster) {
    this.cluster = cluster;
  }

  /// A change was acknowledged on a node.
  ///
  /// Of two nodes with two_node each alone has quorum, and what one makes while the other is cut off
  /// lives only if it wins the fencing. So with fencing it acknowledges once that has been settled. If
  /// that takes long it does so all the same: then nothing is promised before it has outlasted the other.
  ///
  /// @param asked as it was when the change was asked for
  /// @param version of the CIB with the change
  void acknowledged(SimNode node, String id, CibVersion asked, CibVersion version) {
    if (cluster.quorumOption("two_node").equals("1")
        && isCutOff(node)
        && (!fences(node) || hasWaited(node) && !hasOutlasted(node))) {
      cluster.note(id + " is acknowledged by one node of two");
      return;
    }
    acknowledged.add(id);
    inOrder(id, asked, version);
    cluster.note(id + " is acknowledged");
    var task = next;
    next = null;
    if (task != null) {
      task.run();
    }
  }

  /// A node was asked for a change after it had acknowledged it. What is no promise may be missing.
  void read(SimNode node, String id, Rc found) {
    if (found == Rc.ENXIO && acknowledged.contains(id)) {
      cluster.fail(
          SimCheck.STALE_READ,
          "%s was acknowledged on %s, and who reads there does not find it"
              .formatted(id, node.name()));
    }
  }

  /// Changes one after another have later and later versions, whoever makes them. Of two nodes with
  /// two_node each may have gone on alone.
  private void inOrder(String id, CibVersion asked, CibVersion version) {
    if (cluster.quorumOption("two_node").equals("1")) {
      return;
    }
    if (version.compareTo(asked) <= 0) {
      cluster.fail(
          SimCheck.WENT_BACK,
          "%s has the version %s, and was asked for after version %s had been acknowledged"
              .formatted(id, version, asked));
    }
    highest = version.compareTo(highest) > 0 ? version : highest;
  }

  /// What is to happen when the next change is acknowledged; null for nothing.
  void once(@Nullable Runnable task) {
    next = task;
  }

  private static boolean fences(SimNode node) {
    var cib = node.cib();
    return cib != null && ClusterOptions.read(cib, Instant.EPOCH, ZoneOffset.UTC).fencing();
  }

  /// Whether a node has been alone for as long as its CIB manager waits for fencing.
  private boolean hasWaited(SimNode node) {
    return cluster.order().members(node).size() < 2
        && cluster.order().age(node).compareTo(WAITED) > 0;
  }

  /// Whether only this one of two nodes goes on, and has for longer than its CIB manager takes to begin a later term.
  private boolean hasOutlasted(SimNode node) {
    return cluster.order().isQuorate(node)
        && cluster.order().members(node).size() < 2
        && cluster.order().age(node).compareTo(OUTLASTED) > 0
        && cluster.nodes().stream()
            .allMatch(it -> it == node || !it.isPowered() || !cluster.order().isQuorate(it));
  }

  private boolean isCutOff(SimNode node) {
    return cluster.order().members(node).size() < 2
        || !cluster.nodes().stream()
            .allMatch(
                it -> cluster.network().reaches(node, it) && cluster.network().reaches(it, node));
  }

  private static boolean has(Element cib, String id) {
    return cib.find(it -> id.equals(it.id())) != null;
  }

  int count() {
    return acknowledged.size();
  }

  /// Looks for all of them in every node's CIB.
  void check() {
    for (var node : cluster.nodes()) {
      var cib = node.cib();
      if (cib != null) {
        acknowledged.stream()
            .filter(it -> !has(cib, it))
            .forEach(
                it ->
                    cluster.fail(
                        SimCheck.LOST_CHANGE,
                        it + " was acknowledged and is lost on " + node.name()));
      }
    }
  }
}
