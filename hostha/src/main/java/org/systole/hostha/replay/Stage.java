package org.systole.hostha.replay;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeName;
import org.systole.hostha.Decider;
import org.systole.hostha.HostRecords;
import org.systole.hostha.Input;
import org.systole.hostha.Order;
import org.systole.hostha.VolumeRead;
import org.systole.hostha.WorkKind;
import org.systole.hostha.config.Configuration;

/// What is around deciders in a replay: the providers, which answer as the script says, and the
/// durable document. There may be a former decider beside the one in office.
final class Stage {
  private static final long STEPS_MAX = 20_000_000;
  private static final int ENTRIES_MAX = 2_000_000;

  private record Coming(long due, long number, Runnable what) {}

  private final PriorityQueue<Coming> coming =
      new PriorityQueue<>(
          Comparator.comparingLong((Coming it) -> it.due).thenComparingLong(it -> it.number));
  private final Map<NodeName, Actor> actors = new HashMap<>();
  private final Map<WorkKind, Long> delays = new EnumMap<>(WorkKind.class);
  private final List<Decider> deciders = new ArrayList<>();
  private final List<Entry> entries = new ArrayList<>();
  private HostRecords records = HostRecords.EMPTY;
  private Configuration configuration = new Configuration.Builder().build();
  private Answer writes = Answer.good();
  private long writeDelay;
  private long epoch;
  private long number;
  private long steps;
  private long now;

  long now() {
    return now;
  }

  List<Entry> entries() {
    return entries;
  }

  void note(Entry entry) {
    if (entries.size() < ENTRIES_MAX) {
      entries.add(entry);
    }
  }

  Actor actor(NodeName host) {
    return actors.computeIfAbsent(host, _ -> new Actor());
  }

  void delay(WorkKind kind, long ms) {
    delays.put(kind, ms);
  }

  void delayWrites(long ms) {
    writeDelay = ms;
  }

  void writes(Answer how) {
    writes = how;
  }

  @Nullable Decider inOffice() {
    return deciders.isEmpty() ? null : deciders.getLast();
  }

  /// Counts what a statement costs, beside what the deciders do.
  void spend(long more) {
    steps += more;
  }

  /// Whether the script has taken more steps, or made more happen, than is sensible.
  boolean isSpent() {
    return steps >= STEPS_MAX || entries.size() >= ENTRIES_MAX;
  }

  void configure(Configuration newConfiguration) {
    configuration = newConfiguration;
    spend(configuration.hosts().size());
    for (var decider : List.copyOf(deciders)) {
      step(decider, new Input.Configure(configuration));
    }
  }

  /// A new decider takes over.
  ///
  /// @param beside whether the one before does not know, and goes on
  void takeOver(boolean beside) {
    if (!beside) {
      deciders.clear();
    }
    epoch++;
    spend(configuration.hosts().size());
    records = records.claimedBy(epoch);
    var maintained = new TreeSet<NodeName>();
    configuration.hosts().keySet().stream()
        .filter(it -> actor(it).maintenance)
        .forEach(maintained::add);
    var decider = new Decider(epoch, configuration, records, maintained, now, 0);
    deciders.add(decider);
    step(decider, new Input.Tick());
  }

  /// Tells the decider in office, and whoever thinks to be it.
  void tell(Input input) {
    for (var decider : List.copyOf(deciders)) {
      step(decider, input);
    }
  }

  /// Lets time go on, as long as the script is not spent.
  void run(long until) {
    while (!isSpent()) {
      var next = coming.isEmpty() ? Long.MAX_VALUE : coming.element().due;
      Decider due = null;
      for (var decider : deciders) {
        if (decider.nextDue() < next) {
          next = decider.nextDue();
          due = decider;
        }
      }
      if (next > until) {
        now = until;
        return;
      }
      now = Math.max(now, next);
      spend(deciders.size()); // each of them was asked what is next
      if (due != null) {
        step(due, new Input.Tick());
      } else {
        coming.remove().what.run();
      }
    }
  }

  private void step(Decider decider, Input input) {
    if (!deciders.contains(decider)) {
      return; // it is gone, and nobody waits for its answers
    }
    spend(1);
    for (var order : decider.step(now, input)) {
      carryOut(decider, order);
    }
  }

  private void after(long delay, Runnable what) {
    coming.add(new Coming(now + delay, ++number, what));
  }

  private void answer(Decider decider, WorkKind kind, Answer how, Input input) {
    if (how.kind() != Answer.Kind.SILENT) {
      after(delays.getOrDefault(kind, 0L), () -> step(decider, input));
    }
  }

