package org.systole.cts.sim;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.systole.common.xml.Element;

/// Puts what happened into the order in which a scenario tells it. What has to do with each other
/// stays in the order in which it happened: what one resource did, what the members of a group did,
/// what became of a node and of what ran there, that a node was fenced before something was started.
/// All else happens side by side, in an order that hangs on milliseconds, and is told by names.
final class SimTelling {
  private static final String ANSWER = "cib change:";
  private static final Set<String> RESOURCE_VERBS =
      Set.of("started", "stopped", "promoted", "demoted");

  /// By resource, the group it is a member of.
  private final Map<String, String> groups = new HashMap<>();

  /// Takes the groups from a configuration; without one the resources stand for themselves.
  void groupsOf(Element cib) {
    var resources = cib.path("configuration", "resources");
    if (resources != null) {
      collect(resources);
    }
  }

  private void collect(Element parent) {
    for (var child : parent.children()) {
      if (parent.name().equals("group") && child.name().equals("primitive")) {
        groups.put(child.get("id", ""), parent.get("id", ""));
      }
      collect(child);
    }
  }

  /// Whether it is the answer to a step of the script, and not what follows from it.
  static boolean isAnswer(String change) {
    return change.startsWith(ANSWER);
  }

  /// The same for any order in which what is unrelated happened.
  List<String> inOrder(List<String> changes) {
    var waitsFor = new ArrayList<Integer>();
    var words = changes.stream().map(it -> List.of(it.split(" "))).toList();
    for (var i = 0; i < changes.size(); i++) {
      var before = 0;
      for (var j = 0; j < i; j++) {
        before += related(words.get(j), words.get(i)) ? 1 : 0;
      }
      waitsFor.add(before);
    }
    var ready = new TreeMap<String, List<Integer>>();
    for (var i = 0; i < changes.size(); i++) {
      if (waitsFor.get(i) == 0) {
        ready.computeIfAbsent(changes.get(i), _ -> new ArrayList<>()).add(i);
      }
    }
    var told = new ArrayList<String>();
    while (!ready.isEmpty()) {
      var next = ready.firstEntry();
      var i = next.getValue().removeFirst();
      if (next.getValue().isEmpty()) {
        ready.remove(next.getKey());
      }
      told.add(changes.get(i));
      for (var k = i + 1; k < changes.size(); k++) {
        if (related(words.get(i), words.get(k)) && waitsFor.set(k, waitsFor.get(k) - 1) == 1) {
          ready.computeIfAbsent(changes.get(k), _ -> new ArrayList<>()).add(k);
        }
      }
    }
    return told;
  }

  private boolean related(List<String> one, List<String> other) {
    var resource = isOfResource(one);
    if (resource && isOfResource(other)) {
      return ofResources(one, other);
    }
    if (!resource && !isOfResource(other)) {
      // That a node is DC is noticed within a second, whatever else happens.
      return isOfDc(one) == isOfDc(other) || one.getFirst().equals(other.getFirst());
    }
    var ofNode = resource ? other : one;
    var ofResource = resource ? one : other;
    return switch (ofNode.size() > 1 ? ofNode.get(1) : "") {
      case "fenced" ->
          !ofResource.get(1).equals("stopped") || ofResource.getLast().equals(ofNode.getFirst());
      case "is" -> false; // what is carried out goes on meanwhile
      default -> ofResource.getLast().equals(ofNode.getFirst());
    };
  }

  /// Instances of a clone do the same side by side; what is done to a resource on one node, or of
  /// another kind, has its order.
  private boolean ofResources(List<String> one, List<String> other) {
    var first = one.getFirst();
    var second = other.getFirst();
    if (!groups.getOrDefault(first, first).equals(groups.getOrDefault(second, second))) {
      return false;
    }
    return !first.equals(second)
        || !one.get(1).equals(other.get(1))
        || one.getLast().equals(other.getLast());
  }

  private static boolean isOfDc(List<String> words) {
    return words.size() > 1 && words.get(1).equals("is");
  }

  private static boolean isOfResource(List<String> words) {
    return words.size() == 4 && words.get(2).equals("on") && RESOURCE_VERBS.contains(words.get(1));
  }
}
