package org.systole.hostha;

import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeName;
import org.systole.hostha.config.Setting;
import org.systole.hostha.fsm.FenceReason;
import org.systole.hostha.fsm.HostEvent;
import org.systole.hostha.fsm.HostState;
import org.systole.hostha.fsm.Transitions;

/// Recoveries and fencings. Neither is harmless when done twice, so each takes three steps: the host's
/// record says that it begins; the record is durable; it is ordered. What a decider that came in
/// between finds in the record, it does not begin again.
final class PowerWork {
  private final Desk desk;
  private final Lives lives;
  private final Guards guards;
  private final Records records;

  PowerWork(Desk desk, Lives lives, Guards guards, Records records) {
    this.desk = desk;
    this.lives = lives;
    this.guards = guards;
    this.records = records;
  }

  /// It is a host's turn.
  void begin(Host host, WorkKind kind) {
    if (!host.forced && guards.isUnsure(host)) {
      host.notBefore = desk.now + host.values.ms(Setting.RETRY_FIRST); // how many are sick is not known yet
      lives.arm(host);
      return;
    }
    if (kind == WorkKind.RECOVERY && mustBeRead(host) && !host.powerRead) {
      lives.want(host, WorkKind.POWER); // a new decider has not read it yet: it does not take long
      host.notBefore = desk.now + host.values.ms(Setting.RETRY_FIRST);
      lives.arm(host);
      return;
    }
    var against = against(host);
    if (against != null) {
      heldBack(host, kind, against);
      return;
    }
    if (host.isToBeLookedAt(desk.now)) {
      desk.timers.at(desk.now, () -> lookFirst(host)); // its turn in that queue is over for now
      return;
    }
    var work = desk.begin(kind, host, null);
    host.powerWork = work;
    host.begun = true;
    if (kind == WorkKind.RECOVERY) {
      host.attempts++;
    }
    records.ask(host);
  }

  /// It was to be fenced long ago, and was not: one neighbour looks, by what was seen last. One look tells all that has
  /// been written since.
  private void lookFirst(Host host) {
    if (host.powerWork != null || host.isBeingLookedAt() || !host.isToBeLookedAt(desk.now)) {
      return;
    }
    if (host.investigation.looks() == 0) {
      host.investigation = new Investigation(host.since); // nobody has looked, or it was under another DC
    }
    if (!desk.enqueue(WorkKind.ACTIVITY, host)) {
      host.notBefore = desk.now + host.values.ms(Setting.RETRY_FIRST);
      lives.arm(host);
    }
  }

  /// What came of that look.
  void lookedFirst(Host host, Investigation.Look look) {
    if (host.powerWork != null || host.forced) {
      return; // a person wants it fenced by now
    }
    switch (look.seen()) {
      case LIFE -> {
        host.alive = true;
        lives.offer(host, HostEvent.SHOWS_LIFE, look.why());
      }
      case NOTHING -> {
        host.seenStill = desk.now;
        lives.wantPower(host);
      }
      case BLIND -> {
        if (host.hasNoNeighbour()) {
          host.seenStill = desk.now; // nobody can find out more: what was seen counts
          lives.wantPower(host);
        } else {
          heldBack(host, WorkKind.FENCE, "whether it works again cannot be told: " + look.why());
        }
      }
    }
  }

  /// Why nothing is done to a host: a guard, or what was seen of it is too old to act on.
  private @Nullable String against(Host host) {
    var age = desk.now - host.since;
    if (host.state == HostState.RECOVERING && !host.forced) {
      if (age > host.values.ms(Setting.DEGRADED_PERIOD)) {
        return "what its neighbours saw is " + age / 1000 + " s old";
      }
      if (age < -Host.CLOCKS_DIFFER_MS) {
        return "what its neighbours saw is of another time";
      }
      if (host.powerWork == null && host.attempts >= host.values.count(Setting.RECOVERY_THRESHOLD)) {
        return "it has had as many recoveries as it may have";
      }
    }
    var unread = !host.powerRead || host.powerReadFrom < host.investigation.suspectSince();
    if (unread && mustBeRead(host)) {
      return "its power was not read since it is suspect";
    }
    return guards.against(host);
  }

