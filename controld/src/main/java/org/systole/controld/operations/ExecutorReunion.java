package org.systole.controld.operations;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.AgentName;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.OcfCode;
import org.systole.common.operation.OperationDigest;
import org.systole.common.operation.OperationRequest;
import org.systole.common.operation.OperationResult;
import org.systole.common.values.ResourceId;
import org.systole.common.world.World;
import org.systole.execd.client.ExecClient;
import org.systole.execd.client.ExecMessage;

/// Brings this controller and the executor to agree on what was done and is being done, whenever
/// one of them was not there.
///
/// A controller that starts takes over the executor's state. An executor that is back, usually as a
/// new process that knows nothing, is told what was done, and is asked again for the operations it
/// no longer does. It has ended the agents of the process before it by itself.
final class ExecutorReunion {
  private static final Duration ASK_AGAIN = Duration.ofSeconds(1);
  private static final int TRIES_MAX = 3;

  private final World world;
  private final ExecClient executor;
  private final LocalOperations.Host host;
  private final OperationRunner runner;
  private final ActiveOperations active;
  private final History history;
  private final OperationRecords records;
  private final MetadataCache metadata;

  /// The executor is there and agrees with this controller about what it does.
  private boolean up;

  /// The executor's state was taken over once.
  private boolean adopted;

  ExecutorReunion(
      World world,
      ExecClient executor,
      LocalOperations.Host host,
      OperationRunner runner,
      MetadataCache metadata) {
    this.world = world;
    this.executor = executor;
    this.host = host;
    this.runner = runner;
    this.active = runner.active();
    this.history = runner.history();
    this.records = runner.records();
    this.metadata = metadata;
  }

  /// Whether the executor can be given work.
  boolean isUp() {
    return up;
  }

  void connected() {
    executor.state(
        resources -> {
          if (resources != null && !adopted) {
            adopted = true;
            adopt(resources);
          } else if (resources != null) {
            up = true;
            reunite(resources);
            host.executorReady();
          } else if (executor.isConnected()) {
            world.after(ASK_AGAIN, this::connected);
          }
        });
  }

  void disconnected() {
    up = false;
  }

  /// Takes over the state of an executor that ran before this controller did.
  private void adopt(List<ExecMessage.ResourceState> resources) {
    var agents = new LinkedHashSet<AgentName>();
    for (var resource : resources) {
      for (var result : resource.lastResults()) {
        history.record(result);
        active.called(result.callId());
        if (OperationDigest.needsMetadata(resource.agent(), result.operation())) {
          agents.add(resource.agent());
        }
      }
      resource.recurring().forEach(this::adopt);
      resource.pending().stream().filter(it -> !it.request().recurs()).forEach(this::adopt);
    }
    metadata.learn(
        agents,
        () -> {
          up = executor.isConnected();
          host.runs(runner.leftRunning());
          if (up) {
            host.executorReady();
          }
        });
  }

  private void adopt(ExecMessage.Queued operation) {
    active.called(operation.callId());
    active.add(new UnderWay(operation.request(), 0, records.pending(operation.request())));
  }

  private void reunite(List<ExecMessage.ResourceState> resources) {
    var states = new TreeMap<ResourceId, ExecMessage.ResourceState>();
    resources.forEach(it -> states.put(it.resource(), it));
    var lost = history.results().stream().filter(it -> !states.containsKey(it.resource())).toList();
    executor.remember(active.lastCallId(), lost);
    for (var operation : active.all()) {
      var state = states.get(operation.request.resource());
      var missed = state == null ? null : missed(state, operation);
      if (state != null && isKnown(state, operation)) {
        if (operation.cancelling) {
          runner.cancellations().ask(operation);
        }
      } else if (missed == null) {
        again(operation);
      }
      if (missed != null) {
        runner.result(missed);
      }
    }
  }

  private static boolean isKnown(ExecMessage.ResourceState state, UnderWay operation) {
    var request = operation.request;
    var all = request.recurs() ? state.recurring() : state.pending();
    return all.stream().anyMatch(it -> isSame(it.request(), request));
  }

  private static boolean isSame(OperationRequest it, OperationRequest other) {
    return it.is(other.operation(), other.intervalMillis())
        && it.transitionKey().equals(other.transitionKey());
  }

  /// The result of an operation that ended while this controller was not connected; null if there
  /// is none.
  private @Nullable OperationResult missed(ExecMessage.ResourceState state, UnderWay operation) {
    return state.lastResults().stream()
        .filter(it -> isSame(it.request(), operation.request) && !history.has(it))
        .findFirst()
        .orElse(null);
  }

  /// Asks again for an operation that a lost executor did not finish.
  private void again(UnderWay operation) {
    var request = operation.request;
    if (operation.cancelling) {
      runner.cancellations().gone(operation);
    } else if (!request.recurs() && (!request.isRepeatable() || operation.tries >= TRIES_MAX)) {
      active.remove(operation);
      var why = "the executor ended while it ran this";
      runner.result(records.failed(request, ExecStatus.ERROR, why));
    } else {
      operation.tries++;
      runner.repeat(operation);
    }
  }
}
