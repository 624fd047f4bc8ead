package org.systole.common.schema;

import org.jspecify.annotations.Nullable;

/// Takes what an element has away from its pattern, piece by piece, and notes what each piece was
/// taken for. Not safe for use by several threads.
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

  void took(Rule taken) {
    rule = taken;
  }

  void took(ValueType taken) {
    type = taken;
  }

  Pattern byAttribute(Pattern pattern, String name, String value) {
    type = null;
    return pattern.withoutAttribute(this, name, value);
  }

  Pattern byChild(Pattern pattern, String name) {
    rule = null;
    return pattern.afterChild(this, name);
  }

  /// What remains once there are no more attributes.
  static Pattern withoutMoreAttributes(Pattern pattern) {
    return pattern.closed(Pattern.REFUSED);
  }

  /// What the children must be, whatever the attributes are.
  static Pattern children(Pattern pattern) {
    return pattern.closed(Pattern.EMPTY);
  }
}
