package org.systole.controld.operations;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.AgentMetadata;
import org.systole.common.operation.AgentName;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.HistoryEntry;
import org.systole.common.operation.OcfCode;
import org.systole.common.operation.OperationDigest;
import org.systole.common.operation.OperationRequest;
import org.systole.common.operation.OperationResult;
import org.systole.common.operation.Task;
import org.systole.common.values.NodeName;
import org.systole.common.values.OperationName;
import org.systole.common.values.ResourceId;
import org.systole.common.xml.Element;

/// What this node knows of its own resources: the last result, the last failure, the last live migration away and the
/// recurring operations of each. The node is the authority on it; the CIB has a copy.
public final class History {
  /// The origin written into the entries of a whole node.
  public static final String ORIGIN = "build_active_RAs";

  /// One resource.
  private static final class Entry {
    final AgentName agent;
    final Map<String, OperationResult> recurring = new LinkedHashMap<>();
    @Nullable OperationResult last;
    @Nullable OperationResult failure;

    /// That it was moved away live, until it is more than stopped here: it may run on the other node, which may never
    /// have been asked for its half.
    @Nullable OperationResult sent;
    long lastCallId;

    Entry(AgentName agent) {
      this.agent = agent;
    }
  }

  private final Map<ResourceId, Entry> entries = new TreeMap<>();

  /// The parameters that each resource runs with.
  private final Map<ResourceId, Map<String, String>> startedWith = new TreeMap<>();

  /// The agent that has started each of these: the configuration may have another by now.
  private final Map<ResourceId, AgentName> startedBy = new TreeMap<>();

  /// Records a result as far as it says something about the resource's state.
  void record(OperationResult result) {
    if (result.is(Task.NOTIFY) || result.forgotten()) {
      return;
    }
    var entry = entries.computeIfAbsent(result.resource(), _ -> new Entry(result.agent()));
    entry.lastCallId = Math.max(entry.lastCallId, result.callId());
    var kind = result.request().kind();
    if (result.status() == ExecStatus.CANCELLED) {
      if (result.request().recurs()) {
        entry.recurring.remove(kind);
      }
      return;
    }
    noteParameters(result);
    if (result.failed()) {
      entry.failure = result;
    } else if (!result.request().recurs()) {
      entry.last = result;
    }
    if (result.is(Task.MIGRATE_TO) && !result.failed()) {
      entry.sent = result;
    } else if (!result.request().recurs() && !result.is(Task.STOP)) {
      entry.sent = null;
    }
    if (result.request().recurs()) {
      entry.recurring.remove(kind);
      entry.recurring.put(kind, result);
    } else if (!result.is(Task.MONITOR)) {
      entry.recurring.clear();
    }
  }

  /// A connection to a remote node is begun here: it was stopped before, so that a move of it failed some time tells of nothing any
  /// more. Its node would be fenced for that once more, as the stop, which made it good, is on record no longer.
  void begins(OperationRequest request) {
    var entry = makesConnection(request) ? entries.get(request.resource()) : null;
    if (entry != null && entry.failure != null && entry.failure.request().isMigration()) {
      entry.failure = null;
    }
  }

  private static boolean makesConnection(OperationRequest request) {
    return request.agent().isRemoteConnection() && (request.is(Task.START) || request.is(Task.MIGRATE_FROM));
  }

  /// Notes that there is a resource, and how many calls about it there were.
  void heardOf(ResourceId resource, AgentName agent, long lastCallId) {
    var entry = entries.computeIfAbsent(resource, _ -> new Entry(agent));
    entry.lastCallId = Math.max(entry.lastCallId, lastCallId);
  }

  /// Notes parameters whether or not the result was expected: a resource found where it should not
  /// run has parameters as well. A monitor has those of the configuration, which may have changed
  /// since the start, so they never replace those of a start.
  private void noteParameters(OperationResult result) {
    if (!isActiveAfter(result)) {
      return;
    }
    var resource = result.resource();
    switch (result.request().task()) {
      case START, RELOAD, RELOAD_AGENT, MIGRATE_FROM -> {
        startedWith.put(resource, new TreeMap<>(result.request().ownParameters()));
        startedBy.put(resource, result.agent());
      }
      case MONITOR, PROMOTE, DEMOTE ->
          presume(resource, result.agent(), new TreeMap<>(result.request().ownParameters()));
      case STOP -> isStopped(resource);
      case null, default -> {}
    }
  }

