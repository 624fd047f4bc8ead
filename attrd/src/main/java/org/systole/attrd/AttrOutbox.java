package org.systole.attrd;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.systole.attrd.client.AttrMessage;
import org.systole.common.values.NodeName;
import org.systole.common.world.World;

/// The updates of this node's clients that have not been broadcast yet.
///
/// One batch is on its way at a time. What comes before it has arrived here again, and for a moment
/// after, goes with the next one. So the first of many changes does not wait, and all of them
/// together cost little more than one. A batch is applied as a whole. So a value that a later one
/// in the same batch replaces could never be seen, and it is sent only if a client waits for it.
final class AttrOutbox {
  private static final int WAITING_MAX = 10_000;
  private static final int BATCH_UPDATES = 500;
  private static final int BATCH_BYTES = 256 << 10;
  private static final Duration PACE = Duration.ofMillis(10); // from batch to batch

  /// A deadline that is longer than the forming of any new membership.
  private static final Duration LOST = Duration.ofSeconds(20);

  private sealed interface Parcel {}

  private record Single(AttrPeerMessage message) implements Parcel {}

  /// The updates of one batch that still takes more, by the values they set.
  private static final class Open implements Parcel {
    /// @param era an update that counts up, or whose value has to be seen, begins a new era, so
    ///     that the value it finds is not replaced within the batch
    private record Key(
        String name,
        @Nullable NodeName node,
        AttrMessage.Kind kind,
        long delay,
        boolean remote,
        long era) {}

    private final Map<Object, AttrPeerMessage.Apply> updates = new LinkedHashMap<>();
    private long era;
    private long bytes;

    /// @return by how many updates the batch has grown
    int add(AttrPeerMessage.Apply it) {
      var replaced = isPlain(it) ? updates.remove(key(it.update())) : null;
      updates.put(isPlain(it) ? key(it.update()) : (Object) (++era), it);
      bytes += TextLength.of(it.update());
      bytes -= replaced == null ? 0 : TextLength.of(replaced.update());
      return replaced == null ? 1 : 0;
    }

    private Key key(AttrMessage.Update it) {
      var node = it.node() == null ? null : lowerCase(it.node());
      return new Key(it.name(), node, it.kind(), it.delayMillis(), it.remote(), era);
    }

    private static NodeName lowerCase(NodeName name) {
      return new NodeName(name.text().toLowerCase(Locale.ROOT));
    }

    private static boolean isPlain(AttrPeerMessage.Apply it) {
      var update = it.update();
      var value = update.value();
      return update.change() == AttrMessage.Change.VALUE
          && update.pattern().isEmpty()
          && update.until() == AttrMessage.Wait.NO
          && (value == null || !value.startsWith("value"));
    }

    boolean isFull() {
      return updates.size() >= BATCH_UPDATES || bytes >= BATCH_BYTES;
    }
  }

  private final World world;
  private final Consumer<AttrPeerMessage> cluster;
  private final UnaryOperator<AttrMessage.Update> localize;
  private final Deque<Parcel> waiting = new ArrayDeque<>();
  private final Pace pace;
  private int size;
  private boolean joined;
  private long lastBatch;
  private long outside; // the batch that is on its way, 0 if none is
  private long outsideBytes;
  private World.@Nullable Timer patience;

  /// @param cluster sends to all, this node included
  /// @param localize names this node where an update means it without saying so
  AttrOutbox(
      World world, Consumer<AttrPeerMessage> cluster, UnaryOperator<AttrMessage.Update> localize) {
    this.world = world;
    this.cluster = cluster;
    this.localize = localize;
    this.pace = new Pace(world, PACE, this::flush);
  }

  /// Takes an update to broadcast; updates arrive in the order in which they are put in.
  ///
  /// @return false if the queue is full
  boolean put(AttrPeerMessage.Apply it) {
    if (size >= WAITING_MAX) {
      return false;
    }
    var update = joined ? localize.apply(it.update()) : it.update();
    size += openBatch().add(new AttrPeerMessage.Apply(it.request(), update, it.confirm()));
    flushSoon();
    return true;
  }

  /// The length of the updates that wait or are on their way, in bytes.
  long bytes() {
    var sum = outside == 0 ? 0 : outsideBytes;
    for (var it : waiting) {
      sum += it instanceof Open batch ? batch.bytes : 0;
    }
    return sum;
  }

  /// Takes another kind of message to broadcast.
  ///
  /// @return false if the queue is full
  boolean put(AttrPeerMessage message) {
    if (size >= WAITING_MAX) {
      return false;
    }
    waiting.add(new Single(message));
    size++;
    flushSoon();
    return true;
  }

  private Open openBatch() {
    if (waiting.peekLast() instanceof Open last && !last.isFull()) {
      return last;
    }
    var opened = new Open();
    waiting.add(opened);
    return opened;
  }

  /// From now on batches can be broadcast.
  void joined() {
    joined = true;
    flushSoon();
  }

  /// The cluster is lost. What waits is sent once it is found again.
  void lost() {
    joined = false;
    arrived(outside);
  }

  /// A batch of this node has come back.
  void arrived(long batch) {
    if (batch != 0 && batch == outside) {
      outside = 0;
      if (patience != null) {
        patience.cancel();
      }
      flushSoon();
    }
  }

  private void flushSoon() {
    if (joined && outside == 0 && !waiting.isEmpty()) {
      pace.soon();
    }
  }

  private void flush() {
    while (joined && outside == 0 && !waiting.isEmpty()) {
      switch (waiting.remove()) {
        case Open batch -> {
          size -= batch.updates.size();
          send(batch);
        }
        case Single(var message) -> {
          size--;
          cluster.accept(message);
        }
      }
    }
  }

  private void send(Open batch) {
    var updates = new ArrayList<AttrPeerMessage.Apply>();
    for (var it : batch.updates.values()) {
      updates.add(
          new AttrPeerMessage.Apply(it.request(), localize.apply(it.update()), it.confirm()));
    }
    var number = ++lastBatch;
    outside = number;
    outsideBytes = batch.bytes;
    pace.pause();
    patience = world.after(LOST, () -> arrived(number));
    cluster.accept(new AttrPeerMessage.Batch(outside, updates));
  }
}
