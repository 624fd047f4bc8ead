package org.systole.hostha;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeName;
import org.systole.hostha.config.Configuration;
import org.systole.hostha.config.Scope;
import org.systole.hostha.config.Setting;
import org.systole.hostha.fsm.HostState;

/// Hosts that crash, are cut off, and are switched off; providers that are slow, wrong or gone; a
/// document that refuses writes; deciders that come and go, and some that do not know that they are
/// gone. One seed, one life.
final class HostLives {
  enum Truth {
    RUNS,
    /// It works and writes, and cannot be reached.
    CUT_OFF,
    CRASHED,
    OFF
  }

  private static final class Machine {
    Truth truth = Truth.RUNS;
    long wroteUntil;
    boolean deviceBroken;
    boolean cannotLook;
    boolean slow;
    boolean maintenance;
    boolean held;
    final Map<Long, Long> lookedAt = new HashMap<>();
  }

  private record Coming(long due, long number, Runnable what) {}

  private static final int ATTEMPTS = 5;
  private static final int LIMIT = 3;

  private final Random random;
  private final Map<NodeName, Machine> machines = new TreeMap<>();
  private final PriorityQueue<Coming> coming =
      new PriorityQueue<>(
          Comparator.comparingLong((Coming it) -> it.due).thenComparingLong(it -> it.number));
  private final List<Decider> deciders = new ArrayList<>();
  private final Map<String, WorkKind> open = new HashMap<>();
  private final Configuration configuration;
  private final StringBuilder trace = new StringBuilder();
  final LivesChecks checks = new LivesChecks();
  private HostRecords records = HostRecords.EMPTY;
  private boolean storageGone;
  private boolean writesRefused;
  private boolean calm;
  private long epoch;
  private long number;
  private long now;
  long steps;

  HostLives(long seed) {
    random = new Random(seed);
    var builder = new Configuration.Builder();
    accept(builder.partition("r1", Scope.PARTITION, null));
    accept(builder.partition("r2", Scope.PARTITION, null));
    var count = 8 + random.nextInt(12);
    for (var at = 0; at < count; at++) {
      var name = new NodeName("n%02d".formatted(at));
      accept(builder.host(name, at % 2 == 0 ? "r1" : "r2", List.of("a", "b")));
      machines.put(name, new Machine());
    }
    set(builder, Setting.ENABLED, "true");
    set(builder, Setting.ACTIVITY_ATTEMPTS, Integer.toString(ATTEMPTS));
    set(builder, Setting.ACTIVITY_CONCURRENT, Integer.toString(LIMIT));
    set(builder, Setting.RECOVERY_CONCURRENT, "2");
    set(builder, Setting.FENCE_CONCURRENT, "1");
    set(builder, Setting.HEALTH_CONCURRENT, "6");
    set(builder, Setting.RECOVERY_THRESHOLD, Integer.toString(1 + random.nextInt(2)));
    set(builder, Setting.RECOVERY_WAIT, "120");
    set(builder, Setting.SICK_RATIO, random.nextBoolean() ? "0.3" : "1");
    configuration = builder.build();
    takeOver(false);
  }

  private static void accept(@Nullable String problem) {
    if (problem != null) {
      throw new IllegalStateException(problem);
    }
  }

  private static void set(Configuration.Builder builder, Setting setting, String value) {
    accept(builder.set(setting.text(), value, null));
  }

  String trace() {
    return trace.toString();
  }

  private void say(String text, Object... values) {
    trace.append(now).append(' ').append(text.formatted(values)).append('\n');
  }

