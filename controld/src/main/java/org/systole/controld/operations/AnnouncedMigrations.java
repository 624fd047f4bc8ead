package org.systole.controld.operations;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeName;
import org.systole.common.values.ResourceId;
import org.systole.common.world.World;

/// Live migrations that have been asked for, and begin once the cluster is certain to know that they do.
///
/// Of all operations, only `migrate_to` brings something to another node than the one that carries it out: that one may be fenced, and the
/// resource still run. Whoever has it fenced finds in the CIB where to look. A node that stands still, or is cut off, just as it is asked would
/// else do it unknown to all: after it was given up, and as late as the moment before its power goes.
final class AnnouncedMigrations {
  /// Less than the DC waits longer than the operation may take.
  private static final Duration LIMIT = Duration.ofSeconds(20);

  private final World world;
  private final OperationRunner.Host host;
  private final ActiveOperations active;
  private final OperationRecords records;
  private final Consumer<UnderWay> begin;
  private final Set<UnderWay> waiting = new LinkedHashSet<>();
  private final List<Runnable> afterwards = new ArrayList<>();

  AnnouncedMigrations(
      World world,
      OperationRunner.Host host,
      ActiveOperations active,
      OperationRecords records,
      Consumer<UnderWay> begin) {
    this.world = world;
    this.host = host;
    this.active = active;
    this.records = records;
    this.begin = begin;
  }

  /// Has a migration begun as soon as that is known, unless something speaks against it by then.
  void announce(UnderWay migration) {
    waiting.add(migration);
    var target = NodeName.of(migration.request.metaValue("migrate_target"));
    migration.mayHaveBegun =
        target != null && HalfMoved.isUnderWay(host.cib(), host.nodeName(), migration.request.resource(), target);
    records.announce(migration.request, why -> answered(migration, why));
    if (isWaiting(migration)) {
      world.after(LIMIT, () -> giveUp(it -> it == migration, "the CIB has not been told of it in time"));
    }
  }

  /// Has something done once none waits to begin, whether or not they do; false if none does.
  boolean afterwards(Runnable task) {
    return !waiting.isEmpty() && afterwards.add(task);
  }

  private void over() {
    if (waiting.isEmpty()) {
      var due = List.copyOf(afterwards);
      afterwards.clear();
      due.forEach(world::post);
    }
  }

  boolean isWaiting(UnderWay operation) {
    return waiting.contains(operation);
  }

  private void answered(UnderWay migration, @Nullable String why) {
    if (!waiting.remove(migration)) {
      return;
    }
    over();
    if (active.get(migration.request.key()) != migration) {
      return;
    }
    if (why == null) {
      begin.accept(migration);
    } else {
      refuse(migration, why);
    }
  }

  /// Something else is asked of a resource.
  void giveUp(ResourceId resource) {
    giveUp(it -> it.request.resource().equals(resource), "something else is asked of it");
  }

  /// The DC is told anew what goes on here: it may be another one, or have given up what it has asked for.
  void giveUp() {
    giveUp(_ -> true, "this node joins the cluster anew");
  }

  private void giveUp(Predicate<UnderWay> which, String why) {
    for (var migration : List.copyOf(waiting)) {
      if (which.test(migration) && waiting.remove(migration) && active.get(migration.request.key()) == migration) {
        refuse(migration, why);
      }
    }
    over();
  }

  /// Where another member has announced it before, who may have had it begun and is perhaps lost with what came of it, the CIB goes on saying
  /// that it may be under way, as long as nobody knows better.
  private void refuse(UnderWay migration, String why) {
    var request = migration.request;
    world.log().notice("Not doing %s of %s: %s".formatted(request.operation(), request.resource(), why));
    active.remove(migration);
    if (migration.mayHaveBegun) {
      records.notDone(request, why);
    } else {
      records.neverBegun(request, why);
    }
  }
}
