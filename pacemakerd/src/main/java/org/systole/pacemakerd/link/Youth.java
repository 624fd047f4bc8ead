package org.systole.pacemakerd.link;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.Store;
import org.systole.common.world.World;

/// The time in which this node's vote, given by its process before this one, may still be counted
/// somewhere. Till then this process does not vote: a vote given twice would let two sides have
/// quorum.
///
/// The process before may have had a longer token time: it is kept on disk, until this one's votes
/// are the only ones.
final class Youth {
  static final String FILE = "token";

  private final World world;
  private LinkTiming timing;
  private Duration length;
  private long begun;
  private long onDisk; // the token time in milliseconds, 0 if it is not known
  private World.@Nullable Timer shortening;

  Youth(World world, LinkTiming timing) {
    this.world = world;
    this.timing = timing;
    this.length = timing.claim();
  }

  void start() {
    begun = world.elapsedNanos();
    var former = former();
    onDisk = former;
    var before = former == 0 ? timing : LinkTiming.ofToken(former);
    if (before.claim().compareTo(length) > 0) {
      length = before.claim();
    }
    if (former != timing.token().toMillis()) {
      shortening = world.after(length, () -> write(() -> {}));
    }
  }

  /// This node's votes may be good for longer from now on, by another token time.
  ///
  /// @param done called once that is on disk, or cannot be written
  void mayCountFor(long tokenMillis, Runnable done) {
    if (tokenMillis <= onDisk) {
      world.post(done);
      return;
    }
    if (shortening != null) {
      shortening.cancel();
      shortening = null;
    }
    write(tokenMillis, done);
  }

  /// Another token time is in force. Votes that were given under a longer one are waited out before
  /// it is forgotten.
  void countsFor(LinkTiming changed) {
    var before = timing;
    timing = changed;
    if (shortening != null) {
      shortening.cancel();
    }
    shortening = world.after(before.claim().plus(changed.claim()), () -> write(() -> {}));
  }

  boolean isOver() {
    return world.elapsedNanos() - begun >= length.toNanos();
  }

  /// The token time of the process before in milliseconds, 0 if there is none that is known.
  private long former() {
    try {
      var bytes = world.store().read(FILE);
      var millis =
          bytes == null ? 0 : Long.parseLong(new String(bytes, StandardCharsets.UTF_8).strip());
      return Math.max(0, millis);
    } catch (Store.StoreException | NumberFormatException e) {
      world.log().warning("The token time of the last start is lost: " + e.getMessage());
      return 0;
    }
  }

  private void write(Runnable done) {
    write(timing.token().toMillis(), done);
  }

  private void write(long millis, Runnable done) {
    onDisk = millis;
    var content = (millis + "\n").getBytes(StandardCharsets.UTF_8);
    world
        .store()
        .change(
            List.of(new Store.Change.Write(FILE, content)),
            problem -> {
              if (problem != null) {
                world.log().error("Cannot keep the token time of this start: " + problem);
              }
              done.run();
            });
  }
}
