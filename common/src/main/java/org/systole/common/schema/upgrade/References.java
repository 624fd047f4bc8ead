package org.systole.common.schema.upgrade;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.systole.common.xml.Element;

/// References to blocks of pairs. While such blocks are rewritten each reference is a copy, since
/// what is right for the original where it stands need not be right for the place it is referred to
/// from.
final class References {
  private static final Set<String> BLOCKS =
      Set.of("cluster_property_set", "instance_attributes", "meta_attributes");
  private static final String MARK = "_cibtr-2_";

  private References() {}

  private static void index(Element element, Map<String, Element> into) {
    if (element.id() != null && BLOCKS.contains(element.name())) {
      into.putIfAbsent(element.name() + ' ' + element.id(), element);
    }
    element.children().forEach(child -> index(child, into));
  }

  private static Map<String, Element> index(Element cib) {
    var blocks = new HashMap<String, Element>();
    index(cib, blocks);
    return blocks;
  }

  /// Every reference as a copy of what it refers to, with ids of its own.
  static Element unfold(Element cib) {
    var blocks = index(cib);
    return Rewrite.all(
        cib,
        (element, parent) -> {
          var reference = element.get("id-ref");
          var original = reference == null ? null : blocks.get(element.name() + ' ' + reference);
          return original == null ? element : copy(original);
        });
  }

  private static Element copy(Element original) {
    var prefix = "_" + MARK + original.id() + "__";
    var copy =
        Rewrite.all(
            original,
            (element, parent) ->
                element.id() == null ? element : element.with("id", prefix + element.id()));
    return copy.with("id", MARK + original.id());
  }

  /// Copies that are still like their original become references again.
  static Element fold(Element cib) {
    var blocks = index(cib);
    return Rewrite.all(
        cib,
        (element, parent) -> {
          var id = element.id();
          if (id == null || !BLOCKS.contains(element.name()) || !id.startsWith(MARK)) {
            return element;
          }
          var original = blocks.get(element.name() + ' ' + id.substring(MARK.length()));
          return isLike(original, element)
              ? Element.of(element.name(), "id-ref", id.substring(MARK.length()))
              : element;
        });
  }

  private static boolean isLike(@Nullable Element original, Element copy) {
    return original != null && withoutIds(original).equals(withoutIds(copy));
  }

  private static Element withoutIds(Element element) {
    return Rewrite.all(element, (inner, parent) -> inner.without("id"));
  }
}
