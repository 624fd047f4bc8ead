package org.systole.cibd.client;

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
/// Between nodes it travels as the patch of a change; whoever does not know it takes it for one
/// that does not fit, and asks for the whole.
public final class RolesPatch {
  public static final String NAME = "roles-patch";

  private RolesPatch() {}

  /// @param before null if there was nothing
  public static Element between(@Nullable Element before, Element after) {
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
  public static @Nullable Element apply(@Nullable Element before, Element patch) {
    var now = before;
    var pieces = new ArrayList<Piece>();
    for (var part : patch.children()) {
      if (part.childCount() != 1) {
        return null;
      }
      if (part.is("whole")) {
        now = part.child(0);
      } else {
        pieces.add(new Piece(way(part.get("place", "")), part.child(0)));
      }
    }
    return now == null || pieces.isEmpty() ? now : placed(now, pieces, 0);
  }

  /// @param way the numbers of the children that lead to its place
  private record Piece(List<Integer> way, Element element) {}

  private static List<Integer> way(String place) {
    return Arrays.stream(place.split("/")).skip(1).map(it -> Numbers.parseInt(it, -1)).toList();
  }

  /// All at once: the children of an element, which may be thousands, are copied once.
  private static @Nullable Element placed(Element at, List<Piece> pieces, int depth) {
    if (pieces.size() == 1 && pieces.getFirst().way().size() == depth) {
      return pieces.getFirst().element();
    }
    var children = new ArrayList<>(at.children());
    for (var from = 0; from < pieces.size(); ) {
      var number = step(pieces.get(from), depth);
      var to = from + 1;
      while (to < pieces.size() && step(pieces.get(to), depth) == number) {
        to++;
      }
      var inside =
          number < 0 || number >= children.size()
              ? null
              : placed(children.get(number), pieces.subList(from, to), depth + 1);
      if (inside == null) {
        return null;
      }
      children.set(number, inside);
      from = to;
    }
    return at.withChildren(children);
  }

  private static int step(Piece piece, int depth) {
    return depth < piece.way().size() ? piece.way().get(depth) : -1;
  }
}
