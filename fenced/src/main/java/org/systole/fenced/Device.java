package org.systole.fenced;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.AgentMetadata;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.OcfCode;
import org.systole.common.operation.Task;
import org.systole.common.operation.TaskName;
import org.systole.common.values.NodeName;
import org.systole.common.world.Delays;
import org.systole.common.world.Processes;
import org.systole.common.world.World;

/// A fence device as this node can use it, with its queue of actions.
final class Device {
  /// The exit status by which an agent's `status` says that the target's power is off.
  private static final int SAYS_OFF = 2;

  private static final Duration METADATA_TIMEOUT = Duration.ofSeconds(10);
  private static final Duration METADATA_AGAIN = Duration.ofSeconds(10);
  private static final Duration RETRY_PAUSE = Duration.ofSeconds(1);
  private static final Duration TARGETS_FRESH = Duration.ofSeconds(60);

  /// Actions whose success shows, as a monitor's does, that the device answers. A status that says
  /// "off" does not count.
  private static final Set<String> VERIFYING = Set.of(TaskName.LIST, TaskName.STATUS);

  /// Share of the time that may be used up when an action is tried again.
  private static final double RETRY_SHARE = 0.7;

  /// The limit of actions that wait for one device, of those that switch power and of the others; more are refused.
  private static final int PENDING_MAX = 500;

  private final World world;
  private final FenceAgents agents;
  private final Targets nodes;
  private final String name;
  private final String agent;
  private final DeviceLog log;
  private final DeviceParameters parameters;
  private final boolean providesUnfencing;
  private final List<DeviceCommand> pending = new ArrayList<>();
  private final List<DeviceCommand> running = new ArrayList<>();
  private final List<Runnable> whenDescribed = new ArrayList<>();
  private AgentMetadata metadata = AgentMetadata.silentFenceAgent();
  private boolean described;
  private boolean removed;
  private int active;
  private boolean listFailed;
  private @Nullable List<String> targets;
  private long targetsNanos;

  /// It is in the CIB, enabled, and not banned from this node.
  boolean configured;

  /// The cluster has "started" it here, or a client has made it known.
  boolean started;

  /// Its agent has answered here.
  boolean verified;

  Device(
      World world,
      FenceAgents agents,
      Targets nodes,
      String name,
      String agent,
      DeviceParameters parameters,
      boolean providesUnfencing) {
    this.world = world;
    this.agents = agents;
    this.nodes = nodes;
    this.name = name;
    this.agent = agent;
    this.log = new DeviceLog(world, name, agent);
    this.parameters = parameters;
    this.providesUnfencing = providesUnfencing;
    describe();
  }

  private void describe() {
    agents.describe(
        agent,
        METADATA_TIMEOUT,
        description -> {
          if (description.metadata() != null) {
            metadata = description.metadata();
            log.described(metadata);
          } else {
            world.log().warning(name + ": " + description.why());
            world.after(
                METADATA_AGAIN,
                () -> {
                  if (!removed) {
                    describe();
                  }
                });
          }
          described = true;
          var waiting = List.copyOf(whenDescribed);
          whenDescribed.clear();
          waiting.forEach(Runnable::run);
        });
  }

  String name() {
    return name;
  }

  String agent() {
    return agent;
  }

  DeviceParameters parameters() {
    return parameters;
  }

  boolean is(String otherAgent, DeviceParameters other) {
    return agent.equals(otherAgent) && parameters.means(other);
  }

  /// Runs `task` once the agent has said what it can do, or has failed to.
  void whenDescribed(Runnable task) {
    if (described) {
      task.run();
    } else {
      whenDescribed.add(task);
    }
  }

  boolean supportsOn() {
    return metadata.has(Task.ON);
  }

  /// Whether an unfencing has to use this device.
  boolean isAutomatic() {
    return metadata.isUnfencing() || providesUnfencing;
  }

