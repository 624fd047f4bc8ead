package org.systole.common.cib;

import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.Score;
import org.systole.common.xml.Element;

/// Finding and changing one element somewhere in a tree; what is not on the way to it stays shared.
final class ElementMatch {
  private ElementMatch() {}

  /// Changes the first element, in document order, for which `wanted` holds.
  ///
  /// @param change the element's successor; null removes it
  /// @param withRoot whether `tree` itself may be the one
  /// @return the tree with that change, null if nothing matched
  static @Nullable Element changeFirst(
      Element tree,
      boolean withRoot,
      Predicate<Element> wanted,
      UnaryOperator<@Nullable Element> change) {
    if (withRoot && wanted.test(tree)) {
      return change.apply(tree);
    }
    for (var at = 0; at < tree.childCount(); at++) {
      var child = tree.child(at);
      if (wanted.test(child)) {
        var changed = change.apply(child);
        return changed == null ? tree.remove(at) : tree.replace(at, changed);
      }
      var below = child.childCount() == 0 ? null : changeFirst(child, false, wanted, change);
      if (below != null) {
        return tree.replace(at, below);
      }
    }
    return null;
  }

  /// As [#changeFirst], looking at an element's own children of that name and id before going
  /// deeper:
  /// ids are unique, so this finds the same one sooner.
  static @Nullable Element changeById(
      Element tree, boolean withRoot, Element like, UnaryOperator<@Nullable Element> change) {
    var id = like.id();
    if (id != null && !(withRoot && tree.is(like.name()) && id.equals(tree.id()))) {
      for (var at = 0; at < tree.childCount(); at++) {
        var child = tree.child(at);
        if (child.is(like.name()) && id.equals(child.id())) {
          var changed = change.apply(child);
          return changed == null ? tree.remove(at) : tree.replace(at, changed);
        }
      }
    }
    return changeFirst(tree, withRoot, it -> it.is(like.name()) && sameId(it, like), change);
  }

  static boolean sameId(Element one, Element other) {
    var id = one.id();
    return id == null ? other.id() == null : id.equals(other.id());
  }

  /// Whether `element` has the name and all the attributes of `like`, values compared without case.
  static boolean hasAllOf(Element element, Element like) {
    if (!element.is(like.name())) {
      return false;
    }
    for (var at = 0; at < like.attributeCount(); at++) {
      var value = element.get(like.attributeName(at));
      if (value == null || !value.equalsIgnoreCase(like.attributeValue(at))) {
        return false;
      }
    }
    return true;
  }

  /// Merges `update` into `target`: attributes are set, children merged into the first of the same
  /// name and id (or id-ref, or any if it has neither), or added. Nothing is removed.
  ///
  /// @param score whether values like `X++` and `X+=N` of an attribute X add to the value there
  static Element merge(Element target, Element update, boolean score) {
    var merged = target;
    for (var at = 0; at < update.attributeCount(); at++) {
      var name = update.attributeName(at);
      var value = update.attributeValue(at);
      merged = merged.with(name, score ? added(merged.get(name), name, value) : value);
    }
    for (var child : update.children()) {
      var there = indexOf(merged, child);
      if (there >= 0) {
        merged =
            child.isComment()
                ? merged
                : merged.replace(there, merge(merged.child(there), child, score));
      } else {
        var added = child.isComment() ? child : merge(Element.of(child.name()), child, score);
        merged = merged.plus(added);
      }
    }
    return merged;
  }

  private static int indexOf(Element parent, Element like) {
    var attribute = like.id() != null ? "id" : like.get("id-ref") != null ? "id-ref" : null;
    var value = attribute == null ? null : like.get(attribute);
    for (var at = 0; at < parent.childCount(); at++) {
      var child = parent.child(at);
      if (child.is(like.name())
          && (child.isComment()
              ? like.text() != null && like.text().equalsIgnoreCase(child.text())
              : attribute == null || value != null && value.equals(child.get(attribute)))) {
        return at;
      }
    }
    return -1;
  }

  private static String added(@Nullable String old, String name, String value) {
    if (old == null || !value.startsWith(name)) {
      return value;
    }
    var by = value.substring(name.length());
    if (by.startsWith("++")) {
      return Integer.toString(sum(Score.parse(old, 0), 1));
    }
    if (by.startsWith("+=")) {
      return Integer.toString(sum(Score.parse(old, 0), Score.parse(by.substring(2), 0)));
    }
    return value;
  }

  private static int sum(int one, int other) {
    return Score.add(one, other);
  }
}
