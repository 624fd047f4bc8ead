package org.systole.controld.hosts;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.Task;
import org.systole.common.values.NodeName;
import org.systole.common.world.World;
import org.systole.controld.io.PeerMessage;
import org.systole.fenced.client.FenceClient;
import org.systole.fenced.client.FenceMessage;
import org.systole.hostha.PowerState;

/// Reads the power of hosts with the fence devices that may be used on this node.
public final class PowerReader {
  /// What stands for "no device may be used here" between members.
  static final String NO_DEVICE = "NONE";

  /// What a fence agent's status says besides 0, which is on.
  private static final int OFF = 2;

  private static final Duration AGAIN = Duration.ofMillis(200);
  private static final int TRIES = 10; // to connect to the fencer

  private final World world;
  private final FenceClient fencer;

  PowerReader(World world, FenceClient fencer) {
    this.world = world;
    this.fencer = fencer;
  }

  /// One with a connection of its own to this node's fencer, which lasts.
  public static PowerReader connected(World world) {
    var fencer =
        new FenceClient(
            world,
            new FenceClient.Listener() {
              @Override
              public void connected() {}

              @Override
              public void disconnected(String why) {}

              @Override
              public void fenced(FenceMessage.Fenced event) {}
            });
    fencer.open();
    return new PowerReader(world, fencer);
  }

  /// Reads it for another member.
  ///
  /// @param done told once
  public void read(PeerMessage.ReadPower asked, Consumer<PeerMessage.PowerRead> done) {
    read(
        asked.host(),
        Duration.ofMillis(Math.max(1, asked.timeoutMillis())),
        state ->
            done.accept(
                new PeerMessage.PowerRead(
                    asked.number(), state == null ? NO_DEVICE : state.name())));
  }

  /// Asks the devices that can fence a host for its power. It is known only if they agree.
  ///
  /// @param done told once: null if there is no such device here
  void read(NodeName host, Duration timeout, Consumer<@Nullable PowerState> done) {
    read(host, timeout, TRIES, done);
  }

  private void read(
      NodeName host, Duration timeout, int tries, Consumer<@Nullable PowerState> done) {
    if (!fencer.isConnected() && tries > 0) {
      world.after(AGAIN, () -> read(host, timeout, tries - 1, done));
      return;
    }
    fencer.call(
        new FenceMessage.DeviceQuery(host, timeout.toMillis()),
        timeout,
        answer -> {
          if (answer instanceof FenceMessage.Devices(var devices) && !devices.isEmpty()) {
            ask(host, timeout, devices, done);
          } else {
            done.accept(null);
          }
        });
  }

  private void ask(
      NodeName host,
      Duration timeout,
      List<FenceMessage.Device> devices,
      Consumer<@Nullable PowerState> done) {
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
}
