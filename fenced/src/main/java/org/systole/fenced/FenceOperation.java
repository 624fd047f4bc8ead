package org.systole.fenced;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.Task;
import org.systole.common.operation.TaskName;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.world.World;
import org.systole.fenced.Offers.Choice;
import org.systole.fenced.client.FenceMessage;
import org.systole.fenced.client.FenceMessage.FenceRecord;
import org.systole.fenced.client.FenceMessage.Progress;

/// A fencing operation at its origin: collects what fencers offer, then has one after the other act
/// until the target is fenced or nothing is left to try.
final class FenceOperation {
  /// Stands for any device, where no topology names one.
  private static final String ANY = "";

  private enum Phase {
    AS_REQUESTED,
    OFF,
    /// The second half of a reboot in two parts; what fails here does not matter any more.
    ON
  }

  private record Running(Choice choice, String device, int attempt, World.Timer timer) {}

  private final World world;
  private final OperationFencers fencers;
  private final FenceRecord record;
  private final FenceLog log;
  private final FenceMessage.Fence request;
  private final List<List<String>> topology;
  private final long beganNanos;
  private final Set<NodeId> present;
  private final Set<NodeId> silent;
  private final Offers offers = new Offers();
  private final Deque<String> left = new ArrayDeque<>();
  private final Set<String> tried = new HashSet<>();
  private List<List<String>> levels = List.of();
  private int level = -1;
  private Phase phase = Phase.AS_REQUESTED;
  private @Nullable Running running;
  private World.@Nullable Timer queryTimer;
  private World.@Nullable Timer totalTimer;
  private @Nullable Outcome lastFailure;
  private final Supplies supplies = new Supplies();
  private @Nullable Outcome givenUp;
  private String delegate = "";
  private int attempts;
  private boolean back;
  private boolean withdrawn;
  private boolean shared;
  private boolean contested;
  private boolean ended;

  /// @param topology the target's levels, empty if it has none
  /// @param asked the nodes whose fencers have been asked for offers
  FenceOperation(
      World world,
      OperationFencers fencers,
      FenceRecord record,
      FenceMessage.Fence request,
      List<List<String>> topology,
      Set<NodeId> asked) {
    this.world = world;
    this.fencers = fencers;
    this.record = record;
    this.log = new FenceLog(world, record);
    this.request = request;
    this.topology = topology;
    this.beganNanos = world.nanoTime();
    this.present = new TreeSet<>(asked);
    this.silent = new TreeSet<>(asked);
    this.queryTimer = world.after(FencingTimes.stretch(FencingTimes.query(request)), this::queryTimedOut);
  }

  String id() {
    return record.id();
  }

  NodeName target() {
    return record.target();
  }

  String action() {
    return record.action();
  }

  /// The operation is about stays of its target that began with this membership or before.
  long membership() {
    return record.membership();
  }

  /// The operation as it stands in the history once it has ended. As long as its target has not
  /// come back, what it says holds up to now. If this node was cut off meanwhile, nobody can tell
  /// what the operation was about: others have not counted the memberships it knows.
  FenceRecord ended(Outcome outcome, long nowMillis, Targets targets) {
    var membership = record.membership();
    if (targets.first() > membership) {
      membership = 0;
    } else if (record.covers(targets.stay(target()))) {
      membership = Math.max(membership, targets.number());
    }
    return new FenceRecord(
        record.id(),
        record.target(),
        record.action(),
        record.origin(),
        delegate,
        record.client(),
        outcome.isSuccess() ? Progress.DONE : Progress.FAILED,
        nowMillis,
        outcome.exitReason(),
        membership);
  }

  void offers(NodeId node, List<Offer> offered) {
    if (ended || !present.contains(node)) {
      return;
    }
    offers.put(node, offered);
    silent.remove(node);
    proceed();
  }

  void groupChanged(List<NodeId> nodes) {
    present.retainAll(nodes);
    silent.retainAll(nodes);
    if (running != null && !present.contains(running.choice().node())) {
      var gone = fencers.nameOf(running.choice().node());
      executed(
          running.attempt(),
          Outcome.error(ExecStatus.NOT_CONNECTED, gone + " left the cluster while it fenced"));
    } else if (!ended) {
      proceed();
    }
  }

  /// The target has begun another stay, which nobody asked to end. The fencer that acts kills its
  /// agent and its answer is awaited. Nothing more is done to the target, except that it may be
  /// switched on.
  void targetIsBack() {
    if (!ended && Device.isFencing(action())) {
      back = true;
      if (running == null && phase != Phase.ON) {
        giveUp();
      }
    }
  }

  /// Ends the operation, but first switches on again what it has switched off so far: otherwise a
  /// healthy target would run on with only some of its power supplies.
  private void giveUp() {
    var reason = back ? Reasons.isBack(target()) : Reasons.withdrawn(record.client(), attempts > 0);
    var why = Outcome.error(ExecStatus.CANCELLED, reason);
    givenUp = why;
    left.clear();
    if (back || !contested) {
      supplies.notOn().stream().filter(offers::canSwitchOn).forEach(left::add);
    }
    if (left.isEmpty()) {
      end(why);
    } else {
      log.givingBack(left, reason);
      phase = Phase.ON;
      step();
    }
  }

