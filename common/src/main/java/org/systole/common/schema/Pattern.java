package org.systole.common.schema;

/// What attributes and children an element may have, as far as it has not been read yet.
///
/// An element is checked by taking the derivative of its pattern by each attribute, then by each
/// child in turn: the pattern of what may still follow. Attributes may stand anywhere in a pattern,
/// as their order means nothing. Two kinds of pattern are kept apart from all others by identity:
/// [#EMPTY] and [#REFUSED].
sealed interface Pattern {
  /// Nothing more may follow.
  Pattern EMPTY = new Nothing(true);

  /// Matches nothing at all.
  Pattern REFUSED = new Nothing(false);

  /// Whether the element may end here.
  boolean mayEnd();

  /// Whether an attribute can still be taken.
  boolean hasAttributes();

  /// What remains without an attribute of this name and value; [#REFUSED] if it is not expected.
  Pattern withoutAttribute(Derivative taking, String name, String value);

  /// What remains after a child of this name; [#REFUSED] if it is not expected here.
  Pattern afterChild(Derivative taking, String name);

  /// What remains if all attributes are replaced.
  Pattern closed(Pattern attribute);

  /// Either end of the scale.
  record Nothing(boolean mayEnd) implements Pattern {
    @Override
    public boolean hasAttributes() {
      return false;
    }

    @Override
    public Pattern withoutAttribute(Derivative taking, String name, String value) {
      return REFUSED;
    }

    @Override
    public Pattern afterChild(Derivative taking, String name) {
      return REFUSED;
    }

    @Override
    public Pattern closed(Pattern attribute) {
      return this;
    }
  }

  /// An attribute that must be there.
  record Attribute(String name, ValueType type) implements Pattern {
    @Override
    public boolean mayEnd() {
      return false;
    }

    @Override
    public boolean hasAttributes() {
      return true;
    }

    @Override
    public Pattern withoutAttribute(Derivative taking, String taken, String value) {
      if (!name.equals(taken) || !type.accepts(value)) {
        return REFUSED;
      }
      taking.took(type);
      return EMPTY;
    }

    @Override
    public Pattern afterChild(Derivative taking, String taken) {
      return REFUSED;
    }

    @Override
    public Pattern closed(Pattern attribute) {
      return attribute;
    }
  }

  /// A child that must be there.
  record Child(Rule rule) implements Pattern {
    @Override
    public boolean mayEnd() {
      return false;
    }

    @Override
    public boolean hasAttributes() {
      return false;
    }

    @Override
    public Pattern withoutAttribute(Derivative taking, String name, String value) {
      return REFUSED;
    }

    @Override
    public Pattern afterChild(Derivative taking, String name) {
      if (!rule.element().equals(name)) {
        return REFUSED;
      }
      taking.took(rule);
      return EMPTY;
    }

    @Override
    public Pattern closed(Pattern attribute) {
      return this;
    }
  }

  /// One of two.
  record Choice(Pattern one, Pattern other, boolean mayEnd, boolean hasAttributes)
      implements Pattern {
    @Override
    public Pattern withoutAttribute(Derivative taking, String name, String value) {
      return hasAttributes
          ? either(
              one.withoutAttribute(taking, name, value),
              other.withoutAttribute(taking, name, value))
          : REFUSED;
    }

    @Override
    public Pattern afterChild(Derivative taking, String name) {
      return either(one.afterChild(taking, name), other.afterChild(taking, name));
    }

    @Override
    public Pattern closed(Pattern attribute) {
      return hasAttributes ? either(one.closed(attribute), other.closed(attribute)) : this;
    }
  }

