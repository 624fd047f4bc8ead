package org.systole.fenced;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.world.World;
import org.systole.fenced.client.FenceMessage.FenceRecord;

/// Ends operations that the history holds as under way although nobody runs them any more: their
/// origin is gone, or does not know of them. Otherwise they would stay pending for ever, and every
/// request for the same would join them.
final class LostOperations {
  /// The origin of an operation that has been under way for longer is asked about it.
  static final Duration PATIENCE = Duration.ofSeconds(60);

  /// What it needs of its fencer.
  interface Fencers {
    /// This node's name, null until the link has told it.
    @Nullable NodeName localName();

    NodeName nameOf(NodeId nodeId);

    /// The nodes whose fencers are there; empty while that is not known.
    Collection<NodeId> present();

    /// Whether this fencer is the origin of an operation and still runs it.
    boolean carries(String operation);

    void send(NodeId nodeId, FencePeerMessage message);

    void broadcast(FencePeerMessage message);
  }

  private final World world;
  private final Fencers fencers;
  private final History history;
  private final Set<String> seen = new TreeSet<>();
  private final Set<String> askedAbout = new TreeSet<>();
  private boolean watching;

  LostOperations(World world, Fencers fencers, History history) {
    this.world = world;
    this.fencers = fencers;
    this.history = history;
  }

  /// An operation has begun: checks after [#PATIENCE] whether it has ended.
  void watch() {
    if (!watching) {
      watching = true;
      world.after(PATIENCE, this::look);
    }
  }

  private void look() {
    watching = false;
    var pending = history.pending();
    seen.retainAll(pending.keySet());
    askedAbout.clear();
    var origins = new TreeSet<NodeName>();
    for (var id : seen) {
      askedAbout.add(id);
      origins.add(pending.get(id).origin());
    }
    endOwn();
    for (var node : fencers.present()) {
      var name = fencers.nameOf(node);
      if (origins.contains(name) && !name.equals(fencers.localName())) {
        fencers.send(node, new FencePeerMessage.HistoryWanted(false));
      }
    }
    seen.addAll(pending.keySet());
    if (!pending.isEmpty()) {
      watch();
    }
  }

  /// A fencer has sent its history: operations of its own that it does not know of are over.
  void told(NodeId from, List<FencePeerMessage.Past> past) {
    endGone();
    endOwn();
    var origin = fencers.nameOf(from);
    for (var record : history.pending().values()) {
      if (record.origin().equals(origin)
          && askedAbout.remove(record.id())
          && past.stream().noneMatch(it -> it.record().id().equals(record.id()))) {
        end(record);
      }
    }
    if (!history.pending().isEmpty()) {
      watch();
    }
  }

  private void endOwn() {
    for (var record : history.pending().values()) {
      if (record.origin().equals(fencers.localName()) && !fencers.carries(record.id())) {
        end(record);
      }
    }
  }

  /// Ends the operations of fencers that are gone. Every fencer that knows of one broadcasts its
  /// end, and the first broadcast counts: a single one chosen to speak for all might not know of
  /// it.
  void endGone() {
    if (fencers.present().isEmpty()) {
      return;
    }
    var there = fencers.present().stream().map(fencers::nameOf).toList();
    for (var record : history.pending().values()) {
      if (!there.contains(record.origin())) {
        end(record);
      }
    }
  }

  /// Ends the operations of a fencer that has restarted.
  void endOf(NodeName origin) {
    for (var record : history.pending().values()) {
      if (record.origin().equals(origin)) {
        end(record);
      }
    }
  }

  void end(FenceRecord record) {
    var lost = History.lost(record, world.now().toEpochMilli());
    fencers.broadcast(new FencePeerMessage.Ended(lost.record(), lost.rc(), lost.status()));
  }
}
