package org.systole.cibd;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.systole.common.cib.CibSections;
import org.systole.common.world.TestWorld;
import org.systole.common.xml.Element;

/// Nodes that end between any two things their disk does, with disks that fail before, files changed or removed by hand, and
/// places in the history that move on without the configuration: whatever a start finds is at least what was confirmed, and
/// is known to be that.
final class CibCrashTest {
  private static final int HISTORIES = 500;

  @Test
  void whereverANodeEndsAStartFindsAllThatWasConfirmed() {
    for (var seed = 0; seed < HISTORIES; seed++) {
      var history = new History(seed);
      for (var step = 0; step < 14; step++) {
        history.step();
        history.check("seed " + seed + ": " + history.done);
      }
    }
  }

  private static final class History {
    private static final Element ONE = Element.of("x", "a", "1");
    private static final Element OTHER = Element.of("x", "a", "2");

    private final Random random;
    private final List<String> done = new ArrayList<>();
    private final Map<Long, String> epochs = new TreeMap<>(); // by index
    private TestWorld world = new TestWorld();
    private CibDisk disk;
    private Element cib;
    private long index;
    private int epoch;
    private long confirmed;

    private History(long seed) {
      random = new Random(seed);
      disk = new CibDisk(world, it -> confirmed = it, () -> {});
      cib = disk.load().cib();
      world.settle();
      for (var times = 0; times < 2; times++) {
        save(ONE, OTHER);
        renewed();
      }
    }

    private void step() {
      switch (random.nextInt(10)) {
        case 0 -> restart("restart");
        case 1 -> renewed();
        case 2 -> promise();
        case 3 -> move();
        case 4 -> {
          byHand("<cib by=\"hand\"/>");
          change();
        }
        case 5 -> {
          byHand(null);
          change();
        }
        case 6 -> {
          tries();
          world.disk().works();
          done.add("works");
          change();
          renewed();
          assertTrue(files().containsKey("cib.xml"), () -> "cib.xml is there again: " + done);
        }
        case 7 -> {
          tries();
          restart("ends");
        }
        default -> change();
      }
    }

    /// The disk fails at some place of each of some tries.
    private void tries() {
      for (var left = 1 + random.nextInt(4); left > 0; left--) {
        var after = random.nextInt(16);
        done.add("fails after " + after);
        world.disk().failsAfter(after, "no space left on device");
        for (var changes = random.nextInt(3); changes >= 0; changes--) {
          change();
        }
        if (random.nextInt(4) == 0) {
          byHand(random.nextBoolean() ? "<cib by=\"hand\"/>" : null);
        }
        if (random.nextBoolean()) {
          renewed();
        }
        check("after tries, " + done);
      }
    }

    private void change() {
      switch (random.nextInt(4)) {
        case 0 -> move();
        case 1 -> save(OTHER, ONE);
        default -> save(ONE, OTHER);
      }
    }

    private void save(Element... more) {
      epoch++;
      cib = written(CibSections.emptyCib(epoch, CibSections.SCHEMA));
      for (var it : more) {
        cib = cib.plus(it);
      }
      moved("save " + (index + 1) + (more[0] == ONE ? "" : " reordered"));
    }

    /// As a start finds it: what takes it over writes it as it is.
    private static Element written(Element it) {
      return it.with("cib-last-written", "Fri Nov 27 12:00:00 2026").with("have-quorum", "0");
    }

    /// A change of the status: the configuration is the same at a later place.
    private void move() {
      moved("move to " + (index + 1));
    }

    private void moved(String what) {
      done.add(what);
      index++;
      epochs.put(index, cib.get("epoch", ""));
      save(0);
    }

    private void promise() {
      done.add("promise");
      save(index + 1);
    }

    private void save(long promised) {
      disk.save(new CibDisk.Image(cib, line(), List.of(new Line.Span(1, index)), promised, index));
      world.settle();
    }

    private Line line() {
      return new Line(1, index, 0, 0, false);
    }

    private void renewed() {
      done.add("renewed");
      world.pass(Duration.ofSeconds(3));
    }

    /// @param content null: the file is removed
    private void byHand(@Nullable String content) {
      done.add(content == null ? "removed by hand" : "by hand");
      if (content == null) {
        files().remove("cib.xml");
      } else {
        files().put("cib.xml", content.getBytes(UTF_8));
      }
    }

    private void restart(String why) {
      done.add(why);
      var before = new TreeMap<>(files());
      world = new TestWorld(); // nothing of the old process goes on
      files().putAll(before);
      disk = new CibDisk(world, it -> confirmed = it, () -> {});
      var found = disk.load();
      cib = found.cib();
      index++; // of a takeover
      epochs.put(index, cib.get("epoch", ""));
      save(0);
    }

    private Map<String, byte[]> files() {
      return world.disk().files();
    }

    private void check(String why) {
      check(new TreeMap<>(files()), why);
      var without = new TreeMap<>(files());
      without.remove("cib.xml");
      if (random.nextBoolean()) {
        without.remove("cib.xml.sig");
      }
      check(without, "without cib.xml, " + why);
      var damaged = new TreeMap<>(files());
      damaged.computeIfPresent("cib.xml", (_, content) -> Arrays.copyOf(content, content.length / 2));
      check(damaged, "cib.xml damaged, " + why);
    }

    /// Two starts, the first of which ends before it has done what it wanted.
    private void check(Map<String, byte[]> files, String why) {
      var first = start(files, random.nextInt(6), why);
      start(first, 1000, "second start, " + why);
    }

    private Map<String, byte[]> start(Map<String, byte[]> files, int changes, String why) {
      var starting = new TestWorld();
      starting.disk().files().putAll(files);
      starting.disk().failsAfter(changes, "ended");
      var found = new CibDisk(starting, _ -> {}, () -> {}).load();
      starting.settle();
      var at = found.line().index();
      assertTrue(at >= confirmed, () -> "found " + at + " of " + confirmed + ", " + why);
      assertEquals(epochs.get(at), found.cib().get("epoch", ""), () -> "of " + at + ", " + why);
      return new TreeMap<>(starting.disk().files());
    }
  }
}
