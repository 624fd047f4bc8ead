package org.systole.common.real;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.Store;

/// Files of which nothing is changed on disk: what is written is kept in memory, and gone with the process.
final class UnwrittenStore implements Store {
  private final Store disk;
  private final Consumer<Runnable> loop;
  private final Map<String, byte @Nullable []> changed = new TreeMap<>(); // null: deleted

  /// @param loop runs a task later
  UnwrittenStore(Store disk, Consumer<Runnable> loop) {
    this.disk = disk;
    this.loop = loop;
  }

  @Override
  public byte @Nullable [] read(String name) throws StoreException {
    return changed.containsKey(name) ? changed.get(name) : disk.read(name);
  }

  @Override
  public List<String> list() {
    var names = new TreeSet<>(disk.list());
    changed.forEach(
        (name, content) -> {
          if (content == null) {
            names.remove(name);
          } else {
            names.add(name);
          }
        });
    return new ArrayList<>(names);
  }

  @Override
  public void change(List<Change> batch, Consumer<@Nullable String> done) {
    var outcome = carryOut(batch);
    loop.accept(() -> done.accept(outcome));
  }

  private @Nullable String carryOut(List<Change> batch) {
    try {
      for (var change : batch) {
        var problem = carryOut(change);
        if (problem != null) {
          return problem;
        }
      }
      return null;
    } catch (StoreException e) {
      return e.getMessage();
    }
  }

  private @Nullable String carryOut(Change change) throws StoreException {
    switch (change) {
      case Change.Write(var name, var content) -> changed.put(name, content);
      case Change.Make(var name, var content) -> changed.put(name, content.get());
      case Change.Append(var name, var content) -> changed.put(name, joined(read(name), content));
      case Change.Rename(var from, var to) -> {
        var content = read(from);
        if (content != null) {
          changed.put(to, content);
          changed.put(from, null);
        }
      }
      case Change.Delete(var name) -> changed.put(name, null);
      case Change.Expect(var name, var content) -> {
        var now = read(name);
        return changed.containsKey(name) || Arrays.equals(now, content) ? null : now == null ? GONE : CHANGED;
      }
    }
    return null;
  }

  private static byte[] joined(byte @Nullable [] before, byte[] more) {
    if (before == null) {
      return more;
    }
    var all = Arrays.copyOf(before, before.length + more.length);
    System.arraycopy(more, 0, all, before.length, more.length);
    return all;
  }
}