  /// Whether it is known what became of a resource, whatever it was suspected of before: it was found, or not, or something was done with it.
  /// That something else has failed, as a probe or a move elsewhere, does not say that it runs no more. A connection is
  /// there or not whatever it was made with.
  boolean isSettled(ResourceId resource) {
    var entry = entries.get(resource);
    return entry != null
        && (entry.last != null || entry.failure != null && entry.failure.is(Task.START) || entry.agent.isRemoteConnection());
  }

  /// What a resource was started with before tells nothing of what comes here now, unless it runs so still.
  void superseded(ResourceId resource) {
    var entry = entries.get(resource);
    if (entry == null || !isActive(entry)) {
      isStopped(resource);
    }
  }

  void isStopped(ResourceId resource) {
    startedWith.remove(resource);
    startedBy.remove(resource);
  }

  /// The resource is active after the operation, maybe degraded.
  private static boolean isActiveAfter(OperationResult result) {
    var code = result.code();
    return result.status() == ExecStatus.DONE && code != null && code.isActive();
  }

  /// All recorded results, the oldest call first, without pretended failures.
  List<OperationResult> results() {
    var results = new LinkedHashSet<OperationResult>();
    for (var entry : entries.values()) {
      if (entry.failure != null) {
        results.add(entry.failure);
      }
      if (entry.sent != null) {
        results.add(entry.sent);
      }
      if (entry.last != null) {
        results.add(entry.last);
      }
      results.addAll(entry.recurring.values());
    }
    return results.stream()
        .filter(it -> it.callId() > 0 && !it.is(Task.ASYNC_MONITOR))
        .sorted(Comparator.comparingLong(OperationResult::callId))
        .toList();
  }

  /// Whether this very result was recorded.
  boolean has(OperationResult result) {
    return results().contains(result);
  }

  /// Whether there is a result of this very recurring operation.
  boolean has(OperationRequest recurring) {
    var entry = entries.get(recurring.resource());
    var result = entry == null ? null : entry.recurring.get(recurring.kind());
    var told = result != null && result.transitionKey().equals(recurring.transitionKey());
    return told || entry != null && entry.failure != null
        && entry.failure.transitionKey().equals(recurring.transitionKey());
  }

  /// Whether a recurring operation found the same the last time.
  boolean isSame(OperationResult result) {
    var entry = entries.get(result.resource());
    var before = entry == null ? null : entry.recurring.get(result.request().kind());
    return before != null
        && before.rc() == result.rc()
        && before.status() == result.status()
        && before.transitionKey().equals(result.transitionKey());
  }

  /// The number of the resource's latest call that has ended; 0 if none has.
  long lastCallId(ResourceId resource) {
    var entry = entries.get(resource);
    return entry == null ? 0 : entry.lastCallId;
  }

  void forget(ResourceId resource) {
    entries.remove(resource);
    isStopped(resource);
  }

  /// Parameters that an earlier controller had for a resource that may still run.
  void presume(ResourceId resource, AgentName agent, Map<String, String> parameters) {
    if (startedWith.putIfAbsent(resource, parameters) == null) {
      startedBy.put(resource, agent);
    }
  }

  /// @param operation null for whatever failed
  void forgetFailure(ResourceId resource, @Nullable OperationName operation, long intervalMillis) {
    var entry = entries.get(resource);
    if (entry == null || entry.failure == null) {
      return;
    }
    if (operation == null || entry.failure.request().is(operation, intervalMillis)) {
      if (isFoundByIt(entry)) {
        entry.last = entry.failure; // forgiven, but still the one that says that it runs
      }
      entry.failure = null;
    }
  }

  void forgetRecurring(OperationRequest operation) {
    var entry = entries.get(operation.resource());
    if (entry != null) {
      entry.recurring.remove(operation.kind());
    }
  }

  List<ResourceId> resources() {
    return List.copyOf(entries.keySet());
  }

  @Nullable AgentName agent(ResourceId resource) {
    var entry = entries.get(resource);
    return entry == null ? null : entry.agent;
  }

  /// The parameters a resource runs with; a stop uses them even if the configuration has others
  /// now.
  @Nullable Map<String, String> startedWith(ResourceId resource) {
    return startedWith.get(resource);
  }

