package org.systole.common.rules;

import org.jspecify.annotations.Nullable;
import org.systole.common.values.IsoTime;

/// Collects the earliest moment at which a result that depends on the date will change. Not for use
/// by several threads.
public final class NextChange {
  private @Nullable IsoTime earliest;

  public void offer(IsoTime moment) {
    if (earliest == null || moment.isBefore(earliest)) {
      earliest = moment;
    }
  }

  /// Null if no change is known of.
  public @Nullable IsoTime earliest() {
    return earliest;
  }
}
