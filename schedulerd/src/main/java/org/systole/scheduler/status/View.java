package org.systole.scheduler.status;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.systole.common.output.Output;
import org.systole.common.values.CalendarText;
import org.systole.common.values.Numbers;
import org.systole.scheduler.model.WorkingSet;

/// What is shown, where, and to what it is restricted.
///
/// @param nodes only these nodes, and what runs on them
/// @param resources only these resources
/// @param zone in which times are shown
public record View(
    WorkingSet cluster,
    Output out,
    Set<Show> show,
    NameFilter nodes,
    NameFilter resources,
    ZoneId zone) {
  /// Everything there is, in the cluster's zone.
  public static View of(WorkingSet cluster, Output out, Set<Show> show) {
    return new View(cluster, out, show, NameFilter.ALL, NameFilter.ALL, cluster.zone());
  }

  public View {
    var copy = EnumSet.noneOf(Show.class);
    copy.addAll(show);
    show = Collections.unmodifiableSet(copy);
  }

  public boolean shows(Show what) {
    return show.contains(what);
  }

  public View with(Show more) {
    var changed = EnumSet.of(more);
    changed.addAll(show);
    return new View(cluster, out, changed, nodes, resources, zone);
  }

  public View without(Show less) {
    var changed = EnumSet.noneOf(Show.class);
    changed.addAll(show);
    changed.remove(less);
    return new View(cluster, out, changed, nodes, resources, zone);
  }

  public View withNodes(NameFilter only) {
    return new View(cluster, out, show, only, resources, zone);
  }

  public View withResources(NameFilter only) {
    return new View(cluster, out, show, nodes, only, zone);
  }

  /// A time in the manner of `Fri Jul 13 13:51:00 2012`.
  public String time(long epochSeconds) {
    return CalendarText.withDayOfWeek(
        LocalDateTime.ofInstant(Instant.ofEpochSecond(epochSeconds), zone));
  }

  /// The seconds since the epoch a text stands for; null if there is no text or it is no number.
  static @Nullable Long seconds(@Nullable String text) {
    return text != null && Numbers.isNumber(text) ? Long.valueOf(Numbers.parse(text, 0)) : null;
  }
}
