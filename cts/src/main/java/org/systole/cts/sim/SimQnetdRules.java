package org.systole.cts.sim;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// How qnetd decides, as observed of Debian's: `ffsplit` decides for all at once when those who are
/// together say the same, refuses first, and gives its vote when that was confirmed; `lms` answers
/// each node by itself when it is asked.
final class SimQnetdRules {
  private static final int YES = 1;
  private static final int NO = 2;
  private static final int WAIT = 4;
  private static final int NO_CHANGE = 5;
  private static final int PASS = 1;
  private static final int FAIL = 2;

  private SimQnetdRules() {}

  private static List<SimQnetdClient> accepted(SimQnetd server) {
    return server.clients().stream().filter(SimQnetdClient::isAccepted).toList();
  }

  private static boolean sameRing(SimQnetdClient one, SimQnetdClient other) {
    return Arrays.equals(one.ring, other.ring);
  }

  /// A node has said who is with it, or what it is good for.
  static int changed(SimQnetd server, SimQnetdClient by) {
    return server.isLms() ? lms(server, by) : ffsplit(server);
  }

  static int asked(SimQnetd server, SimQnetdClient by) {
    return lms(server, by);
  }

  static void leaves(SimQnetd server, SimQnetdClient it) {
    it.sending = 0;
  }

  static void left(SimQnetd server) {
    if (!server.isLms()) {
      ffsplit(server);
    }
  }

  // ---- ffsplit

  private static int ffsplit(SimQnetd server) {
    var clients = accepted(server);
    if (!isStable(clients)) {
      clients.forEach(it -> it.sending = 0);
      return WAIT;
    }
    var chosen = chosen(clients);
    for (var it : clients) {
      it.sending = chosen != null && chosen.members.contains(it.id()) ? YES : NO;
    }
    server.cluster().note("qnetd chooses " + (chosen == null ? "nobody" : chosen.members));
    if (clients.stream().noneMatch(it -> it.sending == NO)) {
      sayYes(clients);
    } else {
      clients.stream().filter(it -> it.sending == NO).forEach(it -> it.vote(NO));
    }
    return NO_CHANGE;
  }

  private static void sayYes(List<SimQnetdClient> clients) {
    for (var it : clients) {
      if (it.sending == YES) {
        it.sending = 0;
        it.vote(YES);
      }
    }
  }

  static void confirmed(SimQnetd server, SimQnetdClient by, long number) {
    if (server.isLms() || by.voteNumber != number || by.sending != NO) {
      return;
    }
    by.sending = 0;
    var clients = accepted(server);
    if (clients.stream().noneMatch(it -> it.sending == NO)) {
      sayYes(clients);
    }
  }

  private static boolean isStable(List<SimQnetdClient> clients) {
    for (var one : clients) {
      for (var other : clients) {
        if (!one.configured.equals(other.configured)
            || one.members.contains(other.id())
                && !(sameRing(one, other) && one.members.equals(other.members))) {
          return false;
        }
      }
    }
    return true;
  }

  private static @Nullable SimQnetdClient chosen(List<SimQnetdClient> clients) {
    var keeps = clients.stream().allMatch(it -> it.keepsActive);
    @Nullable SimQnetdClient best = null;
    for (var it : clients) {
      if (isBetter(clients, it, best, keeps)) {
        best = it;
      }
    }
    return best;
  }

  private static boolean isBetter(
      List<SimQnetdClient> clients,
      SimQnetdClient it,
      @Nullable SimQnetdClient than,
      boolean keeps) {
    var twice = 2 * it.members.size();
    if (twice != it.configured.size() || it.members.isEmpty()) {
      return twice > it.configured.size();
    }
    var order =
        Integer.compare(score(clients, it), than == null ? 0 : score(clients, than)) * 2
            + Integer.compare(active(clients, it), than == null ? 0 : active(clients, than));
    if (order != 0) {
      return order > 0;
    }
    if (keeps && than != null) {
      var had = Integer.valueOf(YES).equals(it.lastSaid());
      if (had != Integer.valueOf(YES).equals(than.lastSaid())) {
        return had;
      }
    }
    return it.members.contains(preferred(it));
  }

