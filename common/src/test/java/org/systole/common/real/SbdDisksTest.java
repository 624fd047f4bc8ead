package org.systole.common.real;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.systole.common.layout.Layout;
import org.systole.common.sbd.DiskFormat;
import org.systole.common.sbd.DiskMessage;
import org.systole.common.world.MessageDisks;

/// A file stands for the disk.
final class SbdDisksTest {
  private static final int SLOT = 0;
  private static final int PATIENCE = 60;

  @TempDir Path root;
  private Path device;
  private RealWorld world;
  private final LinkedBlockingQueue<String> heard = new LinkedBlockingQueue<>();

  private final MessageDisks.Listener listener =
      new MessageDisks.Listener() {
        @Override
        public void seen(String disk, DiskFormat.Times times, long beganNanos) {
          heard.add(world.elapsedNanos() - beganNanos >= 0 ? "seen" : "seen before it was read");
        }

        @Override
        public void message(String disk, DiskMessage message, String from, boolean old) {
          heard.add(message + (old ? ", old" : ""));
        }

        @Override
        public void failed(String disk, String why) {
          heard.add(why);
        }
      };

  @BeforeEach
  void aDiskWithAMessageForTheNode() throws Exception {
    var layout = new Layout(root, root);
    var made =
        RealWorld.create(
            layout, Map.of("SYSTOLE_NODE", "node1", "PCMK_logfile", "none"), "test", "link");
    world = made;
    Thread.ofPlatform().daemon().start(() -> made.runInProcess(() -> {}));
    device = Files.createFile(root.resolve("disk"));
    try (var disk = SbdDisk.open(device.toString())) {
      disk.create(
          DiskFormat.newHeader(disk.sectorSize(), DiskFormat.Times.USUAL, new byte[16]));
      disk.own(SLOT, "node1");
      disk.mail(SLOT, DiskMessage.RESET, "node2");
    }
  }

  private DiskMessage onDisk() throws IOException {
    try (var disk = SbdDisk.open(device.toString())) {
      return disk.mail(SLOT).message();
    }
  }

  private String next() throws InterruptedException {
    return heard.poll(PATIENCE, TimeUnit.SECONDS);
  }

  @Test
  void anOldMessageIsForgottenAtTheStart() throws Exception {
    new SbdDisks(world).watch(List.of(device.toString()), "node1", false, listener);
    assertEquals("seen", next());
    assertEquals(DiskMessage.CLEAR, onDisk());
    assertEquals("seen", next());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whereTheNodeMayRunResourcesItCounts(boolean clean) throws Exception {
    var disks = new SbdDisks(world);
    disks.begun();
    disks.watch(List.of(device.toString()), "node1", clean, listener);
    assertEquals("RESET", next());
    assertEquals("seen", next());
    assertEquals(DiskMessage.RESET, onDisk(), "for people, and whoever waits for it");
  }

  /// A slot in which another node writes just before something is done with it for the n-th time.
  private static final class Contended implements SbdDisks.Mailbox {
    private final int when;
    private int times;
    private DiskFormat.Mail mail = new DiskFormat.Mail(DiskMessage.TEST, "node3");

    Contended(int when) {
      this.when = when;
    }

    private void next() {
      if (++times == when) {
        mail = new DiskFormat.Mail(DiskMessage.RESET, "node2");
      }
    }

    @Override
    public DiskFormat.Mail read() {
      next();
      return mail;
    }

    @Override
    public void clear() {
      next();
      mail = new DiskFormat.Mail(DiskMessage.CLEAR, "");
    }
  }

  /// The third thing is the clearing: what comes in that instant is written again by who wrote it.
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4})
  void aMessageThatComesWhileATestIsAnsweredCounts(int when) throws Exception {
    var slot = new Contended(when);
    assertEquals(DiskMessage.RESET, SbdDisks.taken(slot).message());
    assertEquals(DiskMessage.RESET, slot.mail.message());
  }

  @Test
  void aTestIsAnsweredByClearingIt() throws Exception {
    var slot = new Contended(0);
    assertEquals(DiskMessage.CLEAR, SbdDisks.taken(slot).message());
    assertEquals(DiskMessage.CLEAR, slot.mail.message());
  }
}
