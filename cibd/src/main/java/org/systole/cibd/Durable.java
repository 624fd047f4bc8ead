package org.systole.cibd;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.systole.common.cib.CibVersion;
import org.systole.common.cluster.Terms;
import org.systole.common.values.Numbers;
import org.systole.common.world.World;
import org.systole.common.xml.Element;

/// What this node has promised, and its copy of the CIB, kept on disk.
///
/// A promise is written to disk so that it outlives this process. If the disk fails, the promise is
/// kept in memory: otherwise a full disk here together with the loss of another node would stop the
/// cluster. A later process does not know such promises, so it takes part in no takeover below
/// [#leastTerm].
final class Durable {
  /// How long a promise waits for a disk that does not answer.
  private static final Duration PATIENCE = Duration.ofSeconds(3);

  /// An earlier process may have promised itself to at most so many takeovers that the disk does
  /// not know of.
  static final long FORGOTTEN_MAX = 16;

  private final World world;
  private final CibDisk disk;
  private final CibCopy copy;
  private final TreeMap<Long, List<Runnable>> afterSave = new TreeMap<>();
  private final long leastTerm;
  private final Set<Promise> promises = new LinkedHashSet<>(); // promises that wait for the disk
  private long promised;
  private long parted; // 0: the other nodes may know what is promised
  private long saves;

  /// Reads the state from disk.
  Durable(World world) {
    this.world = world;
    this.disk = new CibDisk(world, this::saved, this::inMemory);
    var image = disk.load();
    this.copy = new CibCopy(image.cib(), image.roles(), image.line(), image.history());
    copy.rolesLost(image.rolesLost());
    this.promised = image.promised();
    this.parted = image.parted();
    this.leastTerm = promised == 0 ? 0 : Terms.after(promised, FORGOTTEN_MAX);
  }

  /// The copy this node works with, as it was read.
  CibCopy copy() {
    return copy;
  }

  /// Whether writes fail at present.
  boolean isFailing() {
    return disk.isFailing();
  }

  /// Runs `task` once nothing is left to be written.
  void whenIdle(Runnable task) {
    disk.whenIdle(task);
  }

  /// The latest term this node has promised itself to: it accepts no changes of an earlier one.
  long promised() {
    return promised;
  }

  /// This node takes part in no takeover of an earlier term. An earlier process of this node may
  /// have promised, in memory only, to take part in none of them.
  long leastTerm() {
    return leastTerm;
  }

  /// Of two nodes that go on apart: the latest term that the other one may know. It is the same on both but for what
  /// was under way as they parted, and stays so whatever is started anew meanwhile. Where they are together, the latest promised.
  long lastTogether() {
    return parted == 0 ? promised : parted;
  }

  /// Promises, and runs `then` once the promise is on disk, or as soon as the disk is known to
  /// fail.
  ///
  /// @param apart whether the other one of two nodes does not know of the term
  void promise(long term, boolean apart, Runnable then) {
    if (term > promised) {
      parted = apart ? lastTogether() : 0;
      promised = term;
      save(() -> {});
    } else if (afterSave.isEmpty()) {
      then.run();
      return;
    }
    if (disk.isFailing()) {
      then.run();
      return;
    }
    var answer = new Promise(then);
    afterSave.lastEntry().getValue().add(answer);
    promises.add(answer);
    answer.timer = world.after(PATIENCE, answer);
  }

  /// A promise that waits for the disk.
  private final class Promise implements Runnable {
    private final Runnable then;
    private World.@Nullable Timer timer;

    Promise(Runnable then) {
      this.then = then;
    }

    /// Runs the task, unless it has run already.
    @Override
    public void run() {
      if (promises.remove(this)) {
        if (timer != null) {
          timer.cancel();
        }
        then.run();
      }
    }
  }

  /// The disk fails: the promises hold in memory.
  private void inMemory() {
    List.copyOf(promises).forEach(Promise::run);
  }

  /// Promises a term of another node; the next write takes it to disk.
  void promise(long term) {
    promised = Math.max(promised, term);
    parted = 0;
  }

  /// The term that this node has promised is told to all that are there.
  ///
  /// @param apart whether the other one of two nodes is not
  void told(boolean apart) {
    if (parted != 0 && !apart) {
      parted = 0;
      save(() -> {});
    }
  }

  /// Writes the copy as it is now to disk.
  void save(Runnable then) {
    var number = ++saves;
    var waiting = new ArrayList<Runnable>();
    waiting.add(then);
    afterSave.put(number, waiting);
    disk.save(
        new CibDisk.Image(
            copy.cib(), copy.roles(), copy.rolesLost(), copy.line(), copy.history(), promised, parted, number));
  }

  private void saved(long number) {
    var before = afterSave.headMap(number, true);
    var tasks = new ArrayList<Runnable>();
    before.values().forEach(tasks::addAll);
    before.clear();
    tasks.forEach(Runnable::run);
  }

  /// Saves roles that are about to be replaced, if they are not part of the cluster's history, or those that come
  /// do not go on from them: none, or a document that began anew.
  void keepRolesIfLost(@Nullable Element next, List<Line.Span> history) {
    var mine = copy.roles();
    if (mine != null && !mine.equals(next) && !(copy.line().isPartOf(history) && goesOn(mine, next))) {
      disk.keepRolesAside(mine);
    }
  }

  private static boolean goesOn(Element mine, @Nullable Element next) {
    return next != null
        && next.get("anew", "").equals(mine.get("anew", ""))
        && Numbers.parse(next.get("spent", "0"), 0) >= Numbers.parse(mine.get("spent", "0"), 0);
  }

  /// Saves a configuration that is about to be replaced, if it is not part of the cluster's
  /// history, or nobody knows whether it is.
  void keepIfLost(Element next, List<Line.Span> history) {
    var mine = copy.cib().first("configuration");
    var unknown = copy.line().equals(Line.NONE) && mine != null && isConfigured(mine);
    if (!unknown && copy.line().isPartOf(history)
        || mine == null
        || mine.equals(next.first("configuration"))) {
      return;
    }
    var name = disk.keepAside(copy.cib());
    var version = CibVersion.of(copy.cib());
    if (unknown) {
      world
          .log()
          .warning(
              "The configuration this node has started with, version %s, gives way to the cluster's, version %s: its cib.xml was changed by hand, or is from before the cluster. It is kept in %s. Compare the two (crm_diff), and make what is missing again with cibadmin"
                  .formatted(version, CibVersion.of(next), name));
      return;
    }
    world
        .log()
        .critical(
            "The configuration of this node, version "
                + version
                + ", was changed apart from the quorate cluster and lost to its version "
                + CibVersion.of(next)
                + "; it is kept in "
                + name
                + ". Compare the two (crm_diff) and repeat the lost changes");
  }

  private static boolean isConfigured(Element configuration) {
    return configuration.children().stream().anyMatch(it -> !it.children().isEmpty());
  }
}
