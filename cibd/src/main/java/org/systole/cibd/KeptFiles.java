package org.systole.cibd;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.Store;
import org.systole.common.world.World;

/// Files that are kept for the administrator, numbered, such as `cib-lost-0.xml`: the last of them.
/// A node that loses its configuration again and again must not fill the disk with it.
final class KeptFiles {
  static final int KEPT_MAX = 20;
  private static final String END = ".xml";

  private final World world;
  private final String prefix;
  private final Pattern name;
  private int next;

  /// @param prefix up to the number
  KeptFiles(World world, String prefix) {
    this.world = world;
    this.prefix = prefix;
    this.name = Pattern.compile(Pattern.quote(prefix) + "(\\d{1,9})" + Pattern.quote(END) + ".*");
  }

  /// The name of the next file.
  String next() {
    var there = there();
    next = Math.max(next, there.isEmpty() ? 0 : there.lastKey() + 1);
    return prefix + next++ + END;
  }

  /// Adds that the oldest go, with what is beside them, once one more is there: a try to keep one that fails costs none.
  ///
  /// @param changes which keep a file
  void trim(List<Store.Change> changes) {
    for (var there = there(); there.size() >= KEPT_MAX; ) {
      for (var file : there.pollFirstEntry().getValue()) {
        world.log().warning("Removing %s: the last %d are kept".formatted(file, KEPT_MAX));
        changes.add(new Store.Change.Delete(file));
      }
    }
  }

  private TreeMap<Integer, List<String>> there() {
    var there = new TreeMap<Integer, List<String>>();
    for (var file : world.store().list()) {
      var it = name.matcher(file);
      if (it.matches()) {
        there.computeIfAbsent(Integer.valueOf(it.group(1)), _ -> new ArrayList<>()).add(file);
      }
    }
    return there;
  }

  /// Carries out what keeps a file.
  ///
  /// @param file the file's name
  void keep(String file, List<Store.Change> changes) {
    trim(changes);
    world
        .store()
        .change(
            changes,
            error -> {
              if (error != null) {
                world.log().critical("Cannot keep " + file + ": " + error);
              }
            });
  }

  /// A file that has the same content already. Meant for start-up.
  ///
  /// @param end of its name
  /// @return its name; null if there is none
  @Nullable String holding(byte[] content, String end) {
    for (var file : world.store().list()) {
      try {
        if (file.endsWith(end) && name.matcher(file).matches() && Arrays.equals(world.store().read(file), content)) {
          return file;
        }
      } catch (Store.StoreException e) {
        world.log().error("Cannot read " + file + ": " + e.getMessage());
      }
    }
    return null;
  }
}
