package org.systole.pacemakerd.qdevice;

/// What this node has of the server's vote at a moment.
///
/// @param plan the number of the side it was given for
/// @param hold whether it may be counted
/// @param awaits the server was told of a side and has not decided yet
public record Word(long plan, Hold hold, boolean awaits) {
  static final Word NONE = new Word(0, Hold.NONE, false);

  /// How good it is.
  public enum Hold {
    /// It is not given, or not good for long enough.
    NONE,
    /// Another side may still use what it was given before.
    GAINED,
    /// It counts.
    SETTLED
  }
}
