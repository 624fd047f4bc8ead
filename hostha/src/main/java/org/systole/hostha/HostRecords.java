package org.systole.hostha;

import java.util.SortedMap;
import java.util.TreeMap;
import org.systole.common.values.NodeName;
import org.systole.common.values.Numbers;
import org.systole.common.xml.Element;

/// The durable document: a record for each host that has something to keep, and the epoch of the
/// decider that may change it. Immutable.
///
/// A decider claims the document for its epoch before it reads it. Since it begins no power operation
/// before the record of that is accepted, a former decider, whose writes are refused from then on,
/// begins none any more.
public final class HostRecords {
  public static final HostRecords EMPTY = new HostRecords(0, new TreeMap<>());

  private final long epoch;
  private final SortedMap<NodeName, HostRecord> records;

  private HostRecords(long epoch, SortedMap<NodeName, HostRecord> records) {
    this.epoch = epoch;
    this.records = records;
  }

  public long epoch() {
    return epoch;
  }

  public SortedMap<NodeName, HostRecord> records() {
    return new TreeMap<>(records);
  }

  /// Whether a decider of an epoch may write.
  public boolean accepts(long writer) {
    return writer == epoch;
  }

  /// The document in the hands of a decider of a later epoch.
  ///
  /// @throws IllegalArgumentException if the epoch is not later
  public HostRecords claimedBy(long later) {
    if (later <= epoch) {
      throw new IllegalArgumentException("epoch " + later + " is not after " + epoch);
    }
    return new HostRecords(later, records);
  }

  /// The document after a write that it accepts.
  public HostRecords with(Order.Write write) {
    var all = new TreeMap<>(records);
    if (write.kept() == null) {
      all.remove(write.host());
    } else {
      all.put(write.host(), write.kept());
    }
    return new HostRecords(epoch, all);
  }

  /// As an element `host_ha`.
  public Element toXml() {
    return Element.of("host_ha", "epoch", Long.toString(epoch))
        .withChildren(records.values().stream().map(HostRecord::toXml).toList());
  }

  /// What an element says; what in it can be no record is left out.
  public static HostRecords of(Element element) {
    var all = new TreeMap<NodeName, HostRecord>();
    for (var child : element.children()) {
      var kept = HostRecord.of(child);
      if (kept != null) {
        all.put(kept.host(), kept);
      }
    }
    return new HostRecords(Numbers.parse(element.get("epoch"), 0), all);
  }
}
