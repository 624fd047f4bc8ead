package org.systole.execd.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.systole.common.wire.RpcClient;
import org.systole.common.world.World;

/// A daemon's way to have jigs run on its node. It connects with the first request; what is asked
/// before the connection is there waits for it.
public final class JigClient {
  private static final int WAITING_MAX = 100;
  private static final Duration LONGEST = Duration.ofHours(25);

  private final RpcClient<ExecMessage.Request, ExecMessage.Reply, ExecMessage.Event> executor;
  private final List<Runnable> waiting = new ArrayList<>();
  private boolean opened;

  public JigClient(World world) {
    this.executor =
        new RpcClient<>(
            world,
            ExecMessage.SOCKET,
            ExecMessage.PROTOCOL,
            new RpcClient.Listener<>() {
              @Override
              public void connected() {
                var all = List.copyOf(waiting);
                waiting.clear();
                all.forEach(Runnable::run);
              }
            });
  }

  /// @param done told at the end of the run; [ExecMessage.Refused] if the executor was lost meanwhile
  public void ask(ExecMessage.Request request, Consumer<ExecMessage.Reply> done) {
    if (!opened) {
      opened = true;
      executor.open();
    }
    if (executor.isConnected()) {
      send(request, done);
    } else if (waiting.size() < WAITING_MAX) {
      waiting.add(() -> send(request, done));
    } else {
      done.accept(new ExecMessage.Refused("the executor is not there"));
    }
  }

  private void send(ExecMessage.Request request, Consumer<ExecMessage.Reply> done) {
    executor.call(
        request,
        LONGEST,
        answer ->
            done.accept(
                answer instanceof RpcClient.Answer.Got<ExecMessage.Reply>(var reply)
                    ? reply
                    : new ExecMessage.Refused("the executor was lost")));
  }
}
