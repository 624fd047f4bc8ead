package org.systole.scheduler.model;

/// A set of [Relation]s: what an ordering means. It does not change; what changes is the set an
/// ordering has.
public sealed interface Relations permits Relation, Relations.Several {
  /// No relation: an ordering that was disabled.
  Relations NONE = new Several(0);

  /// The relations as bits by their place in the enum, for no use but that of sets of them.
  int bits();

  /// @param bits as [Relations#bits]
  record Several(int bits) implements Relations {}

  static Relations of(Relation first, Relation... others) {
    var bits = first.bits();
    for (var other : others) {
      bits |= other.bits();
    }
    return new Several(bits);
  }

  default boolean isNone() {
    return bits() == 0;
  }

  default boolean has(Relation relation) {
    return (bits() & relation.bits()) != 0;
  }

  default boolean hasAny(Relations others) {
    return (bits() & others.bits()) != 0;
  }

  /// Whether this relation is all there is.
  default boolean isOnly(Relation relation) {
    return bits() == relation.bits();
  }

  default Relations with(Relations others) {
    return new Several(bits() | others.bits());
  }

  default Relations without(Relations others) {
    return new Several(bits() & ~others.bits());
  }

  /// Those of them that are among the others.
  default Relations among(Relations others) {
    return new Several(bits() & others.bits());
  }
}
