package org.systole.pacemakerd.jgroups;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import org.jgroups.Address;
import org.jgroups.protocols.pbcast.GMS;

/// The order of a view. When partitions merge, the leader of the largest one stays the leader: it
/// hears the most members, and its membership continues without a change of leader.
final class LargestFirstPolicy extends GMS.DefaultMembershipPolicy {
  @Override
  public List<Address> getNewMembership(Collection<Collection<Address>> parts) {
    var sorted = new ArrayList<>(parts);
    sorted.removeIf(Collection::isEmpty);
    sorted.sort(
        Comparator.<Collection<Address>>comparingInt(Collection::size)
            .reversed()
            .thenComparing(it -> it.iterator().next()));
    var members = new LinkedHashSet<Address>();
    sorted.forEach(members::addAll);
    return new ArrayList<>(members);
  }
}
