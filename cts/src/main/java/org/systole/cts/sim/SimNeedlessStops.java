package org.systole.cts.sim;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/// Members that have the votes for quorum, and only wait for what others may still claim, go on as they are: no DC of
/// theirs stops what runs there, nor has them fenced, because there is no quorum yet.
///
/// Of that counts only what is begun so soon after the quorum lapsed, or the membership was made, that the wait for it cannot
/// be over, and only where nothing but the nodes' number decides about the quorum.
final class SimNeedlessStops {
  /// A plan that comes sooner was asked for before its DC can have heard of the membership.
  private static final Duration HEARD = Duration.ofMillis(2);

  private static final String WITHOUT = "Fencing and resource management disabled due to lack of quorum";
  private static final String PLANNED = "Calculated transition ";
  private static final Pattern BEGUN =
      Pattern.compile("(?:Initiating \\S+_(?:stop|demote)_0 on|Requesting fencing \\(\\S+\\) of node) (\\S+)");

  private final SimCluster cluster;
  private final Set<String> coming = new TreeSet<>(); // DCs whose plan is without quorum
  private final Map<String, Long> without = new TreeMap<>(); // and the membership it was made in

  SimNeedlessStops(SimCluster cluster) {
    this.cluster = cluster;
  }

  /// What a daemon says.
  void said(SimNode node, String process, String text) {
    if (process.equals("schedulerd")) {
      planned(node, text);
    } else if (process.equals("controld") && isOfNow(node) && isNewMajority(node)) {
      var begun = BEGUN.matcher(text);
      if (begun.find() && cluster.order().members(node).contains(begun.group(1))) {
        cluster.fail(
            SimCheck.NEEDLESS_STOP,
            "the DC %s has the votes of %s, waits for quorum for %d ms, and meanwhile begins: %s"
                .formatted(node.name(), cluster.order().members(node), cluster.order().withoutQuorum(node).toMillis(), text));
      }
    }
  }

  private void planned(SimNode dc, String text) {
    if (text.contains(WITHOUT)) {
      coming.add(dc.name());
    } else if (text.contains(PLANNED)) {
      without.remove(dc.name());
      if (coming.remove(dc.name()) && cluster.order().age(dc).compareTo(HEARD) > 0) {
        without.put(dc.name(), cluster.order().membership(dc));
      }
    }
  }

  /// What a minority has begun it may end, whoever joins meanwhile.
  private boolean isOfNow(SimNode dc) {
    return cluster.order().membership(dc) == without.getOrDefault(dc.name(), -1L);
  }

  private boolean isNewMajority(SimNode node) {
    var members = cluster.order().members(node);
    return 2 * members.size() > cluster.nodes().size()
        && 2 * cluster.order().withoutQuorum(node).toNanos() < cluster.tokenNanos()
        && !cluster.order().isQuorate(node)
        && !cluster.hasDevice()
        && !SimConfFile.areListsChanged(cluster)
        && cluster.quorumOption("two_node").isEmpty()
        && cluster.quorumOption("wait_for_all").isEmpty()
        && cluster.quorumOption("last_man_standing").isEmpty();
  }
}
