package org.systole.execd.client.tls;

import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The memory that all connections of a process may take for what has arrived and was not taken by the loop yet.
/// Each has a limit of its own; many that go up to theirs at the same time would be too much together. Then the
/// one that takes most is cut off, so that who sends as much as is usual never is.
///
/// Safe for use by several threads.
final class ReadRoom {
  /// In bytes: a quarter of the memory that a daemon may have.
  static final long MAX = 128L << 20;

  private final long max;
  private final Set<Part> parts = new LinkedHashSet<>(); // of connections that hold something
  private long all;

  ReadRoom(long max) {
    this.max = max;
  }

  /// What one connection takes.
  ///
  /// @param cutOff run at most once, by whichever thread finds it to be too much
  Part part(Runnable cutOff) {
    return new Part(cutOff);
  }

  private synchronized @Nullable Part change(Part part, long bytes) {
    part.held += bytes;
    if (part.isCutOff) {
      return null; // it goes as soon as it can
    }
    all += bytes;
    if (part.held > 0) {
      parts.add(part);
    } else {
      parts.remove(part);
    }
    return all > max ? largest() : null;
  }

  private @Nullable Part largest() {
    Part most = null;
    for (var each : parts) {
      if (most == null || each.held > most.held) {
        most = each;
      }
    }
    if (most != null) {
      most.isCutOff = true;
      parts.remove(most);
      all -= most.held;
    }
    return most;
  }

  /// See [#part].
  final class Part {
    private final Runnable cutOff;
    private long held;
    private boolean isCutOff;

    private Part(Runnable cutOff) {
      this.cutOff = cutOff;
    }

    /// It takes so much more, or less.
    void change(long bytes) {
      if (bytes != 0) {
        var gone = ReadRoom.this.change(this, bytes);
        if (gone != null) {
          gone.cutOff.run();
        }
      }
    }
  }
}
