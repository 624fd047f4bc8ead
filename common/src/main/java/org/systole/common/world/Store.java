package org.systole.common.world;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A daemon's directory of durable files. Names are plain file names, no directories.
public interface Store {
  /// The outcome of a batch of which [Change.Expect] has left the rest undone.
  String CHANGED = "somebody else has changed the file";

  /// As [#CHANGED], where there is no such file any more.
  String GONE = "somebody else has removed the file";

  /// One step of a batch.
  sealed interface Change {
    /// Replaces the file atomically: a crash leaves the old or the new content, never a mixture.
    record Write(String name, byte[] content) implements Change {}

    /// As [Write], of what takes long to make: it is made when it is written, where nothing else waits for it. In
    /// the real world that is another thread.
    ///
    /// @param content the same whenever and wherever it is asked for. It is not for files that are compared ([Expect])
    record Make(String name, Supplier<byte[]> content) implements Change {}

    /// Adds to the end of a file; makes it if there is none. A crash may leave any part of it. No
    /// content has a byte 0.
    record Append(String name, byte[] content) implements Change {}

    /// Renames over whatever is there; does nothing if `from` is missing.
    record Rename(String from, String to) implements Change {}

    record Delete(String name) implements Change {}

    /// Goes on only if the file has that content, or is as this process has written it last (which a batch may have done
    /// that failed later); else the rest of the batch is left undone, and the outcome is [#CHANGED] or [#GONE]. It costs next to nothing as
    /// long as nobody has touched the file.
    ///
    /// @param content null if there should be no such file
    record Expect(String name, byte @Nullable [] content) implements Change {}
  }

  /// Reads a file. Meant for start-up: in the real world it waits for the disk.
  ///
  /// @return the content, null if there is no such file
  /// @throws StoreException if it is there and cannot be read; its message is the reason
  byte @Nullable [] read(String name) throws StoreException;

  /// The files' names, sorted. Meant for start-up.
  List<String> list();

  /// Carries out the changes in order, each synced to disk, directory included, before the next.
  /// Batches are carried out in the order they were asked for; at the first failure the rest of the
  /// batch is left undone.
  ///
  /// @param done told in the loop: null, or the reason, which names the file where it is one file's: what
  ///     could not be written is for the caller to say
  void change(List<Change> batch, Consumer<@Nullable String> done);

  /// A file that is there and cannot be read.
  final class StoreException extends Exception {
    public StoreException(String message) {
      super(message);
    }
  }
}