  private void takeOver(boolean beside) {
    if (!beside) {
      deciders.clear();
      open.clear();
    }
    records = records.claimedBy(++epoch);
    var maintained = new TreeSet<NodeName>();
    machines.forEach((name, it) -> {
      if (it.maintenance) {
        maintained.add(name);
      }
    });
    var read = HostRecords.of(records.toXml()); // what survives is what is written
    say("epoch %d takes over%s", epoch, beside ? " beside the one before" : "");
    var decider = new Decider(epoch, configuration, read, maintained, now, 1_000_000_000L);
    deciders.add(decider);
    // of a host that it finds suspect it counts its own looks
    machines.values().forEach(it -> it.lookedAt.put(decider.epoch(), now));
    step(decider, new Input.Tick());
  }

  /// Lets one random thing happen.
  void disturb() {
    var names = List.copyOf(machines.keySet());
    var name = names.get(random.nextInt(names.size()));
    var it = machine(name);
    switch (random.nextInt(16)) {
      case 0, 1 -> become(name, Truth.CRASHED);
      case 2, 3 -> become(name, Truth.CUT_OFF);
      case 4, 5 -> become(name, it.truth == Truth.OFF ? Truth.OFF : Truth.RUNS);
      case 6 -> become(name, it.truth == Truth.OFF ? Truth.RUNS : Truth.OFF);
      case 7 -> it.deviceBroken = !it.deviceBroken;
      case 8 -> it.cannotLook = !it.cannotLook;
      case 9 -> it.slow = !it.slow;
      case 10 -> storageGone = random.nextInt(4) == 0;
      case 11 -> writesRefused = random.nextInt(3) == 0;
      case 12 -> takeOver(false);
      case 13 -> takeOver(deciders.size() < 2);
      case 14 -> maintain(name, !it.maintenance);
      default -> person(name);
    }
  }

  private void person(NodeName name) {
    switch (random.nextInt(5)) {
      case 0 -> {
        machine(name).held = !machine(name).held;
        tell(machine(name).held ? new Input.Hold(name, "") : new Input.Release(name));
      }
      case 1 -> tell(new Input.Clear(name));
      case 2 -> tell(new Input.CheckNow(name));
      case 3 -> {
        checks.forced(name);
        tell(new Input.ForceRecovery(name));
      }
      default -> tell(new Input.Release(name));
    }
  }

  private void maintain(NodeName name, boolean on) {
    machine(name).maintenance = on;
    say("%s maintenance %s", name, on);
    tell(new Input.Maintenance(name, on));
  }

  private void become(NodeName name, Truth truth) {
    var it = machine(name);
    if (writes(it)) {
      it.wroteUntil = now;
    }
    it.truth = truth;
    say("%s is %s", name, truth);
  }

  private static boolean writes(Machine it) {
    return it.truth == Truth.RUNS || it.truth == Truth.CUT_OFF;
  }

  private Machine machine(NodeName name) {
    var it = machines.get(name);
    if (it == null) {
      throw new IllegalStateException("no machine " + name);
    }
    return it;
  }

  private void tell(Input input) {
    List.copyOf(deciders).forEach(it -> step(it, input));
  }

  /// Puts everything in order but the hosts, and leaves one decider.
  void calmDown() {
    calm = true;
    storageGone = false;
    writesRefused = false;
    machines.forEach(
        (name, it) -> {
          it.deviceBroken = false;
          it.cannotLook = false;
          it.slow = false;
          it.held = false;
        });
    takeOver(false);
    machines.keySet().forEach(it -> tell(new Input.Release(it)));
    for (var name : machines.keySet()) {
      if (machine(name).maintenance && machine(name).truth != Truth.OFF) {
        maintain(name, false);
      }
    }
  }

  void run(long ms) {
    var until = now + ms;
    while (true) {
      var next = coming.isEmpty() ? Long.MAX_VALUE : coming.element().due;
      Decider due = null;
      for (var it : deciders) {
        if (it.nextDue() < next) {
          next = it.nextDue();
          due = it;
        }
      }
      if (next > until) {
        now = until;
        return;
      }
      now = Math.max(now, next);
      steps++;
      if (due == null) {
        coming.remove().what.run();
      } else {
        step(due, new Input.Tick());
      }
    }
  }

