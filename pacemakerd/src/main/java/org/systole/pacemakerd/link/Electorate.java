package org.systole.pacemakerd.link;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeId;

/// Whose votes count, as far as a link knows.
///
/// A change is proposed first, in a membership that has quorum, and settled once each of its members
/// has it on disk. Until then who knows of the proposal needs most of the votes before it and most of
/// the votes after it. So two sides never have quorum, whoever was left out or cut off, and when:
/// both would have most of the votes that were settled last; or one of them knows of no later change
/// and so has none of those who settled that, most of the votes before it.
///
/// @param settled the newest change that is known to be settled
/// @param proposed newer ones, in their order
record Electorate(Counted settled, List<Counted> proposed) {
  /// All nodes of the configuration, since ever.
  static final Electorate ALL = new Electorate(new Counted(0, null), List.of());

  /// What several links know together.
  static Electorate merged(Collection<Electorate> known) {
    var settled = ALL.settled;
    for (var it : known) {
      settled = it.settled.since() > settled.since() ? it.settled : settled;
    }
    var merged = new Electorate(settled, List.of());
    for (var it : known) {
      for (var one : it.proposed) {
        merged = merged.with(one);
      }
    }
    return merged;
  }

  /// With a proposal, unless something newer is settled.
  Electorate with(Counted proposal) {
    if (proposal.since() <= settled.since() || proposed.contains(proposal)) {
      return this;
    }
    var all = new ArrayList<>(proposed);
    all.add(proposal);
    all.sort(Comparator.comparingLong(Counted::since));
    return new Electorate(settled, List.copyOf(all));
  }

  /// A proposal is settled, and what is older has no meaning any more.
  Electorate settled(long since) {
    for (var it : proposed) {
      if (it.since() == since) {
        return new Electorate(it, proposed.stream().filter(one -> one.since() > since).toList());
      }
    }
    return this;
  }

  /// Everything a membership needs most of.
  List<Counted> all() {
    if (proposed.isEmpty()) {
      return List.of(settled);
    }
    var all = new ArrayList<Counted>();
    all.add(settled);
    all.addAll(proposed);
    return all;
  }

  /// The lists of those of each of which it takes most; null where all nodes count, and nothing else is proposed.
  @Nullable List<List<NodeId>> lists() {
    return isAll() ? null : all().stream().map(Counted::nodes).filter(Objects::nonNull).toList();
  }

  long newest() {
    return proposed.isEmpty() ? settled.since() : proposed.getLast().since();
  }

  /// Whether all nodes of the configuration count, and nothing else is proposed.
  boolean isAll() {
    return settled.nodes() == null && proposed.isEmpty();
  }
}
