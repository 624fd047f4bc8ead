package org.systole.common.cib;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.systole.common.xml.Element;

/// Finds what leads from one tree to another, as the changes of a patchset. Subtrees that are equal
/// are not looked into.
///
/// Elements stand for each other if name and id are the same, comments if place and text are.
/// Positions count only what the reader of the patchset will have there at that time: of the old
/// children those not deleted nor moved away, of the new those not created nor moved there.
final class TreeDiff {
  private final boolean attributeOrder;
  private final List<Element> deletions = new ArrayList<>();
  private final List<Element> others = new ArrayList<>();
  private final StringBuilder path = new StringBuilder();

  TreeDiff(boolean attributeOrder) {
    this.attributeOrder = attributeOrder;
  }

  boolean isEmpty() {
    return deletions.isEmpty() && others.isEmpty();
  }

  /// Deletions first, then the rest in the order of the new tree.
  List<Element> changes() {
    var all = new ArrayList<>(deletions);
    all.addAll(others);
    return all;
  }

  /// Two elements that stand for each other.
  void compare(Element before, Element after) {
    if (before == after || before.equals(after)) {
      return;
    }
    var length = path.length();
    CibXPath.step(after, path);
    compareAttributes(before, after);
    compareChildren(before, after);
    path.setLength(length);
  }

  private Element.Builder change(String operation) {
    return Element.builder("change").attr("operation", operation).attr("path", path.toString());
  }

  private void compareAttributes(Element before, Element after) {
    if (before.hasSameAttributes(after)) {
      return;
    }
    var count = after.attributeCount();
    var changed = new boolean[count];
    var created = new boolean[count];
    for (var at = 0; at < count; at++) {
      var was = value(before, after.attributeName(at), at);
      created[at] = was == null;
      changed[at] = !after.attributeValue(at).equals(was);
    }
    if (attributeOrder) {
      markMoved(before, after, changed);
    }
    var list = Element.builder("change-list");
    var any = false;
    for (var at = 0; at < count; at++) {
      if (changed[at] || created[at]) {
        any = true;
        list.add(
            Element.of(
                "change-attr",
                "name",
                after.attributeName(at),
                "operation",
                "set",
                "value",
                after.attributeValue(at)));
      }
    }
    for (var at = 0; at < before.attributeCount(); at++) {
      if (value(after, before.attributeName(at), at) == null) {
        any = true;
        list.add(Element.of("change-attr", "name", before.attributeName(at), "operation", "unset"));
      }
    }
    if (any) {
      var result = after.withChildren(List.of()).withText(null);
      others.add(
          change("modify")
              .add(list.build())
              .add(Element.builder("change-result").add(result).build())
              .build());
    }
  }

  /// An attribute's value, null if there is none; it is looked for first where it mostly is.
  private static @Nullable String value(Element element, String attribute, int likelyAt) {
    return likelyAt < element.attributeCount() && element.attributeName(likelyAt).equals(attribute)
        ? element.attributeValue(likelyAt)
        : element.get(attribute);
  }

  /// Attributes with the same value at another place.
  private static void markMoved(Element before, Element after, boolean[] changed) {
    var skipBefore = new boolean[before.attributeCount()];
    var skipAfter = new boolean[after.attributeCount()];
    for (var from = 0; from < skipBefore.length; from++) {
      var to = indexOf(after, before.attributeName(from));
      if (to < 0 || changed[to]) {
        continue;
      }
      var was = position(skipBefore, from);
      var is = position(skipAfter, to);
      if (was != is) {
        changed[to] = true;
        if (was > is) {
          skipBefore[from] = true;
        } else {
          skipAfter[to] = true;
        }
      }
    }
  }

  private static int indexOf(Element element, String attribute) {
    for (var at = 0; at < element.attributeCount(); at++) {
      if (element.attributeName(at).equals(attribute)) {
        return at;
      }
    }
    return -1;
  }

  private static int position(boolean[] skipped, int index) {
    var position = 0;
    for (var at = 0; at < index; at++) {
      position += skipped[at] ? 0 : 1;
    }
    return position;
  }