  /// Another operation fences the target from now on: this one no longer switches anything on.
  void targetIsToBeFenced() {
    contested = true;
    if (phase == Phase.ON) {
      end(endOfSwitchingOn());
    } else if (Task.ON.is(action())) {
      end(Outcome.error(ExecStatus.CANCELLED, Reasons.isToBeFenced(target())));
    }
  }

  private Outcome endOfSwitchingOn() {
    return givenUp == null ? Outcome.ok() : givenUp;
  }

  private void queryTimedOut() {
    queryTimer = null;
    if (!silent.isEmpty()) {
      log.noAnswer(silent.stream().map(fencers::nameOf).toList());
    }
    proceed();
  }

  private boolean haveAllAnswered() {
    return silent.isEmpty() || queryTimer == null;
  }

  private void proceed() {
    if (ended || running != null) {
      return;
    }
    if (level < 0) {
      if (!haveAllAnswered() && !canStartEarly()) {
        return;
      }
      begin();
    } else {
      step();
    }
  }

  /// Without a topology any device known to answer will do: no need to wait for the others.
  private boolean canStartEarly() {
    return topology.isEmpty()
        && !Task.ON.is(action())
        && choices(ANY).stream().anyMatch(choice -> isFirstRate(choice));
  }

  private boolean isFirstRate(Choice choice) {
    return choice.offer().isFirstRate() && !isTarget(choice.node());
  }

  private boolean isTarget(NodeId node) {
    return fencers.nameOf(node).equalsIgnoreCase(target());
  }

  private void begin() {
    var automatic = Task.ON.is(action()) ? offers.automatic() : Set.<String>of();
    if (!topology.isEmpty()) {
      levels = topology.stream().map(devices -> together(devices, automatic)).toList();
    } else {
      levels = List.of(automatic.isEmpty() ? List.of(ANY) : List.copyOf(automatic));
    }
    var parts = levels.stream().anyMatch(this::isInTwoParts) ? 2 : 1;
    var named = new HashSet<String>();
    levels.forEach(named::addAll);
    var whole =
        FencingTimes.whole(
            request, offers, device -> named.contains(ANY) || named.contains(device), parts);
    var total = FencingTimes.stretch(whole);
    log.total(total);
    totalTimer = world.after(total, this::totalTimedOut);
    startLevel(0);
  }

  private static List<String> together(List<String> devices, Set<String> automatic) {
    var all = new LinkedHashSet<>(devices);
    all.addAll(automatic);
    return List.copyOf(all);
  }

  private boolean isInTwoParts(List<String> devices) {
    return Task.REBOOT.is(action()) && devices.size() > 1;
  }

  private void startLevel(int index) {
    if (index >= levels.size()) {
      end(nothingLeft());
      return;
    }
    level = index;
    left.clear();
    left.addAll(levels.get(index));
    phase = isInTwoParts(levels.get(index)) ? Phase.OFF : Phase.AS_REQUESTED;
    log.phase(phase == Phase.OFF);
    step();
  }

  /// The result when every attempt has failed. Without a topology it is a timeout once the client's
  /// time is over, as in Pacemaker.
  private Outcome nothingLeft() {
    var failure = lastFailure;
    if (failure == null) {
      return Outcome.error(ExecStatus.NO_FENCE_DEVICE, "");
    }
    var patience = FencingTimes.stretch(Duration.ofMillis(request.timeoutMillis()));
    if (!topology.isEmpty() || world.nanoTime() - beganNanos < patience.toNanos()) {
      return failure;
    }
    var why = "All nodes failed, or are unable, to fence target; the last: ";
    return Outcome.error(ExecStatus.TIMEOUT, why + failure.exitReason());
  }

  private void step() {
    var device = left.peek();
    if (device == null) {
      levelDone();
      return;
    }
    if ((back || withdrawn) && phase != Phase.ON) {
      giveUp();
      return;
    }
    var choices = choices(device);
    if ((choices.isEmpty() || !isFirstRate(choices.getFirst())) && !haveAllAnswered()) {
      return; // a better offer may still come
    }
    if (!choices.isEmpty()) {
      execute(device, choices.getFirst());
    } else if (phase == Phase.ON) {
      left.poll();
      log.ignoring(device, "no capable peers");
      step();
    } else {
      startLevel(level + 1);
    }
  }

  private void levelDone() {
    if (phase != Phase.OFF || withdrawn && contested) {
      end(endOfSwitchingOn());
      return;
    }
    phase = Phase.ON;
    log.remapped();
    for (var device : levels.get(level)) {
      if (offers.canSwitchOn(device)) {
        left.add(device);
      } else {
        log.staysOff(device, offers);
      }
    }
    step();
  }

  private String actionNow() {
    return switch (phase) {
      case AS_REQUESTED -> action();
      case OFF -> TaskName.OFF;
      case ON -> TaskName.ON;
    };
  }

