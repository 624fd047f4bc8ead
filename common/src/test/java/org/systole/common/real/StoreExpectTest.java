package org.systole.common.real;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.systole.common.layout.Layout;
import org.systole.common.world.Store;
import org.systole.common.world.Store.Change;

/// A file that somebody else may write to.
final class StoreExpectTest {
  private static final String FILE = "cib.xml";
  private static final String REST = "rest";
  private static final String FINE = "";

  @TempDir Path root;
  private Path dir;
  private RealWorld world;
  private byte[] ours = "<cib a=\"1\"/>".getBytes(UTF_8);

  @BeforeEach
  void start() throws Exception {
    var layout = new Layout(root, root);
    dir = layout.state("cib");
    world = RealWorld.create(layout, Map.of("SYSTOLE_NODE", "node1", "PCMK_logfile", "none"), "cibd", "cib");
    var started = new CountDownLatch(1);
    Thread.ofPlatform().daemon().start(() -> world.runInProcess(started::countDown));
    assertTrue(started.await(20, TimeUnit.SECONDS));
    assertEquals(FINE, change(new Change.Write(FILE, ours)));
    assertEquals(FINE, expect(ours));
  }

  private String change(Change... changes) throws InterruptedException {
    var outcomes = new LinkedBlockingQueue<String>();
    world.post(() -> world.store().change(List.of(changes), it -> outcomes.add(it == null ? FINE : it)));
    var outcome = outcomes.poll(60, TimeUnit.SECONDS);
    assertNotNull(outcome, "nothing came back");
    return outcome;
  }

  /// Whether the rest of the batch is done goes with the outcome.
  private String expect(byte @Nullable [] content) throws Exception {
    var outcome = change(new Change.Expect(FILE, content), new Change.Write(REST, new byte[] {1}));
    assertEquals(outcome.equals(FINE), Files.deleteIfExists(dir.resolve(REST)));
    return outcome;
  }

  @Test
  void whatTheStoreHasWrittenIsExpected() throws Exception {
    ours = "<cib a=\"2\"/>".getBytes(UTF_8);
    assertEquals(FINE, change(new Change.Write(FILE, ours)));
    assertEquals(FINE, expect(ours));
    assertEquals(FINE, expect(ours.clone()));
  }

  @Test
  void whatTakesLongIsMadeByWhoWritesAndWhatCannotBeMadeIsTold() throws Exception {
    var makers = new LinkedBlockingQueue<Thread>();
    assertEquals(
        FINE,
        change(
            new Change.Make(
                "made",
                () -> {
                  makers.add(Thread.currentThread());
                  return ours;
                })));
    assertArrayEquals(ours, Files.readAllBytes(dir.resolve("made")));
    assertEquals("store", makers.remove().getName());
    var failed =
        change(
            new Change.Make(
                "made",
                () -> {
                  throw new IllegalStateException("no");
                }),
            new Change.Write(REST, ours));
    assertTrue(failed.startsWith("made: its content could not be made: "), failed);
    assertArrayEquals(ours, Files.readAllBytes(dir.resolve("made")));
    assertFalse(Files.exists(dir.resolve(REST)));
    assertEquals(FINE, change(new Change.Write(REST, ours)), "it goes on writing");
  }

