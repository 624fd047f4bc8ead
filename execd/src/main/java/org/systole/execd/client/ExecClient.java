package org.systole.execd.client;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.AgentName;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.OperationRequest;
import org.systole.common.operation.OperationResult;
import org.systole.common.values.OperationName;
import org.systole.common.values.ResourceId;
import org.systole.common.wire.RpcClient;
import org.systole.common.world.World;

/// A daemon's connection to the executor of its node. Lives on the owner's loop and reconnects by
/// itself.
public final class ExecClient implements NodeExecutor {
  private static final Duration ANSWER = Duration.ofSeconds(30);

  /// What the owner hears.
  public interface Listener {
    /// The executor is there, for the first time or again, and results are subscribed to.
    void connected();

    /// The executor is gone; what it ran is lost with it.
    void disconnected(String why);

    void result(OperationResult result);
  }

  private final World world;
  private final Listener listener;
  private final RpcClient<ExecMessage.Request, ExecMessage.Reply, ExecMessage.Event> executor;

  public ExecClient(World world, Listener listener) {
    this.world = world;
    this.listener = listener;
    this.executor =
        new RpcClient<>(world, ExecMessage.SOCKET, ExecMessage.PROTOCOL, new FromExecutor());
  }

  public void open() {
    executor.open();
  }

  @Override
  public boolean isConnected() {
    return executor.isConnected();
  }

  public void close() {
    executor.close();
  }

  @Override
  public void execute(OperationRequest operation, Consumer<ExecMessage.Reply> done) {
    call(new ExecMessage.Execute(operation, true), ANSWER, done);
  }

  @Override
  public void cancel(
      ResourceId resource,
      OperationName operation,
      long intervalMillis,
      Consumer<ExecMessage.Reply> done) {
    call(new ExecMessage.Cancel(resource, operation, intervalMillis), ANSWER, done);
  }

  @Override
  public void forget(ResourceId resource, Consumer<ExecMessage.Reply> done) {
    call(new ExecMessage.Forget(resource), ANSWER, done);
  }

  /// @param done told once: what is known about all resources; null if the executor cannot be
  ///     reached
  public void state(Consumer<@Nullable List<ExecMessage.ResourceState>> done) {
    call(
        new ExecMessage.StateQuery(""),
        ANSWER,
        answer -> done.accept(answer instanceof ExecMessage.State it ? it.resources() : null));
  }

  /// Tells a restarted executor what earlier ones did, see [ExecMessage.Remember].
  public void remember(long lastCallId, List<OperationResult> results) {
    call(
        new ExecMessage.Remember(lastCallId, results),
        ANSWER,
        answer -> {
          if (answer instanceof ExecMessage.Refused(var why)) {
            world.log().warning("The executor refuses the earlier results: " + why);
          }
        });
  }

  /// @param done told once
  public void metadata(AgentName agent, Duration timeout, Consumer<ExecMessage.Metadata> done) {
    call(
        new ExecMessage.MetadataQuery(agent, timeout.toMillis()),
        timeout.plus(ANSWER),
        answer ->
            done.accept(
                switch (answer) {
                  case ExecMessage.Metadata it -> it;
                  case ExecMessage.Refused(var why) ->
                      new ExecMessage.Metadata("", ExecStatus.NOT_CONNECTED, why);
                  case ExecMessage.Reply other ->
                      new ExecMessage.Metadata(
                          "", ExecStatus.ERROR, "the executor answered " + other);
                }));
  }

  private void call(
      ExecMessage.Request request, Duration timeout, Consumer<ExecMessage.Reply> done) {
    executor.call(
        request,
        timeout,
        answer ->
            done.accept(
                switch (answer) {
                  case RpcClient.Answer.Got<ExecMessage.Reply>(var message) -> message;
                  case RpcClient.Answer.TimedOut<ExecMessage.Reply>() ->
                      new ExecMessage.Refused("the executor did not answer");
                  case RpcClient.Answer.Lost<ExecMessage.Reply>(var why) ->
                      new ExecMessage.Refused(why);
                }));
  }

  private final class FromExecutor implements RpcClient.Listener<ExecMessage.Event> {
    @Override
    public void connected() {
      call(
          new ExecMessage.Subscribe(),
          ANSWER,
          answer -> {
            if (answer instanceof ExecMessage.Ok) {
              listener.connected();
            } else if (executor.isConnected()) {
              world.log().error("The executor refuses to report results: " + answer);
            }
          });
    }

    @Override
    public void disconnected(String why) {
      listener.disconnected(why);
    }

    @Override
    public void event(ExecMessage.Event event) {
      if (event instanceof ExecMessage.Result(var result)) {
        listener.result(result);
      }
    }
  }
}
