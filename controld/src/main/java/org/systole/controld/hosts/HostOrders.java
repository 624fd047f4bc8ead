package org.systole.controld.hosts;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.OcfCode;
import org.systole.common.operation.Task;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.values.OneLine;
import org.systole.common.values.OperationName;
import org.systole.common.world.World;
import org.systole.controld.io.PeerMessage;
import org.systole.controld.io.PeerMessage.AgentCall;
import org.systole.controld.io.PeerMessage.AgentRan;
import org.systole.hostha.Input;
import org.systole.hostha.Order;
import org.systole.hostha.Proof;
import org.systole.hostha.VolumeRead;
import org.systole.hostha.WorkKind;
import org.systole.hostha.cib.HostSetup;
import org.systole.hostha.config.Setting;

/// Carries out a decider's orders: checks by agents on hosts, over the members that are connected to
/// them; power through the fencer.
final class HostOrders {
  private static final OperationName ELIGIBLE = new OperationName("eligible");
  private static final OperationName HEALTH = new OperationName("health");
  private static final OperationName ACTIVITY = new OperationName("activity");
  private static final OperationName RECOVER = new OperationName("recover");
  private static final String TIMEOUT = "CRM_meta_timeout"; // milliseconds
  private static final OperationName FENCE = new OperationName("fence");
  private static final long MILLIS = 1000;
  private static final int STAMP_MAX = 1000;
  private static final int REASON_MAX = 300;
  private static final int TRIES = 3;
  private static final VolumeRead UNTOLD =
      VolumeRead.unreadable("its provider does not say how it is");

  /// What this needs of the controller.
  interface Host {
    NodeName nodeName();

    @Nullable NodeId nodeId(NodeName name);

    boolean isOnline(NodeId id);

    /// The members that are online, this one among them, in a fixed order.
    List<NodeId> online();

    /// Whether all members can be asked for the power of hosts.
    boolean knowPowerReads();

    void send(NodeId node, PeerMessage message);

    long membershipNumber();
  }

  /// @param order the decider's number
  /// @param again asks once more, where the question was lost; null if it is not to be
  private record Waiting(long order, Consumer<AgentRan> done, @Nullable Runnable again) {}

  /// A power operation that is under way.
  private record Switching(NodeName host, Task action) {}

  private final World world;
  private final Host host;
  private final HostPower power;
  private final PowerReads reads;
  private final Consumer<Input> answer;
  private final Map<Long, Waiting> waiting = new HashMap<>();
  private final Map<Long, Long> numbers = new HashMap<>();
  private final Map<Long, Switching> switched = new HashMap<>(); // by the fencer, by the order
  private final Set<Switching> wanted = new HashSet<>(); // and not answered, though given up for now
  private long lastNumber;
  private HostSetup setup;
  private HostEntries entries;

  /// @param answer takes the answers; never called from within an order
  HostOrders(
      World world, Host host, HostSetup setup, HostEntries entries, Consumer<Input> answer) {
    this.world = world;
    this.host = host;
    this.setup = setup;
    this.entries = entries;
    this.answer = answer;
    this.power = new HostPower(world);
    this.reads = new PowerReads(world, host, power.reader());
    this.lastNumber = world.random().nextLong() >>> 16; // answers to an earlier DC fit nothing
  }

  void use(HostSetup newSetup, HostEntries newEntries) {
    setup = newSetup;
    entries = newEntries;
  }

  void close() {
    reads.close();
    power.close();
    waiting.clear();
    numbers.clear();
    switched.clear();
    wanted.clear();
  }

  private Duration timeout(NodeName name, WorkKind kind) {
    var entry = setup.configuration().hosts().get(name);
    var ms =
        entry == null ? MILLIS : setup.configuration().valuesOf(entry).ms(kind.timeout());
    return Duration.ofMillis(ms);
  }

