package org.systole.common.schema.upgrade;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.systole.common.xml.Element;

/// References while a CIB is rewritten for schema 4.0: each is a copy of what it refers to, marked
/// as one. Where the original is dropped, the first copy that is left takes its place.
final class Copies {
  /// The mark: an attribute no document can have.
  private static final String MARK = "#copy";

  private final Map<String, Element> byId = new HashMap<>();
  private final Set<String> originals = new HashSet<>();
  private final Set<String> defined = new HashSet<>();

  private Copies() {}

  /// The CIB with a copy in place of each reference. Those that lead to another kind of element, or
  /// back to where they are, stay.
  static Element unfold(Element cib) {
    var copies = new Copies();
    copies.index(cib);
    return copies.unfold(cib, false, new HashSet<>());
  }

  private void index(Element element) {
    var id = element.id();
    if (id != null) {
      byId.putIfAbsent(id, element);
    }
    element.children().forEach(this::index);
  }

  private Element unfold(Element element, boolean copy, Set<String> within) {
    var reference = element.get("id-ref");
    var original = reference == null ? null : byId.get(reference);
    if (reference != null && original != null && original.is(element.name())) {
      if (element.is("nvpair") && element.has("name")) {
        return renamed(element, original, reference);
      }
      if (within.add(reference)) {
        var unfolded = unfold(original, true, within);
        within.remove(reference);
        return unfolded;
      }
      return element;
    }
    var children = new ArrayList<Element>(element.childCount());
    var changed = false;
    for (var child : element.children()) {
      var unfolded = child.isComment() ? child : unfold(child, copy, within);
      changed |= unfolded != child;
      children.add(unfolded);
    }
    var whole = changed ? element.withChildren(children) : element;
    return copy ? whole.with(MARK, "1") : whole;
  }

  /// A pair that takes its value from another but has a name of its own becomes a pair of its own.
  private static Element renamed(Element pair, Element original, String reference) {
    var name = pair.get("name", "");
    return original
        .with("id", Unsupported.PREFIX + reference + "-" + name)
        .with("name", name)
        .with(MARK, "1");
  }

  /// The element as a copy, with all in it.
  static Element marked(Element element) {
    return Rewrite.all(
        element, (inner, parent) -> inner.isComment() ? inner : inner.with(MARK, "1"));
  }

  static boolean isOriginal(Element element) {
    return !element.has(MARK);
  }

  /// The CIB with references again, and without marks.
  static Element fold(Element cib) {
    var copies = new Copies();
    copies.note(cib);
    return copies.refold(cib);
  }

  private void note(Element element) {
    var id = element.id();
    if (id != null && isOriginal(element)) {
      originals.add(id);
    }
    element.children().forEach(this::note);
  }

  private Element refold(Element element) {
    @Nullable String id = element.id();
    if (id != null) {
      if (!isOriginal(element) && (originals.contains(id) || defined.contains(id))) {
        return Element.of(element.name(), "id-ref", id);
      }
      defined.add(id);
    }
    var children = new ArrayList<Element>(element.childCount());
    var changed = false;
    for (var child : element.children()) {
      var folded = child.isComment() ? child : refold(child);
      changed |= folded != child;
      children.add(folded);
    }
    var whole = changed ? element.withChildren(children) : element;
    return isOriginal(whole) ? whole : whole.without(MARK);
  }
}
