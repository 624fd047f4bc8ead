package org.systole.common.schema;

import java.util.LinkedHashSet;
import java.util.Set;
import org.systole.common.schema.Pattern.Attribute;
import org.systole.common.schema.Pattern.Child;
import org.systole.common.schema.Pattern.Choice;
import org.systole.common.schema.Pattern.Mixture;
import org.systole.common.schema.Pattern.Nothing;
import org.systole.common.schema.Pattern.Repeated;
import org.systole.common.schema.Pattern.Sequence;

/// Says what a pattern waits for, for messages.
final class Expected {
  private Expected() {}

  /// The attributes that could still be taken.
  static Set<String> attributes(Pattern pattern) {
    var names = new LinkedHashSet<String>();
    attributes(pattern, names);
    return names;
  }

  private static void attributes(Pattern pattern, Set<String> into) {
    switch (pattern) {
      case Nothing _, Child _ -> {}
      case Attribute it -> into.add(it.name());
      case Choice it -> {
        attributes(it.one(), into);
        attributes(it.other(), into);
      }
      case Sequence it -> {
        attributes(it.first(), into);
        attributes(it.then(), into);
      }
      case Mixture it -> {
        attributes(it.one(), into);
        attributes(it.other(), into);
      }
      case Repeated it -> attributes(it.of, into);
    }
  }

  /// What the values of an attribute may be.
  static Set<String> values(Pattern pattern, String name) {
    var texts = new LinkedHashSet<String>();
    values(pattern, name, texts);
    return texts;
  }

  private static void values(Pattern pattern, String name, Set<String> into) {
    switch (pattern) {
      case Nothing _, Child _ -> {}
      case Attribute it -> {
        if (it.name().equals(name)) {
          into.add(it.type().expected());
        }
      }
      case Choice it -> {
        values(it.one(), name, into);
        values(it.other(), name, into);
      }
      case Sequence it -> {
        values(it.first(), name, into);
        values(it.then(), name, into);
      }
      case Mixture it -> {
        values(it.one(), name, into);
        values(it.other(), name, into);
      }
      case Repeated it -> values(it.of, name, into);
    }
  }

  /// The children of which the next could be one.
  static Set<Rule> next(Pattern pattern) {
    var rules = new LinkedHashSet<Rule>();
    next(pattern, rules, false);
    return rules;
  }

  /// The children there can be at all.
  static Set<Rule> children(Pattern pattern) {
    var rules = new LinkedHashSet<Rule>();
    next(pattern, rules, true);
    return rules;
  }

  private static void next(Pattern pattern, Set<Rule> into, boolean later) {
    switch (pattern) {
      case Nothing _, Attribute _ -> {}
      case Child it -> into.add(it.rule());
      case Choice it -> {
        next(it.one(), into, later);
        next(it.other(), into, later);
      }
      case Sequence it -> {
        next(it.first(), into, later);
        if (later || it.first().mayEnd()) {
          next(it.then(), into, later);
        }
      }
      case Mixture it -> {
        next(it.one(), into, later);
        next(it.other(), into, later);
      }
      case Repeated it -> next(it.of, into, later);
    }
  }

  /// The attributes without which the element is not complete, as "a and b or c"; empty if
  /// there are none.
  static String missingAttributes(Pattern pattern) {
    return missing(pattern, true);
  }

  /// The children without which it is not complete.
  static String missingChildren(Pattern pattern) {
    return missing(pattern, false);
  }

  private static String missing(Pattern pattern, boolean attributes) {
    return switch (pattern) {
      case Nothing _ -> "";
      case Attribute it -> attributes ? it.name() : "";
      case Child it -> attributes ? "" : "<" + it.rule().element() + ">";
      case Choice it -> {
        var one = missing(it.one(), attributes);
        var other = missing(it.other(), attributes);
        yield other.startsWith(one) ? one : one.startsWith(other) ? other : one + " or " + other;
      }
      case Sequence it -> both(missing(it.first(), attributes), missing(it.then(), attributes));
      case Mixture it -> both(missing(it.one(), attributes), missing(it.other(), attributes));
      case Repeated it -> missing(it.of, attributes);
    };
  }

  private static String both(String one, String other) {
    return one.isEmpty() || other.isEmpty() ? one + other : closed(one) + " and " + closed(other);
  }

  private static String closed(String text) {
    return text.contains(" or ") && !text.startsWith("(") ? "(" + text + ")" : text;
  }
}
