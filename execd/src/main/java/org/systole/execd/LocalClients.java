package org.systole.execd;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.systole.common.operation.OperationResult;
import org.systole.common.wire.RpcServer;
import org.systole.common.world.World;
import org.systole.execd.client.ExecMessage;

/// The executor's clients on its own node.
final class LocalClients
    implements RpcServer.Handler<ExecMessage.Request, ExecMessage.Reply, ExecMessage.Event> {
  private final Executor executor;
  private final Jigs jigs;
  private final JigChecks checks;
  private final Inventories inventories;
  private final Set<RpcServer.Session<ExecMessage.Event>> subscribers = new LinkedHashSet<>();

  LocalClients(Executor executor, Jigs jigs, JigChecks checks, Inventories inventories) {
    this.executor = executor;
    this.jigs = jigs;
    this.checks = checks;
    this.inventories = inventories;
    executor.listen(this::report);
  }

  void serve(World world) {
    RpcServer.serve(world, ExecMessage.SOCKET, World.Access.GROUP, ExecMessage.PROTOCOL, this);
  }

  @Override
  public void request(
      RpcServer.Session<ExecMessage.Event> session,
      RpcServer.Call<ExecMessage.Reply> call,
      ExecMessage.Request request) {
    switch (request) {
      case ExecMessage.Subscribe _ -> {
        subscribers.add(session);
        call.reply(new ExecMessage.Ok());
      }
      case ExecMessage.Execute it -> call.reply(executor.execute(it));
      case ExecMessage.Cancel(var resource, var operation, var intervalMillis) ->
          call.reply(executor.cancel(resource, operation, intervalMillis));
      case ExecMessage.Forget(var resource) -> {
        executor.forget(resource);
        call.reply(new ExecMessage.Ok());
      }
      case ExecMessage.Remember(var callId, var results) -> {
        executor.remember(callId, results);
        call.reply(new ExecMessage.Ok());
      }
      case ExecMessage.StateQuery(var resource) -> {
        var state = executor.state(resource);
        call.reply(session.peer().privileged() ? state : state.withoutSecrets());
      }
      case ExecMessage.RunJig it -> jigs.run(it, call::reply);
      case ExecMessage.CheckJig it -> checks.check(it, call::reply);
      case ExecMessage.AwaitJig(var noderole, var run) -> jigs.await(noderole, run, call::reply);
      case ExecMessage.CancelJig(var noderole, var run) -> {
        var ends = jigs.cancel(noderole, run);
        checks.cancel(noderole, run);
        call.reply(ends ? new ExecMessage.Ok() : new ExecMessage.Refused("it may run only once"));
      }
      case ExecMessage.InventoryQuery(var wanted) -> inventories.tell(wanted, call::reply);
      case ExecMessage.MetadataQuery query ->
          executor.metadata(query, !call.peer().privileged(), call::reply);
    }
  }

  @Override
  public ExecMessage.Reply denied(ExecMessage.Request request, String why) {
    return new ExecMessage.Refused(why);
  }

  @Override
  public void closed(RpcServer.Session<ExecMessage.Event> session) {
    subscribers.remove(session);
  }

  private void report(OperationResult result) {
    if (subscribers.isEmpty()) {
      return;
    }
    var frame = ExecMessage.PROTOCOL.event(new ExecMessage.Result(result));
    for (var subscriber : List.copyOf(subscribers)) {
      subscriber.eventEncoded(frame);
    }
  }
}