  /// Whether nothing is done to a host before its power was read: it may have been switched off by hand.
  private static boolean mustBeRead(Host host) {
    return host.state == HostState.RECOVERING
        && host.values.ms(Setting.POWER_INTERVAL) > 0
        && !host.forced
        && !host.begun;
  }

  private void heldBack(Host host, WorkKind kind, String against) {
    host.holds++;
    if (kind == WorkKind.RECOVERY) {
      lives.offer(host, HostEvent.HELD_BACK, "not recovered: " + against);
      return;
    }
    desk.explain(host, "not fenced: " + against);
    host.notBefore = desk.now + host.values.delay(host.holds, host.values.ms(Setting.RETRY_MAX));
    if (host.holds == 1) {
      desk.tell(host, true, "Resource %s is not fenced: %s.".formatted(host.name, against));
    }
    lives.arm(host);
  }

  /// A record is durable or refused.
  void written(Input.Written answer, Host host) {
    if (answer.done()) {
      if (records.accepted(host, answer.revision())) {
        maintenanceWritten(host);
        if (host.alteredMeanwhile) {
          host.alteredMeanwhile = false;
          records.ask(host); // changes nothing where it is there
        } else {
          orderWhenWritten(host);
        }
      }
      return;
    }
    if (host.revision != answer.revision() || !host.unwritten) {
      return;
    }
    records.refused(host, answer.why());
  }

  /// What the CIB keeps of a host is not what was written. While something is being written that may be only what it replaces,
  /// or what somebody has put over it: that is looked at when the answer is there.
  void altered(Host host) {
    if (host.unwritten) {
      host.alteredMeanwhile = true;
    } else {
      records.ask(host);
    }
  }

  private void maintenanceWritten(Host host) {
    var wish = host.wishUnderWay;
    if (wish != null) {
      host.wishUnderWay = null;
      host.maintenanceWish = null; // only the latest write comes here, and it carried the latest wish
      lives.recount(host, () -> host.maintenance = wish);
      lives.reconsider(host);
    }
  }

  private void orderWhenWritten(Host host) {
    var work = host.powerWork;
    if (work == null || work.ordered || host.unwritten) {
      return;
    }
    var against = against(host);
    if (against != null) {
      undo(host, work);
      heldBack(host, work.kind, against);
      return;
    }
    work.ordered = true;
    host.ordered = true;
    var due = desk.now + host.values.ms(work.kind.timeout());
    work.deadline = desk.timers.at(due, () -> abandon(work));
    if (work.kind == WorkKind.RECOVERY) {
      host.believeFrom = desk.now + host.values.ms(Setting.RECOVERY_MIN);
      var operation = host.values.text(Setting.RESTART_OPERATION);
      desk.order(new Order.Recover(work.id, host.name, operation, doer(host, operation)));
    } else {
      host.fencings++;
      var operation = host.values.text(Setting.STOP_OPERATION);
      desk.order(new Order.Fence(work.id, host.name, operation, doer(host, operation)));
    }
    lives.armChecks(host);
  }

  private static @Nullable NodeName doer(Host host, String operation) {
    return operation.equals(Setting.BY_PROVIDER)
        ? host.neighbourhood().nextAble(host.name, host.investigation.lastNeighbour())
        : null;
  }

  /// Nothing was ordered: it is as if it had not begun.
  private void undo(Host host, Work work) {
    desk.end(work);
    host.powerWork = null;
    host.begun = host.ordered;
    if (work.kind == WorkKind.RECOVERY) {
      host.attempts--;
    }
    records.keep(host);
  }

  private void abandon(Work work) {
    desk.order(new Order.Abandon(work.id, work.host.name));
    var why = "no answer within " + work.host.values.ms(work.kind.timeout()) / 1000 + " s";
    if (work.kind == WorkKind.RECOVERY) {
      cycled(work, false, why);
    } else {
      fenced(work, Proof.NONE, why);
    }
  }