  private @Nullable AgentCall call(NodeName name, OperationName action, Duration timeout) {
    var entry = setup.configuration().hosts().get(name);
    if (entry == null) {
      return null;
    }
    var parameters = new TreeMap<>(setup.parameters().getOrDefault(name, Map.of()));
    parameters.put("host", name.text());
    if (!entry.volumes().isEmpty()) {
      parameters.put("volumes", String.join(",", entry.volumes()));
    }
    // as for an agent of a resource: one that looks at much ends in time, and tells what it could not see
    parameters.put(TIMEOUT, Long.toString(timeout.toMillis()));
    return new AgentCall(setup.provider(entry), action, parameters);
  }

  // Checks

  void eligibility(Order.CheckEligibility it) {
    var timeout = timeout(it.host(), WorkKind.ELIGIBILITY);
    var call = call(it.host(), ELIGIBLE, timeout);
    ask(it.id(), it.host(), call, false, timeout, ran -> {
      if (ran.reached()) { // else nothing is known, and its health tells more
        var no = refusal(ran, call);
        answer.accept(new Input.Eligible(it.id(), no == null, no == null ? "" : no));
      }
    });
  }

  /// Why a host is not eligible; null if it is.
  static @Nullable String refusal(AgentRan ran, @Nullable AgentCall call) {
    if (ran.status() == ExecStatus.NOT_INSTALLED
        || OcfCode.NOT_INSTALLED.is(ran.rc()) && ran.reason().isEmpty()) {
      return "its provider %s is not installed there".formatted(call == null ? "" : call.agent());
    }
    return isGood(ran) ? null : reason(ran, "its provider says no");
  }

  /// Whether an agent has said yes, or has nothing to say.
  private static boolean isGood(AgentRan ran) {
    return ran.status() == ExecStatus.DONE
        && (OcfCode.OK.is(ran.rc()) || OcfCode.UNIMPLEMENTED.is(ran.rc()));
  }

  /// Whether an agent is not there, cannot be run, or is set up in a way that it can say nothing: that makes no host
  /// sick. It makes hosts ineligible.
  private static boolean cannotSay(AgentRan ran) {
    return ran.status() == ExecStatus.NOT_INSTALLED
        || OcfCode.NOT_INSTALLED.is(ran.rc())
        || OcfCode.NOT_CONFIGURED.is(ran.rc())
        || OcfCode.INSUFFICIENT_PRIVILEGES.is(ran.rc());
  }

  private static String reason(AgentRan ran, String otherwise) {
    if (!ran.reason().isEmpty()) {
      return OneLine.of(ran.reason(), REASON_MAX);
    }
    return ran.status() == ExecStatus.DONE
        ? "%s (exit status %d)".formatted(otherwise, ran.rc())
        : otherwise + ": " + ran.status().text();
  }

  /// Why a host is not well; null if it is.
  static @Nullable String sickness(AgentRan ran) {
    return ran.reached() && (cannotSay(ran) || isGood(ran)) ? null : reason(ran, "it is not well");
  }

  void health(Order.CheckHealth it) {
    var timeout = timeout(it.host(), WorkKind.HEALTH);
    var call = call(it.host(), HEALTH, timeout);
    ask(it.id(), it.host(), call, true, timeout, ran -> {
      var sick = sickness(ran);
      answer.accept(new Input.Health(it.id(), sick == null, sick == null ? "" : sick));
    });
  }

  void activity(Order.CheckActivity it) {
    var timeout = timeout(it.host(), WorkKind.ACTIVITY);
    var call = call(it.host(), ACTIVITY, timeout);
    ask(it.id(), it.neighbour(), call, false, timeout, ran -> {
      var good = isGood(ran) && OcfCode.OK.is(ran.rc());
      var seen = good ? volumes(ran.output(), it.volumes()) : null;
      answer.accept(
          new Input.Activity(
              it.id(),
              seen == null ? new TreeMap<>() : seen,
              seen == null ? reason(ran, "its provider cannot look") : null));
    });
  }