  private void compareChildren(Element before, Element after) {
    if (stand(before, after)) {
      for (var at = 0; at < after.childCount(); at++) {
        if (!before.child(at).isComment()) {
          compare(before.child(at), after.child(at));
        }
      }
      return;
    }
    var matches = match(before, after); // index in `before` for each of `after`, -1 for none
    var successor = new int[before.childCount()];
    Arrays.fill(successor, -1);
    for (var at = 0; at < matches.length; at++) {
      if (matches[at] >= 0) {
        successor[matches[at]] = at;
      }
    }
    // What changes inside a child comes before its own move, and deletions come in the order of the
    // old tree.
    var old = new Places(before.childCount());
    var inside = new ArrayList<List<Element>>(after.childCount());
    for (var at = 0; at < after.childCount(); at++) {
      inside.add(List.of());
    }
    var outer = new ArrayList<>(others);
    for (var at = 0; at < before.childCount(); at++) {
      if (successor[at] < 0) {
        delete(before.child(at), old.position(at));
        old.skip(at);
      } else if (!before.child(at).isComment()) {
        others.clear();
        compare(before.child(at), after.child(successor[at]));
        if (!others.isEmpty()) {
          inside.set(successor[at], new ArrayList<>(others));
        }
      }
    }
    others.clear();
    others.addAll(outer);
    place(after, matches, old, inside);
  }

  private void place(Element after, int[] matches, Places old, List<List<Element>> inside) {
    var placed = 0; // new children so far that the reader will find there by itself
    for (var at = 0; at < matches.length; at++) {
      if (matches[at] < 0) {
        others.add(change("create").attr("position", at).add(after.child(at)).build());
        continue;
      }
      others.addAll(inside.get(at));
      var was = old.position(matches[at]);
      if (was == placed) {
        placed++;
        continue;
      }
      var length = path.length();
      CibXPath.step(after.child(at), path);
      others.add(change("move").attr("position", at).build());
      path.setLength(length);
      if (was > placed) {
        old.skip(matches[at]);
        placed++;
      }
    }
  }

  private void delete(Element child, int position) {
    var length = path.length();
    CibXPath.step(child, path);
    var deletion = change("delete");
    if (child.isComment()) {
      deletion.attr("position", position);
    }
    deletions.add(deletion.build());
    path.setLength(length);
  }

  private record Key(String name, @Nullable String id) {}

  private static int[] match(Element before, Element after) {
    var matches = new int[after.childCount()];
    var same = 0;
    while (same < before.childCount()
        && same < after.childCount()
        && stands(before.child(same), after.child(same))) {
      matches[same] = same++;
    }
    Map<Key, ArrayDeque<Integer>> waiting = new HashMap<>();
    for (var at = same; at < before.childCount(); at++) {
      var child = before.child(at);
      if (!child.isComment()) {
        waiting.computeIfAbsent(key(child), _ -> new ArrayDeque<>()).add(at);
      }
    }
    for (var at = same; at < after.childCount(); at++) {
      var child = after.child(at);
      if (child.isComment()) {
        var there = at < before.childCount() && stands(before.child(at), child);
        matches[at] = there ? at : -1;
      } else {
        var candidates = waiting.get(key(child));
        var first = candidates == null ? null : candidates.poll();
        matches[at] = first == null ? -1 : first;
      }
    }
    return matches;
  }

  /// Whether all children stand for those at the same place, as they mostly do.
  private static boolean stand(Element before, Element after) {
    if (before.childCount() != after.childCount()) {
      return false;
    }
    for (var at = 0; at < after.childCount(); at++) {
      if (before.child(at) != after.child(at) && !stands(before.child(at), after.child(at))) {
        return false;
      }
    }
    return true;
  }

  private static boolean stands(Element before, Element after) {
    if (before.isComment() || after.isComment()) {
      return before.isComment()
          && after.isComment()
          && before.text() != null
          && before.text().equalsIgnoreCase(after.text());
    }
    return before.is(after.name()) && Objects.equals(before.id(), after.id());
  }

  private static Key key(Element element) {
    return new Key(element.name(), element.id());
  }

  /// Positions among children of which some do not count.
  private static final class Places {
    private final boolean[] skipped;
    private final int[] tree; // Fenwick tree over what is skipped
    private boolean any;

    Places(int size) {
      skipped = new boolean[size];
      tree = new int[size + 1];
    }

    void skip(int index) {
      if (!skipped[index]) {
        skipped[index] = true;
        any = true;
        for (var at = index + 1; at < tree.length; at += at & -at) {
          tree[at]++;
        }
      }
    }

    int position(int index) {
      var position = index;
      for (var at = any ? index : 0; at > 0; at -= at & -at) {
        position -= tree[at];
      }
      return position;
    }
  }
}
