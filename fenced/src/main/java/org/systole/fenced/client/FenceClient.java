package org.systole.fenced.client;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.ExecStatus;
import org.systole.common.values.NodeName;
import org.systole.common.wire.RpcClient;
import org.systole.common.world.World;

/// A daemon's way to the fencer of its node. Lives on the owner's loop and reconnects by itself.
public final class FenceClient {
  private static final Duration ANSWER = Duration.ofSeconds(30);

  /// What the owner hears.
  public interface Listener {
    /// The fencer is connected, for the first time or again, and events are subscribed to.
    void connected();

    void disconnected(String why);

    /// A fencing operation of any node has ended.
    void fenced(FenceMessage.Fenced event);

    default void historyChanged() {}

    default void devicesChanged() {}
  }

  private final World world;
  private final Listener listener;
  private final RpcClient<FenceMessage.Request, FenceMessage.Reply, FenceMessage.Event> fencer;

  public FenceClient(World world, Listener listener) {
    this.world = world;
    this.listener = listener;
    this.fencer =
        new RpcClient<>(world, FenceMessage.SOCKET, FenceMessage.PROTOCOL, new FromFencer());
  }

  public void open() {
    fencer.open();
  }

  public boolean isConnected() {
    return fencer.isConnected();
  }

  public void close() {
    fencer.close();
  }

  /// Has a node fenced.
  ///
  /// @param patience how long to wait for the answer at most; the fencer itself stretches the
  ///     request's timeout by the devices' own timeouts and delays
  /// @param done told once: [FenceMessage.Outcome], or [FenceMessage.Refused] if the fencer refuses
  ///     or cannot be reached
  public void fence(
      FenceMessage.Fence request, Duration patience, Consumer<FenceMessage.Reply> done) {
    call(request, patience, done);
  }

  /// @param done told once, latest operation first; nothing if the fencer cannot be reached
  public void history(Consumer<List<FenceMessage.FenceRecord>> done) {
    call(
        new FenceMessage.HistoryQuery(null, false),
        ANSWER,
        answer ->
            done.accept(answer instanceof FenceMessage.History it ? it.records() : List.of()));
  }

  /// @param done told once: [FenceMessage.Ok], or [FenceMessage.Refused]
  public void register(
      String device,
      String agent,
      Map<String, String> parameters,
      Consumer<FenceMessage.Reply> done) {
    call(new FenceMessage.RegisterDevice(device, agent, parameters), ANSWER, done);
  }

  /// @param done told once: [FenceMessage.Ok], or [FenceMessage.Refused]
  public void deregister(String device, Consumer<FenceMessage.Reply> done) {
    call(new FenceMessage.DeregisterDevice(device), ANSWER, done);
  }

  /// @param target the node whose status is asked for; null otherwise
  /// @param done told once; status NOT_CONNECTED if the fencer cannot be reached
  public void run(
      String device,
      String action,
      @Nullable NodeName target,
      Duration timeout,
      Consumer<FenceMessage.DeviceResult> done) {
    call(
        new FenceMessage.RunDevice(device, action, target, timeout.toMillis()),
        timeout.plus(ANSWER),
        answer ->
            done.accept(
                switch (answer) {
                  case FenceMessage.DeviceResult it -> it;
                  case FenceMessage.Refused(var status, var why) ->
                      new FenceMessage.DeviceResult(1, status, why, "");
                  case FenceMessage.Reply other ->
                      new FenceMessage.DeviceResult(
                          1, ExecStatus.ERROR, "the fencer answered " + other, "");
                }));
  }

  /// Any other request.
  ///
  /// @param done told once; [FenceMessage.Refused] if the fencer refuses or cannot be reached
  public void call(
      FenceMessage.Request request, Duration timeout, Consumer<FenceMessage.Reply> done) {
    fencer.call(
        request,
        timeout,
        answer ->
            done.accept(
                switch (answer) {
                  case RpcClient.Answer.Got<FenceMessage.Reply>(var message) -> message;
                  case RpcClient.Answer.TimedOut<FenceMessage.Reply>() ->
                      new FenceMessage.Refused(ExecStatus.TIMEOUT, "the fencer did not answer");
                  case RpcClient.Answer.Lost<FenceMessage.Reply>(var why) ->
                      new FenceMessage.Refused(ExecStatus.NOT_CONNECTED, why);
                }));
  }

  private final class FromFencer implements RpcClient.Listener<FenceMessage.Event> {
    @Override
    public void connected() {
      call(
          new FenceMessage.Subscribe(),
          ANSWER,
          answer -> {
            if (answer instanceof FenceMessage.Ok) {
              listener.connected();
            } else if (fencer.isConnected()) {
              world.log().error("The fencer refuses to report events: " + answer);
            }
          });
    }

    @Override
    public void disconnected(String why) {
      listener.disconnected(why);
    }

    @Override
    public void event(FenceMessage.Event event) {
      if (event instanceof FenceMessage.Fenced fenced) {
        listener.fenced(fenced);
      } else if (event instanceof FenceMessage.HistoryChanged) {
        listener.historyChanged();
      } else if (event instanceof FenceMessage.DevicesChanged) {
        listener.devicesChanged();
      }
    }
  }
}
