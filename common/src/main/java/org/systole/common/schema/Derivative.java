package org.systole.common.schema;

import org.jspecify.annotations.Nullable;
import org.systole.common.schema.Pattern.Attribute;
import org.systole.common.schema.Pattern.Child;
import org.systole.common.schema.Pattern.Choice;
import org.systole.common.schema.Pattern.Mixture;
import org.systole.common.schema.Pattern.Nothing;
import org.systole.common.schema.Pattern.Repeated;
import org.systole.common.schema.Pattern.Sequence;

/// Takes what an element has away from its pattern, piece by piece. What it met with the
/// last piece can be asked for afterwards. Not safe for use by several threads.
final class Derivative {
  private @Nullable Rule rule;
  private @Nullable ValueType type;

  /// The rule of the child taken last, null if no child of that name was expected.
  @Nullable Rule rule() {
    return rule;
  }

  /// The type which the value of the attribute taken last was of, null if there was none.
  @Nullable ValueType type() {
    return type;
  }

  Pattern byAttribute(Pattern pattern, String name, String value) {
    type = null;
    return attribute(pattern, name, value);
  }

  private Pattern attribute(Pattern pattern, String name, String value) {
    if (!pattern.hasAttributes()) {
      return Pattern.REFUSED;
    }
    return switch (pattern) {
      case Nothing _, Child _ -> Pattern.REFUSED;
      case Attribute it -> {
        if (!it.name().equals(name) || !it.type().accepts(value)) {
          yield Pattern.REFUSED;
        }
        type = it.type();
        yield Pattern.EMPTY;
      }
      case Choice it ->
          Pattern.either(attribute(it.one(), name, value), attribute(it.other(), name, value));
      case Sequence it ->
          Pattern.either(
              Pattern.sequence(attribute(it.first(), name, value), it.then()),
              Pattern.sequence(it.first(), attribute(it.then(), name, value)));
      case Mixture it ->
          Pattern.either(
              Pattern.mixture(attribute(it.one(), name, value), it.other()),
              Pattern.mixture(it.one(), attribute(it.other(), name, value)));
      case Repeated it -> Pattern.sequence(attribute(it.of, name, value), it.rest);
    };
  }

  Pattern byChild(Pattern pattern, String name) {
    rule = null;
    return child(pattern, name);
  }

  private Pattern child(Pattern pattern, String name) {
    return switch (pattern) {
      case Nothing _, Attribute _ -> Pattern.REFUSED;
      case Child it -> {
        if (!it.rule().element().equals(name)) {
          yield Pattern.REFUSED;
        }
        rule = it.rule();
        yield Pattern.EMPTY;
      }
      case Choice it -> Pattern.either(child(it.one(), name), child(it.other(), name));
      case Sequence it -> {
        var here = Pattern.sequence(child(it.first(), name), it.then());
        yield it.first().mayEnd() ? Pattern.either(here, child(it.then(), name)) : here;
      }
      case Mixture it ->
          Pattern.either(
              Pattern.mixture(child(it.one(), name), it.other()),
              Pattern.mixture(it.one(), child(it.other(), name)));
      case Repeated it -> Pattern.sequence(child(it.of, name), it.rest);
    };
  }

  /// What remains once there are no more attributes.
  static Pattern withoutMoreAttributes(Pattern pattern) {
    return close(pattern, Pattern.REFUSED);
  }

  /// What the children must be, whatever the attributes are.
  static Pattern children(Pattern pattern) {
    return close(pattern, Pattern.EMPTY);
  }

  /// @param instead what takes the place of an attribute
  private static Pattern close(Pattern pattern, Pattern instead) {
    if (!pattern.hasAttributes()) {
      return pattern;
    }
    return switch (pattern) {
      case Nothing _, Child _ -> pattern;
      case Attribute _ -> instead;
      case Choice it -> Pattern.either(close(it.one(), instead), close(it.other(), instead));
      case Sequence it -> Pattern.sequence(close(it.first(), instead), close(it.then(), instead));
      case Mixture it -> Pattern.mixture(close(it.one(), instead), close(it.other(), instead));
      case Repeated it -> Pattern.some(close(it.of, instead));
    };
  }
}
