package org.systole.controld.hosts;

import java.time.Duration;
import java.util.function.Consumer;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.Task;
import org.systole.common.values.NodeName;
import org.systole.common.values.OneLine;
import org.systole.common.world.World;
import org.systole.controld.io.FencerLink;
import org.systole.fenced.client.FenceClient;
import org.systole.fenced.client.FenceMessage;
import org.systole.hostha.Proof;

/// The power of hosts, through this node's fencer.
final class HostPower implements FenceClient.Listener {
  private static final Duration SLACK = Duration.ofSeconds(60);
  private static final Duration ANSWER = Duration.ofSeconds(30);
  private static final int REASON_MAX = 300;

  /// What came of a power operation.
  record Done(Proof proof, String why) {}

  private final World world;
  private final FenceClient fencer;

  HostPower(World world) {
    this.world = world;
    this.fencer = new FenceClient(world, this);
    fencer.open();
  }

  /// Reads power over the same connection.
  PowerReader reader() {
    return new PowerReader(world, fencer);
  }

  void close() {
    fencer.close();
  }

  /// Has a host's power cycled or switched off. The fencer's success is that of a device that has seen
  /// the power off, or of a person who has. It ends with this connection, as what decided it does: who takes
  /// over, here or elsewhere, asks again for what it wants, and holds a host for well where it does not.
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
            membership)
            .tiedToItsClient(),
        timeout.multipliedBy(3).plus(SLACK),
        answer -> done.accept(done(answer)));
  }

  /// Gives up what [#fence] has asked for. A fencer that stands still would do it much later.
  ///
  /// @param wholly no further device or member is to try it, either
  void withdraw(NodeName host, Task action, boolean wholly) {
    var client = FencerLink.HOST_HA;
    fencer.call(new FenceMessage.Withdraw(host, action.text(), client, wholly), ANSWER, _ -> {});
  }

  private static Done done(FenceMessage.Reply answer) {
    return switch (answer) {
      case FenceMessage.Outcome it when it.succeeded() -> new Done(Proof.OFF, "");
      case FenceMessage.Outcome it -> new Done(Proof.FAILED, OneLine.of(it.failure(), REASON_MAX));
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