  /// What a provider's `activity` writes: a line for each volume, `volume=NAME stamp=TEXT age=SECONDS`
  /// or `volume=NAME error=WHY`, and one with `volume=NAME root=TEXT` where that can be told. A volume of which it says nothing that can be understood, or two things,
  /// is one that could not be read: it may be the one that is written to.
  static SortedMap<String, VolumeRead> volumes(String output, List<String> asked) {
    var seen = new TreeMap<String, VolumeRead>();
    var roots = new TreeMap<String, String>();
    for (var volume : asked) {
      seen.put(volume, UNTOLD);
    }
    for (var line : output.lines().toList()) {
      var words = line.strip().split(" ", 3);
      if (words.length < 2 || !words[0].startsWith("volume=")) {
        continue;
      }
      var name = words[0].substring("volume=".length());
      if (words[1].startsWith("root=")) {
        roots.put(name, words[1].substring("root=".length()));
        continue;
      }
      var read = read(line, words);
      var before = read == null ? null : seen.put(name, read);
      if (before != null && before != UNTOLD && !before.equals(read)) {
        seen.put(name, VolumeRead.unreadable("its provider says two things of it"));
      }
    }
    roots.forEach((name, root) -> seen.computeIfPresent(name, (_, read) -> read.below(root)));
    return seen;
  }

  /// @param words the line's
  private static @Nullable VolumeRead read(String line, String[] words) {
    if (words[1].startsWith("error=")) {
      var at = line.indexOf("error=");
      return VolumeRead.unreadable(OneLine.of(line.substring(at + "error=".length()), REASON_MAX));
    }
    var stamp = words[1].startsWith("stamp=") ? words[1].substring("stamp=".length()) : "";
    if (stamp.isEmpty() || stamp.length() > STAMP_MAX) {
      return null; // the same every time: that would be a host that is dead
    }
    return VolumeRead.of(stamp, words.length > 2 ? seconds(words[2]) : null);
  }

  private static @Nullable Long seconds(String word) {
    return word.matches("age=\\d{1,12}")
        ? Long.valueOf(Long.parseLong(word.substring("age=".length())) * MILLIS)
        : null;
  }

  /// Has the member that is connected to a host ask it.
  ///
  /// @param visit whether another connection may be made if there is none
  private void ask(
      long order,
      NodeName target,
      @Nullable AgentCall call,
      boolean visit,
      Duration timeout,
      Consumer<AgentRan> done) {
    ask(order, target, call, visit, timeout, TRIES, done);
  }

  private void ask(
      long order,
      NodeName target,
      @Nullable AgentCall call,
      boolean visit,
      Duration timeout,
      int tries,
      Consumer<AgentRan> done) {
    var number = ++lastNumber;
    Runnable again =
        tries <= 1 ? null : () -> ask(order, target, call, visit, timeout, tries - 1, done);
    var address = visit && entries.isFree(target) ? entries.address(target) : null;
    var member = entries.member(target);
    var id = member == null ? null : host.nodeId(member);
    if (id == null || !host.isOnline(id)) {
      id = host.nodeId(host.nodeName());
    }
    waiting.put(number, new Waiting(order, done, again));
    numbers.put(order, number);
    if (id != null) {
      host.send(
          id,
          new PeerMessage.RunAgent(
              number,
              target,
              call,
              address == null ? null : address.server(),
              address == null ? 0 : address.port(),
              timeout.toMillis()));
    }
  }

  /// A member has answered. What nobody waits for any more changes nothing.
  void ran(AgentRan ran) {
    var one = waiting.remove(ran.number());
    if (one != null) {
      numbers.remove(one.order());
      if (ran.status() == ExecStatus.CANCELLED && one.again() != null) {
        one.again().run(); // somebody else's question about the host has ended: this says nothing of it
      } else {
        one.done().accept(ran);
      }
    }
  }