  private String modeOf(String name) throws Exception {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(dir.resolve(name)));
  }

  /// The cluster's group may enter the directory, and not all in it may read the whole configuration.
  @Test
  void whatSomebodyHasPutThereIsKeptForTheOwnerAlone() throws Exception {
    var theirs = "<cib a=\"theirs\"/>";
    Files.writeString(dir.resolve(FILE), theirs);
    for (var open : List.of("rw-r--r--", "rw-r-----", "r--r--r--")) {
      Files.setPosixFilePermissions(dir.resolve(FILE), PosixFilePermissions.fromString(open));
      assertEquals(FINE, change(new Change.Rename(FILE, "kept.xml")));
      assertEquals("rw-------", modeOf("kept.xml"), open);
      assertEquals(theirs, Files.readString(dir.resolve("kept.xml")));
      assertFalse(Files.exists(dir.resolve(FILE)), open);
      assertEquals(FINE, change(new Change.Rename("kept.xml", FILE)));
    }
  }

  @Test
  void whatCannotBeCopiedIsRenamedAllTheSame() throws Exception {
    Files.writeString(dir.resolve(FILE), "<cib/>");
    Files.setPosixFilePermissions(dir.resolve(FILE), PosixFilePermissions.fromString("rw-r--r--"));
    Files.createDirectories(dir.resolve(".new.kept.xml").resolve("in the way"));
    assertEquals(FINE, change(new Change.Rename(FILE, "kept.xml")));
    assertEquals("<cib/>", Files.readString(dir.resolve("kept.xml")));
    assertFalse(Files.exists(dir.resolve(FILE)));
    var link = dir.resolve("link");
    Files.createSymbolicLink(link, Path.of("kept.xml"));
    assertEquals(FINE, change(new Change.Rename("link", "linked")));
    assertTrue(Files.isSymbolicLink(dir.resolve("linked")));
  }

  @Test
  void aChangeInPlaceOfTheSameLengthIsNoticed() throws Exception {
    Files.writeString(dir.resolve(FILE), "<cib a=\"3\"/>");
    assertEquals(Store.CHANGED, expect(ours));
    assertEquals(Store.CHANGED, expect(ours), "and again");
  }

  @Test
  void anotherFileOfTheSameTimeAndLengthIsNoticed() throws Exception {
    var time = Files.getLastModifiedTime(dir.resolve(FILE));
    var other = Files.writeString(dir.resolve("other"), "<cib a=\"3\"/>");
    Files.setLastModifiedTime(other, time);
    Files.move(other, dir.resolve(FILE), StandardCopyOption.REPLACE_EXISTING);
    assertEquals(Store.CHANGED, expect(ours));
  }

  @Test
  void aFileThatWasOnlyTouchedIsAsExpected() throws Exception {
    Files.setLastModifiedTime(dir.resolve(FILE), FileTime.from(Instant.EPOCH));
    assertEquals(FINE, expect(ours));
  }

  @Test
  void aFileThatWasRemovedIsNoticed() throws Exception {
    Files.delete(dir.resolve(FILE));
    assertEquals(Store.GONE, expect(ours));
    assertEquals(Store.GONE, expect(ours), "and again");
    assertEquals(FINE, expect(null));
  }

  @Test
  void aFileWhereThereShouldBeNoneIsNoticed() throws Exception {
    Files.writeString(dir.resolve(FILE), "<cib a=\"3\"/>");
    assertEquals(Store.CHANGED, expect(null));
  }

  /// Such as by a batch that failed later.
  @Test
  void whatWasWrittenLastIsExpectedWhateverElseIs() throws Exception {
    var later = "<cib a=\"2\"/>".getBytes(UTF_8);
    assertEquals(FINE, change(new Change.Expect(FILE, ours), new Change.Write(FILE, later)));
    assertEquals(FINE, expect(ours));
    Files.setLastModifiedTime(dir.resolve(FILE), FileTime.from(Instant.EPOCH));
    assertEquals(FINE, expect(ours), "only touched");
    Files.writeString(dir.resolve(FILE), "<cib a=\"3\"/>");
    assertEquals(Store.CHANGED, expect(ours));
  }

  @Test
  void aFileTooLongForMemoryIsNoticed() throws Exception {
    try (var file = new RandomAccessFile(dir.resolve(FILE).toFile(), "rw")) {
      file.setLength(3L << 30); // it takes no room on the disk
    }
    assertEquals(Store.CHANGED, expect(ours));
  }

  @Test
  void whatIsNoFileIsNoticedAndNotWaitedFor() throws Exception {
    Files.delete(dir.resolve(FILE));
    Files.createDirectory(dir.resolve(FILE));
    assertEquals(Store.CHANGED, expect(ours));
    assertEquals(FINE, change(new Change.Rename(FILE, "kept")));
    assertEquals(0, new ProcessBuilder("mkfifo", dir.resolve(FILE).toString()).start().waitFor());
    assertEquals(Store.CHANGED, expect(ours));
  }

  /// While the one that takes its place is being written: once that is there, the file has been compared. Whoever looks for
  /// it may come too late on a busy machine, and tries again.
  @Test
  void aChangeWhileTheNextIsWrittenIsNoticed() throws Exception {
    var next = new byte[32 << 20];
    Arrays.fill(next, (byte) ' ');
    var outcome = FINE;
    for (var round = 0; outcome.equals(FINE) && round < 50; round++) {
      assertEquals(FINE, change(new Change.Write(FILE, ours)));
      var editor = Thread.ofPlatform().start(this::editOnceTheNextIsThere);
      outcome = change(new Change.Expect(FILE, ours), new Change.Write(FILE, next), new Change.Delete("rest"));
      editor.join();
    }
    assertEquals(Store.CHANGED, outcome);
    assertEquals("edited", Files.readString(dir.resolve(FILE)));
    assertFalse(Files.exists(dir.resolve(".new." + FILE)));
    assertEquals(Store.CHANGED, expect(ours));
  }

  private void editOnceTheNextIsThere() {
    try {
      while (!Files.exists(dir.resolve(".new." + FILE)) && Files.size(dir.resolve(FILE)) == ours.length) {
        Thread.onSpinWait();
      }
      Files.writeString(dir.resolve(FILE), "edited");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void whatIsNoFileOrTooLongIsNeitherReadNorWaitedFor() throws Exception {
    Files.delete(dir.resolve(FILE));
    assertEquals(0, new ProcessBuilder("mkfifo", dir.resolve(FILE).toString()).start().waitFor());
    assertEquals(dir.resolve(FILE) + ": it is no regular file", unreadable());
    assertEquals(
        dir.resolve(FILE) + ": it is no regular file", change(new Change.Append(FILE, ours)));
    Files.delete(dir.resolve(FILE));
    Files.createSymbolicLink(dir.resolve(FILE), Path.of("/dev/zero"));
    assertEquals(dir.resolve(FILE) + ": it is no regular file", unreadable());
    Files.delete(dir.resolve(FILE));
    try (var file = new RandomAccessFile(dir.resolve(FILE).toFile(), "rw")) {
      file.setLength(1L << 36); // it takes no room on the disk
    }
    assertTrue(unreadable().contains(": it has 68719476736 bytes, more than the "), unreadable());
  }

  private String unreadable() {
    return String.valueOf(
        assertThrows(Store.StoreException.class, () -> world.store().read(FILE)).getMessage());
  }

  /// It is not read as long as its marks are the same: here its content has changed, and nothing tells.
  @Test
  void aFileThatNobodyHasTouchedIsNotRead() throws Exception {
    ours = "<cib a=\"2\"/>".getBytes(UTF_8);
    assertEquals(FINE, change(new Change.Write(FILE, ours)));
    var time = Files.getLastModifiedTime(dir.resolve(FILE));
    Files.writeString(dir.resolve(FILE), "<cib a=\"3\"/>");
    Files.setLastModifiedTime(dir.resolve(FILE), time);
    assertEquals(FINE, expect(ours));
    assertFalse(Files.readString(dir.resolve(FILE)).contains("2"));
  }
}
