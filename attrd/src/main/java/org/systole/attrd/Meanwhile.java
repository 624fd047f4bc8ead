package org.systole.attrd;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.systole.common.values.NodeName;

/// What was changed while a peer's [AttrPeerMessage.Tell] was on its way: the peer did not know of
/// it when it spoke, so what it says of that is old.
///
/// All managers hear of a new group at one point of the order, and speak then. What one says arrives
/// in the sequence in which it said it.
final class Meanwhile {
  private static final int TELLS_MAX = 16;

  /// @param node in lower case
  record Key(String name, NodeName node) {
    static Key of(String name, NodeName node) {
      return new Key(name, new NodeName(node.text().toLowerCase(Locale.ROOT)));
    }
  }

  /// By who speaks: for each message that is on its way what was changed since.
  private final Map<NodeName, Deque<Set<Key>>> changed = new HashMap<>();

  /// Only these are there.
  void present(Collection<NodeName> nodes) {
    changed.keySet().retainAll(nodes);
  }

  /// What this node has said will not come any more.
  void gone(NodeName node) {
    changed.remove(node);
  }

  /// All of these speak now.
  void speak(Collection<NodeName> nodes) {
    nodes.forEach(this::speaks);
  }

  private void speaks(NodeName node) {
    var tells = changed.computeIfAbsent(node, _ -> new ArrayDeque<>());
    if (tells.size() < TELLS_MAX) {
      tells.add(new HashSet<>());
    }
  }

  void changed(Key key) {
    changed.values().forEach(tells -> tells.forEach(it -> it.add(key)));
  }

  /// Whether what was changed while a node's message was on its way is the node's own, so that it
  /// speaks once more. All who hear it come to the same answer, the node itself included.
  static boolean concerns(Set<Key> since, NodeName node) {
    var own = Key.of("", node).node();
    return since.stream().anyMatch(it -> it.node().equals(own));
  }

  /// One has been heard.
  ///
  /// @return what was changed since it spoke
  Set<Key> heard(NodeName node) {
    var tells = changed.get(node);
    var since = tells == null ? null : tells.poll();
    return since == null ? Set.of() : since;
  }
}
