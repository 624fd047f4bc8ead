package org.systole.common.world;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The files of a daemon under test, in memory. The test says when the disk is slow and when it
/// takes no more.
public final class TestDisk implements Store {
  private record Batch(List<Change> changes, Consumer<@Nullable String> done) {}

  private final TestWorld world;
  private final Map<String, byte[]> files = new TreeMap<>();
  private final Set<String> unreadable = new TreeSet<>();
  private final Map<String, byte[]> written = new TreeMap<>(); // last, by the daemon
  private final Deque<Batch> coming = new ArrayDeque<>();
  private boolean waits;
  private @Nullable String error;
  private int changesLeft; // before the error
  private Consumer<Change> before = _ -> {};

  TestDisk(TestWorld world) {
    this.world = world;
  }

  // For the test

  /// Whether what is written waits, until it is said to wait no longer.
  public void waits(boolean yes) {
    waits = yes;
    world.settle();
  }

  /// From now on nothing more can be written.
  public void fails(String why) {
    failsAfter(0, why);
  }

  /// As [#fails], once some more changes are there; those of one batch are counted one by one.
  public void failsAfter(int changes, String why) {
    error = why;
    changesLeft = changes;
  }

  /// What somebody else does just before each change.
  public void before(Consumer<Change> deed) {
    before = deed;
  }

  /// From now on it takes everything again.
  public void works() {
    error = null;
  }

  /// The content of the files, by name.
  public Map<String, byte[]> files() {
    return files;
  }

  /// Does the next thing it was asked for.
  ///
  /// @return false if there is none that does not wait
  boolean work() {
    if (waits || coming.isEmpty()) {
      return false;
    }
    var batch = coming.remove();
    var outcome = carryOut(batch.changes());
    world.post(() -> batch.done().accept(outcome));
    return true;
  }

  private @Nullable String carryOut(List<Change> changes) {
    for (var change : changes) {
      if (error != null && changesLeft-- <= 0) {
        return error;
      }
      before.accept(change);
      if (change instanceof Change.Expect(var name, var content)) {
        var there = files.get(name);
        if (there == null && content != null) {
          return GONE;
        }
        if (there != null && there != written.get(name) && !Arrays.equals(there, content)) {
          return CHANGED;
        }
      }
      carryOut(change);
    }
    return null;
  }

  private void carryOut(Change change) {
    switch (change) {
      case Change.Write(var name, var content) -> {
        files.put(name, content);
        written.put(name, content);
      }
      case Change.Make(var name, var content) -> carryOut(new Change.Write(name, content.get()));
      case Change.Append(var name, var content) -> files.merge(name, content, TestDisk::together);
      case Change.Rename(var from, var to) -> {
        var content = files.remove(from);
        if (content != null) {
          files.put(to, content);
        }
      }
      case Change.Delete(var name) -> files.remove(name);
      case Change.Expect _ -> {
        // compared above
      }
    }
  }

  private static byte[] together(byte[] one, byte[] other) {
    var both = Arrays.copyOf(one, one.length + other.length);
    System.arraycopy(other, 0, both, one.length, other.length);
    return both;
  }

  /// The file is there, and the disk does not give it.
  public void unreadable(String name) {
    unreadable.add(name);
  }

  // For the daemon

  @Override
  public byte @Nullable [] read(String name) throws StoreException {
    if (unreadable.contains(name)) {
      throw new StoreException(name + ": input/output error");
    }
    return files.get(name);
  }

  @Override
  public List<String> list() {
    return List.copyOf(files.keySet());
  }

  @Override
  public void change(List<Change> batch, Consumer<@Nullable String> done) {
    coming.add(new Batch(List.copyOf(batch), done));
  }
}
