package org.systole.common.cib;

import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.systole.common.xml.Element;

/// What of a CIB a user may see, for operations that look for something in it: whether they find it
/// must not tell what is hidden.
final class SeenCib {
  private final Map<Draft, Boolean> there = new IdentityHashMap<>(); // whether all of it is readable
  private final Set<Element> hidden = Collections.newSetFromMap(new IdentityHashMap<>());
  private final Set<String> hiddenNames = new HashSet<>();

  /// @param isReadable of an element, and whether what is above it is
  SeenCib(Draft document, Reading isReadable) {
    if (look(document.root(), false, isReadable)) {
      there.put(document, true);
    }
  }

  /// Whether an element can be read.
  @FunctionalInterface
  interface Reading {
    boolean of(Draft element, boolean inherited);
  }

  private boolean look(Draft at, boolean inherited, Reading isReadable) {
    var readable = isReadable.of(at, inherited);
    var kept = readable;
    for (var child : at.children()) {
      kept |= look(child, readable, isReadable);
    }
    if (kept) {
      there.put(at, readable);
    }
    if (!readable) {
      hidden.add(at.self());
      if (at.self().id() != null) {
        hiddenNames.add(name(at.self()));
      }
    }
    return kept;
  }

  private static String name(Element element) {
    return element.name() + ' ' + element.id();
  }

  /// Whether there is anything of it.
  boolean isThere(Draft draft) {
    return there.containsKey(draft);
  }

  /// Whether there is more of it than its id.
  boolean isReadable(Draft draft) {
    return Boolean.TRUE.equals(there.get(draft));
  }

  boolean isHidden(Element element) {
    return hidden.contains(element);
  }

  /// Whether an input names something hidden, and says more of it than its id. What comes of that
  /// could tell whether it is so.
  boolean isNamedIn(CibOp.Kind kind, Element input) {
    return kind == CibOp.Kind.PATCH
        ? input.find(it -> it.is("change") && isNamedInChange(it)) != null
        : input.find(this::isDescribed) != null;
  }

  private boolean isDescribed(Element it) {
    return (it.attributeCount() > 1 || it.text() != null)
        && it.id() != null
        && hiddenNames.contains(name(it));
  }

  private boolean isNamedInChange(Element change) {
    if (change.get("operation", "").equals("create")) {
      return change.children().stream().anyMatch(it -> it.find(this::isDescribed) != null);
    }
    var path = change.get("path", "");
    Predicate<String> ends =
        it -> {
          var at = it.indexOf(' ');
          var last = it.substring(0, at) + "[@id='" + it.substring(at + 1) + "']";
          return path.endsWith("/" + last);
        };
    return hiddenNames.stream().anyMatch(ends);
  }

  /// As it is for one who may see everything.
  static @Nullable SeenCib of(Draft document, @Nullable CibAccess access) {
    return access == null ? null : access.seen(document);
  }
}
