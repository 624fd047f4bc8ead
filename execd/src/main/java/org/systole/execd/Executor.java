package org.systole.execd;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.AgentName;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.OperationRequest;
import org.systole.common.operation.OperationResult;
import org.systole.common.values.ResourceId;
import org.systole.common.wire.RpcServer;
import org.systole.common.world.Processes;
import org.systole.common.world.World;
import org.systole.execd.client.ExecMessage;

/// The executor's core: serves its clients and keeps a queue for every resource.
final class Executor
    implements RpcServer.Handler<ExecMessage.Request, ExecMessage.Reply, ExecMessage.Event> {
  private static final Duration DIRECTORY_TIMEOUT = Duration.ofSeconds(10);

  private final World world;
  private final AgentEnvironment environment;
  private final Map<ResourceId, ResourceQueue> queues = new TreeMap<>();
  private final Set<RpcServer.Session<ExecMessage.Event>> subscribers = new LinkedHashSet<>();
  private final OcfRunner ocf;
  private final LsbRunner lsb;
  private final SystemdRunner systemd;
  private final ServiceRunner service;
  private final FenceDeviceRunner fenceDevices;
  private final MetadataRuns metadata;
  private long lastCallId;

  Executor(World world, AgentEnvironment environment) {
    this.world = world;
    this.environment = environment;
    this.ocf = new OcfRunner(world, environment);
    this.lsb = new LsbRunner(world, environment);
    this.systemd = new SystemdRunner(world, environment);
    this.service = new ServiceRunner(lsb, systemd);
    this.fenceDevices = new FenceDeviceRunner(world);
    this.metadata =
        new MetadataRuns(
            (agent, timeout, done) -> {
              var runner = Objects.requireNonNull(runner(agent.standard()));
              runner.metadata(agent, timeout, done);
            });
  }

  /// Serves once the agents' directory for transient state is there.
  void start() {
    fenceDevices.open();
    var scratch = environment.scratch().toString();
    world
        .processes()
        .start(
            new Processes.Program(
                List.of("/bin/mkdir", "-p", "-m", "0755", scratch),
                environment.base(),
                "",
                DIRECTORY_TIMEOUT,
                1024),
            exit -> {
              if (!(exit instanceof Processes.Exit.Exited exited) || exited.status() != 0) {
                world
                    .log()
                    .warning(
                        "Cannot make the agents' directory "
                            + scratch
                            + ": agents that need it will fail");
              }
              RpcServer.serve(
                  world, ExecMessage.SOCKET, World.Access.GROUP, ExecMessage.PROTOCOL, this);
              world.log().notice("Executor ready");
            });
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
      case ExecMessage.Execute it -> call.reply(execute(it));
      case ExecMessage.Cancel(var resource, var operation, var intervalMillis) -> {
        var queue = queues.get(resource);
        call.reply(
            queue == null
                ? new ExecMessage.Cancelled(false, false)
                : queue.cancel(operation, intervalMillis));
      }
      case ExecMessage.Forget(var resource) -> {
        forget(resource);
        call.reply(new ExecMessage.Ok());
      }
      case ExecMessage.Remember(var callId, var results) -> {
        remember(callId, results);
        call.reply(new ExecMessage.Ok());
      }
      case ExecMessage.StateQuery(var resource) -> {
        var state = state(resource);
        call.reply(session.peer().privileged() ? state : state.withoutSecrets());
      }
      case ExecMessage.MetadataQuery query -> metadata(call, query);
    }
  }

  @Override
  public ExecMessage.Reply denied(ExecMessage.Request request, String why) {
    return refused(why);
  }

  @Override
  public void closed(RpcServer.Session<ExecMessage.Event> session) {
    subscribers.remove(session);
  }

  private ExecMessage.Reply execute(ExecMessage.Execute asked) {
    var request = asked.request();
    var wrong = mistake(request);
    if (wrong != null) {
      return refused(wrong);
    }
    var runner = runner(request.agent().standard());
    if (runner == null) {
      return refused("resource agents of class " + request.agent().standard() + " are not known");
    }
    sweep();
    var queue = queue(request.resource(), request.agent());
    if (queue.isFull()) {
      return refused("too many operations of " + request.resource() + " are waiting already");
    }
    var operation = new Operation(asked, runner, ++lastCallId);
    queue.add(operation);
    return new ExecMessage.Accepted(operation.callId());
  }

  private static @Nullable String mistake(OperationRequest request) {
    if (request.intervalMillis() < 0
        || request.timeoutMillis() < 0
        || request.startDelayMillis() < 0) {
      return "interval, timeout and start delay may not be negative";
    }
    return mistake(request.agent());
  }

  private static @Nullable String mistake(AgentName agent) {
    for (var name : List.of(agent.provider(), agent.type())) {
      if (name.contains("/") || name.equals("..")) {
        return "\"" + name + "\" is not the name of an agent";
      }
    }
    return null;
  }

  private @Nullable Runner runner(String standard) {
    return switch (standard) {
      case AgentName.OCF -> ocf;
      case AgentName.FENCING -> fenceDevices;
      case "lsb" -> lsb;
      case "systemd" -> systemd;
      case "service" -> service;
      default -> null;
    };
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

  private void forget(ResourceId resource) {
    var queue = queues.get(resource);
    if (queue != null) {
      queue.forget();
    }
    sweep();
  }

  private void remember(long callId, List<OperationResult> results) {
    lastCallId = Math.max(lastCallId, callId);
    for (var result : results) {
      var before = queues.get(result.resource());
      var queue = before == null ? queue(result.resource(), result.agent()) : before;
      if (queue.remember(result) && result.agent().isFenceAgent()) {
        fenceDevices.remember(result);
      }
    }
  }

  private ResourceQueue queue(ResourceId resource, AgentName agent) {
    return queues.computeIfAbsent(
        resource, it -> new ResourceQueue(world, it, agent, this::report));
  }

  private void sweep() {
    queues.values().removeIf(ResourceQueue::isEmpty);
  }

  private ExecMessage.State state(String resource) {
    var states = new ArrayList<ExecMessage.ResourceState>();
    queues.forEach(
        (id, queue) -> {
          if ((resource.isEmpty() || resource.equals(id.text())) && !queue.isEmpty()) {
            states.add(queue.state());
          }
        });
    return new ExecMessage.State(states);
  }

  private void metadata(RpcServer.Call<ExecMessage.Reply> call, ExecMessage.MetadataQuery query) {
    var agent = query.agent();
    if (runner(agent.standard()) == null || mistake(agent) != null) {
      call.reply(
          new ExecMessage.Metadata("", ExecStatus.NOT_INSTALLED, agent + " is not an agent"));
      return;
    }
    metadata.ask(
        agent,
        Duration.ofMillis(Math.max(1, query.timeoutMillis())),
        !call.peer().privileged(),
        call::reply);
  }

  private static ExecMessage.Refused refused(String why) {
    return new ExecMessage.Refused(why);
  }
}