  /// Whether this node may carry out the action with it.
  boolean isAllowed(String action, boolean targetIsLocal, boolean selfFencing) {
    return metadata.isOnTarget(action) ? targetIsLocal : !targetIsLocal || selfFencing;
  }

  /// The time an action takes at most, from its own timeout or else `otherwise`.
  Duration timeout(String action, Duration otherwise) {
    var configuredMillis =
        parameters.timeoutMillis(
            Task.REBOOT.is(action) && !metadata.has(Task.REBOOT) ? TaskName.OFF : action);
    return configuredMillis > 0 ? Duration.ofMillis(configuredMillis) : otherwise;
  }

  /// Finds out whether the device can fence a node, in the way its parameters ask for.
  ///
  /// @param answer called once, maybe from within this call
  void canFence(NodeName target, Duration timeout, Consumer<Boolean> answer) {
    var itself = agents.fencesByItself(agent, target);
    if (itself != null) {
      var listed = !parameters.hasHosts() || parameters.lists(target);
      answer.accept(itself && listed);
      return;
    }
    switch (parameters.hostCheck(metadata)) {
      case "none" -> answer.accept(true);
      case "static-list" -> answer.accept(parameters.lists(target));
      case "dynamic-list" -> {
        if (targets != null && world.nanoTime() - targetsNanos < TARGETS_FRESH.toNanos()) {
          answer.accept(isInTargets(target));
        } else if (listFailed && !parameters.hasHostCheck()) {
          askStatus(target, timeout, answer);
        } else {
          askList(target, timeout, answer);
        }
      }
      case TaskName.STATUS -> askStatus(target, timeout, answer);
      default -> {
        world
            .log()
            .error(
                name + ": invalid pcmk_host_check: use static-list, dynamic-list, status or none");
        answer.accept(false);
      }
    }
  }

  private void askList(NodeName target, Duration timeout, Consumer<Boolean> answer) {
    add(
        TaskName.LIST,
        null,
        timeout,
        -1,
        0,
        outcome -> {
          if (outcome.isSuccess()) {
            targets = DeviceParameters.names(outcome.output());
            targetsNanos = world.nanoTime();
          } else {
            world
                .log()
                .warning(
                    name + ": cannot get the list of nodes it can fence: " + outcome.words());
            listFailed = targets == null;
          }
          answer.accept(isInTargets(target));
        });
  }

  private void askStatus(NodeName target, Duration timeout, Consumer<Boolean> answer) {
    add(
        TaskName.STATUS,
        target,
        timeout,
        -1,
        0,
        outcome ->
            answer.accept(
                outcome.status() == ExecStatus.DONE
                    && (OcfCode.OK.is(outcome.rc()) || outcome.rc() == SAYS_OFF)));
  }

  private boolean isInTargets(NodeName target) {
    var alias = parameters.alias(target);
    var wanted = alias == null ? target.text() : alias;
    return targets != null && targets.stream().anyMatch(wanted::equalsIgnoreCase);
  }

  /// Queues an action of the agent.
  ///
  /// @param timeout for the action where the device has none of its own for it
  /// @param delaySeconds added to the device's own delays; -1 for no delay at all
  /// @param membership only a stay of the target that began with this membership or before is to be
  ///     fenced: once the target has begun another, nothing is done to it
  /// @param done called once, never from within this call
  void add(
      String action, @Nullable NodeName target, Duration timeout, int delaySeconds, long membership, Consumer<Outcome> done) {
    add(action, target, timeout, delaySeconds, membership, () -> true, done);
  }

  /// As the other one.
  ///
  /// @param wanted whether somebody waits for it still: what nobody waits for when its turn comes is not begun
  void add(
      String action, @Nullable NodeName target, Duration timeout, int delaySeconds,
      long membership, BooleanSupplier wanted, Consumer<Outcome> done) {
    var command = new DeviceCommand(action, target, timeout(action, timeout), membership, wanted, done);
    if (pending.stream().filter(it -> it.isPower() == command.isPower()).count() >= PENDING_MAX) {
      var why = name + " has too many actions waiting";
      world.post(() -> done.accept(Outcome.error(ExecStatus.ERROR, why)));
      return;
    }
    pending.add(command);
    var delay = delay(action, target, delaySeconds);
    if (target != null && delay.isPositive()) {
      log.delaying(action, target, delay, command.timeout, delaySeconds, parameters);
      command.delay =
          world.after(
              delay,
              () -> {
                command.delay = null;
                next();
              });
    }
    world.post(this::next);
  }