  void cycled(Work work, boolean done, String why) {
    var host = work.host;
    if (!ended(work, HostState.RECOVERING)) {
      return;
    }
    host.ordered = false;
    if (done) {
      lives.offer(host, HostEvent.RECOVERED, "its power was cycled");
      return;
    }
    host.begun = false;
    var text = why.isEmpty() ? "its recovery failed" : "its recovery failed: " + why;
    var ineligible = host.ineligibleWhy();
    if (ineligible != null) {
      lives.offer(host, HostEvent.INELIGIBLE, text + "; " + ineligible);
    } else if (host.attempts >= host.values.count(Setting.RECOVERY_THRESHOLD)) {
      host.fenceReason = FenceReason.FAILED_RECOVERY;
      lives.offer(host, HostEvent.RECOVERY_OPERATION_THRESHOLD_EXCEEDED, text);
    } else {
      desk.explain(host, text);
      host.notBefore = desk.now + retryWait(host, host.attempts);
      desk.tell(host, false, "Resource %s: %s; it is tried again.".formatted(host.name, text));
      lives.offer(host, HostEvent.RETRY_RECOVERY, text);
    }
  }

  void fenced(Work work, Proof proof, String why) {
    var host = work.host;
    if (proof == Proof.OFF) {
      var provedAt = work.begunAt + host.values.ms(Setting.FENCE_MIN);
      if (provedAt > desk.now) {
        Desk.cancel(work.deadline);
        work.deadline = desk.timers.at(provedAt, () -> fenced(work, proof, why));
        return;
      }
    }
    if (!ended(work, HostState.FENCING)) {
      return;
    }
    if (proof == Proof.OFF) {
      isFenced(host, "its power is off");
      return;
    }
    var text =
        proof == Proof.NONE
            ? "that its power is off was not proved"
            : "its power could not be switched off";
    text = why.isEmpty() ? text : text + ": " + why;
    desk.explain(host, text);
    host.notBefore = desk.now + retryWait(host, host.fencings);
    if (proof == Proof.FAILED || host.regretted) {
      host.ordered = false; // nothing was done to it: it is asked how it is before it is tried again
      host.begun = false;
    }
    desk.tell(
        host, true, "Resource %s is not fenced: %s. It is tried again.".formatted(host.name, text));
    lives.offer(host, HostEvent.RETRY_FENCING, text);
  }

  /// The proof is there.
  void isFenced(Host host, String why) {
    host.believeFrom = Math.max(host.believeFrom, desk.now); // before, it was not off yet
    var reason = host.fenceReason == null ? FenceReason.A_PERSON : host.fenceReason;
    lives.offer(host, HostEvent.FENCED, why);
    // a provider proves that it does nothing any more: how its power is has to be read anew
    var seen = !host.values.text(Setting.STOP_OPERATION).equals(Setting.BY_PROVIDER);
    lives.recount(
        host,
        () -> {
          host.power = PowerState.OFF;
          host.powerRead = seen && host.values.ms(Setting.POWER_INTERVAL) > 0;
        });
    host.powerReadFrom = desk.now;
    lives.armChecks(host);
    var telling = Transitions.fencedBecause(reason);
    desk.tell(host, telling.alert(), telling.about(host.name.text()));
  }

  /// @return whether the host still waits for what came of it
  private boolean ended(Work work, HostState expected) {
    var host = work.host;
    desk.end(work);
    if (host.powerWork == work) {
      host.powerWork = null;
    }
    if (host.state == expected && host.stay == work.stay) {
      return true;
    }
    if (host.state == HostState.RECOVERING || host.state == HostState.FENCING) {
      lives.wantPower(host); // what its state wants had to wait for this
    }
    return false;
  }

  private static long retryWait(Host host, int tries) {
    return host.values.delay(tries, host.values.ms(Setting.RETRY_MAX));
  }
}
