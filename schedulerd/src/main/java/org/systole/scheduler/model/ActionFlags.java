package org.systole.scheduler.model;

/// A set of [ActionFlag]s, which does not change. There is one object for each set, so sets may be
/// compared by `==`.
public final class ActionFlags {
  private static final ActionFlags[] ALL = new ActionFlags[1 << ActionFlag.values().length];

  static {
    for (var bits = 0; bits < ALL.length; bits++) {
      ALL[bits] = new ActionFlags(bits);
    }
  }

  public static final ActionFlags NONE = ALL[0];

  private final int bits;

  private ActionFlags(int bits) {
    this.bits = bits;
  }

  public static ActionFlags of(ActionFlag... flags) {
    var set = NONE;
    for (var flag : flags) {
      set = set.with(flag);
    }
    return set;
  }

  public boolean has(ActionFlag flag) {
    return (bits & flag.bit) != 0;
  }

  public ActionFlags with(ActionFlag flag) {
    return ALL[bits | flag.bit];
  }

  public ActionFlags without(ActionFlag flag) {
    return ALL[bits & ~flag.bit];
  }
}
