package org.systole.schedulerd.client;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
import org.systole.common.wire.ClientProtocol.NoEvent;
import org.systole.common.wire.RpcClient;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlText;

/// The controller's way to the scheduler of its node. Lives on the controller's loop.
public final class SchedulerClient {
  private final RpcClient<SchedulerMessage.Request, SchedulerMessage.Reply, NoEvent> scheduler;

  /// @param connection told when the scheduler can be asked and when it cannot
  public SchedulerClient(World world, RpcClient.Listener<NoEvent> connection) {
    this.scheduler =
        new RpcClient<>(world, SchedulerMessage.SOCKET, SchedulerMessage.PROTOCOL, connection);
  }

  public void open() {
    scheduler.open();
  }

  public boolean isConnected() {
    return scheduler.isConnected();
  }

  public void close() {
    scheduler.close();
  }

  /// Asks for a plan; `done` is told once. Whatever keeps the scheduler from answering is told as a
  /// [SchedulerMessage.Calculated] with a failure.
  public void calculate(
      String reference,
      Element cib,
      Instant now,
      Duration timeout,
      Consumer<SchedulerMessage.Calculated> done) {
    scheduler.call(
        new SchedulerMessage.Calculate(reference, XmlText.of(cib), now.toEpochMilli()),
        timeout,
        answer ->
            done.accept(
                switch (answer) {
                  case RpcClient.Answer.Got<SchedulerMessage.Reply>(
                          SchedulerMessage.Calculated it) ->
                      it;
                  case RpcClient.Answer.Got<SchedulerMessage.Reply>(var other) ->
                      failed(reference, "the scheduler answered " + other);
                  case RpcClient.Answer.TimedOut<SchedulerMessage.Reply>() ->
                      failed(reference, "the scheduler did not answer within " + timeout);
                  case RpcClient.Answer.Lost<SchedulerMessage.Reply>(var why) ->
                      failed(reference, why);
                }));
  }

  private static SchedulerMessage.Calculated failed(String reference, String why) {
    return new SchedulerMessage.Calculated(reference, XmlText.of(""), "", List.of(), List.of(), why);
  }
}
