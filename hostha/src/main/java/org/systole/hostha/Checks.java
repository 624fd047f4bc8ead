package org.systole.hostha;

import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeName;
import org.systole.hostha.config.Setting;
import org.systole.hostha.fsm.FenceReason;
import org.systole.hostha.fsm.HostEvent;
import org.systole.hostha.fsm.HostState;

/// The checks: begun when it is their turn, given up when their time is over. What a check says counts
/// only where its host is still in the state that it was begun in; good news counts a little longer.
final class Checks {
  private final Desk desk;
  private final Lives lives;
  private final Guards guards;
  private final PowerWork powerWork;

  Checks(Desk desk, Lives lives, Guards guards, PowerWork powerWork) {
    this.desk = desk;
    this.lives = lives;
    this.guards = guards;
    this.powerWork = powerWork;
  }

  void beginEligibility(Host host) {
    var work = begin(WorkKind.ELIGIBILITY, host, null);
    host.eligibility = work;
    desk.order(new Order.CheckEligibility(work.id, host.name));
  }

  void beginHealth(Host host) {
    if (!host.wantsHealth(desk.now)) {
      return; // its state is another one by now
    }
    var work = begin(WorkKind.HEALTH, host, null);
    host.health = work;
    desk.order(new Order.CheckHealth(work.id, host.name));
  }

  void beginPower(Host host) {
    var work = begin(WorkKind.POWER, host, null);
    host.reading = work;
    desk.order(new Order.ReadPower(work.id, host.name));
  }

  void beginActivity(Host host) {
    var before = host.investigation.lastNeighbour();
    var among = host.neighbourhood();
    var neighbour =
        host.state == HostState.FENCING
            ? among.nextBeforeFencing(host.name, before)
            : among.nextReady(host.name, before);
    if (neighbour == null) {
      looked(host, host.investigation.cannot("no neighbour is available"));
      return;
    }
    host.investigation.asked(neighbour);
    var work = begin(WorkKind.ACTIVITY, host, neighbour);
    host.look = work;
    desk.order(new Order.CheckActivity(work.id, host.name, neighbour, host.entry.volumes()));
  }

  private Work begin(WorkKind kind, Host host, @Nullable NodeName neighbour) {
    var work = desk.begin(kind, host, neighbour);
    var due = desk.now + host.values.ms(kind.timeout());
    work.deadline = desk.timers.at(due, () -> abandon(work));
    return work;
  }

  private void abandon(Work work) {
    desk.order(new Order.Abandon(work.id, work.host.name));
    var why = "no answer within " + work.host.values.ms(work.kind.timeout()) / 1000 + " s";
    switch (work.kind) {
      case ELIGIBILITY -> eligibilityEnded(work);
      case HEALTH -> health(work, false, why);
      case POWER -> power(work, PowerState.UNKNOWN);
      case ACTIVITY -> activityFailed(work, why);
      case RECOVERY, FENCE -> throw new IllegalStateException("a check that is none");
    }
  }

  private void eligibilityEnded(Work work) {
    desk.end(work);
    work.host.eligibility = null;
    work.host.eligibilityBase = desk.now;
    lives.armChecks(work.host);
  }

  void eligibility(Work work, boolean yes, String why) {
    eligibilityEnded(work);
    var host = work.host;
    if (!yes && work.stay != host.stay) {
      return; // of one that is suspect by now, say: no reason to look away
    }
    host.unwanted = yes ? null : why.isEmpty() ? "its provider does not want it" : why;
    lives.reconsider(host);
    if (host.state == HostState.INELIGIBLE) {
      var reason = host.ineligibleWhy();
      if (reason == null) {
        lives.offer(host, HostEvent.ELIGIBLE, "");
      } else {
        desk.explain(host, reason);
      }
    }
  }

