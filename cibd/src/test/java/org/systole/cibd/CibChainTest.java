package org.systole.cibd;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.systole.common.cib.CibSections;
import org.systole.common.world.TestWorld;
import org.systole.common.xml.Element;

/// The files of a node that runs: what somebody writes there is kept, and without `cib.xml` the backups and logs lead to
/// all that was confirmed.
final class CibChainTest {
  private static final Element ONE = Element.of("x", "a", "1");
  private static final Element OTHER = Element.of("x", "a", "2");

  private TestWorld world = new TestWorld();
  private long confirmed;
  private CibDisk disk = start();
  private int epoch;

  private CibDisk start() {
    var started = new CibDisk(world, it -> confirmed = it, () -> {});
    started.load();
    world.settle();
    return started;
  }

  private void restart() {
    var before = new TreeMap<>(files());
    world = new TestWorld(); // nothing of the old process goes on
    files().putAll(before);
    disk = start();
  }

  private Map<String, byte[]> files() {
    return world.disk().files();
  }

  private String text(String name) {
    return new String(Objects.requireNonNull(files().get(name), name), UTF_8);
  }

  private void save(long promised, Element... more) {
    var cib = CibSections.emptyCib(epoch, CibSections.SCHEMA).with("cib-last-written", "Fri Nov 27 12:00:00 2026");
    for (var it : more) {
      cib = cib.plus(it);
    }
    disk.save(new CibDisk.Image(cib.plus(Element.of("status")), Line.NONE, List.of(), promised, epoch));
    world.settle();
  }

  private void save(Element... more) {
    epoch++;
    save(0, more);
  }

  private void renewed() {
    world.pass(Duration.ofSeconds(3));
  }

  private void write(String content) {
    files().put("cib.xml", content.getBytes(UTF_8));
  }

  @Test
  void aFileThatSomebodyWritesIsKeptBeforeItIsReplaced() {
    save();
    save();
    renewed();
    write("<cib by=\"hand\"/>");
    save();
    assertEquals("<cib by=\"hand\"/>", text("cib.xml"), "a change of the log does not look at it");
    renewed();

    assertEquals("<cib by=\"hand\"/>", text("cib-changed-0.xml"));
    assertTrue(text("cib.xml").contains("epoch=\"3\""));
    assertTrue(world.logged("cib.xml was changed by hand, or by a program, while this node runs"));
    assertTrue(world.logged("keeping the file as cib-changed-0.xml"));
    assertEquals("3", found(new TreeMap<>(files())));

    save();
    renewed();
    assertFalse(files().containsKey("cib-changed-1.xml"), "what this node has written it does not keep");
  }

  @Test
  void aFileThatSomebodyWritesWhileTheLastOneIsBeingKeptIsKeptToo() {
    save();
    renewed();
    write("<cib by=\"hand\"/>");
    var times = new AtomicInteger();
    world
        .disk()
        .before(
            _ -> {
              if (files().containsKey("cib-changed-0.xml") && times.getAndIncrement() == 0) {
                write("<cib by=\"another hand\"/>");
              }
            });
    save();
    renewed();

    assertEquals("<cib by=\"hand\"/>", text("cib-changed-0.xml"));
    assertEquals("<cib by=\"another hand\"/>", text("cib-changed-1.xml"));
    assertTrue(text("cib.xml").contains("epoch=\"2\""));
  }

  @Test
  void aFileThatSomebodyWritesWhileTheDiskFailsIsKept() {
    for (var after = 0; after < 12; after++) {
      var test = new CibChainTest();
      test.fails(after);
    }
  }

  private void fails(int after) {
    save();
    save();
    renewed();
    save();
    world.disk().failsAfter(after, "no space left on device");
    renewed();
    write("<cib by=\"hand\"/>");
    renewed();
    world.disk().works();
    save();
    renewed();

    assertEquals("<cib by=\"hand\"/>", text("cib-changed-0.xml"), "fails after " + after);
    assertFalse(files().containsKey("cib-changed-1.xml"), "fails after " + after);
    assertTrue(text("cib.xml").contains("epoch=\"4\""));
  }

  /// A takeover writes no configuration.
  @Test
  void aPromisePutsTheClustersConfigurationBack() {
    save();
    save();
    renewed();
    var ours = text("cib.xml");
    write("<cib by=\"hand\"/>");
    save(7);
    renewed();

    assertEquals("<cib by=\"hand\"/>", text("cib-changed-0.xml"));
    assertEquals(ours, text("cib.xml"));
    assertEquals("2", found(withoutFile()));
  }

  @Test
  void aFileThatIsRemovedIsWrittenAgain() {
    save();
    renewed();
    files().remove("cib.xml");
    save();
    renewed();

    assertTrue(text("cib.xml").contains("epoch=\"2\""));
    assertFalse(files().containsKey("cib-changed-0.xml"));
  }

