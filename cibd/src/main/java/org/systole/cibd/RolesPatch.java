package org.systole.cibd;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.Numbers;
import org.systole.common.xml.Element;

/// What leads from one state of the cluster's roles to the next: the elements that came out other
/// than they were, each with its place, or the whole. CIB patches know nothing of the text inside of
/// elements, which is where roles have their data.
///
/// It travels as the patch of a [CibPeerMessage.Change]; whoever does not know it takes it for one
/// that does not fit, and asks for the whole.
final class RolesPatch {
  static final String NAME = "roles-patch";

  private RolesPatch() {}

  /// @param before null if there was nothing
  static Element between(@Nullable Element before, Element after) {
    var whole = Element.of(NAME).plus(Element.of("whole").plus(after));
    if (before == null) {
      return whole;
    }
    var parts = new ArrayList<Element>();
    compare(before, after, "", parts);
    var patch = Element.builder(NAME).addAll(parts).build();
    return patch.textLength() < whole.textLength() ? patch : whole;
  }

  private static void compare(Element before, Element after, String at, List<Element> parts) {
    if (before == after || before.equals(after)) {
      return;
    }
    var same =
        before.childCount() == after.childCount()
            && before.childCount() > 0
            && before.withChildren(List.of()).equals(after.withChildren(List.of()));
    if (!same) {
      parts.add(Element.of("at", "place", at).plus(after));
      return;
    }
    for (var number = 0; number < before.childCount(); number++) {
      compare(before.child(number), after.child(number), at + "/" + number, parts);
    }
  }

  /// @return null if it does not fit
  static @Nullable Element apply(@Nullable Element before, Element patch) {
    var now = before;
    for (var part : patch.children()) {
      if (part.childCount() != 1) {
        return null;
      }
      var piece = part.child(0);
      if (part.is("whole")) {
        now = piece;
      } else {
        var steps = Arrays.stream(part.get("place", "").split("/")).skip(1).toList();
        now = now == null ? null : placed(now, steps, piece);
      }
      if (now == null) {
        return null;
      }
    }
    return now;
  }

  private static @Nullable Element placed(Element at, List<String> steps, Element piece) {
    if (steps.isEmpty()) {
      return piece;
    }
    var number = Numbers.parseInt(steps.getFirst(), -1);
    if (number < 0 || number >= at.childCount()) {
      return null;
    }
    var inside = placed(at.child(number), steps.subList(1, steps.size()), piece);
    return inside == null ? null : at.replace(number, inside);
  }
}
