package org.systole.hostha;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeName;
import org.systole.hostha.fsm.HostEvent;
import org.systole.hostha.fsm.HostState;

/// What must hold whatever happens to hosts and deciders, seen from outside: from the truth about the
/// hosts, not from what a decider believes.
final class LivesChecks {
  private record Permit(long epoch, int attempts, boolean used) {}

  private static final class Evidence {
    int looks;
    int dead;
  }

  private final List<String> violations = new ArrayList<>();
  private final Map<String, Evidence> evidence = new HashMap<>();
  private final Map<NodeName, Permit> permits = new HashMap<>();
  private final Map<NodeName, Boolean> forced = new HashMap<>();
  private final Map<String, Integer> outstanding = new TreeMap<>();
  private final Map<Long, Boolean> mayFence = new HashMap<>();
  private final Map<NodeName, Boolean> proved = new HashMap<>();
  int recoveries;
  int fencings;
  int fenced;

  List<String> violations() {
    return violations;
  }

  private void fail(String text, Object... values) {
    violations.add(text.formatted(values));
  }

  /// A decider has heard what a neighbour saw.
  ///
  /// @param readable whether all volumes could be read
  /// @param wrote whether the host has truly written since the look before, or since it is suspect
  void looked(long epoch, NodeName host, boolean readable, boolean wrote) {
    var it = evidence.computeIfAbsent(epoch + " " + host, _ -> new Evidence());
    it.looks++;
    it.dead += readable && !wrote ? 1 : 0;
  }

  /// A person wants it, whatever it shows.
  void forced(NodeName host) {
    forced.put(host, true);
  }

  void moved(long epoch, Order.Moved it, int attempts, long ratioPerMille) {
    var key = epoch + " " + it.host();
    if (it.to() == HostState.SUSPECT && it.event() != HostEvent.TOO_FEW_ACTIVITY_CHECK_SAMPLES) {
      evidence.put(key, new Evidence());
    }
    var wanted = it.event() == HostEvent.FORCE_RECOVERY && forced.getOrDefault(it.host(), false);
    var acted = !wanted && (it.to() == HostState.RECOVERING || it.to() == HostState.FENCING);
    if (acted && it.from() == HostState.CHECKING) {
      var seen = evidence.getOrDefault(key, new Evidence());
      if (seen.dead * 1000L <= ratioPerMille * attempts) {
        fail("%s is given up though %d of %d looks saw nothing", it.host(), seen.dead, attempts);
      }
    }
    if (it.to() == HostState.FENCED) {
      fenced++;
      if (!proved.getOrDefault(it.host(), false)) {
        fail("%s is held to be fenced without proof", it.host());
      }
    }
    if (it.to() == HostState.FENCING) {
      proved.put(it.host(), false);
    }
  }

  /// The power was truly off when the answer to a fencing said so.
  void proved(NodeName host) {
    proved.put(host, true);
  }

  /// A record was accepted.
  void accepted(long epoch, Order.Write write) {
    var kept = write.kept();
    if (kept == null || !kept.begun()) {
      permits.remove(write.host());
      return;
    }
    var before = permits.get(write.host());
    var same = before != null && before.attempts == kept.attempts();
    if (!same || before.epoch != epoch) {
      // what another decider has begun is not begun again
      permits.put(write.host(), new Permit(epoch, kept.attempts(), same));
    }
  }

  void recover(long epoch, NodeName host, boolean writes) {
    recoveries++;
    var permit = permits.get(host);
    if (permit == null || permit.epoch != epoch) {
      fail("%s is recovered by epoch %d, whose record of it was not accepted", host, epoch);
    } else if (permit.used) {
      fail("%s is recovered twice for one attempt", host);
    } else {
      permits.put(host, new Permit(epoch, permit.attempts, true));
    }
    forced.remove(host);
  }

  void fence(long epoch, NodeName host, @Nullable HostRecord durable) {
    fencings++;
    if (durable == null || durable.state() != HostState.FENCING) {
      fail("%s is fenced, and its record says %s", host, durable);
    }
  }

  void begun(long epoch, WorkKind kind, int limit) {
    var now = outstanding.merge(epoch + " " + kind, 1, Integer::sum);
    if (now > limit) {
      fail("%d %s operations at a time, more than %d", now, kind.text(), limit);
    }
  }

  void ended(long epoch, WorkKind kind) {
    outstanding.merge(epoch + " " + kind, -1, Integer::sum);
  }

  /// At rest, with everything in order, each host is in a state that its truth calls for.
  ///
  /// @param held whether a guard, a person, or the lack of a neighbour keeps it from being acted on
  void atRest(HostView view, HostLives.Truth truth, boolean held) {
    var ok =
        switch (view.state()) {
          case AVAILABLE -> truth == HostLives.Truth.RUNS;
          case INELIGIBLE -> truth == HostLives.Truth.OFF || held;
          case DEGRADED, SUSPECT, CHECKING -> truth == HostLives.Truth.CUT_OFF || held;
          // somebody may have switched it on since: it stays fenced until it answers
          case FENCED -> truth != HostLives.Truth.RUNS;
          case FENCING -> held;
          case DISABLED, RECOVERING, RECOVERED -> false;
        };
    if (!ok) {
      fail("%s is %s at rest, and in truth %s (%s)", view.name(), view.state(), truth, view.reason());
    }
  }
}
