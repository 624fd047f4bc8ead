package org.systole.controld.operations;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeName;
import org.systole.common.values.ResourceId;
import org.systole.common.world.World;

/// Probes of what may be on its way here from a node that still moves it live, as far as is known: done too early they say nothing.
///
/// The source's history may be lost while the migration goes on, as with the connection to a remote node. All is then looked for on both
/// nodes, each by itself, and no plan knows that there was a migration. The one on the source comes after the migration: it waits for that
/// in the executor. This one waits for the one on the source. Found nowhere, the resource would be started a second time.
final class EarlyProbes {
  /// A plan that is told after that time that it comes too early waits for its probe on the source before another one is made.
  private static final Duration LIMIT = Duration.ofSeconds(3);

  /// So often a plan is told that. A source where nobody looks at all must not have the resource wait for ever.
  private static final int MOST = 6;

  private final World world;
  private final OperationRunner.Host host;
  private final ActiveOperations active;
  private final OperationRecords records;
  private final Consumer<UnderWay> begin;
  private final Map<UnderWay, NodeName> waiting = new LinkedHashMap<>(); // with the source
  private final Map<ResourceId, Integer> refused = new LinkedHashMap<>(); // as long as they may arrive

  EarlyProbes(World world, OperationRunner.Host host, ActiveOperations active, OperationRecords records, Consumer<UnderWay> begin) {
    this.world = world;
    this.host = host;
    this.active = active;
    this.records = records;
    this.begin = begin;
  }

  /// Begins a probe, once nothing can come any more.
  ///
  /// @param source from where; null if nothing is known to be on its way
  void begin(UnderWay probe, @Nullable NodeName source) {
    var resource = probe.request.resource();
    replace(probe);
    if (source == null || !HalfMoved.mayGoOn(host.cib(), source, resource)) {
      refused.remove(resource);
    } else if (refused.getOrDefault(resource, 0) < MOST) {
      world.log().info("%s may still come from %s: it is looked for there first".formatted(resource, source));
      waiting.put(probe, source);
      host.expect(cib -> !waiting.containsKey(probe) || !HalfMoved.mayGoOn(cib, source, resource), LIMIT, () -> ended(probe));
      return;
    }
    begin.accept(probe);
  }

  /// The DC asks anew. What it has asked for before counts for nothing.
  private void replace(UnderWay probe) {
    for (var before : List.copyOf(waiting.keySet())) {
      if (before.request.key().equals(probe.request.key()) && waiting.remove(before) != null) {
        records.notDone(before.request, "it is asked for anew");
      }
    }
  }

  private void ended(UnderWay probe) {
    var source = waiting.remove(probe);
    if (source == null || active.get(probe.request.key()) != probe) {
      return;
    }
    var resource = probe.request.resource();
    if (HalfMoved.mayGoOn(host.cib(), source, resource)) {
      refused.merge(resource, 1, Integer::sum);
      refuse(probe, "it may still come from " + source);
    } else {
      refused.remove(resource);
      begin.accept(probe);
    }
  }

  /// A resource is sent here anew: how often its source was waited for before says nothing of this time.
  void arrives(ResourceId resource) {
    refused.remove(resource);
  }

  boolean isWaiting(UnderWay operation) {
    return waiting.containsKey(operation);
  }

  /// Something else is asked of a resource.
  void giveUp(ResourceId resource) {
    giveUp(it -> it.request.resource().equals(resource), "something else is asked of it");
  }

  /// Nothing is asked of the executor any more.
  void giveUp(String why) {
    giveUp(_ -> true, why);
  }

  private void giveUp(Predicate<UnderWay> which, String why) {
    for (var probe : List.copyOf(waiting.keySet())) {
      if (which.test(probe) && waiting.remove(probe) != null && active.get(probe.request.key()) == probe) {
        refuse(probe, why);
      }
    }
  }

  private void refuse(UnderWay probe, String why) {
    var request = probe.request;
    world.log().notice("Not doing %s of %s: %s".formatted(request.operation(), request.resource(), why));
    active.remove(probe);
    records.notDone(request, why);
  }
}
