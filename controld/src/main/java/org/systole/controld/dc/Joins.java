package org.systole.controld.dc;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.systole.common.values.NodeId;

/// The DC's record of how far each node is in joining. Every invitation has a number; an answer to
/// an older one is ignored.
public final class Joins {
  enum Phase {
    NONE,
    /// Invited.
    WELCOMED,
    /// Has answered the offer.
    INTEGRATED,
    /// Was let in and must confirm.
    FINALIZED,
    CONFIRMED,
    /// Was turned down.
    REFUSED
  }

  private record Entry(Phase phase, long joinId) {}

  private final Map<NodeId, Entry> entries = new TreeMap<>();
  private long joinId;

  long joinId() {
    return joinId;
  }

  Phase phase(NodeId node) {
    var entry = entries.get(node);
    return entry == null ? Phase.NONE : entry.phase();
  }

  /// Starts from nothing: all nodes are to be invited under a new number.
  void restart() {
    entries.clear();
  }

  /// Invites under a new number those of `nodes` that are not in or on their way.
  ///
  /// @return the nodes to send an offer to, sorted by id
  List<NodeId> invite(Collection<NodeId> nodes) {
    joinId++;
    entries.keySet().retainAll(nodes);
    var invited = new ArrayList<NodeId>();
    for (var node : nodes.stream().sorted().toList()) {
      var phase = phase(node);
      if (phase == Phase.NONE || phase == Phase.REFUSED || phase == Phase.WELCOMED) {
        entries.put(node, new Entry(Phase.WELCOMED, joinId));
        invited.add(node);
      }
    }
    return invited;
  }

  void gone(NodeId node) {
    entries.remove(node);
  }

  /// @return whether the answer is to the latest invitation of that node
  boolean isCurrent(NodeId node, long answered) {
    var entry = entries.get(node);
    return entry != null && entry.joinId() == answered;
  }

  /// Moves a node on, if it was where `from` says.
  ///
  /// @return whether it was
  boolean move(NodeId node, Phase from, Phase to) {
    var entry = entries.get(node);
    if (entry == null || entry.phase() != from) {
      return false;
    }
    entries.put(node, new Entry(to, entry.joinId()));
    return true;
  }

  List<NodeId> in(Phase phase) {
    var found = new ArrayList<NodeId>();
    entries.forEach(
        (node, entry) -> {
          if (entry.phase() == phase) {
            found.add(node);
          }
        });
    return found;
  }

  boolean any(Phase phase) {
    return !in(phase).isEmpty();
  }

  long joinId(NodeId node) {
    var entry = entries.get(node);
    return entry == null ? 0 : entry.joinId();
  }

  /// Whether the node has joined or is joining.
  boolean isMember(NodeId node) {
    return switch (phase(node)) {
      case NONE, REFUSED -> false;
      case WELCOMED, INTEGRATED, FINALIZED, CONFIRMED -> true;
    };
  }
}
