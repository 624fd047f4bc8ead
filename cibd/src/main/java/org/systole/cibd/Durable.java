package org.systole.cibd;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.systole.common.cib.CibVersion;
import org.systole.common.world.World;
import org.systole.common.xml.Element;

/// What this node has promised and which copy of the CIB it has, kept on disk.
final class Durable {
  private final World world;
  private final CibDisk disk;
  private final CibCopy copy;
  private final TreeMap<Long, List<Runnable>> afterSave = new TreeMap<>();
  private long promised;
  private long saves;

  /// Reads what there is.
  Durable(World world) {
    this.world = world;
    this.disk = new CibDisk(world, this::saved);
    var image = disk.load();
    this.copy = new CibCopy(image.cib(), image.line(), image.history());
    this.promised = image.promised();
  }

  /// The copy this node works with, as it was read.
  CibCopy copy() {
    return copy;
  }

  /// Whether the disk takes no more at present.
  boolean isFailing() {
    return disk.isFailing();
  }

  /// Runs `task` once nothing is left to be written.
  void whenIdle(Runnable task) {
    disk.whenIdle(task);
  }

  /// The latest term this node has promised itself to: it takes changes of no earlier one.
  long promised() {
    return promised;
  }

  /// Promises, and runs `then` once that is on disk.
  void promise(long term, Runnable then) {
    if (term > promised) {
      promised = term;
      save(then);
    } else if (afterSave.isEmpty()) {
      then.run();
    } else {
      afterSave.lastEntry().getValue().add(then);
    }
  }

  /// Promises; with the next write it is on disk.
  void promise(long term) {
    promised = Math.max(promised, term);
  }

  /// Writes the copy as it is now to disk.
  void save(Runnable then) {
    var number = ++saves;
    var waiting = new ArrayList<Runnable>();
    waiting.add(then);
    afterSave.put(number, waiting);
    disk.save(new CibDisk.Image(copy.cib(), copy.line(), copy.history(), promised, number));
  }

  private void saved(long number) {
    var before = afterSave.headMap(number, true);
    var tasks = new ArrayList<Runnable>();
    before.values().forEach(tasks::addAll);
    before.clear();
    tasks.forEach(Runnable::run);
  }

  /// Puts a configuration that is about to be replaced aside, if the cluster's history does not
  /// have it.
  void keepIfLost(Element next, List<Line.Span> history) {
    var mine = copy.cib().first("configuration");
    if (copy.line().isPartOf(history) || mine == null || mine.equals(next.first("configuration"))) {
      return;
    }
    var name = disk.keepAside(copy.cib());
    world
        .log()
        .critical(
            "The configuration of this node, version "
                + CibVersion.of(copy.cib())
                + ", was changed apart from the quorate cluster and lost to its version "
                + CibVersion.of(next)
                + "; it is kept in "
                + name
                + ". Compare the two (crm_diff) and make lost changes anew");
  }
}