  /// The nodes that could be asked next, the best first: one known to reach the device before one
  /// that only might, this node before another, and the target last.
  private List<Choice> choices(String device) {
    var found =
        offers.choices(
            choice ->
                present.contains(choice.node())
                    && !(phase == Phase.ON && isTarget(choice.node()))
                    && (device.equals(ANY) || device.equals(choice.offer().device()))
                    && choice.offer().allows(actionNow())
                    && !tried.contains(key(choice)));
    found.sort(
        Comparator.comparing((Choice choice) -> isTarget(choice.node()))
            .thenComparing(choice -> choice.offer().isWatchdog())
            .thenComparing(choice -> !choice.offer().verified())
            .thenComparing(choice -> !fencers.isLocal(choice.node())));
    return found;
  }

  private String key(Choice choice) {
    return level + "/" + phase + "/" + choice.node() + "/" + choice.offer().device();
  }

  private void execute(String device, Choice choice) {
    tried.add(key(choice));
    var delaySeconds = request.delaySeconds() > 0 && attempts > 0 ? 0 : request.delaySeconds();
    attempts++;
    var time =
        FencingTimes.one(request, choice.offer(), actionNow())
            .plusSeconds(Math.max(0, delaySeconds));
    var attempt = attempts;
    var timer =
        world.after(
            FencingTimes.stretch(time),
            () ->
                executed(
                    attempt,
                    Outcome.error(
                        ExecStatus.TIMEOUT, "Peer did not return fence result within timeout")));
    running = new Running(choice, device, attempt, timer);
    delegate = fencers.nameOf(choice.node()).text();
    if (Task.OFF.is(actionNow()) && levels.get(level).size() > 1) {
      supplies.beingSwitchedOff(device);
    }
    log.requesting(delegate, actionNow(), choice.offer().device(), FencingTimes.stretch(time));
    fencers.send(
        choice.node(),
        new FencePeerMessage.Execute(
            id(),
            attempt,
            target(),
            actionNow(),
            choice.offer().device(),
            request.timeoutMillis(),
            delaySeconds,
            membership()));
  }

  /// An answer to an order; a late one is ignored.
  void executed(int attempt, Outcome outcome) {
    var now = running;
    if (ended || now == null || now.attempt() != attempt) {
      return;
    }
    running = null;
    now.timer().cancel();
    log.answered(actionNow(), delegate, now.choice().offer().device(), outcome);
    if (outcome.isSuccess()) {
      left.poll();
      supplies.switched(now.device(), actionNow());
    } else if (phase != Phase.ON) {
      lastFailure = outcome;
    } else {
      log.ignoring(now.device(), outcome.words());
    }
    step();
  }

  private void totalTimedOut() {
    totalTimer = null;
    end(
        phase == Phase.ON
            ? endOfSwitchingOn()
            : Outcome.error(
                ExecStatus.TIMEOUT,
                "Fencing did not complete within a total timeout based on the configured timeout "
                    + "and retries for any devices attempted"));
  }

  /// Ends the operation because its result is known from elsewhere.
  void settle(Outcome outcome, String by) {
    if (!ended) {
      delegate = by;
      end(outcome);
    }
  }

  /// Somebody waits for it, too, or its own client does once more.
  void joined(String client) {
    shared |= !client.equals(record.client());
    withdrawn = false;
  }

  /// Ends it if it is the one that its client has given up and nobody else waits for: at once if no
  /// device was told to act yet, else, if nothing more is to be done, after what a device does now.
  void withdraw(FenceMessage.Withdraw it) {
    var mine = it.action().equals(action()) && it.client().equals(record.client());
    if (!mine || shared || ended || !target().equals(it.target())) {
      return;
    }
    withdrawn |= attempts == 0 || it.wholly();
    var now = running;
    if (withdrawn && now == null && phase != Phase.ON) {
      giveUp();
    } else if (withdrawn && now != null && phase != Phase.ON && fencers.knowWithdrawals()) {
      fencers.send(now.choice().node(), new FencePeerMessage.TakenBack(id(), now.attempt())); // it may wait in a queue
    }
  }

  /// Ends the operation without telling anyone: another one stands for it.
  void discard() {
    ended = true;
    cancelTimers();
  }

  private void end(Outcome outcome) {
    if (!ended) {
      ended = true;
      cancelTimers();
      log.phase(false);
      fencers.ended(this, withSupplies(outcome));
    }
  }

  /// Adds to the outcome, and logs, which power supplies the operation leaves off or in doubt.
  private Outcome withSupplies(Outcome outcome) {
    var done = outcome.isSuccess();
    var words = supplies.words(it -> !done || Task.REBOOT.is(action()) && offers.canSwitchOn(it));
    if (!words.isEmpty()) {
      log.supplies(words);
    }
    return done || words.isEmpty() ? outcome : outcome.with(words);
  }

  private void cancelTimers() {
    if (queryTimer != null) {
      queryTimer.cancel();
    }
    if (totalTimer != null) {
      totalTimer.cancel();
    }
    if (running != null) {
      running.timer().cancel();
      running = null;
    }
  }
}
