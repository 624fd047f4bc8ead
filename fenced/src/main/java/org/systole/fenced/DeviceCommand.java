package org.systole.fenced;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.Task;
import org.systole.common.values.NodeName;
import org.systole.common.world.Processes;
import org.systole.common.world.World;

/// Something that a device is to do.
final class DeviceCommand {
  final String action;
  final @Nullable NodeName target;
  final Duration timeout;
  final long membership;

  /// Whether somebody waits for it still.
  final BooleanSupplier wanted;

  final Consumer<Outcome> done;
  World.@Nullable Timer delay;
  Processes.@Nullable Running agent;
  int tries;
  long beganNanos;

  /// It would switch on a target that another operation is to fence.
  boolean overtaken;

  DeviceCommand(
      String action,
      @Nullable NodeName target,
      Duration timeout,
      long membership,
      BooleanSupplier wanted,
      Consumer<Outcome> done) {
    this.action = action;
    this.target = target;
    this.timeout = timeout;
    this.membership = membership;
    this.wanted = wanted;
    this.done = done;
  }

  /// Whether it switches power, and does not only ask.
  boolean isPower() {
    return Task.ON.is(action) || Device.isFencing(action);
  }
}