  /// Holds each host's state against its truth.
  void settle() {
    var decider = deciders.getLast();
    for (var view : decider.views()) {
      var it = machine(view.name());
      checks.atRest(view, it.truth, isHeld(decider, view));
    }
  }

  private boolean isHeld(Decider decider, HostView about) {
    if (about.held() != null || about.maintenance()) {
      return true;
    }
    var ready = 0;
    var neighbours = 0;
    for (var view : decider.views()) {
      var other = !view.name().equals(about.name());
      ready += other && view.state() == HostState.AVAILABLE ? 1 : 0;
      neighbours += other && near(view, about) && view.state() == HostState.AVAILABLE ? 1 : 0;
    }
    return ready == 0 || neighbours == 0 || isOver(decider, null) || isOver(decider, about);
  }

  private boolean near(HostView one, HostView other) {
    var first = configuration.hosts().get(one.name());
    var second = configuration.hosts().get(other.name());
    return first != null && second != null && java.util.Objects.equals(first.partition(), second.partition());
  }

  private boolean isOver(Decider decider, @Nullable HostView near) {
    var sick = 0;
    var managed = 0;
    for (var view : decider.views()) {
      if (near == null || near(view, near)) {
        managed += view.state().isManaged() ? 1 : 0;
        sick += view.state().isSick() ? 1 : 0;
      }
    }
    return sick > Math.max(1, configuration.values().of(managed, Setting.SICK_RATIO));
  }

  private void after(long delay, Runnable what) {
    coming.add(new Coming(now + delay, ++number, what));
  }

  private void step(Decider decider, Input input) {
    if (deciders.contains(decider)) {
      for (var order : decider.step(now, input)) {
        carryOut(decider, order);
      }
    }
  }

  private void begin(Decider decider, long id, WorkKind kind) {
    open.put(decider.epoch() + " " + id, kind);
    checks.begun(decider.epoch(), kind, configuration.values().count(kind.concurrent()));
  }

  private void answer(Decider decider, long id, long delay, Runnable what) {
    after(
        delay,
        () -> {
          end(decider, id);
          what.run();
        });
  }

  private void end(Decider decider, long id) {
    var kind = open.remove(decider.epoch() + " " + id);
    if (kind != null) {
      checks.ended(decider.epoch(), kind);
    }
  }

  private void carryOut(Decider decider, Order order) {
    switch (order) {
      case Order.CheckEligibility it -> {
        begin(decider, it.id(), WorkKind.ELIGIBILITY);
        answer(decider, it.id(), 50, () -> step(decider, new Input.Eligible(it.id(), true, "")));
      }
      case Order.CheckHealth it -> {
        begin(decider, it.id(), WorkKind.HEALTH);
        if (random.nextInt(30) > 0 || calm) {
          answer(decider, it.id(), 20 + random.nextInt(300), () -> health(decider, it));
        }
      }
      case Order.ReadPower it -> {
        begin(decider, it.id(), WorkKind.POWER);
        answer(decider, it.id(), 100, () -> step(decider, new Input.Power(it.id(), power(it.host()))));
      }
      case Order.CheckActivity it -> {
        begin(decider, it.id(), WorkKind.ACTIVITY);
        if (!machine(it.neighbour()).slow) {
          answer(decider, it.id(), 100 + random.nextInt(3000), () -> look(decider, it));
        }
      }
      case Order.Recover it -> recover(decider, it);
      case Order.Fence it -> fence(decider, it);
      case Order.Abandon it -> end(decider, it.id());
      case Order.Write it -> after(10 + random.nextInt(500), () -> write(decider, it));
      case Order.Explained _ -> {}
      case Order.Moved it -> {
        say("epoch %d: %s", decider.epoch(), it);
        if (it.to() == HostState.SUSPECT) {
          machine(it.host()).lookedAt.putIfAbsent(decider.epoch(), now);
        }
        if (it.from() == HostState.AVAILABLE || it.from() == HostState.DEGRADED || it.event().text().equals("HeldBack")
            || it.from() == HostState.RECOVERED) {
          machine(it.host()).lookedAt.put(decider.epoch(), now);
        }
        checks.moved(decider.epoch(), it, ATTEMPTS, 700);
      }
      case Order.Tell it -> say("told: %s", it.text());
    }
  }

