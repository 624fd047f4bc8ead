package org.systole.fenced;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.Task;
import org.systole.common.operation.TaskName;
import org.systole.common.options.ClusterOptions;
import org.systole.common.sbd.SbdSettings;
import org.systole.common.values.Interval;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.values.Numbers;
import org.systole.common.world.Processes;
import org.systole.common.world.World;

/// Fencing that counts on a node's own watchdog: which nodes have one, and how long is waited until
/// a lost one is certain to have been reset.
///
/// A node's fencer tells the others that its watchdog is armed; they remember it when the node is
/// gone. A node of which nobody knows is not fenced in this way.
final class Watchdogs {
  /// The agent's name; it is no program for the fencer, which waits by itself.
  static final String AGENT = "fence_watchdog";

  /// The device's name, in a topology too.
  static final String DEVICE = "watchdog";

  /// A member that is to be fenced is told so, and has left by then, or this way has failed.
  static final Duration LEAVING = Duration.ofSeconds(20);

  /// What `metadata` says.
  static final String METADATA =
      """
      <resource-agent name="fence_watchdog" shortdesc="Waits for a node's own watchdog">
        <version>1.0</version>
        <longdesc>Counts a lost node as fenced once its watchdog has certainly reset it.</longdesc>
        <parameters/>
        <actions>
          <action name="reboot"/><action name="off"/><action name="monitor"/>
          <action name="list"/><action name="metadata"/>
        </actions>
      </resource-agent>
      """;

  /// The exit status by which the supervisor ends the node at once.
  private static final int PANIC = 101;

  /// Quarters of the token time for which a node that was left out may still be fed.
  private static final int LEASE_QUARTERS = 3;

  /// What it needs of its fencer.
  interface Host {
    @Nullable NodeName localName();

    Set<NodeId> present();

    void send(NodeId to, FencePeerMessage message);
  }

  private final World world;
  private final Targets targets;
  private final Host host;
  private final Map<NodeId, Long> timeouts = new TreeMap<>(); // in milliseconds, 0 for none
  private final List<WatchdogWait> waits = new ArrayList<>();
  private final Set<String> warned = new TreeSet<>();
  private final long own;
  private String waitText = "";
  private boolean ignoresQuorum;
  private long tokenMillis;

  Watchdogs(World world, Map<String, String> environment, Targets targets, Host host) {
    this.world = world;
    this.targets = targets;
    this.host = host;
    this.own = Numbers.parseInt(environment.getOrDefault(SbdSettings.ARMED, "0"), 0);
  }

  /// The link is there: what this node has is to be told.
  void joined(NodeId local, long token) {
    tokenMillis = token;
    timeouts.put(local, own);
  }

  /// What is to be told to a fencer that joins, and to all when this one does.
  FencePeerMessage.Guards told() {
    var guards = new ArrayList<FencePeerMessage.Guarded>();
    timeouts.forEach((node, millis) -> guards.add(new FencePeerMessage.Guarded(node, millis)));
    return new FencePeerMessage.Guards(guards);
  }

  /// A node's own word counts; what others say of it only where nothing is known.
  ///
  /// @return whether that is news
  boolean heard(NodeId from, FencePeerMessage.Guards guards) {
    var before = Map.copyOf(timeouts);
    for (var it : guards.nodes()) {
      if (it.node().equals(from)) {
        timeouts.put(from, it.watchdogMillis());
      } else {
        timeouts.putIfAbsent(it.node(), it.watchdogMillis());
      }
    }
    return !before.equals(timeouts);
  }

  /// Another node counts on this one's being reset, which is a member and so is fed.
  void ordered(NodeName by, FencePeerMessage.ResetYourself order) {
    var target = order.target();
    if (own > 0
        && target.equals(host.localName())
        && targets.stay(target) <= order.membership()) {
      world.exit(PANIC, by + " has this node fenced by its watchdog");
    }
  }

  /// Takes over the options of the cluster.
  void configure(ClusterOptions options) {
    var text = options.get("fencing-watchdog-timeout").strip();
    var changed = !text.equals(waitText) || ignoresQuorum != options.ignoresQuorum();
    waitText = text;
    ignoresQuorum = options.ignoresQuorum();
    if (changed) {
      warned.clear();
    }
  }

  /// The devices of the CIB, with one for the watchdogs if the cluster counts on them and has none.
  List<CibDevices.Configured> among(List<CibDevices.Configured> configured) {
    var all = new ArrayList<CibDevices.Configured>();
    var named = false;
    for (var it : configured) {
      var ours = AGENT.equals(it.agent());
      named |= ours || DEVICE.equals(it.name());
      all.add(
          ours
              ? new CibDevices.Configured(
                  it.name(), AGENT, parameters(it.parameters().all()), it.providesUnfencing())
              : it);
    }
    if (!named && isUsed()) {
      all.add(new CibDevices.Configured(DEVICE, AGENT, parameters(Map.of()), false));
    }
    return all;
  }

