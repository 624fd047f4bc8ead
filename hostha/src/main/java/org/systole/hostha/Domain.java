package org.systole.hostha;

import java.util.NavigableSet;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeName;
import org.systole.hostha.config.Setting;
import org.systole.hostha.config.Values;

/// The cluster, a zone or a partition: how its hosts are, counted as they change.
final class Domain {
  private final String name;
  private Values values;
  private int managed;
  private int sick;
  private int unheard;
  private int neighbourly;
  private final NavigableSet<NodeName> ready = new TreeSet<>();
  private final NavigableSet<NodeName> able = new TreeSet<>();

  /// The hosts that look after each other here.
  final SortedMap<NodeName, Host> members = new TreeMap<>();

  private @Nullable NodeName lastAsked;

  /// Whether people know that it is over its share of sick hosts.
  boolean told;

  Domain(String name, Values values) {
    this.name = name;
    this.values = values;
  }

  String name() {
    return name;
  }

  Values values() {
    return values;
  }

  void setValues(Values newValues) {
    values = newValues;
  }

  /// Counts a host, or no longer.
  void count(Host host, boolean in) {
    var one = in ? 1 : -1;
    managed += host.state.isManaged() ? one : 0;
    sick += host.state.isSick() ? one : 0;
    unheard += host.isUnheard() ? one : 0;
    neighbourly += host.isNeighbourly() ? one : 0;
    note(host, host.isReady(), in, ready);
    note(host, host.isAble(), in, able);
  }

  private static void note(Host host, boolean counts, boolean in, SortedSet<NodeName> among) {
    if (counts && in) {
      among.add(host.name);
    } else if (counts) {
      among.remove(host.name);
    }
  }

  /// How many hosts may look after each other.
  int neighbourly() {
    return neighbourly;
  }

  /// Whether more hosts are sick than are accepted. One always is.
  boolean isOver() {
    return sick > Math.max(1, values.of(managed, Setting.SICK_RATIO));
  }

  /// Whether more hosts may be sick than are accepted, and are not known to be.
  boolean mayBeOver() {
    return unheard > 0 && !isOver() && sick + unheard > Math.max(1, values.of(managed, Setting.SICK_RATIO));
  }

  /// Whether another host than this one can run something.
  boolean hasOtherThan(NodeName host) {
    return able.size() > (able.contains(host) ? 1 : 0);
  }

  /// Who can do something about a host from outside: one that is available, or else one that at least
  /// can run something; null if there is none.
  @Nullable NodeName nextAble(NodeName about, @Nullable NodeName before) {
    var turn = nextReady(about, before);
    return turn != null
        ? turn
        : able.stream().filter(it -> !it.equals(about)).findFirst().orElse(null);
  }

  /// The available host whose turn it is to look, if possible another one than looked last; null if
  /// there is none.
  @Nullable NodeName nextReady(NodeName about, @Nullable NodeName before) {
    return next(ready, about, before);
  }

  /// Who looks at a host before it is fenced: one that is available, or else one that has all that it takes, and is
  /// not eligible for another reason: it may have no neighbour because that host is to be fenced. Null if there is none.
  @Nullable NodeName nextBeforeFencing(NodeName about, @Nullable NodeName before) {
    var turn = nextReady(about, before);
    if (turn != null) {
      return turn;
    }
    var wanted = new TreeSet<>(able);
    wanted.removeIf(it -> !isWanted(it));
    return next(wanted, about, before);
  }

  private boolean isWanted(NodeName name) {
    var host = members.get(name);
    return host != null && host.unwanted == null;
  }

  private @Nullable NodeName next(NavigableSet<NodeName> among, NodeName about, @Nullable NodeName before) {
    var turn = after(among, lastAsked, about);
    if (turn != null && turn.equals(before)) {
      turn = after(among, turn, about);
    }
    if (turn != null) {
      lastAsked = turn;
    }
    return turn;
  }

  private static @Nullable NodeName after(NavigableSet<NodeName> among, @Nullable NodeName last, NodeName without) {
    var at = last == null ? null : among.higher(last);
    at = at == null ? (among.isEmpty() ? null : among.first()) : at;
    if (at == null || !at.equals(without)) {
      return at;
    }
    at = among.higher(without);
    at = at == null ? among.first() : at;
    return at.equals(without) ? null : at;
  }

  String counts() {
    return "%d of %d hosts of %s are sick".formatted(sick, managed, name);
  }
}