  private Duration delay(String action, @Nullable NodeName target, int delaySeconds) {
    if (delaySeconds < 0 || target == null || !isFencing(action)) {
      return Duration.ZERO;
    }
    var max = parameters.delayMaxMillis();
    var base = parameters.delayBaseMillis(target);
    if (max > 0 && base > max) {
      log.baseIsLonger();
      base = max;
    }
    var extra = max > base ? world.random().nextLong(max - base + 1) : 0;
    return Duration.ofSeconds(delaySeconds).plusMillis(base + extra);
  }

  /// The longest an action may be delayed by the device itself.
  Duration delayMax(String action, NodeName target) {
    if (!isFencing(action)) {
      return Duration.ZERO;
    }
    var max = parameters.delayMaxMillis();
    return Duration.ofMillis(max > 0 ? max : parameters.delayBaseMillis(target));
  }

  static boolean isFencing(String action) {
    return Task.OFF.is(action) || Task.REBOOT.is(action);
  }

  /// What switches power does not wait for what only asks, of which there may be much.
  private void next() {
    var limit = parameters.actionLimit();
    var inTurn = new ArrayList<>(pending);
    inTurn.sort(Comparator.comparing(command -> !command.isPower()));
    for (var command : inTurn) {
      if (limit > 0 && active >= limit) {
        return;
      }
      if (command.delay != null) {
        continue;
      }
      if (!command.wanted.getAsBoolean()) {
        drop(command);
      } else if (pending.remove(command)) {
        active++;
        running.add(command);
        command.beganNanos = world.nanoTime();
        attempt(command);
      }
    }
  }

  /// What waits, and nobody waits for any more, is not begun; who asked for it hears of that now, not when its turn comes.
  void dropUnwanted() {
    List.copyOf(pending).stream().filter(it -> !it.wanted.getAsBoolean()).forEach(this::drop);
  }

  private void drop(DeviceCommand command) {
    if (pending.remove(command)) {
      if (command.delay != null) {
        command.delay.cancel();
      }
      log.unwanted(command.action, command.target);
      var why = "It waited for its turn until nobody waited for it";
      world.post(() -> command.done.accept(Outcome.error(ExecStatus.TIMEOUT, why)));
    }
  }

  private void attempt(DeviceCommand command) {
    var target = command.target;
    if (target != null && isOverdue(command, target)) {
      ended(command, overdue(command, target));
      return;
    }
    command.tries++;
    log.trying(command.action, command.tries, left(command));
    var action = command.action;
    if (Task.REBOOT.is(action) && !metadata.has(Task.REBOOT)) {
      log.cannotReboot(command.target);
      action = TaskName.OFF;
    }
    agents.run(
        name,
        agent,
        parameters.forAgent(action, command.target, metadata.hostArgument()),
        left(command),
        agentRuns -> begun(command, agentRuns),
        outcome -> attempted(command, outcome));
  }

  /// An agent that is looked for in several places begins some time after it was asked for.
  private void begun(DeviceCommand command, Processes.Running agentRuns) {
    command.agent = agentRuns;
    if (command.target != null && isOverdue(command, command.target)) {
      agentRuns.kill();
    }
  }

  /// A target has come back. An agent that still runs may switch off its power at any moment, so it
  /// is killed.
  void targetIsBack() {
    for (var command : List.copyOf(running)) {
      var agentRuns = command.agent;
      if (agentRuns != null && command.target != null && isOverdue(command, command.target)) {
        world
            .log()
            .notice(
                "Ending %s (%s of %s): %s has come back"
                    .formatted(name, command.action, command.target, command.target));
        agentRuns.kill();
      }
    }
  }

