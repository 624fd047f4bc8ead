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
import org.systole.common.world.World;

/// What this node's clients have changed and the cluster has not been told yet.
///
/// One batch is on its way at a time; what comes until it has arrived here again, and a moment
/// longer, goes with the next one: the first of many changes does not wait, and all of them cost
/// little more than one. A value that a later one replaces within a batch is never sent, unless
/// somebody waits for it: nobody could have seen it, for a batch is applied as a whole.
final class AttrOutbox {
  private static final int WAITING_MAX = 10_000;
  private static final int BATCH_UPDATES = 500;
  private static final int BATCH_BYTES = 256 << 10;
  private static final Duration PACE = Duration.ofMillis(10); // from batch to batch

  /// Longer than any new membership takes.
  private static final Duration LOST = Duration.ofSeconds(20);

  private sealed interface Parcel {}

  private record Single(AttrPeerMessage message) implements Parcel {}

  /// Updates of one batch that is still open for more, by what they set.
  private static final class Open implements Parcel {
    /// @param era what counts up, or has to be seen, begins a new one: what it finds must not
    ///     change
    private record Key(
        String name,
        @Nullable String node,
        AttrMessage.Kind kind,
        long delay,
        boolean remote,
        long era) {}

    private final Map<Object, AttrPeerMessage.Apply> updates = new LinkedHashMap<>();
    private long era;
    private long bytes;

    /// @return how many updates it holds more than before
    int add(AttrPeerMessage.Apply it) {
      var replaced = isPlain(it) ? updates.remove(key(it.update())) : null;
      updates.put(isPlain(it) ? key(it.update()) : (Object) (++era), it);
      bytes += TextLength.of(it.update());
      bytes -= replaced == null ? 0 : TextLength.of(replaced.update());
      return replaced == null ? 1 : 0;
    }

    private Key key(AttrMessage.Update it) {
      var node = it.node() == null ? null : it.node().text().toLowerCase(Locale.ROOT);
      return new Key(it.name(), node, it.kind(), it.delayMillis(), it.remote(), era);
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

  /// Takes an update for everybody; what is put in first arrives first.
  ///
  /// @return false if too much waits already
  boolean put(AttrPeerMessage.Apply it) {
    if (size >= WAITING_MAX) {
      return false;
    }
    var update = joined ? localize.apply(it.update()) : it.update();
    size += openBatch().add(new AttrPeerMessage.Apply(it.request(), update, it.confirm()));
    flushSoon();
    return true;
  }

  /// How long the updates are that wait, or whose batch is on its way.
  long bytes() {
    var sum = outside == 0 ? 0 : outsideBytes;
    for (var it : waiting) {
      sum += it instanceof Open batch ? batch.bytes : 0;
    }
    return sum;
  }

  /// Takes another message for everybody.
  ///
  /// @return false if too much waits already
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

  /// The cluster can be told from now on.
  void joined() {
    joined = true;
    flushSoon();
  }

  /// The cluster is lost; what waits is told when it is found again.
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
