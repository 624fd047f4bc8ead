package org.systole.common.cib;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// XPaths as daemons write them: names from the root down, with `/` or `//` between them, each with
/// attributes that must have a value. They find what Jaxen finds, in one walk and without its more
/// than a hundred classes, which no archive can hold. Whatever else there is in XPath is Jaxen's.
final class PlainXPath {
  private static final int STEPS_MAX = 60; // of the bits of a set of steps
  private static final int STEPS = 32; // to look at are as much work as a node
  private static final int ATTRIBUTES = 16; // likewise
  private static final Set<String> OPERATORS = Set.of("and", "or", "div", "mod");

  private record Condition(String attribute, String value) {}

  /// @param anywhere below, not only among the children
  private record Step(boolean anywhere, String name, List<Condition> conditions) {}

  private final String text;
  private int at;
  private final List<Step> steps = new ArrayList<>();

  private PlainXPath(String text) {
    this.text = text;
  }

  /// @return null if the XPath is of another kind or none
  static @Nullable PlainXPath of(String xpath) {
    var plain = new PlainXPath(xpath);
    return plain.read() ? plain : null;
  }

  private boolean read() {
    while (at < text.length()) {
      if (steps.size() == STEPS_MAX || !readStep()) {
        return false;
      }
    }
    return !steps.isEmpty();
  }

  private boolean readStep() {
    if (!take("/")) {
      return false;
    }
    var anywhere = take("/");
    var name = take("*") ? "*" : name();
    if (name == null) {
      return false;
    }
    var conditions = new ArrayList<Condition>();
    while (take("[")) {
      do {
        if (!readCondition(conditions)) {
          return false;
        }
      } while (take(" and "));
      if (!take("]")) {
        return false;
      }
    }
    steps.add(new Step(anywhere, name, conditions));
    return true;
  }

  private boolean readCondition(List<Condition> conditions) {
    var attribute = take("@") ? name() : null;
    if (attribute == null || !take("=")) {
      return false;
    }
    var quote = take("'") ? '\'' : take("\"") ? '"' : 0;
    var end = quote == 0 ? -1 : text.indexOf(quote, at);
    if (end < 0) {
      return false;
    }
    conditions.add(new Condition(attribute, text.substring(at, end)));
    at = end + 1;
    return true;
  }

  private boolean take(String expected) {
    var there = text.startsWith(expected, at);
    at += there ? expected.length() : 0;
    return there;
  }

  /// A name of plain letters that means nothing else in any place.
  private @Nullable String name() {
    var start = at;
    while (at < text.length() && isInName(text.charAt(at), at == start)) {
      at++;
    }
    var name = text.substring(start, at);
    return name.isEmpty() || OPERATORS.contains(name) ? null : name;
  }

  private static boolean isInName(char it, boolean first) {
    return it >= 'a' && it <= 'z'
        || it >= 'A' && it <= 'Z'
        || it == '_'
        || !first && (it >= '0' && it <= '9' || it == '-' || it == '.');
  }

  /// The elements found, in document order, each once.
  ///
  /// @param document the whole one
  /// @param work what is left for the request
  /// @param seen what there is for the one who asks; null for everything
  /// @throws XPathWork.TooMuch if it is not enough
  List<Draft> find(Draft document, XPathWork work, @Nullable SeenCib seen) {
    var found = new ArrayList<Draft>();
    look(document, 1, 1, new Walk(work, seen, found));
    return found;
  }

  private record Walk(XPathWork work, @Nullable SeenCib seen, List<Draft> found) {}

  /// @param here the steps, as bits, that may come next right below `parent`
  /// @param inside those that may come next anywhere below it, with `here` among them
  private void look(Draft parent, long here, long inside, Walk walk) {
    for (var child : parent.children()) {
      if (child.self().isComment() || walk.seen != null && !walk.seen.isThere(child)) {
        continue;
      }
      walk.work.done(1 + steps.size() / STEPS);
      var next = 0L;
      var below = 0L;
      for (var step = 0; step < steps.size(); step++) {
        var bit = 1L << step;
        var deep = steps.get(step).anywhere;
        if (((deep ? inside : here) & bit) == 0) {
          continue;
        }
        below |= deep ? bit : 0;
        next |= isMatch(child, steps.get(step), walk) ? bit << 1 : 0;
      }
      if ((next & 1L << steps.size()) != 0) {
        walk.found.add(child);
      }
      if ((next | below) != 0) {
        look(child, next, next | below, walk);
      }
    }
  }

  private static boolean isMatch(Draft draft, Step step, Walk walk) {
    var element = draft.self();
    if (!step.name.equals("*") && !element.is(step.name)) {
      return false;
    }
    var whole = walk.seen == null || walk.seen.isReadable(draft);
    for (var condition : step.conditions) {
      walk.work.done(1 + element.attributeCount() / ATTRIBUTES);
      if (!whole && !condition.attribute.equals("id")
          || !condition.value.equals(element.get(condition.attribute))) {
        return false;
      }
    }
    return true;
  }
}