  /// One after the other.
  record Sequence(Pattern first, Pattern then, boolean mayEnd, boolean hasAttributes)
      implements Pattern {
    @Override
    public Pattern withoutAttribute(Derivative taking, String name, String value) {
      if (!hasAttributes) {
        return REFUSED;
      }
      var inFirst = first.withoutAttribute(taking, name, value);
      var inThen = then.withoutAttribute(taking, name, value);
      return either(sequence(inFirst, then), sequence(first, inThen));
    }

    @Override
    public Pattern afterChild(Derivative taking, String name) {
      var inFirst = sequence(first.afterChild(taking, name), then);
      return first.mayEnd() ? either(inFirst, then.afterChild(taking, name)) : inFirst;
    }

    @Override
    public Pattern closed(Pattern attribute) {
      return hasAttributes ? sequence(first.closed(attribute), then.closed(attribute)) : this;
    }
  }

  /// Both, in any order of their parts.
  record Mixture(Pattern one, Pattern other, boolean mayEnd, boolean hasAttributes)
      implements Pattern {
    @Override
    public Pattern withoutAttribute(Derivative taking, String name, String value) {
      if (!hasAttributes) {
        return REFUSED;
      }
      var inOne = one.withoutAttribute(taking, name, value);
      var inOther = other.withoutAttribute(taking, name, value);
      return either(mixture(inOne, other), mixture(one, inOther));
    }

    @Override
    public Pattern afterChild(Derivative taking, String name) {
      var inOne = one.afterChild(taking, name);
      if (inOne == one) {
        return this; // no other part expects a child of this name
      }
      return either(mixture(inOne, other), mixture(one, other.afterChild(taking, name)));
    }

    @Override
    public Pattern closed(Pattern attribute) {
      return hasAttributes ? mixture(one.closed(attribute), other.closed(attribute)) : this;
    }
  }

  /// Once or several times.
  final class Repeated implements Pattern {
    final Pattern of;

    /// What may follow the first time: the same again or nothing.
    final Pattern rest;

    private Repeated(Pattern of) {
      this.of = of;
      this.rest = new Choice(this, EMPTY, true, of.hasAttributes());
    }

    @Override
    public boolean mayEnd() {
      return of.mayEnd();
    }

    @Override
    public boolean hasAttributes() {
      return of.hasAttributes();
    }

    @Override
    public Pattern withoutAttribute(Derivative taking, String name, String value) {
      return sequence(of.withoutAttribute(taking, name, value), rest);
    }

    @Override
    public Pattern afterChild(Derivative taking, String name) {
      return sequence(of.afterChild(taking, name), rest);
    }

    @Override
    public Pattern closed(Pattern attribute) {
      return of.hasAttributes() ? some(of.closed(attribute)) : this;
    }
  }

  static Pattern either(Pattern one, Pattern other) {
    if (one == REFUSED || one == other) {
      return other;
    }
    if (other == REFUSED || other == EMPTY && one.mayEnd()) {
      return one;
    }
    return new Choice(
        one, other, one.mayEnd() || other.mayEnd(), one.hasAttributes() || other.hasAttributes());
  }

  static Pattern sequence(Pattern first, Pattern then) {
    if (first == REFUSED || then == REFUSED) {
      return REFUSED;
    }
    if (first == EMPTY) {
      return then;
    }
    return then == EMPTY
        ? first
        : new Sequence(
            first,
            then,
            first.mayEnd() && then.mayEnd(),
            first.hasAttributes() || then.hasAttributes());
  }

  static Pattern mixture(Pattern one, Pattern other) {
    if (one == REFUSED || other == REFUSED) {
      return REFUSED;
    }
    if (one == EMPTY) {
      return other;
    }
    return other == EMPTY
        ? one
        : new Mixture(
            one,
            other,
            one.mayEnd() && other.mayEnd(),
            one.hasAttributes() || other.hasAttributes());
  }

  /// At least once.
  static Pattern some(Pattern of) {
    return of == REFUSED || of == EMPTY ? of : new Repeated(of);
  }

  /// Any number of times.
  static Pattern any(Pattern of) {
    return of == REFUSED || of == EMPTY ? EMPTY : new Repeated(of).rest;
  }

  static Pattern maybe(Pattern of) {
    return either(of, EMPTY);
  }
}
