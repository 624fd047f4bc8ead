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

  /// Either end of the scale.
  record Nothing(boolean mayEnd) implements Pattern {
    @Override
    public boolean hasAttributes() {
      return false;
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
  }

  /// One of two.
  record Choice(Pattern one, Pattern other, boolean mayEnd, boolean hasAttributes)
      implements Pattern {}

  /// One after the other.
  record Sequence(Pattern first, Pattern then, boolean mayEnd, boolean hasAttributes)
      implements Pattern {}

  /// Both, in any order of their parts.
  record Mixture(Pattern one, Pattern other, boolean mayEnd, boolean hasAttributes)
      implements Pattern {}

  /// Once or several times.
  ///
  /// @param rest what may follow the first time: the same pattern again or nothing
  final class Repeated implements Pattern {
    final Pattern of;
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
