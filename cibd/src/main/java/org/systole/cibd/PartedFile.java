package org.systole.cibd;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.systole.common.values.Numbers;
import org.systole.common.world.Store;
import org.systole.common.world.World;

/// The term in which two nodes were together last, on the disk of one that goes on without the other: the file `parted`.
/// While both are there, or where there are not two, there is none.
///
/// It is a file of its own, as a `cib.meta` with a row that an older build does not know is of no use to that. It is
/// written before the promise of the first term that the other one does not know, and removed before that of the next
/// one that both know: after a crash in between it names the latest term on disk, or none does, which is the same.
///
/// It says which term was promised then, too: an older build that runs here in between promises a later one as soon as it is together
/// with the other node, for which its own CIB manager was started, and leaves the file as it is. Then it is of no use.
final class PartedFile {
  static final String NAME = "parted";

  private final World world;
  private long onDisk;
  private long promisedOnDisk; // as the file has it
  private boolean unsure; // a write has failed: it may be on disk, or what was before

  PartedFile(World world) {
    this.world = world;
  }

  /// The term, 0 if there is none.
  ///
  /// @param promised the latest term that the disk knows of: a later one is not from there, and one that was written before that is of long ago
  long load(long promised) {
    try {
      var bytes = world.store().list().contains(NAME) ? world.store().read(NAME) : null;
      var words = bytes == null ? new String[0] : new String(bytes, StandardCharsets.UTF_8).strip().split(" ");
      onDisk = words.length == 2 ? Numbers.parse(words[0], 0) : 0;
      promisedOnDisk = words.length == 2 ? Numbers.parse(words[1], 0) : 0;
      unsure = bytes != null && (onDisk <= 0 || promisedOnDisk < promised);
    } catch (Store.StoreException e) {
      world.log().warning("In which term the two nodes were together last is not known: " + e.getMessage());
      unsure = true;
    }
    return onDisk > 0 && onDisk <= promised && promised <= promisedOnDisk ? onDisk : 0;
  }

  /// Puts it before what else is to be written, if it is not on disk.
  ///
  /// @param promised the latest term, which is written with it
  void addTo(List<Store.Change> changes, long parted, long promised) {
    if (!unsure && parted == onDisk && (parted == 0 || promised == promisedOnDisk)) {
      return;
    }
    changes.addFirst(
        parted == 0
            ? new Store.Change.Delete(NAME)
            : new Store.Change.Write(NAME, (parted + " " + promised + "\n").getBytes(StandardCharsets.UTF_8)));
  }

  /// It is on disk.
  void written(long parted, long promised) {
    onDisk = parted;
    promisedOnDisk = promised;
    unsure = false;
  }

  /// It was to be written with something else, and not all of that could be.
  void failed() {
    unsure = true;
  }
}
