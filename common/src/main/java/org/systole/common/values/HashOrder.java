package org.systole.common.values;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The order in which Pacemaker shows names it keeps in a hash table.
///
/// Some of its lists (tickets, utilization) come out of a table of GLib, so people and programs are
/// used to that order: that of the buckets, which depends on the names and on how many there are.
/// Buckets are probed with growing steps, and the table grows when it is nearly full.
public final class HashOrder {
  private static final int SMALLEST = 3;
  // The largest primes below the powers of two.
  private static final int[] MODULUS = {
    1, 2, 3, 7, 13, 31, 61, 127, 251, 509, 1021, 2039, 4093, 8191, 16381, 32749, 65521, 131071,
    262139, 524287, 1048573
  };

  private @Nullable String[] buckets = new String[1 << SMALLEST];
  private int shift = SMALLEST;
  private int used;

  private HashOrder() {}

  /// The names in the order of their buckets.
  ///
  /// @param names in the order in which they came to be known
  public static List<String> of(Collection<String> names) {
    var table = new HashOrder();
    names.forEach(table::add);
    var ordered = new ArrayList<String>();
    for (var name : table.buckets) {
      if (name != null) {
        ordered.add(name);
      }
    }
    return ordered;
  }

  private void add(String name) {
    var at = home(name);
    for (var step = 1; buckets[at] != null; step++) {
      if (name.equals(buckets[at])) {
        return;
      }
      at = (at + step) & (buckets.length - 1);
    }
    buckets[at] = name;
    used++;
    if (buckets.length <= used + used / 16 && shift + 1 < MODULUS.length) {
      grow();
    }
  }

  private int home(String name) {
    var hash = 0;
    for (var each : name.getBytes(java.nio.charset.StandardCharsets.UTF_8)) {
      hash = hash * 31 + each;
    }
    // The two smallest values mark buckets without a name.
    hash = Integer.compareUnsigned(hash, 2) < 0 ? 2 : hash;
    return Integer.remainderUnsigned(hash * 11, MODULUS[shift]);
  }

  // Names move within the table, each putting out the one that was in its place.
  private void grow() {
    var before = buckets.length;
    shift = Math.max(SMALLEST, 32 - Integer.numberOfLeadingZeros((int) (used * 1.333)));
    buckets = Arrays.copyOf(buckets, 1 << shift);
    var settled = new boolean[buckets.length];
    for (var from = 0; from < before; from++) {
      var moving = settled[from] ? null : buckets[from];
      if (moving != null) {
        buckets[from] = null;
      }
      while (moving != null) {
        var at = home(moving);
        for (var step = 1; settled[at]; step++) {
          at = (at + step) & (buckets.length - 1);
        }
        settled[at] = true;
        var replaced = buckets[at];
        buckets[at] = moving;
        moving = replaced;
      }
    }
  }
}
