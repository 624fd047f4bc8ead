package org.systole.cibd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.systole.common.cib.CibSections;
import org.systole.common.layout.Layout;
import org.systole.common.real.RealWorld;
import org.systole.common.xml.Element;

/// The configuration's files, as a daemon that starts finds them.
class CibDiskTest {
  @TempDir private Path root;

  private Path dir;
  private RealWorld world;
  private CibDisk disk;
  private final LinkedBlockingQueue<Long> saved = new LinkedBlockingQueue<>();
  private final LinkedBlockingQueue<String> refusals = new LinkedBlockingQueue<>();

  @BeforeEach
  void twoVersionsOnDisk() throws Exception {
    var layout = new Layout(root, root);
    dir = layout.state("cib");
    world = RealWorld.create(layout, Map.of("SYSTOLE_NODE", "a"), "cibd", "cib");
    Thread.ofPlatform().daemon().start(() -> world.runInProcess(() -> {}));
    disk = new CibDisk(world, saved::add, () -> refusals.add("refused"));
    disk.load();
    for (var epoch = 1; epoch <= 2; epoch++) {
      var number = epoch;
      world.post(() -> disk.save(image(number)));
      assertEquals(number, saved.poll(60, TimeUnit.SECONDS));
    }
    renewed();
  }

  /// Nothing is left to do for the world, which goes on when its directory is gone.
  @AfterEach
  void nothingIsLeftToDo() throws InterruptedException {
    renewed();
  }

  /// Waits until the changes in the log are in the files.
  private void renewed() throws InterruptedException {
    var idle = new LinkedBlockingQueue<String>();
    world.post(() -> disk.whenIdle(() -> idle.add("idle")));
    assertEquals("idle", idle.poll(60, TimeUnit.SECONDS));
  }

  @Test
  void aDirectoryThatIsGoneForAWhileRefusesWritesAndEndsNothing() throws Exception {
    var aside = Files.move(dir, dir.resolveSibling("aside"));
    world.post(() -> disk.save(image(3)));
    for (var times = 0; times < 2; times++) {
      assertEquals("refused", refusals.poll(60, TimeUnit.SECONDS));
    }
    Files.move(aside, dir);
    renewed();
    assertEquals("3", loadedEpoch());
  }

  private static CibDisk.Image image(int epoch) {
    var cib = CibSections.emptyCib(epoch, CibSections.SCHEMA).plus(Element.of("status"));
    return new CibDisk.Image(cib, Line.NONE, List.of(), 0, epoch);
  }

  private String loadedEpoch() {
    return new CibDisk(world, _ -> {}, () -> {}).load().cib().get("epoch", "");
  }

  private String log() throws IOException {
    assertTrue(world.log().drain(Duration.ofSeconds(20)));
    return Files.readString(root.resolve("var/log/pacemaker/pacemaker.log"));
  }

  /// Waits until the store has done all that it was asked for before.
  private void settle() throws InterruptedException {
    var done = new LinkedBlockingQueue<String>();
    // posted, so that it comes after what was posted before
    world.post(() -> world.store().change(List.of(), it -> done.add(it == null ? "" : it)));
    assertEquals("", done.poll(60, TimeUnit.SECONDS));
  }

  @Test
  void theNewestVersionIsReadAndOnlyItsOwnerMayReadTheFiles() throws IOException {
    assertEquals("2", loadedEpoch());
    for (var name : List.of("cib.xml", "cib.xml.sig", "cib-0.raw", "cib.meta", "cib.meta.copy")) {
      var mode = Files.getPosixFilePermissions(dir.resolve(name));
      assertEquals(2, mode.size(), name + ": " + mode);
    }
  }

  @Test
  void aTruncatedFileIsKeptAndTheBackupUsed() throws Exception {
    var whole = Files.readString(dir.resolve("cib.xml"));
    var half = whole.substring(0, whole.length() / 2);
    Files.writeString(dir.resolve("cib.xml"), half);
    assertEquals("2", loadedEpoch(), "the log has what the backup lacks");
    settle();
    assertTrue(log().contains("continuing with the backup cib-0.raw, version 0.1.0"), log());
    assertEquals(half, Files.readString(dir.resolve("cib-unusable-0.xml")));
    assertFalse(Files.exists(dir.resolve("cib.xml")));
    assertEquals("2", loadedEpoch(), "a daemon killed before it wrote anything changed nothing");
    assertTrue(log().contains("cib.xml is gone; continuing with the backup cib-0.raw"), log());
  }

  @Test
  void onlyTheNewestFilesKeptAsideRemain() throws Exception {
    var digest = Files.readString(dir.resolve("cib.xml.sig"));
    for (var times = 0; times < KeptFiles.KEPT_MAX + 3; times++) {
      Files.writeString(dir.resolve("cib.xml"), "<cib");
      Files.writeString(dir.resolve("cib.xml.sig"), digest);
      assertEquals("2", loadedEpoch());
      world.post(() -> disk.keepAside(Element.of("cib")));
      settle();
    }
    for (var kind : List.of("cib-unusable-", "cib-lost-")) {
      var kept =
          world.store().list().stream().filter(it -> it.matches(kind + "\\d+\\.xml")).toList();
      assertEquals(KeptFiles.KEPT_MAX, kept.size(), () -> kind + kept);
      assertFalse(kept.contains(kind + "2.xml"));
      assertTrue(kept.contains(kind + (KeptFiles.KEPT_MAX + 2) + ".xml"));
    }
    assertFalse(Files.exists(dir.resolve("cib-unusable-0.xml.sig")), "its digest goes with it");
    assertTrue(log().contains("Removing cib-unusable-0.xml"), log());
  }

  @Test
  void garbageAnEmptyFileAndAWrongDigestAreNotUsedEither() throws Exception {
    var whole = Files.readString(dir.resolve("cib.xml"));
    var digest = Files.readString(dir.resolve("cib.xml.sig"));
    var changed = whole.replace("<nodes/>", "<nodes><node id=\"9\"/></nodes>");
    for (var bad : List.of("\0\1\2", "", changed)) {
      Files.writeString(dir.resolve("cib.xml"), bad);
      Files.writeString(dir.resolve("cib.xml.sig"), digest);
      assertEquals("2", loadedEpoch(), bad);
      settle();
    }
    assertTrue(log().contains("does not match its digest"), log());
    assertTrue(Files.exists(dir.resolve("cib-unusable-2.xml")));
  }

  @Test
  void withoutAUsableBackupItStartsEmptyAndKeepsAllFiles() throws Exception {
    for (var name : List.of("cib.xml", "cib-0.raw")) {
      Files.writeString(dir.resolve(name), "<cib");
    }
    assertEquals("0", loadedEpoch());
    settle();
    assertTrue(log().contains("cib.xml cannot be used, and is kept as cib-unusable-0.xml, and no backup can be used; starting empty"), log());
    assertEquals("<cib", Files.readString(dir.resolve("cib-unusable-0.xml")));
    assertEquals("<cib", Files.readString(dir.resolve("cib-0.raw")));
  }

  @Test
  void withoutAnyFileItStartsEmptyWithoutAlarm() throws Exception {
    for (var name : world.store().list()) {
      Files.delete(dir.resolve(name));
    }
    assertEquals("0", loadedEpoch());
    settle();
    assertFalse(log().contains("critical"), log());
    assertNull(world.store().read("cib-unusable-0.xml"));
  }
}
