package org.systole.execd.client;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.systole.common.wire.RpcClient;
import org.systole.common.world.World;

/// A daemon's way to have jigs run on its node. It connects with the first request; what is asked
/// before the connection is there waits for it, for a while. Lives on the owner's loop.
public final class JigClient {
  private static final int ORDERS_MAX = 100;

  /// Anybody may ask questions; they must not take the places of orders.
  private static final int QUESTIONS_MAX = 8;

  private static final Duration LONGEST = Duration.ofHours(25);
  private static final Duration ANSWER = Duration.ofSeconds(35); // the executor gives up after 25 s
  private static final Duration CONNECTION = Duration.ofSeconds(30);

  /// An order to run a jig is for now: whoever gave it may not want it later.
  private static final Duration AT_ONCE = Duration.ofSeconds(2);

  private static final ExecMessage.Refused UNWANTED =
      new ExecMessage.Refused("nothing is to be begun on this node now: it is in maintenance");

  private static final ExecMessage.Refused AWAY =
      new ExecMessage.Refused("the executor is not there; its node's log may say why. Try again in a moment");

  /// What waits for the connection.
  private static final class Waiting {
    final ExecMessage.Request request;
    final BooleanSupplier wanted;
    final Consumer<ExecMessage.Reply> done;
    final World.Timer timer;

    Waiting(
        ExecMessage.Request request,
        BooleanSupplier wanted,
        Consumer<ExecMessage.Reply> done,
        World world,
        Consumer<Waiting> late) {
      this.request = request;
      this.wanted = wanted;
      this.done = done;
      this.timer = world.after(isRun(request) ? AT_ONCE : CONNECTION, () -> late.accept(this));
    }
  }

  private final World world;
  private final RpcClient<ExecMessage.Request, ExecMessage.Reply, ExecMessage.Event> executor;
  private final Set<Waiting> waiting = new LinkedHashSet<>();
  private boolean opened;

  public JigClient(World world) {
    this.world = world;
    this.executor =
        new RpcClient<>(
            world,
            ExecMessage.SOCKET,
            ExecMessage.PROTOCOL,
            new RpcClient.Listener<>() {
              @Override
              public void connected() {
                sendAll();
              }
            });
  }

  /// @param done told once, at the end of the run; [ExecMessage.Refused] if the executor was lost
  ///     meanwhile, or is not there for half a minute, to run a jig for two seconds
  public void ask(ExecMessage.Request request, Consumer<ExecMessage.Reply> done) {
    ask(request, () -> true, done);
  }

  /// As [#ask(ExecMessage.Request, Consumer)] for what may not be wanted any more by the time the executor can be told.
  ///
  /// @param wanted asked just before that; if it says no, the executor hears nothing of it
  public void ask(ExecMessage.Request request, BooleanSupplier wanted, Consumer<ExecMessage.Reply> done) {
    if (!opened) {
      opened = true;
      executor.open();
    }
    if (executor.isConnected()) {
      send(request, wanted, done);
    } else if (isCrowded(request)) {
      done.accept(AWAY);
    } else {
      waiting.add(new Waiting(request, wanted, done, world, this::late));
    }
  }

  /// Whether an answer says that a run was not begun, and will not begin by itself: it was not wanted then, the executor
  /// was not there, or has something to end first.
  public static boolean isNotNow(ExecMessage.Reply reply) {
    return UNWANTED.equals(reply) || AWAY.equals(reply) || ExecMessage.NOT_NOW.equals(reply);
  }

  private static boolean isRun(ExecMessage.Request request) {
    return request instanceof ExecMessage.RunJig;
  }

  private boolean isCrowded(ExecMessage.Request request) {
    var alike = waiting.stream().filter(it -> isQuestion(it.request) == isQuestion(request)).count();
    return alike >= (isQuestion(request) ? QUESTIONS_MAX : ORDERS_MAX);
  }

  private static boolean isQuestion(ExecMessage.Request request) {
    return request instanceof ExecMessage.InventoryQuery;
  }

  private void late(Waiting it) {
    if (waiting.remove(it)) {
      it.done.accept(AWAY);
    }
  }

  private void sendAll() {
    var all = List.copyOf(waiting);
    waiting.clear();
    for (var it : all) {
      it.timer.cancel();
      send(it.request, it.wanted, it.done);
    }
  }

  private void send(ExecMessage.Request request, BooleanSupplier wanted, Consumer<ExecMessage.Reply> done) {
    if (!wanted.getAsBoolean()) {
      done.accept(UNWANTED);
      return;
    }
    executor.call(
        request,
        isQuestion(request) ? ANSWER : LONGEST,
        answer ->
            done.accept(
                answer instanceof RpcClient.Answer.Got<ExecMessage.Reply>(var reply)
                    ? reply
                    : new ExecMessage.Refused("the executor was lost")));
  }
}
