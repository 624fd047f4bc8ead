package org.systole.execd;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.AgentName;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.OperationRequest;
import org.systole.common.operation.OperationResult;
import org.systole.common.values.OperationName;
import org.systole.common.values.ResourceId;
import org.systole.common.world.Processes;
import org.systole.common.world.World;
import org.systole.execd.client.ExecMessage;

/// The executor's core: keeps a queue for every resource and runs the agents. Who asks, and how, is
/// the matter of [LocalClients] and of [RemoteClients].
final class Executor {
  private static final Duration DIRECTORY_TIMEOUT = Duration.ofSeconds(10);

  private final World world;
  private final AgentEnvironment environment;
  private final Map<ResourceId, ResourceQueue> queues = new TreeMap<>();
  private final List<Consumer<OperationResult>> listeners = new ArrayList<>();
  private final OcfRunner ocf;
  private final LsbRunner lsb;
  private final SystemdRunner systemd;
  private final ServiceRunner service;
  private final @Nullable FenceDeviceRunner fenceDevices;
  private final MetadataRuns metadata;
  private long lastCallId;

  /// @param fences whether the node has a fencer, which resources of class `stonith` need
  Executor(World world, AgentEnvironment environment, boolean fences) {
    this.world = world;
    this.environment = environment;
    this.ocf = new OcfRunner(world, environment);
    this.lsb = new LsbRunner(world, environment);
    this.systemd = new SystemdRunner(world, environment);
    this.service = new ServiceRunner(lsb, systemd);
    this.fenceDevices = fences ? new FenceDeviceRunner(world) : null;
    this.metadata =
        new MetadataRuns(
            (agent, timeout, done) -> {
              var runner = Objects.requireNonNull(runner(agent.standard()));
              runner.metadata(agent, timeout, done);
            });
  }

  /// Tells `listener` of every result.
  void listen(Consumer<OperationResult> listener) {
    listeners.add(listener);
  }

  /// @param ready called once the agents' directory for transient state is there: clients may come
  void start(Runnable ready) {
    if (fenceDevices != null) {
      fenceDevices.open();
    }
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
              ready.run();
              world.log().notice("Executor ready");
            });
  }

  /// A number for a request; those of operations and other requests rise together.
  long nextCallId() {
    return ++lastCallId;
  }

  /// @return [ExecMessage.Accepted], or [ExecMessage.Refused]
  ExecMessage.Reply execute(ExecMessage.Execute asked) {
    var request = asked.request();
    var wrong = mistake(request);
    if (wrong != null) {
      return refused(wrong);
    }
    var runner = runner(request.agent().standard());
    if (runner == null) {
      return refused(
          "resource agents of class " + request.agent().standard() + " are not known here");
    }
    sweep();
    var queue = queue(request.resource(), request.agent());
    if (queue.isFull()) {
      return refused("too many operations of " + request.resource() + " are waiting already");
    }
    var operation = new Operation(asked, runner, nextCallId());
    queue.add(operation);
    return new ExecMessage.Accepted(operation.callId());
  }

  /// The number of a call that another client has asked for, with the same key and parameters, which is under way or has ended
  /// last: that is told again. 0 if there is none.
  long askedBefore(OperationRequest request) {
    var queue = queues.get(request.resource());
    return queue == null ? 0 : queue.askedBefore(request);
  }

  ExecMessage.Cancelled cancel(ResourceId resource, OperationName operation, long intervalMillis) {
    var queue = queues.get(resource);
    return queue == null
        ? new ExecMessage.Cancelled(false, false)
        : queue.cancel(operation, intervalMillis);
  }

  /// Ends the recurring operations of a resource.
  void cancelRecurring(ResourceId resource) {
    var queue = queues.get(resource);
    if (queue != null) {
      queue.cancelRecurring();
    }
  }

  /// Has the next result of each recurring operation told in any case: nobody may have heard the last.
  void reportAnew() {
    queues.values().forEach(ResourceQueue::reportAnew);
  }

  /// Whether an operation of the resource is under way.
  boolean isBusy(ResourceId resource) {
    var queue = queues.get(resource);
    return queue != null && queue.isBusy();
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
    listeners.forEach(listener -> listener.accept(result));
  }

  void forget(ResourceId resource) {
    var queue = queues.get(resource);
    if (queue != null) {
      queue.forget();
    }
    sweep();
  }

  void remember(long callId, List<OperationResult> results) {
    lastCallId = Math.max(lastCallId, callId);
    for (var result : results) {
      var before = queues.get(result.resource());
      var queue = before == null ? queue(result.resource(), result.agent()) : before;
      if (queue.remember(result) && result.agent().isFenceAgent() && fenceDevices != null) {
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

  ExecMessage.State state(String resource) {
    var states = new ArrayList<ExecMessage.ResourceState>();
    queues.forEach(
        (id, queue) -> {
          if ((resource.isEmpty() || resource.equals(id.text())) && !queue.isEmpty()) {
            states.add(queue.state());
          }
        });
    return new ExecMessage.State(states);
  }

  /// @param guest whether it is asked for a user who may have few of these under way
  void metadata(
      ExecMessage.MetadataQuery query, boolean guest, Consumer<ExecMessage.Reply> done) {
    var agent = query.agent();
    if (runner(agent.standard()) == null || mistake(agent) != null) {
      done.accept(
          new ExecMessage.Metadata("", ExecStatus.NOT_INSTALLED, agent + " is not an agent"));
      return;
    }
    metadata.ask(
        agent, Duration.ofMillis(Math.max(1, query.timeoutMillis())), guest, done::accept);
  }

  private static ExecMessage.Refused refused(String why) {
    return new ExecMessage.Refused(why);
  }
}