  @Test
  void aFileThatIsPutWhereThereWasNoneIsKeptToo() {
    write("<cib by=\"hand\"/>");
    save();

    assertEquals("<cib by=\"hand\"/>", text("cib-changed-0.xml"));
    assertTrue(text("cib.xml").contains("epoch=\"1\""));
  }

  /// Starts, changes that no record of the log can say, disks that fail, and files changed by hand, in all orders.
  @Test
  void withoutTheFileTheBackupsAndLogsLeadToAllThatWasConfirmed() {
    for (var seed = 0; seed < 300; seed++) {
      var random = new Random(seed);
      var done = new ArrayList<String>();
      var test = new CibChainTest();
      for (var step = 0; step < 14; step++) {
        done.add(test.step(random));
        var why = "seed " + seed + ": " + done;
        assertFalse(Integer.parseInt(found(test.withoutFile())) < test.confirmed, why);
        var damaged = new TreeMap<>(test.files());
        damaged.computeIfPresent("cib.xml", (_, content) -> Arrays.copyOf(content, content.length / 2));
        assertFalse(Integer.parseInt(found(damaged)) < test.confirmed, why);
      }
    }
  }

  private String step(Random random) {
    switch (random.nextInt(8)) {
      case 0 -> {
        restart();
        return "restart";
      }
      case 1 -> {
        renewed();
        return "renewed";
      }
      case 2 -> {
        save(epoch + 1L);
        return "promise";
      }
      case 3 -> {
        var after = random.nextInt(14);
        world.disk().failsAfter(after, "no space left on device");
        save(ONE, OTHER);
        renewed();
        world.disk().works();
        return "fails after " + after;
      }
      case 4 -> {
        write("<cib by=\"hand\"/>");
        return "by hand";
      }
      case 5 -> {
        save(OTHER, ONE);
        return "reordered";
      }
      default -> {
        save(ONE, OTHER);
        return "save";
      }
    }
  }

  private TreeMap<String, byte[]> withoutFile() {
    var left = new TreeMap<>(files());
    left.remove("cib.xml");
    left.remove("cib.xml.sig");
    return left;
  }

  private static String found(Map<String, byte[]> files) {
    var world = new TestWorld();
    world.disk().files().putAll(files);
    return new CibDisk(world, _ -> {}, () -> {}).load().cib().get("epoch", "");
  }

  /// A node that ends again and again before it has written anything must not fill its disk.
  @Test
  void aDamagedLogIsKeptOnce() {
    save();
    renewed();
    save();
    save();
    var log = Objects.requireNonNull(files().get("cib.log")).clone();
    log[log.length / 4] ^= 1;
    files().put("cib.log", log);

    for (var times = 0; times < 3; times++) {
      restart();
      assertTrue(world.logged("Keeping the file as cib-lost-0.xml.log"));
    }
    assertArrayEquals(log, files().get("cib-lost-0.xml.log"));
    assertFalse(files().containsKey("cib-lost-1.xml.log"));
  }

  /// A disk that fails again and again while somebody writes `cib.xml` costs none of what is kept.
  @Test
  void whatIsKeptStaysWhereNothingCanBeKeptInItsPlace() {
    save();
    renewed();
    keepAsManyAsThereMayBe("cib-changed-");
    for (var times = 0; times < 2 * KeptFiles.KEPT_MAX; times++) {
      write("<cib by=\"hand\"/>");
      world.disk().failsAfter(times % 4, "no space left on device");
      save(times % 2 == 0 ? ONE : OTHER);
      renewed();
    }
    assertTrue(files().containsKey("cib-changed-0.xml"), () -> "" + files().keySet());
    world.disk().works();
    save();
    renewed();
    assertFalse(files().containsKey("cib-changed-0.xml"), "one more is kept");
    assertTrue(files().containsKey("cib-changed-1.xml"), () -> "" + files().keySet());
    assertEquals(
        KeptFiles.KEPT_MAX, files().keySet().stream().filter(it -> it.startsWith("cib-changed-")).count());
  }

  private void keepAsManyAsThereMayBe(String prefix) {
    for (var number = 0; number < KeptFiles.KEPT_MAX; number++) {
      files().put(prefix + number + ".xml", new byte[] {'a'});
    }
  }

  @Test
  void whoWritesAgainAndAgainCostsNoConfigurationThatWasLost() {
    save();
    renewed();
    keepAsManyAsThereMayBe("cib-lost-");
    for (var times = 0; times < KeptFiles.KEPT_MAX + 2; times++) {
      write("<cib by=\"hand\"/>");
      save(times % 2 == 0 ? ONE : OTHER);
      renewed();
    }
    var kept = files().keySet();
    assertEquals(KeptFiles.KEPT_MAX, kept.stream().filter(it -> it.startsWith("cib-lost-")).count());
    assertEquals(KeptFiles.KEPT_MAX, kept.stream().filter(it -> it.startsWith("cib-changed-")).count());
    assertTrue(kept.contains("cib-lost-0.xml"), () -> "" + kept);
    assertFalse(kept.contains("cib-changed-1.xml"), () -> "" + kept);
  }
}
