package org.systole.common.cib;

import org.systole.common.values.Numbers;
import org.systole.common.xml.Element;

/// The version of a CIB, compared part by part.
///
/// @param adminEpoch raised by administrators and by `cibadmin --erase`
/// @param epoch raised with every change of the configuration
/// @param numUpdates raised with every other change, 0 after a change of the configuration
public record CibVersion(int adminEpoch, int epoch, int numUpdates)
    implements Comparable<CibVersion> {
  public static final CibVersion NONE = new CibVersion(0, 0, 0);

  /// The version in the attributes of a CIB's root; a missing or unreadable part is 0.
  public static CibVersion of(Element cib) {
    return new CibVersion(part(cib, "admin_epoch"), part(cib, "epoch"), part(cib, "num_updates"));
  }

  private static int part(Element cib, String name) {
    return Numbers.parseInt(cib.get(name, "0"), 0);
  }

  /// The same CIB with this version in its root.
  public Element on(Element cib) {
    return cib.with("admin_epoch", Integer.toString(adminEpoch))
        .with("epoch", Integer.toString(epoch))
        .with("num_updates", Integer.toString(numUpdates));
  }

  /// Whether both stand for the same configuration.
  public boolean sameConfiguration(CibVersion other) {
    return adminEpoch == other.adminEpoch && epoch == other.epoch;
  }

  @Override
  public int compareTo(CibVersion other) {
    var order = Integer.compare(adminEpoch, other.adminEpoch);
    if (order == 0) {
      order = Integer.compare(epoch, other.epoch);
    }
    return order != 0 ? order : Integer.compare(numUpdates, other.numUpdates);
  }

  @Override
  public String toString() {
    return adminEpoch + "." + epoch + "." + numUpdates;
  }
}
