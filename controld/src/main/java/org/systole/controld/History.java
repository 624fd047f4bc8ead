package org.systole.controld;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.ExecStatus;
import org.systole.common.xml.Element;
import org.systole.execd.client.AgentName;
import org.systole.execd.client.ExecMessage.Result;

/// What this node knows of its own resources: the last result, the last failure and the recurring
/// operations of each. The node is the authority on it; the CIB has a copy.
final class History {
  /// One resource.
  private static final class Entry {
    final AgentName agent;
    final Map<String, Result> recurring = new LinkedHashMap<>();
    @Nullable Result last;
    @Nullable Result failure;

    Entry(AgentName agent) {
      this.agent = agent;
    }
  }

  private final Map<String, Entry> entries = new TreeMap<>();

  /// The parameters that each resource runs with.
  private final Map<String, Map<String, String>> startedWith = new TreeMap<>();

  /// Takes a result in, so far as it says something about the resource's state.
  void record(Result result) {
    if (result.operation().equals("notify") || result.forgotten()) {
      return;
    }
    var entry = entries.computeIfAbsent(result.resource(), _ -> new Entry(result.agent()));
    var recurring = result.operation() + "_" + result.intervalMillis();
    if (result.status() == ExecStatus.CANCELLED) {
      if (result.intervalMillis() > 0) {
        entry.recurring.remove(recurring);
      }
      return;
    }
    noteParameters(result);
    if (HistoryXml.failed(result)) {
      entry.failure = result;
    } else if (result.intervalMillis() == 0) {
      entry.last = result;
    }
    if (result.intervalMillis() > 0) {
      entry.recurring.remove(recurring);
      entry.recurring.put(recurring, result);
    } else if (!result.operation().equals("monitor")) {
      entry.recurring.clear();
    }
  }

  /// Whatever was expected: a resource found where it should not be runs with parameters as well.
  /// What finds it has those of the configuration, which may have changed since it was started.
  private void noteParameters(Result result) {
    var resource = result.resource();
    switch (result.operation()) {
      case "start", "reload", "reload-agent", "migrate_from" -> {
        if (isFine(result)) {
          startedWith.put(resource, instance(result.parameters()));
        }
      }
      case "monitor", "promote", "demote" -> {
        if (isFine(result)) {
          startedWith.putIfAbsent(resource, instance(result.parameters()));
        }
      }
      case "stop" -> {
        if (isFine(result)) {
          startedWith.remove(resource);
        }
      }
      default -> {}
    }
  }

  /// The agent has done, or found, what it was asked for, perhaps with a handicap.
  private static boolean isFine(Result result) {
    return result.status() == ExecStatus.DONE
        && switch (result.rc()) {
          case 0, 8, 190, 191 -> true;
          default -> false;
        };
  }

  /// All that is remembered, the oldest call first; nothing that was made up here.
  List<Result> results() {
    var results = new LinkedHashSet<Result>();
    for (var entry : entries.values()) {
      if (entry.failure != null) {
        results.add(entry.failure);
      }
      if (entry.last != null) {
        results.add(entry.last);
      }
      results.addAll(entry.recurring.values());
    }
    return results.stream()
        .filter(it -> it.callId() > 0)
        .sorted(Comparator.comparingLong(Result::callId))
        .toList();
  }

  /// Whether this very result was recorded.
  boolean has(Result result) {
    return results().contains(result);
  }

  /// Whether a recurring operation found the same the last time.
  boolean isSame(Result result) {
    var entry = entries.get(result.resource());
    var before =
        entry == null
            ? null
            : entry.recurring.get(result.operation() + "_" + result.intervalMillis());
    return before != null
        && before.rc() == result.rc()
        && before.status() == result.status()
        && before.userData().equals(result.userData());
  }

  void forget(String resource) {
    entries.remove(resource);
    startedWith.remove(resource);
  }

  /// What a controller before this one knew of a resource that may still run.
  void presume(String resource, Map<String, String> parameters) {
    startedWith.putIfAbsent(resource, parameters);
  }

  void forgetFailure(String resource, String operation, long intervalMillis) {
    var entry = entries.get(resource);
    if (entry == null || entry.failure == null) {
      return;
    }
    if (operation.isEmpty()
        || (entry.failure.operation().equals(operation)
            && entry.failure.intervalMillis() == intervalMillis)) {
      entry.failure = null;
    }
  }

  void forgetRecurring(String resource, String operation, long intervalMillis) {
    var entry = entries.get(resource);
    if (entry != null) {
      entry.recurring.remove(operation + "_" + intervalMillis);
    }
  }

  List<String> resources() {
    return List.copyOf(entries.keySet());
  }

  @Nullable AgentName agent(String resource) {
    var entry = entries.get(resource);
    return entry == null ? null : entry.agent;
  }

  /// The parameters a resource runs with; a stop uses them even if the configuration has others
  /// now.
  @Nullable Map<String, String> startedWith(String resource) {
    return startedWith.get(resource);
  }

  /// The resources that run here as far as is known.
  List<String> active() {
    var active = new ArrayList<String>();
    entries.forEach(
        (resource, entry) -> {
          if (isActive(entry)) {
            active.add(resource);
          }
        });
    return active;
  }

  private static boolean isActive(Entry entry) {
    var last = entry.last;
    var failure = entry.failure;
    if (failure != null
        && (last == null || last.callId() < failure.callId())
        && failure.operation().equals("monitor")
        && failure.intervalMillis() == 0
        && isFine(failure)) {
      return true; // found where it should not be
    }
    return last != null && runs(last);
  }

  private static boolean runs(Result last) {
    var stopped =
        last.rc() == 0
            && (last.operation().equals("stop") || last.operation().equals("migrate_to"));
    return !stopped && last.rc() != 7 && !(last.intervalMillis() == 0 && last.rc() == 6);
  }

  /// All of it as `lrm_resource` elements.
  ///
  /// @param metadata what is known of an agent, null if nothing
  List<Element> toXml(String node, Function<AgentName, @Nullable AgentMetadata> metadata) {
    var resources = new ArrayList<Element>();
    entries.forEach(
        (resource, entry) -> {
          var element = HistoryXml.resource(resource, entry.agent);
          if (entry.last != null) {
            element.attr("container", entry.last.parameters().get("CRM_meta_container"));
          }
          var written = new LinkedHashMap<String, Element>();
          var results = new ArrayList<Result>();
          if (entry.failure != null) {
            results.add(entry.failure);
          }
          if (entry.last != null) {
            results.add(entry.last);
          }
          results.addAll(entry.recurring.values());
          for (var result : results) {
            var known =
                OperationDigests.needMetadata(entry.agent.standard(), result.operation())
                    ? metadata.apply(entry.agent)
                    : null;
            for (var op : HistoryXml.entries(result, node, known, "build_active_RAs")) {
              written.put(op.get("id", ""), op);
            }
          }
          resources.add(element.addAll(List.copyOf(written.values())).build());
        });
    return resources;
  }

  private static Map<String, String> instance(Map<String, String> parameters) {
    var instance = new TreeMap<String, String>();
    parameters.forEach(
        (name, value) -> {
          if (!name.startsWith("CRM_meta_") && !name.equals("crm_feature_set")) {
            instance.put(name, value);
          }
        });
    return instance;
  }
}