  /// The target is to be fenced by another operation. From now on nothing may switch it on: a
  /// device that this operation does not use could keep it alive.
  void targetIsToBeFenced(NodeName target) {
    for (var commands : List.of(pending, running)) {
      for (var command : List.copyOf(commands)) {
        if (Task.ON.is(command.action) && target.equals(command.target)) {
          command.overtaken = true;
          if (command.agent != null) {
            command.agent.kill();
          }
        }
      }
    }
  }

  private Duration left(DeviceCommand command) {
    return Delays.left(command.timeout, world.nanoTime() - command.beganNanos);
  }

  private void attempted(DeviceCommand command, Outcome outcome) {
    command.agent = null;
    if (!outcome.isSuccess() && command.target != null && isOverdue(command, command.target)) {
      ended(command, overdue(command, command.target));
      return;
    }
    var used = (double) (world.nanoTime() - command.beganNanos) / command.timeout.toNanos();
    if (outcome.status() == ExecStatus.DONE
        && !OcfCode.OK.is(outcome.rc())
        && !(Task.STATUS.is(command.action) && outcome.rc() == SAYS_OFF)
        && command.tries < parameters.tries(command.action)
        && used < RETRY_SHARE
        && command.wanted.getAsBoolean()) {
      world.after(RETRY_PAUSE, () -> attempt(command));
      return;
    }
    if (!outcome.isSuccess() && command.tries >= parameters.tries(command.action)) {
      log.triedOut(command.action, command.tries);
    }
    ended(command, outcome);
  }

  private boolean isOverdue(DeviceCommand command, NodeName target) {
    return command.overtaken
        || isFencing(command.action) && nodes.isBackSince(target, command.membership);
  }

  private static Outcome overdue(DeviceCommand command, NodeName target) {
    return Outcome.error(
        ExecStatus.CANCELLED,
        command.overtaken ? Reasons.isToBeFenced(target) : Reasons.isBack(target));
  }

  private void ended(DeviceCommand command, Outcome outcome) {
    active--;
    running.remove(command);
    if (Task.MONITOR.is(command.action)) {
      verified = outcome.isSuccess() && started;
    } else if (outcome.isSuccess() && VERIFYING.contains(command.action)) {
      verified |= started;
    }
    command.done.accept(outcome);
    if (outcome.isSuccess() && command.target != null && isFencing(command.action)) {
      answerTwins(command, command.target, outcome);
    }
    next();
  }

  /// The result also answers commands that wait to do the same to the same node, unless the node
  /// may have come back between the stay that was fenced and the one they are about.
  private void answerTwins(DeviceCommand command, NodeName target, Outcome outcome) {
    for (var twin : List.copyOf(pending)) {
      if (twin.action.equals(command.action)
          && target.equals(twin.target)
          && answersTwin(command, twin, target)) {
        pending.remove(twin);
        if (twin.delay != null) {
          twin.delay.cancel();
        }
        twin.done.accept(outcome);
      }
    }
  }

  private boolean answersTwin(DeviceCommand done, DeviceCommand twin, NodeName target) {
    return twin.membership <= done.membership
        || twin.membership <= nodes.number() && nodes.stay(target) <= done.membership;
  }

  /// Whether an action has begun and not ended, be it between two tries.
  boolean isActing() {
    return !running.isEmpty();
  }

  /// The device is gone; an action that runs is left to finish.
  void remove() {
    removed = true;
    for (var command : List.copyOf(pending)) {
      if (command.delay != null) {
        command.delay.cancel();
      }
      world.post(
          () ->
              command.done.accept(
                  Outcome.error(
                      ExecStatus.NO_FENCE_DEVICE,
                      "Device was removed before action could be executed")));
    }
    pending.clear();
    var waiting = List.copyOf(whenDescribed);
    whenDescribed.clear();
    described = true;
    waiting.forEach(world::post);
  }
}