  /// The agent a resource runs by, which knows how it is stopped.
  @Nullable AgentName startedBy(ResourceId resource) {
    return startedBy.get(resource);
  }

  /// The resources that run here as far as is known.
  List<ResourceId> active() {
    var active = new ArrayList<ResourceId>();
    entries.forEach(
        (resource, entry) -> {
          if (isActive(entry)) {
            active.add(resource);
          }
        });
    return active;
  }

  /// The resources that would keep running without this node's cluster software.
  List<LeftRunning.Resource> leftRunning() {
    return active().stream().map(this::leftRunning).filter(Objects::nonNull).toList();
  }

  /// A resource as it would keep running; null if it does not run, or not without this node.
  LeftRunning.@Nullable Resource leftRunning(ResourceId resource) {
    var entry = entries.get(resource);
    return entry == null || !isActive(entry) || entry.agent.isFenceAgent()
        ? null
        : new LeftRunning.Resource(
            resource, entry.agent, startedWith.getOrDefault(resource, Map.of()));
  }

  /// A resource as it may run: it was started here, or found, and not stopped since, by another controller maybe, of which only the
  /// parameters are known. Null if it was not.
  LeftRunning.@Nullable Resource mayRun(ResourceId resource) {
    var running = leftRunning(resource);
    var parameters = startedWith.get(resource);
    var agent = startedBy.get(resource);
    return running != null || parameters == null || agent == null || agent.isFenceAgent()
        ? running
        : new LeftRunning.Resource(resource, agent, parameters);
  }

  /// Those given, and the resources that were started here, or found, and not stopped since, whatever was found later;
  /// also those of which only the parameters are known, as another controller has started them.
  List<LeftRunning.Resource> andStarted(List<LeftRunning.Resource> running) {
    var all = new TreeMap<ResourceId, LeftRunning.Resource>();
    running.forEach(it -> all.put(it.id(), it));
    startedWith.forEach(
        (resource, parameters) -> {
          var agent = agent(resource);
          if (agent != null && !agent.isFenceAgent()) {
            all.putIfAbsent(resource, new LeftRunning.Resource(resource, agent, parameters));
          }
        });
    return List.copyOf(all.values());
  }

  private static boolean isActive(Entry entry) {
    return isFoundByIt(entry) || entry.last != null && runs(entry.last);
  }

  /// Whether the failure is a probe that has found the resource where it should not be.
  private static boolean isFoundByIt(Entry entry) {
    var last = entry.last;
    var failure = entry.failure;
    return failure != null
        && (last == null || last.callId() < failure.callId())
        && failure.request().isProbe()
        && isActiveAfter(failure);
  }

  private static boolean runs(OperationResult last) {
    var stopped = last.is(OcfCode.OK) && (last.is(Task.STOP) || last.is(Task.MIGRATE_TO));
    return !stopped
        && !last.is(OcfCode.NOT_RUNNING)
        && !(!last.request().recurs() && last.is(OcfCode.NOT_CONFIGURED));
  }

  /// All of it as `lrm_resource` elements.
  ///
  /// @param metadata what is known of an agent, null if nothing
  List<Element> toXml(NodeName node, Function<AgentName, @Nullable AgentMetadata> metadata) {
    var resources = new ArrayList<Element>();
    entries.forEach(
        (resource, entry) -> {
          var element = HistoryXml.resource(resource, entry.agent);
          if (entry.last != null) {
            element.attr("container", entry.last.request().metaValue("container"));
          }
          var written = new LinkedHashMap<String, Element>();
          var results = new ArrayList<OperationResult>();
          if (entry.failure != null) {
            results.add(entry.failure);
          }
          if (entry.sent != null && entry.sent != entry.last) {
            results.add(entry.sent);
          }
          if (entry.last != null) {
            results.add(entry.last);
          }
          results.addAll(entry.recurring.values());
          for (var result : results) {
            var known =
                OperationDigest.needsMetadata(entry.agent, result.operation())
                    ? metadata.apply(entry.agent)
                    : null;
            for (var op : HistoryEntry.of(result, node, known, ORIGIN)) {
              if (result != entry.last || !op.isFailure()) { // that one is forgiven
                written.put(op.id(), op.xml());
              }
            }
          }
          resources.add(element.addAll(List.copyOf(written.values())).build());
        });
    return resources;
  }
}