  /// A member has read the power of a host.
  void powerRead(NodeId from, PeerMessage.PowerRead it) {
    reads.heard(from, it);
  }

  /// Nobody waits for an answer any more.
  void abandon(long order) {
    var number = numbers.remove(order);
    if (number != null) {
      waiting.remove(number);
    }
    var switching = switched.remove(order);
    if (switching != null) {
      log(switching, "given up");
      power.withdraw(switching.host(), switching.action(), false);
    }
  }

  private void log(Switching what, String how) {
    world.log().info("Host %s: %s by the fencer is %s".formatted(what.host(), what.action().text(), how));
  }

  /// A host has left the state in which its power was to be switched. What goes on of that ends with
  /// what a device does now: a cycle that another member tries later would switch on what is fenced.
  void left(NodeName name, Task action) {
    if (wanted.remove(new Switching(name, action))) {
      power.withdraw(name, action, true);
    }
  }

  /// How many answers are waited for.
  int waiting() {
    return waiting.size();
  }

  // Power

  void power(Order.ReadPower it) {
    reads.read(
        it.host(),
        timeout(it.host(), WorkKind.POWER),
        state -> answer.accept(new Input.Power(it.id(), state)));
  }

  void recover(Order.Recover it) {
    var timeout = timeout(it.host(), WorkKind.RECOVERY);
    if (it.operation().equals(Setting.BY_PROVIDER)) {
      byProvider(
          it.id(),
          it.neighbour(),
          call(it.host(), RECOVER, timeout),
          timeout,
          why -> answer.accept(new Input.Cycled(it.id(), why == null, why == null ? "" : why)));
      return;
    }
    fence(
        it.id(),
        new Switching(it.host(), Task.REBOOT),
        timeout,
        done -> answer.accept(new Input.Cycled(it.id(), done.proof() == Proof.OFF, done.why())));
  }

  void fence(Order.Fence it) {
    var timeout = timeout(it.host(), WorkKind.FENCE);
    if (it.operation().equals(Setting.BY_PROVIDER)) {
      byProvider(
          it.id(),
          it.neighbour(),
          call(it.host(), FENCE, timeout),
          timeout,
          why -> {
            var proof = why == null ? Proof.OFF : Proof.FAILED;
            answer.accept(new Input.Fenced(it.id(), proof, why == null ? "" : why));
          });
      return;
    }
    fence(
        it.id(),
        new Switching(it.host(), Task.OFF),
        timeout,
        done -> answer.accept(new Input.Fenced(it.id(), done.proof(), done.why())));
  }

  private void fence(
      long order, Switching what, Duration timeout, Consumer<HostPower.Done> done) {
    switched.put(order, what);
    wanted.add(what);
    log(what, "ordered");
    power.fence(
        what.host(),
        what.action(),
        timeout,
        host.membershipNumber(),
        answered -> {
          if (switched.remove(order) != null) {
            wanted.remove(what);
            log(what, "answered");
          }
          done.accept(answered);
        });
  }

  /// Has a provider's own action done. Only its success, exit status 0, is a proof.
  ///
  /// @param done told why it was not done, or null
  private void byProvider(
      long order,
      @Nullable NodeName neighbour,
      @Nullable AgentCall call,
      Duration timeout,
      Consumer<@Nullable String> done) {
    if (neighbour == null) {
      world.post(() -> done.accept("no neighbour is available to do it"));
      return;
    }
    ask(order, neighbour, call, false, timeout, 1, ran -> {
      var well = ran.reached() && ran.status() == ExecStatus.DONE && OcfCode.OK.is(ran.rc());
      var lacks = ran.status() == ExecStatus.DONE && OcfCode.UNIMPLEMENTED.is(ran.rc());
      var why = reason(ran, lacks ? "its provider cannot do that" : "its provider failed");
      done.accept(well ? null : "%s: %s".formatted(neighbour, why));
    });
  }
}