  private void carryOut(Decider decider, Order order) {
    switch (order) {
      case Order.CheckEligibility it -> {
        action(it.host(), "eligibility check", "", true);
        var how = actor(it.host()).eligible;
        answer(
            decider,
            WorkKind.ELIGIBILITY,
            how,
            new Input.Eligible(it.id(), how.isGood(), how.why()));
      }
      case Order.CheckHealth it -> {
        action(it.host(), "health check", "", true);
        health(decider, it);
      }
      case Order.CheckActivity it -> {
        action(it.host(), "activity check by", it.neighbour().text(), false);
        look(decider, it);
      }
      case Order.ReadPower it -> {
        action(it.host(), "power check", "", true);
        power(decider, it);
      }
      case Order.Recover it -> {
        action(it.host(), "recover", by(it.operation(), it.neighbour()), false);
        recover(decider, it);
      }
      case Order.Fence it -> {
        action(it.host(), "fence", by(it.operation(), it.neighbour()), false);
        fence(decider, it);
      }
      case Order.Abandon it -> action(it.host(), "abandon an operation", "", true);
      case Order.Write it -> write(decider, it);
      case Order.Moved it -> note(new Entry.Moved(now, it));
      case Order.Explained it -> action(it.host(), "explain", it.why(), true);
      case Order.Tell it -> note(new Entry.Told(now, it.host(), it.alert(), it.text()));
    }
  }

  private static String by(String operation, @Nullable NodeName neighbour) {
    return neighbour == null ? operation : operation + " by " + neighbour;
  }

  private void action(NodeName host, String action, String detail, boolean minor) {
    note(new Entry.Action(now, host, action, detail, minor));
  }

  // As it is when the answer comes, not when it was asked for.
  private void health(Decider decider, Order.CheckHealth order) {
    var delay = delays.getOrDefault(WorkKind.HEALTH, 0L);
    after(
        delay,
        () -> {
          var how = actor(order.host()).health;
          if (how.kind() != Answer.Kind.SILENT) {
            step(decider, new Input.Health(order.id(), how.isGood(), how.why()));
          }
        });
  }

  private void power(Decider decider, Order.ReadPower order) {
    var delay = delays.getOrDefault(WorkKind.POWER, 0L);
    after(
        delay,
        () -> {
          var state = actor(order.host()).power;
          if (state != null) {
            step(decider, new Input.Power(order.id(), state));
          }
        });
  }

  private void look(Decider decider, Order.CheckActivity order) {
    var neighbour = actor(order.neighbour());
    var volumes = new TreeMap<String, VolumeRead>();
    var error = neighbour.looks.kind() == Answer.Kind.BAD ? neighbour.looks.why() : null;
    if (error == null) {
      for (var volume : order.volumes()) {
        var wrong = neighbour.looks.kind() == Answer.Kind.UNSURE;
        volumes.put(volume, actor(order.host()).read(volume, now, neighbour.skew, wrong));
      }
    }
    answer(
        decider,
        WorkKind.ACTIVITY,
        neighbour.looks,
        new Input.Activity(order.id(), volumes, error));
  }

  private void recover(Decider decider, Order.Recover order) {
    var actor = actor(order.host());
    var how = actor.recover;
    var boots = actor.boots;
    if (how.isGood() && boots >= 0) {
      after(
          delays.getOrDefault(WorkKind.RECOVERY, 0L) + boots, () -> actor.health = Answer.good());
    }
    answer(
        decider, WorkKind.RECOVERY, how, new Input.Cycled(order.id(), how.isGood(), how.why()));
  }

  private void fence(Decider decider, Order.Fence order) {
    var how = actor(order.host()).fence;
    answer(decider, WorkKind.FENCE, how, new Input.Fenced(order.id(), how.proof(), how.why()));
  }

  private void write(Decider decider, Order.Write order) {
    action(order.host(), "write", order.kept() == null ? "nothing" : order.kept().state().name(), true);
    var how = writes;
    if (how.kind() == Answer.Kind.SILENT) {
      return;
    }
    after(
        writeDelay,
        () -> {
          var mine = records.accepts(decider.epoch());
          var done = mine && how.isGood();
          var why = mine ? how.why() : "a later DC is in office";
          if (done) {
            records = records.with(order);
            if (order.maintenance() != null
                && order.maintenance() != actor(order.host()).maintenance) {
              actor(order.host()).maintenance = order.maintenance();
              note(
                  new Entry.Action(
                      now,
                      order.host(),
                      "maintenance",
                      order.maintenance() ? "on" : "off",
                      false));
            }
          }
          step(decider, new Input.Written(order.host(), order.revision(), done, why));
        });
  }
}