  void health(Work work, boolean passed, String why) {
    desk.end(work);
    var host = work.host;
    host.health = null;
    host.healthBase = desk.now;
    if (isNews(work, passed) && !isOff(host, work, passed)) {
      host.failing = !passed;
      var wasCycled = host.state == HostState.RECOVERED;
      lives.offer(
          host,
          passed ? HostEvent.HEALTH_CHECK_PASSED : HostEvent.HEALTH_CHECK_FAILED,
          passed ? "it answers" : why);
      if (wasCycled && host.state == HostState.INELIGIBLE) {
        lives.findOutAnew(host); // what is against it was found before its power was cycled
      }
    }
    lives.armChecks(host);
  }

  /// Whether a health check says something about the host as it is now.
  private static boolean isNews(Work work, boolean passed) {
    var host = work.host;
    if ((host.ordered || host.forced) && (host.state == HostState.RECOVERING || host.state == HostState.FENCING)) {
      return false;
    }
    return passed ? work.begunAt >= host.believeFrom : work.stay == host.stay;
  }

  void power(Work work, PowerState state) {
    desk.end(work);
    var host = work.host;
    host.reading = null;
    host.powerBase = desk.now;
    if (host.state == HostState.FENCED && work.begunAt < host.since) {
      lives.armChecks(host); // of before it was proved to be off
      return;
    }
    host.powerReadFrom = work.begunAt;
    if (state != PowerState.OFF) {
      host.saidOff = -1;
      host.saidOffTold &= state != PowerState.ON;
      isPower(host, state);
    } else if (host.state == HostState.AVAILABLE) {
      host.saidOff = work.begunAt;
      unread(host, PowerState.ON);
      lives.want(host, WorkKind.HEALTH); // one that answers then is on, whatever its fence device says
    } else if (host.isDoubted() && (host.alive || host.saidOffTold)) {
      var first = host.saidOff < 0 && !host.saidOffTold;
      host.saidOff = work.begunAt;
      unread(host, PowerState.UNKNOWN);
      if (first) { // its neighbours look once more, at once
        lives.offer(host, HostEvent.PERIODIC_RECHECK_RESOURCE_ACTIVITY, "its power is said to be off");
      }
    } else {
      isPower(host, state);
    }
    lives.armChecks(host);
  }

  private void isPower(Host host, PowerState state) {
    var before = host.powerRead ? host.power : null;
    lives.recount(
        host,
        () -> {
          host.power = state;
          host.powerRead = true;
        });
    if (state != before) {
      powerChanged(host, before != null);
    }
  }

  /// What was read is not taken for true. Where nothing was read before, something has to stand.
  private void unread(Host host, PowerState instead) {
    if (!host.powerRead) {
      isPower(host, instead);
    }
  }

  /// A host of which it was said that its power is off has answered, or has not.
  ///
  /// @return whether nothing more is to follow from that
  private boolean isOff(Host host, Work work, boolean passed) {
    if (host.saidOff < 0 || host.state != HostState.AVAILABLE) {
      return false;
    }
    if (!passed && host.saidOffTold) {
      return false; // its device was wrong before: its neighbours look first
    }
    if (!passed) {
      host.saidOff = -1;
      isPower(host, PowerState.OFF);
      return host.state != HostState.AVAILABLE;
    }
    if (work.begunAt >= host.saidOff) {
      doubtSwitch(host);
    } else {
      lives.want(host, WorkKind.HEALTH); // that one was asked before
    }
    return false;
  }

  private void doubtSwitch(Host host) {
    host.saidOff = -1;
    if (!host.saidOffTold) {
      host.saidOffTold = true;
      var text = "Resource %s shows life, and its fence device says that its power is off: look after the device.";
      desk.tell(host, true, text.formatted(host.name));
    }
  }

  private void powerChanged(Host host, boolean known) {
    switch (host.power) {
      case ON -> {
        if (known) {
          lives.offer(host, HostEvent.POWER_ON, "its power is on");
        }
      }
      case OFF -> {
        if (host.state != HostState.RECOVERING || !host.ordered) {
          lives.offer(host, HostEvent.POWER_OFF_CONFIRMED, "its power is off");
        }
      }
      case UNKNOWN ->
          lives.offer(host, HostEvent.POWER_UNKNOWN, "its power state is unknown");
    }
  }

