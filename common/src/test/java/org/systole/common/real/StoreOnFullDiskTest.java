package org.systole.common.real;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.systole.common.layout.Layout;
import org.systole.common.world.Store;

/// A store on a disk of 400 KiB, less than twice the room that is made for a log.
final class StoreOnFullDiskTest {
  private static final String FINE = "";

  @TempDir Path root;
  private Path dir;
  private boolean mounted;
  private RealWorld world;

  @BeforeEach
  void start() throws Exception {
    dir = Files.createDirectories(new Layout(root, root).state("cib"));
    mounted = run("/bin/mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", dir.toString());
    assumeTrue(mounted, "a small disk could not be mounted");
    world =
        RealWorld.create(
            new Layout(root, root),
            Map.of("SYSTOLE_NODE", "node1", "PCMK_logfile", "none"),
            "cibd",
            "cib");
    var started = new CountDownLatch(1);
    var runner = new Thread(() -> world.runInProcess(started::countDown));
    runner.setDaemon(true);
    runner.start();
    assertEquals(true, started.await(10, TimeUnit.SECONDS));
  }

  @AfterEach
  void unmount() throws Exception {
    if (mounted) {
      run("/bin/umount", "-l", dir.toString());
    }
  }

  private static boolean run(String... command) throws IOException, InterruptedException {
    return new ProcessBuilder(command).inheritIO().start().waitFor() == 0;
  }

  /// Carries out changes.
  ///
  /// @return what went wrong, `FINE` if nothing
  private String change(Store.Change... changes) throws InterruptedException {
    var result = new LinkedBlockingQueue<String>();
    world.post(
        () ->
            world
                .store()
                .change(List.of(changes), error -> result.add(error == null ? FINE : error)));
    var it = result.poll(20, TimeUnit.SECONDS);
    assertNotNull(it, "nothing came back");
    return it;
  }

  private static Store.Change.Append log(byte[] content) {
    return new Store.Change.Append("log", content);
  }

  private static byte[] filled(int length, int value) {
    var content = new byte[length];
    Arrays.fill(content, (byte) value);
    return content;
  }

  private void fill(int length) throws IOException {
    Files.write(dir.resolve("filler"), filled(length, 1));
  }

  @Test
  void aLogIsWrittenWhereThereIsNoRoomToMakeAhead() throws Exception {
    fill(300 << 10);
    assertEquals(FINE, change(log(filled(10_000, 7))));
    assertEquals(FINE, change(log(filled(10_000, 7))));
    assertArrayEquals(filled(20_000, 7), world.store().read("log"));
  }

  @Test
  void whatDoesNotFitIsGivenBackWhole() throws Exception {
    fill(300 << 10);
    assertEquals(FINE, change(log(filled(10_000, 7))));
    assertNotEquals(FINE, change(log(filled(150_000, 8))));
    assertEquals(10_000, Files.size(dir.resolve("log")), "nothing of it is kept");
    fill(0);
    assertEquals(FINE, change(log(filled(150_000, 9))));
    var all = Arrays.copyOf(filled(10_000, 7), 160_000);
    Arrays.fill(all, 10_000, 160_000, (byte) 9);
    assertArrayEquals(all, world.store().read("log"));
  }

  @Test
  void aLogThatIsPutAsideKeepsNoRoom() throws Exception {
    for (var round = 0; round < 3; round++) {
      assertEquals(FINE, change(log(filled(10_000, 7))));
      assertEquals(FINE, change(new Store.Change.Rename("log", "log.before")));
      assertEquals(10_000, Files.size(dir.resolve("log.before")));
    }
  }
}
