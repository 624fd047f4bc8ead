package org.systole.common.schema.upgrade;

import java.util.ArrayList;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.systole.common.xml.Element;

/// Rewrites trees.
final class Rewrite {
  /// What becomes of one element.
  @FunctionalInterface
  interface Rule {
    /// @param parent the element around it as it was; null for the outermost
    /// @return what takes its place; null to drop it
    @Nullable Element apply(Element element, @Nullable Element parent);
  }

  private Rewrite() {}

  /// The tree with the rule applied to every element, the innermost first.
  static Element all(Element root, Rule rule) {
    var result = rewrite(root, null, rule);
    return result == null ? root : result;
  }

  private static @Nullable Element rewrite(Element element, @Nullable Element parent, Rule rule) {
    var children = new ArrayList<Element>(element.childCount());
    var changed = false;
    for (var child : element.children()) {
      var result = rewrite(child, element, rule);
      changed |= result != child;
      if (result != null) {
        children.add(result);
      }
    }
    return rule.apply(changed ? element.withChildren(children) : element, parent);
  }

  /// Whether anything in the tree matches.
  static boolean any(Element root, Predicate<Element> wanted) {
    return root.find(wanted) != null;
  }

  /// The attributes of an element under other names or values.
  interface AttributeRule {
    /// @return name and value, or null to drop the attribute
    String @Nullable [] apply(String name, String value);
  }

  static Element attributes(Element element, AttributeRule rule) {
    var kept = new ArrayList<String>();
    for (var at = 0; at < element.attributeCount(); at++) {
      var pair = rule.apply(element.attributeName(at), element.attributeValue(at));
      if (pair != null) {
        kept.add(pair[0]);
        kept.add(pair[1]);
      }
    }
    return element.withAttributes(kept.toArray(new String[0]));
  }

  static boolean is(@Nullable Element element, String name) {
    return element != null && element.is(name);
  }
}
