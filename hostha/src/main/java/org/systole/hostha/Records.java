package org.systole.hostha;

import java.util.Objects;
import org.systole.hostha.config.Setting;

/// Has durable what of a host has to survive.
final class Records {
  private static final long PATIENCE_MS = 30_000;

  private final Desk desk;

  Records(Desk desk) {
    this.desk = desk;
  }

  /// Writes what has changed.
  void keep(Host host) {
    var kept = host.toKeep(desk.calendarAtZero);
    var wish = host.maintenanceWish;
    var isWished = wish != null && !(host.unwritten && wish.equals(host.wishUnderWay));
    if (isWished || !Objects.equals(kept, host.recorded)) {
      write(host);
    }
  }

  /// Writes, changed or not: that it is accepted shows that no decider of a later epoch is there.
  void ask(Host host) {
    write(host);
  }

  private void write(Host host) {
    host.recorded = host.toKeep(desk.calendarAtZero);
    host.revision = desk.nextRevision();
    host.unwritten = true;
    host.wishUnderWay = host.maintenanceWish;
    desk.order(
        new Order.Write(host.revision, host.name, host.recorded, host.maintenanceWish));
    Desk.cancel(host.writeTimer);
    var revision = host.revision;
    host.writeTimer = desk.timers.at(desk.now + PATIENCE_MS, () -> again(host, revision));
  }

  /// The record was accepted.
  ///
  /// @return whether that is the host's latest
  boolean accepted(Host host, long revision) {
    if (host.revision != revision || !host.unwritten) {
      return false;
    }
    host.unwritten = false;
    host.refusedWrites = 0;
    Desk.cancel(host.writeTimer);
    return true;
  }

  /// The record was refused: it is written again, later and later.
  void refused(Host host, String why) {
    var longest = host.values.ms(Setting.RETRY_MAX);
    var wait = host.values.delay(++host.refusedWrites, longest);
    if (host.refusedWrites == 1) {
      desk.tell(
          host,
          true,
          "The state of resource %s could not be written (%s); nothing is done to it before it is."
              .formatted(host.name, why));
    }
    var revision = host.revision;
    Desk.cancel(host.writeTimer);
    host.writeTimer = desk.timers.at(desk.now + wait, () -> again(host, revision));
  }

  private void again(Host host, long revision) {
    if (host.unwritten && host.revision == revision) {
      write(host);
    }
  }
}
