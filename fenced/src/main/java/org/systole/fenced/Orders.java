package org.systole.fenced;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.SequencedSet;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.Task;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.world.Affair;
import org.systole.common.world.World;

/// Has this node's devices do what the origins of fencing operations order, and tells them how it
/// went.
final class Orders {
  /// The timeout of an action whose order has none.
  private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(60);

  /// What it needs of its fencer.
  interface Fencers {
    NodeName nameOf(NodeId nodeId);

    void send(NodeId nodeId, FencePeerMessage message);
  }

  /// How many orders that were taken back are remembered: those that wait at a device are fewer.
  private static final int TAKEN_BACK_MAX = 1000;

  private final World world;
  private final Fencers fencers;
  private final Devices devices;
  private final History history;
  private final Targets targets;
  private final SequencedSet<FencePeerMessage.TakenBack> takenBack = new LinkedHashSet<>();

  Orders(World world, Fencers fencers, Devices devices, History history, Targets targets) {
    this.world = world;
    this.fencers = fencers;
    this.devices = devices;
    this.history = history;
    this.targets = targets;
  }

  void carryOut(NodeId from, FencePeerMessage.Execute order) {
    var device = devices.get(order.device());
    if (device == null) {
      refuse(from, order, ExecStatus.NO_FENCE_DEVICE, "No device " + order.device() + " here");
      return;
    }
    if (Task.ON.is(order.action())
        && history.isToBeFenced(
            order.target(), order.operation(), targets.stay(order.target()))) {
      refuse(from, order, ExecStatus.CANCELLED, Reasons.isToBeFenced(order.target()));
      return;
    }
    world
        .log()
        .about(Affair.ofFencing(order.operation()))
        .notice(
            "Fencing (%s) %s with %s for %s"
                .formatted(order.action(), order.target(), order.device(), fencers.nameOf(from)));
    device.add(
        order.action(),
        order.target(),
        order.timeoutMillis() > 0 ? Duration.ofMillis(order.timeoutMillis()) : DEFAULT_TIMEOUT,
        order.delaySeconds(),
        order.membership(),
        () -> isWanted(order),
        outcome -> answer(from, order, outcome));
  }

  private boolean isWanted(FencePeerMessage.Execute order) {
    return Task.ON.is(order.action()) // what was switched off comes back, if late
        || !history.hasEnded(order.operation())
            && !takenBack.contains(new FencePeerMessage.TakenBack(order.operation(), order.attempt()));
  }

  /// An origin does not want any more what it has ordered.
  void takeBack(FencePeerMessage.TakenBack order) {
    takenBack.add(order);
    if (takenBack.size() > TAKEN_BACK_MAX) {
      takenBack.removeFirst();
    }
    devices.dropUnwanted();
  }

  private void refuse(NodeId to, FencePeerMessage.Execute order, ExecStatus status, String why) {
    answer(to, order, Outcome.error(status, why));
  }

  private void answer(NodeId to, FencePeerMessage.Execute order, Outcome outcome) {
    fencers.send(
        to,
        new FencePeerMessage.Executed(
            order.operation(), order.attempt(), outcome.rc(), outcome.status(), outcome.reason()));
  }
}
