package org.systole.common.wire;

/// An enum's constant that goes by a number of its own in short forms. The number stays what it is
/// when constants are sorted, added or taken away; one that was given up is not given to another.
public interface Coded {
  /// Not negative, and no other constant's.
  int code();
}
