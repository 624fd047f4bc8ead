package org.systole.common.schema;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.systole.common.xml.Element;

/// The parts of a configuration as one check met them: its sections, and what is in these.
///
/// Elements are immutable, so a part that conformed to a rule conforms to it again. Of such a part
/// the next check needs only the ids and references in it: they have to fit those of all others.
final class CheckedParts {
  private static final int DEPTH_MAX = 4; // cib, configuration, a section, what is in it

  private static final class Part {
    private final Rule rule;
    private final List<String> ids = new ArrayList<>(); // without those of the parts inside
    private final List<String> references = new ArrayList<>();
    private final Map<Element, Part> inside = new IdentityHashMap<>();

    Part(Rule rule) {
      this.rule = rule;
    }

    boolean identify(Set<String> all) {
      for (var id : ids) {
        if (!all.add(id)) {
          return false;
        }
      }
      for (var part : inside.values()) {
        if (!part.identify(all)) {
          return false;
        }
      }
      return true;
    }

    boolean refersTo(Set<String> all) {
      return all.containsAll(references)
          && inside.values().stream().allMatch(it -> it.refersTo(all));
    }
  }

  private final ArrayDeque<Part> open = new ArrayDeque<>();
  private final ArrayDeque<Part> openBefore = new ArrayDeque<>(); // what these were the last time
  private final Part all = new Part(Rule.CIB);
  private int deeper;

  /// @param before of the last valid configuration of the same schema
  CheckedParts(@Nullable CheckedParts before) {
    open.push(all);
    openBefore.push(before == null ? new Part(Rule.CIB) : before.all);
  }

  /// Whether the element is a part that conformed the last time; then it counts as met.
  boolean isKnown(Element element, Rule rule) {
    if (deeper > 0 || open.size() > DEPTH_MAX) {
      return false;
    }
    var known = openBefore.getFirst().inside.get(element);
    if (known == null || known.rule != rule) {
      return false;
    }
    return open.getFirst().inside.putIfAbsent(element, known) == null;
  }

  void begin(Element element, Rule rule) {
    if (deeper > 0 || open.size() > DEPTH_MAX || open.getFirst().inside.containsKey(element)) {
      deeper++;
      return;
    }
    var part = new Part(rule);
    open.getFirst().inside.put(element, part);
    open.push(part);
    openBefore.push(last(openBefore.getFirst(), rule));
  }

  /// What has the place of a changed part in the last configuration, where there is only one.
  private static Part last(Part parent, Rule rule) {
    Part found = null;
    for (var part : parent.inside.values()) {
      if (part.rule == rule) {
        if (found != null) {
          return new Part(rule);
        }
        found = part;
      }
    }
    return found == null ? new Part(rule) : found;
  }

  void end() {
    if (deeper > 0) {
      deeper--;
    } else {
      open.pop();
      openBefore.pop();
    }
  }

  void identified(String id) {
    open.getFirst().ids.add(id);
  }

  void referred(String id) {
    open.getFirst().references.add(id);
  }

  /// Whether no id is there twice and each reference leads to one.
  boolean fit() {
    var ids = new HashSet<String>();
    return all.identify(ids) && all.refersTo(ids);
  }
}
