package org.systole.hostha;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeName;
import org.systole.hostha.config.Configuration;
import org.systole.hostha.fsm.HostState;

/// What the parts of a decider share: time, hosts, timers, queues, work that has begun, orders.
final class Desk {
  final long calendarAtZero;
  final Timers timers = new Timers();
  final SortedMap<NodeName, Host> hosts = new TreeMap<>();
  final Map<WorkKind, WorkQueue> queues = new EnumMap<>(WorkKind.class);
  final Map<Long, Work> works = new HashMap<>();
  private final long epoch;
  private List<Order> orders = new ArrayList<>();
  private long lastId;
  private long lastRevision;
  Configuration configuration;
  long now;

  Desk(long epoch, Configuration configuration, long now, long calendarAtZero) {
    this.epoch = epoch;
    this.configuration = configuration;
    this.now = now;
    this.calendarAtZero = calendarAtZero;
    for (var kind : WorkKind.values()) {
      queues.put(kind, new WorkQueue(kind));
    }
  }

  long epoch() {
    return epoch;
  }

  void order(Order order) {
    orders.add(order);
  }

  List<Order> takeOrders() {
    var all = orders;
    orders = new ArrayList<>();
    return all;
  }

  void tell(@Nullable Host host, boolean alert, String text) {
    order(new Order.Tell(host == null ? null : host.name, alert, false, text));
  }

  /// Who has ordered something is told why nothing is done.
  void refuse(@Nullable Host host, String text) {
    order(new Order.Tell(host == null ? null : host.name, false, true, text));
  }

  /// What is said of a host that stays in its state.
  void explain(Host host, String why) {
    if (!host.reason.equals(why)) {
      host.reason = why;
      order(new Order.Explained(host.name, why));
    }
  }

  WorkQueue queue(WorkKind kind) {
    var queue = queues.get(kind);
    if (queue == null) {
      throw new IllegalStateException("no queue for " + kind);
    }
    return queue;
  }

  boolean hasRoom(WorkKind kind) {
    return queue(kind).hasRoom(configuration.values().count(kind.pending()));
  }

  /// Puts a host into a queue.
  ///
  /// @return false if the queue is full: ask again later
  boolean enqueue(WorkKind kind, Host host) {
    var queue = queue(kind);
    var limit = configuration.values().count(kind.pending());
    var taken = queue.offer(host, limit);
    if (!taken && queue.noteFull(true)) {
      tell(null, true, "The queue of %s operations is full with %d".formatted(kind.text(), limit));
    } else if (queue.waiting() < limit / 2 && queue.noteFull(false)) {
      tell(null, false, "The queue of %s operations has room again".formatted(kind.text()));
    }
    return taken;
  }

  /// Begins work that takes a place of its kind, until [#end].
  Work begin(WorkKind kind, Host host, @Nullable NodeName neighbour) {
    var work = new Work(++lastId, kind, host, now, neighbour);
    works.put(work.id, work);
    queue(kind).begun();
    return work;
  }

  /// Frees the place of work, answered or not.
  void end(Work work) {
    if (works.remove(work.id) != null) {
      queue(work.kind).ended();
      cancel(work.deadline);
    }
  }

  long nextRevision() {
    return ++lastRevision;
  }

  static void cancel(Timers.@Nullable Timer timer) {
    if (timer != null) {
      timer.cancel();
    }
  }

  /// How many hosts are in a state.
  long in(HostState state) {
    return hosts.values().stream().filter(it -> it.state == state).count();
  }
}
