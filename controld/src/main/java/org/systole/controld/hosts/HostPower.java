package org.systole.controld.hosts;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.Task;
import org.systole.common.values.NodeName;
import org.systole.common.world.World;
import org.systole.controld.io.FencerLink;
import org.systole.fenced.client.FenceClient;
import org.systole.fenced.client.FenceMessage;
import org.systole.hostha.PowerState;
import org.systole.hostha.Proof;

/// The power of hosts, through this node's fencer.
final class HostPower implements FenceClient.Listener {
  /// What a fence agent's status says besides 0, which is on.
  private static final int OFF = 2;

  private static final Duration AGAIN = Duration.ofSeconds(1);
  private static final Duration SLACK = Duration.ofSeconds(60);

  /// What came of a power operation.
  record Done(Proof proof, String why) {}

  private final World world;
  private final FenceClient fencer;
  private boolean closed;

  HostPower(World world) {
    this.world = world;
    this.fencer = new FenceClient(world, this);
    fencer.open();
  }

  void close() {
    closed = true;
    fencer.close();
  }

  /// Asks the devices that can fence a host for its power. It is known only if they agree. A fencer that
  /// has just been started does not know its devices yet, and is asked again.
  ///
  /// @param done told once
  void read(NodeName host, Duration timeout, Consumer<PowerState> done) {
    read(host, timeout, world.nanoTime() + timeout.toNanos(), done);
  }

  private void read(NodeName host, Duration timeout, long until, Consumer<PowerState> done) {
    fencer.call(
        new FenceMessage.DeviceQuery(host, timeout.toMillis()),
        timeout,
        answer -> {
          if (answer instanceof FenceMessage.Devices(var devices) && !devices.isEmpty()) {
            read(host, timeout, devices, done);
          } else if (closed || world.nanoTime() + AGAIN.toNanos() > until) {
            done.accept(PowerState.UNKNOWN);
          } else {
            world.after(AGAIN, () -> read(host, timeout, until, done));
          }
        });
  }

  private void read(
      NodeName host,
      Duration timeout,
      List<FenceMessage.Device> devices,
      Consumer<PowerState> done) {
    var left = new int[] {devices.size()};
    var seen = new PowerState[1];
    for (var device : devices) {
      fencer.run(
          device.name(),
          Task.STATUS.text(),
          host,
          timeout,
          result -> {
            var state = state(result);
            seen[0] = seen[0] == null || seen[0] == state ? state : PowerState.UNKNOWN;
            if (--left[0] == 0) {
              done.accept(seen[0]);
            }
          });
    }
  }

  private static PowerState state(FenceMessage.DeviceResult result) {
    if (result.succeeded()) {
      return PowerState.ON;
    }
    var answered = result.status() == ExecStatus.DONE || result.status() == ExecStatus.ERROR;
    return answered && result.rc() == OFF ? PowerState.OFF : PowerState.UNKNOWN;
  }

  /// Has a host's power cycled or switched off. The fencer's success is that of a device that has seen
  /// the power off, or of a person who has.
  ///
  /// @param membership the one in which this was decided
  /// @param done told once
  void fence(
      NodeName host, Task action, Duration timeout, long membership, Consumer<Done> done) {
    fencer.fence(
        new FenceMessage.Fence(
            host,
            action.text(),
            timeout.toMillis(),
            -1,
            0,
            FencerLink.HOST_HA,
            false,
            membership),
        timeout.multipliedBy(3).plus(SLACK),
        answer -> done.accept(done(answer)));
  }

  private static Done done(FenceMessage.Reply answer) {
    return switch (answer) {
      case FenceMessage.Outcome it when it.succeeded() -> new Done(Proof.OFF, "");
      case FenceMessage.Outcome it -> {
        var reason = it.record().exitReason();
        yield new Done(Proof.FAILED, reason.isEmpty() ? it.status().text() : reason);
      }
      case FenceMessage.Refused(var status, var why) ->
          new Done(
              status == ExecStatus.TIMEOUT || status == ExecStatus.NOT_CONNECTED
                  ? Proof.NONE
                  : Proof.FAILED,
              why);
      case FenceMessage.Reply other -> new Done(Proof.NONE, "the fencer answered " + other);
    };
  }

  @Override
  public void connected() {
    world.log().debug("Host HA is connected to the fencer");
  }

  @Override
  public void disconnected(String why) {
    // what was asked for is answered so, and tried again
  }

  @Override
  public void fenced(FenceMessage.Fenced event) {
    // the controller's own connection hears of it
  }
}
