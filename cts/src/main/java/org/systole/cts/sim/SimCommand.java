package org.systole.cts.sim;

import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.attrd.client.AttrMessage;
import org.systole.attrd.client.AttrUpdates;
import org.systole.common.wire.Protocol;
import org.systole.common.wire.RpcClient;
import org.systole.common.world.World;

/// A short-lived command on a node, as an administrator or an agent runs it: one question to one
/// daemon, one answer.
final class SimCommand {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private final SimNode node;

  SimCommand(SimNode node) {
    this.node = node;
  }

  void setAttribute(String name, @Nullable String value) {
    ask(AttrMessage.SOCKET, AttrMessage.PROTOCOL, AttrUpdates.set(name, "", value), _ -> {});
  }

  /// Asks a daemon of the node; `done` is told the answer, null if there is none.
  <M> void ask(String socket, Protocol<M> protocol, M request, Consumer<@Nullable M> done) {
    if (!node.isPowered()) {
      node.cluster().queue().after(0, () -> done.accept(null));
      return;
    }
    var process = node.spawn("sim-" + socket);
    World world =
        new SimWorld(process, node.cluster().random("command", node.name(), socket, process.pid()));
    var call = new Call<>(world, process, socket, protocol, request, done);
    process.onEnd((_, _) -> call.answer(null));
    call.client.open();
    node.cluster().queue().after(TIMEOUT.toNanos(), process, () -> process.end(1, 0));
  }

  private static final class Call<M> implements RpcClient.Listener<M> {
    private final SimProcess process;
    private final M request;
    private final Consumer<@Nullable M> done;
    private final RpcClient<M> client;
    private boolean answered;

    Call(
        World world,
        SimProcess process,
        String socket,
        Protocol<M> protocol,
        M request,
        Consumer<@Nullable M> done) {
      this.process = process;
      this.request = request;
      this.done = done;
      this.client = new RpcClient<>(world, socket, protocol, this);
    }

    @Override
    public void connected() {
      client.call(
          request,
          TIMEOUT,
          answer -> {
            answer(answer instanceof RpcClient.Answer.Got<M>(var message) ? message : null);
            process.end(0, 0);
          });
    }

    private void answer(@Nullable M message) {
      if (!answered) {
        answered = true;
        done.accept(message);
      }
    }
  }
}
