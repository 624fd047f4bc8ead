package org.systole.cts.sim;

import java.time.Duration;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.attrd.client.AttrMessage;
import org.systole.attrd.client.AttrUpdates;
import org.systole.cibd.client.CibMessage;
import org.systole.common.wire.ClientProtocol;
import org.systole.common.wire.RpcClient;
import org.systole.common.world.World;

/// A short-lived command on a node, as an administrator or an agent runs it: one question to one
/// daemon, one answer.
final class SimCommand {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final Duration TICK = Duration.ofSeconds(1);

  /// It is the check that ends a command.
  private static final Duration PATIENCE = Duration.ofDays(1);

  /// Those whose answers, good or bad, have a deadline of half that time.
  private static final Set<String> ANSWER_IN_TIME = Set.of(CibMessage.SOCKET, AttrMessage.SOCKET);

  private final SimNode node;

  SimCommand(SimNode node) {
    this.node = node;
  }

  void setAttribute(String name, @Nullable String value) {
    ask(AttrMessage.SOCKET, AttrMessage.PROTOCOL, AttrUpdates.set(name, null, value), _ -> {});
  }

  /// Asks a daemon of the node; `done` is told the answer, null if there is none.
  <Q, R> void ask(
      String socket, ClientProtocol<Q, R, ?> protocol, Q request, Consumer<@Nullable R> done) {
    if (!node.isPowered()) {
      node.cluster().queue().after(0, () -> done.accept(null));
      return;
    }
    var process = node.spawn("sim-" + socket);
    World world =
        new SimWorld(process, node.cluster().random("command", node.name(), socket, process.pid()));
    var call = call(world, process, socket, protocol, request, done);
    process.onEnd((_, _) -> call.answer(null));
    call.client.open();
    // A remote host notices only after a minute that the member is gone that it asks.
    var within = node.id() == SimNode.NO_MEMBER ? TIMEOUT.plus(SimStreams.SILENCE) : TIMEOUT;
    tick(
        process,
        within,
        () -> {
          if (ANSWER_IN_TIME.contains(socket) && call.client.isConnected() && SimConfFile.isWithAll(node)) {
            node.cluster()
                .fail(
                    SimCheck.UNANSWERED,
                    "%s on %s has not answered %s within %s"
                        .formatted(socket, node.name(), request, within));
          }
          process.end(1, 0);
        });
  }

  /// Calls `over` when a process has waited so long. While its machine stands still it does not wait: whom it has
  /// asked is on the same machine.
  private void tick(SimProcess process, Duration left, Runnable over) {
    var next = left.compareTo(TICK) < 0 ? left : TICK;
    node.cluster()
        .queue()
        .after(
            next.toNanos(),
            process,
            () -> {
              if (next.equals(left)) {
                over.run();
              } else {
                tick(process, left.minus(next), over);
              }
            });
  }

  private static <Q, R, E> Call<Q, R, E> call(
      World world,
      SimProcess process,
      String socket,
      ClientProtocol<Q, R, E> protocol,
      Q request,
      Consumer<@Nullable R> done) {
    return new Call<>(world, process, socket, protocol, request, done);
  }

  private static final class Call<Q, R, E> implements RpcClient.Listener<E> {
    private final SimProcess process;
    private final Q request;
    private final Consumer<@Nullable R> done;
    private final RpcClient<Q, R, E> client;
    private boolean answered;

    Call(
        World world,
        SimProcess process,
        String socket,
        ClientProtocol<Q, R, E> protocol,
        Q request,
        Consumer<@Nullable R> done) {
      this.process = process;
      this.request = request;
      this.done = done;
      this.client = new RpcClient<>(world, socket, protocol, this);
    }

    @Override
    public void connected() {
      client.call(
          request,
          PATIENCE,
          answer -> {
            answer(answer instanceof RpcClient.Answer.Got<R>(var message) ? message : null);
            process.end(0, 0);
          });
    }

    private void answer(@Nullable R message) {
      if (!answered) {
        answered = true;
        done.accept(message);
      }
    }
  }
}