  private boolean isUsed() {
    var millis = Interval.readMs(waitText);
    return millis != null && millis != 0;
  }

  /// The device's parameters: its actions take as long as they take.
  private DeviceParameters parameters(Map<String, String> configured) {
    var longest = Duration.ZERO;
    for (var timeout : timeouts.values()) {
      var wait = patience(timeout);
      longest = wait.compareTo(longest) > 0 ? wait : longest;
    }
    var millis = longest.plus(LEAVING).plusSeconds(10).toMillis() + "ms";
    var all = new TreeMap<>(configured);
    for (var action : List.of(TaskName.REBOOT, TaskName.OFF)) {
      all.put("pcmk_" + action + "_timeout", millis);
      all.put("pcmk_" + action + "_retries", "1");
    }
    all.put("pcmk_action_limit", "-1"); // one wait does not hold up another
    return new DeviceParameters(all);
  }

  /// How long is waited for a watchdog of that time: as configured; twice its time if that is
  /// negative.
  private Duration patience(long watchdogMillis) {
    var millis = Interval.readMs(waitText);
    if (millis == null || millis == 0) {
      return Duration.ZERO;
    }
    return Duration.ofMillis(millis < 0 ? 2 * watchdogMillis : millis);
  }

  /// Whether a node can be counted as fenced after a while.
  boolean covers(NodeName target) {
    var id = targets.id(target);
    var timeout = id == null ? 0 : timeouts.getOrDefault(id, 0L);
    if (timeout == 0 || !isUsed()) {
      return false;
    }
    var wait = patience(timeout).toMillis();
    if (wait <= timeout) {
      warn(
          ("fencing-watchdog-timeout (%s) must be longer than the time of %s's watchdog (%s):"
                  + " %d ms > %d ms does not hold, and the node is not counted as fenced by it; set"
                  + " fencing-watchdog-timeout=%ds or -1")
              .formatted(
                  waitText, target, Interval.format(timeout), wait, timeout, 2 * timeout / 1000));
      return false;
    }
    if (ignoresQuorum) {
      warn(
          "no-quorum-policy=ignore: a node without quorum goes on with its resources, so nobody is"
              + " counted as fenced by its watchdog");
      return false;
    }
    return true;
  }

  private void warn(String text) {
    if (warned.add(text)) {
      world.log().error(text);
    }
  }

  /// Carries out an action of the device.
  ///
  /// @param parameters `action`, and `nodename` for its target
  /// @param started as [FenceAgents#run] has it
  void run(
      Map<String, String> parameters,
      Consumer<Processes.Running> started,
      Consumer<Outcome> done) {
    var action = parameters.getOrDefault("action", "");
    var target = NodeName.of(parameters.get("nodename"));
     if (target != null && (Task.OFF.is(action) || Task.REBOOT.is(action))) {
      begin(target, started, done);
    } else if (Task.LIST.is(action)) {
      world.post(() -> done.accept(Outcome.ok()));
    } else {
      var outcome =
          own > 0
              ? Outcome.ok()
              : Outcome.error(ExecStatus.ERROR, "the watchdog of this node is not armed");
      world.post(() -> done.accept(outcome));
    }
  }

  private void begin(
      NodeName target, Consumer<Processes.Running> started, Consumer<Outcome> done) {
    var id = targets.id(target);
    var timeout = id == null ? 0 : timeouts.getOrDefault(id, 0L);
    if (id == null || !covers(target)) {
      var why = target + " has no watchdog that can be counted on";
      world.post(() -> done.accept(Outcome.error(ExecStatus.ERROR, why)));
      return;
    }
    var patience = patience(timeout);
    // The token time may have become another one since this fencer joined: a permit to feed is worth half the watchdog's time
    // at most, whatever the lease.
    var lease = Math.max(tokenMillis * LEASE_QUARTERS / 4, timeout * 3 / 2 - patience.toMillis());
    var wait =
        new WatchdogWait(
            world, targets, host, target, id, patience, Duration.ofMillis(lease), done);
    waits.removeIf(WatchdogWait::isOver);
    waits.add(wait);
    started.accept(wait);
    wait.begin();
  }

  /// Without quorum this node cannot tell what becomes of others.
  void quorum(boolean quorate) {
    if (!quorate) {
      List.copyOf(waits).forEach(it -> it.fail("this side has lost quorum"));
    }
  }
}