  void activity(Work work, Input.Activity answer) {
    if (answer.error() != null) {
      activityFailed(work, answer.error());
      return;
    }
    var host = work.host;
    if (!ended(work)) {
      return;
    }
    var neighbour = work.neighbour;
    if (neighbour == null) {
      throw new IllegalStateException("nobody looked");
    }
    var look = host.investigation.look(desk.now, neighbour, answer.volumes());
    if (look.seen() == Investigation.Seen.LIFE) {
      host.alive = true;
      if (host.saidOff >= 0) {
        doubtSwitch(host);
      }
    } else if (look.seen() == Investigation.Seen.NOTHING) {
      host.alive = false;
      host.seenStill = desk.now;
      if (host.saidOff >= 0) {
        host.saidOff = -1;
        isPower(host, PowerState.OFF);
        if (host.state != HostState.CHECKING) {
          return;
        }
      }
    }
    if (look.seen() == Investigation.Seen.BLIND) {
      doubt(neighbour, look.why());
    }
    looked(host, look);
  }

  private void activityFailed(Work work, String why) {
    if (!ended(work)) {
      return;
    }
    var neighbour = work.neighbour;
    var text = neighbour + " could not look: " + why;
    if (neighbour != null) {
      doubt(neighbour, text);
    }
    looked(work.host, work.host.investigation.cannot(text));
  }

  /// @return whether the host still waits for what was seen
  private boolean ended(Work work) {
    desk.end(work);
    if (work.host.look == work) {
      work.host.look = null;
    }
    return work.stay == work.host.stay
        && (work.host.state == HostState.CHECKING || work.host.state == HostState.FENCING);
  }

  /// Who could not look may be sick itself.
  private void doubt(NodeName neighbour, String why) {
    var host = desk.hosts.get(neighbour);
    if (host != null) {
      lives.offer(host, HostEvent.LOOK_FAILED, why);
    }
  }

  private void looked(Host host, Investigation.Look look) {
    if (host.state == HostState.FENCING) {
      powerWork.lookedFirst(host, look);
      return;
    }
    var investigation = host.investigation;
    var why = investigation.summary() + "; last: " + look.why();
    if (!investigation.isOver(host.values)) {
      lives.offer(host, HostEvent.TOO_FEW_ACTIVITY_CHECK_SAMPLES, why);
    } else if (!investigation.isDead(host.values)
        && host.hasNoNeighbour()
        && !host.alive
        && guards.against(host) == null) {
      handOver(host, why + "; " + host.noNeighbour());
    } else if (!investigation.isDead(host.values)) {
      if (investigation.blind() > 0) {
        desk.tell(
            host,
            true,
            "Whether resource %s is alive cannot be told for sure: %s."
                .formatted(host.name, why));
      }
      lives.offer(host, HostEvent.ACTIVITY_CHECK_FAILURE_UNDER_THRESHOLD_RATIO, why);
    } else {
      foundDead(host, why);
    }
  }

  /// Nobody can find out more of a host that has shown no life.
  private void handOver(Host host, String why) {
    var text = "Resource %s is not recovered: %s. The cluster does what it does without host HA.";
    desk.tell(host, true, text.formatted(host.name, why));
    lives.offer(host, HostEvent.INELIGIBLE, why);
  }

  private void foundDead(Host host, String why) {
    var against = guards.against(host);
    if (against == null && !desk.hasRoom(WorkKind.RECOVERY)) {
      against = "the queue of recovery operations is full";
    }
    if (against != null) {
      host.holds++;
      lives.offer(host, HostEvent.HELD_BACK, why + "; not recovered: " + against);
    } else if (host.isPowerUnknown()) {
      handOver(host, why + "; its power state is unknown");
    } else if (host.attempts >= host.values.count(Setting.RECOVERY_THRESHOLD)) {
      host.fenceReason = FenceReason.TOO_MANY_ATTEMPTS;
      lives.offer(host, HostEvent.RECOVERY_OPERATION_THRESHOLD_EXCEEDED, why);
    } else {
      lives.offer(host, HostEvent.ACTIVITY_CHECK_FAILURE_OVER_THRESHOLD_RATIO, why);
    }
  }
}
