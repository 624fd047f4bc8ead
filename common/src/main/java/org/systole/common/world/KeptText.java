package org.systole.common.world;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A file of the daemon's that says what is true now, as text, and is written anew when that changes.
/// One write at a time; what changes meanwhile follows. What cannot be written, as the disk is full, is tried again until it can: the
/// text may not change for long, and who comes next would believe what stands there. No file stands for an empty text.
public final class KeptText {
  private static final Duration RETRY = Duration.ofSeconds(1);

  private final World world;
  private final String file;
  private final String about;
  private final Supplier<String> now;

  /// Tasks that wait for the present text to be on disk.
  private final List<Runnable> waiting = new ArrayList<>();

  /// What the file holds; null if that is not known.
  private @Nullable String written = "";

  private boolean writing;
  private final OnceLater retry;
  private boolean failing;

  /// @param about what the file is, as the log has it
  /// @param now the text that it is to hold
  public KeptText(World world, String file, String about, Supplier<String> now) {
    this.world = world;
    this.file = file;
    this.about = about;
    this.now = now;
    this.retry = new OnceLater(world, RETRY, this::write);
  }

  /// What the process before this one has left, null for nothing.
  public byte @Nullable [] read() throws Store.StoreException {
    var bytes = world.store().read(file);
    if (bytes != null) {
      written = null;
    }
    return bytes;
  }

  /// Writes the text if it has changed.
  public void write() {
    if (writing) {
      return;
    }
    var content = now.get();
    if (content.equals(written)) {
      release();
      return;
    }
    writing = true;
    var change =
        content.isEmpty()
            ? new Store.Change.Delete(file)
            : new Store.Change.Write(file, content.getBytes(StandardCharsets.UTF_8));
    world.store().change(List.of(change), problem -> ended(content, problem));
  }

  private void ended(String content, @Nullable String problem) {
    writing = false;
    if (problem == null) {
      if (failing) {
        failing = false;
        world.log().notice("Saved %s again".formatted(about));
      }
      written = content;
      write();
    } else {
      failed(problem);
      release();
    }
  }

  private void failed(String problem) {
    written = null;
    if (!failing) {
      failing = true;
      world.log().error("Cannot save %s: %s; trying again".formatted(about, problem));
    }
    retry.ask();
  }

  /// Writes the text if it has changed.
  ///
  /// @param then run once it is on disk, or cannot be written
  public void write(Runnable then) {
    waiting.add(then);
    write();
  }

  private void release() {
    var tasks = List.copyOf(waiting);
    waiting.clear();
    tasks.forEach(Runnable::run);
  }
}
