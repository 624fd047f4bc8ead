package org.systole.cts.sim;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.Store;

/// A daemon's directory on a node's disk. It outlives processes and power failures; what was not
/// yet synced may be lost.
final class SimDisk {
  private static final long WRITE_MIN = 200_000;
  private static final long WRITE_SPREAD = 3_000_000;

  private static final String ROLES = "roles.xml";
  private static final String CIB = "cib.xml";

  private final SimNode node;
  private final SimQueue queue;
  private final RandomGenerator random;
  private final Map<String, byte[]> files = new TreeMap<>();
  private final Map<String, Supplier<byte[]>> unmade = new TreeMap<>(); // files that nobody has read yet, beside the others
  private final Map<String, byte[]> written = new TreeMap<>(); // last, by the process that runs
  private Duration slow = Duration.ZERO;
  private boolean failing;
  private SimRolesPlace place = SimRolesPlace.NONE; // in the cluster's history, of what is being written
  private boolean byHand; // `cib.xml` was changed, and nobody has read it since

  SimDisk(SimNode node, String daemon) {
    this.node = node;
    this.queue = node.cluster().queue();
    this.random = node.cluster().random("disk", node.name(), daemon, 0);
  }

  /// Every write takes this much longer from now on.
  void slow(Duration extra) {
    slow = extra;
  }

  /// Every batch of writes fails somewhere in its middle from now on, or no longer.
  void failing(boolean on) {
    failing = on;
  }

  /// Somebody changes `cib.xml` by hand, in a way that matters to nobody.
  void edit() {
    var content = files.get(CIB);
    if (content != null) {
      append(CIB, "\n".getBytes(StandardCharsets.UTF_8), 1);
      byHand = true;
    }
  }

  Map<String, byte[]> files() {
    List.copyOf(unmade.keySet()).forEach(this::file);
    return files;
  }

  /// What is in a file, null if there is none.
  byte @Nullable [] file(String name) {
    var content = unmade.remove(name);
    if (content != null) {
      files.put(name, content.get());
    }
    return files.get(name);
  }

  /// Whether a manager of the CIB that starts now would find an object with that id.
  boolean hasInCib(String id) {
    var whole = Pattern.compile(Pattern.quote(id) + "(?![0-9])");
    return Stream.of("cib.xml", "cib.log")
        .map(it -> new String(files.getOrDefault(it, new byte[0]), StandardCharsets.UTF_8))
        .anyMatch(it -> whole.matcher(it).find());
  }

  /// The directory as one process sees it.
  Store openedBy(SimProcess process) {
    written.clear();
    return new View(process);
  }

  private void carryOut(Store.Change change) {
    switch (change) {
      case Store.Change.Write(var name, var content) -> {
        if (byHand && name.equals(CIB) && files.containsKey(CIB)) {
          node.cluster().fail(SimCheck.FILE_LOST, node.name() + ": cib.xml was changed by hand, and is kept nowhere");
        }
        byHand &= !name.equals(CIB);
        unmade.remove(name);
        files.put(name, content.clone());
        written.put(name, files.get(name));
        if (name.equals(ROLES)) {
          node.cluster().checks().roles().written(node, content, place);
        }
      }
      case Store.Change.Make(var name, var content) -> {
        files.remove(name);
        written.remove(name);
        unmade.put(name, content);
      }
      case Store.Change.Append(var name, var content) -> append(name, content, content.length);
      case Store.Change.Rename(var from, var to) -> {
        var content = file(from);
        if (content != null) {
          files.remove(from);
          unmade.remove(to);
          files.put(to, content);
        }
      }
      case Store.Change.Delete(var name) -> {
        unmade.remove(name);
        files.remove(name);
      }
      case Store.Change.Expect _ -> {
        // compared before what comes after it
      }
    }
  }

  private void append(String name, byte[] content, int length) {
    var there = file(name);
    var before = there == null ? new byte[0] : there;
    var after = Arrays.copyOf(before, before.length + length);
    System.arraycopy(content, 0, after, before.length, length);
    files.put(name, after);
  }

  /// What is left to do of a batch. To compare takes no time.
  private final class Left {
    private final Deque<Store.Change> batch;
    private final Map<String, byte @Nullable []> expected = new TreeMap<>(); // what was there when it was compared
    private @Nullable String undone; // why

    Left(List<Store.Change> batch) {
      this.batch = new ArrayDeque<>(batch);
    }

    /// Whether all is as expected up to the next step.
    boolean goesOn() {
      while (undone == null && batch.remove() instanceof Store.Change.Expect(var name, var content)) {
        var there = file(name);
        if (there == null && content != null) {
          undone = Store.GONE;
        } else if (there != null && there != written.get(name) && !Arrays.equals(there, content)) {
          undone = Store.CHANGED;
        }
        expected.put(name, there);
      }
      return undone == null;
    }

    /// Whether what a step takes the place of is as it was compared: looked at once more when the new file is on disk.
    boolean mayEnd(Store.Change step) {
      if (step instanceof Store.Change.Write(var name, _) && expected.containsKey(name)) {
        var before = expected.remove(name);
        var now = file(name);
        if (now != before) {
          undone = now == null ? Store.GONE : Store.CHANGED;
        }
      }
      return undone == null;
    }
  }

  private final class View implements Store {
    private final SimProcess process;
    private long freeAt;
    private Store.@Nullable Change inFlight;

    View(SimProcess process) {
      this.process = process;
      process.onEnd((_, _) -> crashed());
    }

    @Override
    public byte @Nullable [] read(String name) {
      byHand &= !name.equals(CIB);
      var content = file(name);
      return content == null ? null : content.clone();
    }

    @Override
    public List<String> list() {
      return List.copyOf(files().keySet());
    }

    @Override
    public void change(List<Change> batch, Consumer<@Nullable String> done) {
      if (!process.isAlive()) {
        return;
      }
      var failed = failing;
      var steps = batch.stream().filter(it -> !(it instanceof Store.Change.Expect)).toList();
      var left = new Left(batch);
      var to = SimRolesPlace.of(steps);
      for (var step : failed ? steps.subList(0, random.nextInt(steps.size())) : steps) {
        var begins = Math.max(queue.now(), freeAt);
        freeAt = begins + WRITE_MIN + random.nextLong(WRITE_SPREAD) + slow.toNanos();
        queue.after(begins - queue.now(), () -> begin(step, left));
        queue.after(
            freeAt - queue.now(),
            () -> {
              place = to == null ? place : to;
              finish(step, left);
            });
      }
      queue.at(
          Math.max(queue.now() + WRITE_MIN, freeAt),
          process,
          () -> done.accept(left.undone != null ? left.undone : failed ? "no space left on device (simulated)" : null));
    }

    private void begin(Store.Change step, Left left) {
      if (process.isAlive() && left.goesOn()) {
        inFlight = step;
      }
    }

    private void finish(Change change, Left left) {
      if (inFlight == change) {
        inFlight = null;
        if (left.mayEnd(change)) {
          carryOut(change);
        }
      }
    }

    /// What was being written is there or is not; what waited behind it is lost.
    private void crashed() {
      var last = inFlight;
      inFlight = null;
      if (last instanceof Store.Change.Append(var name, var content)) {
        append(name, content, random.nextInt(content.length + 1));
      } else if (last != null && random.nextBoolean()) {
        carryOut(last);
      }
    }
  }
}