  private static int active(List<SimQnetdClient> clients, SimQnetdClient of) {
    return (int) clients.stream().filter(it -> of.members.contains(it.id())).count();
  }

  private static int score(List<SimQnetdClient> clients, SimQnetdClient of) {
    return clients.stream()
        .filter(it -> of.members.contains(it.id()))
        .mapToInt(SimQnetdRules::worth)
        .sum();
  }

  private static int worth(SimQnetdClient it) {
    return 1 + (it.heuristics == PASS ? 1 : it.heuristics == FAIL ? -1 : 0);
  }

  private static long preferred(SimQnetdClient of) {
    return switch (of.tieBreaker[0]) {
      case 1 -> of.configured.first();
      case 2 -> of.configured.last();
      default -> ByteBuffer.wrap(of.tieBreaker, 1, 4).getInt();
    };
  }

  // ---- lms

  private static int lms(SimQnetd server, SimQnetdClient by) {
    var clients = accepted(server);
    for (var it : clients) {
      var together = by.members.contains(it.id()) || it.members.contains(by.id());
      if (it != by && together && !sameRing(it, by)) {
        again(server, by);
        return by.lastVote = WAIT;
      }
    }
    var sides = new TreeMap<String, List<SimQnetdClient>>();
    for (var it : clients) {
      if (ByteBuffer.wrap(it.ring, 4, 8).getLong() != 0) {
        sides.merge(
            Arrays.toString(it.ring),
            List.of(it),
            (all, one) -> java.util.stream.Stream.concat(all.stream(), one.stream()).toList());
      }
    }
    if (sides.isEmpty()) {
      again(server, by);
      return by.lastVote = WAIT;
    }
    if (sides.size() == 1) {
      return by.lastVote = YES;
    }
    if (by.lastVote == 0
        && clients.stream().anyMatch(it -> it.lastVote == YES && !sameRing(it, by))) {
      return NO; // who is new takes it from nobody
    }
    return by.lastVote = wins(sides, clients, by) ? YES : NO;
  }

  private static boolean wins(
      TreeMap<String, List<SimQnetdClient>> sides,
      List<SimQnetdClient> clients,
      SimQnetdClient by) {
    var mine = Arrays.toString(by.ring);
    Comparator<List<SimQnetdClient>> byScore =
        Comparator.comparingInt(it -> it.stream().mapToInt(SimQnetdRules::worth).sum());
    for (var order : List.of(byScore, Comparator.<List<SimQnetdClient>>comparingInt(List::size))) {
      var best = sides.values().stream().max(order).orElseThrow();
      var leading = sides.values().stream().filter(it -> order.compare(it, best) == 0).toList();
      if (leading.size() == 1) {
        return leading.getFirst().contains(by) || best.equals(sides.get(mine));
      }
    }
    var ids = clients.stream().map(SimQnetdClient::id).sorted().toList();
    var decides =
        switch (by.tieBreaker[0]) {
          case 1 -> ids.getFirst();
          case 2 -> ids.getLast();
          default -> (long) ByteBuffer.wrap(by.tieBreaker, 1, 4).getInt();
        };
    return clients.stream().anyMatch(it -> it.id() == decides && sameRing(it, by));
  }

  /// It looks again after a while, and says what has come of it.
  private static void again(SimQnetd server, SimQnetdClient by) {
    server
        .queue()
        .after(
            8_000_000_000L,
            () -> {
              if (server.clients().contains(by) && by.lastVote == WAIT) {
                var vote = lms(server, by);
                if (vote == YES || vote == NO) {
                  by.vote(vote);
                }
              }
            });
  }
}
