package org.systole.common.values;

import org.jspecify.annotations.Nullable;

/// The addresses that a bundle's replicas get, one after the other.
public final class Addresses {
  private Addresses() {}

  /// The IPv4 address after another one, null where there is none.
  public static @Nullable String following(String address) {
    var parts = address.split("\\.", -1);
    if (parts.length != 4) {
      return null;
    }
    var third = Numbers.parseInt(parts[2], 255);
    var fourth = Numbers.parseInt(parts[3], 255);
    if (third > 253) {
      return null;
    }
    return fourth > 253
        ? parts[0] + "." + parts[1] + "." + (third + 1) + ".1"
        : parts[0] + "." + parts[1] + "." + third + "." + (fourth + 1);
  }
}