  private void health(Decider decider, Order.CheckHealth it) {
    step(decider, new Input.Health(it.id(), machine(it.host()).truth == Truth.RUNS, "no answer"));
  }

  private PowerState power(NodeName host) {
    var it = machine(host);
    return it.deviceBroken
        ? PowerState.UNKNOWN
        : it.truth == Truth.OFF ? PowerState.OFF : PowerState.ON;
  }

  private void look(Decider decider, Order.CheckActivity order) {
    var it = machine(order.host());
    var volumes = new TreeMap<String, VolumeRead>();
    var blind = storageGone || machine(order.neighbour()).cannotLook;
    var last = writes(it) ? now : it.wroteUntil;
    var wrote = last > it.lookedAt.getOrDefault(decider.epoch(), 0L);
    if (!blind) {
      it.lookedAt.put(decider.epoch(), now);
      volumes.put("a", VolumeRead.of("never", now));
      volumes.put("b", VolumeRead.of(Long.toString(last), now - last));
    }
    checks.looked(decider.epoch(), order.host(), !blind, wrote);
    var error = blind ? "cannot read the mount" : null;
    step(decider, new Input.Activity(order.id(), volumes, error));
  }

  private void recover(Decider decider, Order.Recover order) {
    say("epoch %d recovers %s", decider.epoch(), order.host());
    begin(decider, order.id(), WorkKind.RECOVERY);
    var it = machine(order.host());
    checks.recover(decider.epoch(), order.host(), writes(it));
    var luck = random.nextInt(10);
    if (it.deviceBroken || luck < 2) {
      answer(decider, order.id(), 5_000, () -> step(decider, new Input.Cycled(order.id(), false, "broken")));
      return;
    }
    after(4_000, () -> become(order.host(), Truth.CRASHED)); // it goes down first
    if (luck < 7) {
      after(40_000, () -> {
        if (it.truth == Truth.CRASHED) {
          become(order.host(), Truth.RUNS);
        }
      });
    }
    if (luck != 3 || calm) {
      answer(decider, order.id(), 6_000, () -> step(decider, new Input.Cycled(order.id(), true, "")));
    }
  }

  private void fence(Decider decider, Order.Fence order) {
    say("epoch %d fences %s", decider.epoch(), order.host());
    begin(decider, order.id(), WorkKind.FENCE);
    checks.fence(decider.epoch(), order.host(), records.records().get(order.host()));
    var it = machine(order.host());
    var luck = calm ? 9 : random.nextInt(10);
    if (luck == 0) {
      return; // nobody answers
    }
    after(
        3_000,
        () -> {
          end(decider, order.id());
          if (it.deviceBroken || luck < 3) {
            var proof = luck < 2 ? Proof.NONE : Proof.FAILED;
            step(decider, new Input.Fenced(order.id(), proof, "broken"));
            return;
          }
          become(order.host(), Truth.OFF);
          checks.proved(order.host());
          step(decider, new Input.Fenced(order.id(), Proof.OFF, ""));
        });
  }

  private void write(Decider decider, Order.Write it) {
    var mine = records.accepts(decider.epoch());
    var done = mine && !writesRefused;
    if (done) {
      records = records.with(it);
      checks.accepted(decider.epoch(), it);
      if (it.maintenance() != null) {
        machine(it.host()).maintenance = it.maintenance();
      }
    }
    step(decider, new Input.Written(it.host(), it.revision(), done, mine ? "refused" : "a later epoch"));
  }
}
