package org.systole.tools.fencing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.systole.common.real.SbdDisk;
import org.systole.common.sbd.DiskMessage;
import org.systole.tools.cli.Shell;

final class SbdTest {
  private static final long SIZE = 1 << 20;

  @TempDir private Path directory;

  private String disk(String name) throws IOException {
    var file = directory.resolve(name);
    try (var it = new RandomAccessFile(file.toFile(), "rw")) {
      it.setLength(SIZE);
    }
    return file.toString();
  }

  private Shell.Result sbd(String... arguments) {
    return new Shell(directory).run(new Sbd(), arguments);
  }

  private Shell.Result on(List<String> disks, String... arguments) {
    var all = new ArrayList<String>();
    disks.forEach(
        it -> {
          all.add("-d");
          all.add(it);
        });
    all.addAll(Arrays.asList(arguments));
    return sbd(all.toArray(String[]::new));
  }

  @Test
  void aNewDiskHasTheFormatThatSbdReads() throws IOException {
    var disk = disk("one");
    var made = on(List.of(disk), "-1", "7", "-4", "20", "create");
    assertEquals(0, made.code(), made.err());
    var bytes = Files.readAllBytes(Path.of(disk));
    assertEquals("SBD_SBD_", new String(bytes, 0, 8));
    assertEquals(2, bytes[8]);
    assertEquals((byte) 255, bytes[9]);
    assertEquals(2, bytes[14], "sectors of 512 bytes, in network order");
    assertEquals(7, bytes[19]);
    assertEquals(2, bytes[23]);
    assertEquals(1, bytes[27]);
    assertEquals(20, bytes[31]);
    assertEquals(1, bytes[32], "minor version");
    var dumped = on(List.of(disk), "dump", "None");
    assertEquals(0, dumped.code());
    assertTrue(dumped.out().contains("Timeout (watchdog) : 7\n"), dumped.out());
    assertTrue(dumped.out().contains("Timeout (msgwait)  : 20\n"), dumped.out());
    assertTrue(dumped.out().contains("Header version     : 2.1\n"), dumped.out());
    assertTrue(dumped.out().endsWith("==Header on disk " + disk + " is dumped\n"), dumped.out());
  }

  @Test
  void aMessageStandsInTheSlotOfItsReceiver() throws IOException {
    var disk = disk("one");
    on(List.of(disk), "-1", "1", "-2", "1", "-3", "1", "-4", "3", "create");
    for (var node : List.of("alpha", "beta", "alpha")) {
      assertEquals(0, on(List.of(disk), "allocate", node).code());
    }
    assertEquals("0\talpha\tclear\t\n1\tbeta\tclear\t\n", on(List.of(disk), "list").out());
    var told = on(List.of(disk), "-n", "alpha", "message", "BETA", "reset");
    assertEquals(0, told.code(), told.err());
    assertEquals("0\talpha\tclear\t\n1\tbeta\treset\talpha\n", on(List.of(disk), "list").out());
    var bytes = Files.readAllBytes(Path.of(disk));
    assertEquals(1, bytes[512]);
    assertEquals("alpha", new String(bytes, 513, 5));
    assertEquals(2, bytes[4 * 512], "the mailbox of slot 1 is sector 4");
    assertEquals("alpha", new String(bytes, 4 * 512 + 1, 5));
  }

  /// As by a node that has just answered a test, and has cleared the slot without looking again.
  @Test
  void aMessageThatIsLostSoonAfterItWasWrittenIsWrittenAgain() throws Exception {
    var disk = disk("one");
    on(List.of(disk), "-1", "1", "-2", "1", "-3", "1", "-4", "3", "create");
    on(List.of(disk), "allocate", "beta");
    var node =
        Thread.ofVirtual()
            .start(
                () -> {
                  try (var it = SbdDisk.open(disk)) {
                    while (it.mail(0).message() != DiskMessage.RESET) {
                      Thread.sleep(10);
                    }
                    Thread.sleep(200);
                    it.clear(0);
                  } catch (IOException | InterruptedException e) {
                    throw new IllegalStateException(e);
                  }
                });
    var told = on(List.of(disk), "-n", "alpha", "message", "beta", "reset");
    node.join();
    assertEquals(0, told.code(), told.err());
    assertEquals("0\tbeta\treset\talpha\n", on(List.of(disk), "list").out());
  }

  @Test
  void ofThreeDisksTwoHaveToTakeAMessage() throws IOException {
    var disks = List.of(disk("one"), disk("two"), disk("three"));
    on(disks, "-1", "1", "-2", "1", "-3", "1", "-4", "3", "create");
    on(disks, "allocate", "beta");
    Files.write(Path.of(disks.get(0)), new byte[(int) SIZE]);
    assertEquals(0, on(disks, "message", "beta", "off").code());
    Files.write(Path.of(disks.get(1)), new byte[(int) SIZE]);
    var refused = on(disks, "message", "beta", "off");
    assertEquals(1, refused.code());
    assertTrue(refused.err().contains("more then a half"), refused.err());
  }

  @Test
  void whatIsNoDiskIsNotDumped() throws IOException {
    var disk = disk("one");
    var dumped = on(List.of(disk, directory.resolve("none").toString()), "dump");
    assertEquals(1, dumped.code());
    assertTrue(dumped.err().contains("==Header on disk " + disk + " NOT dumped"), dumped.err());
    assertTrue(dumped.err().contains("none is not there"), dumped.err());
    assertEquals(1, on(List.of(disk), "list").code());
  }

  @Test
  void timesThatCannotHoldTogetherAreRefusedWithTheInequality() throws IOException {
    var disk = disk("one");
    var refused = on(List.of(disk), "-1", "10", "create");
    assertEquals(64, refused.code());
    assertTrue(refused.err().contains("10 > 11 does not hold"), refused.err());
    assertEquals(0, Files.readAllBytes(Path.of(disk))[0], "nothing was written");
  }

  @Test
  void aNodeThatDoesNotLookAfterItsSlotIsNotPinged() throws IOException {
    var disk = disk("one");
    on(List.of(disk), "-1", "1", "-2", "1", "-3", "1", "-4", "3", "create");
    on(List.of(disk), "allocate", "beta");
    var pinged = on(List.of(disk), "ping", "beta");
    assertEquals(1, pinged.code());
    assertTrue(pinged.err().contains("beta failed to ping"), pinged.err());
  }

  @Test
  void mistakesAreNamed() {
    for (var wrong : List.of("watch", "nothing", "message alpha", "message alpha boo", "list")) {
      var result = sbd(wrong.split(" "));
      assertEquals(64, result.code(), wrong + ": " + result.err());
    }
  }

  @Test
  void theWatchdogsOfTheMachineAreListedWithoutOpeningThem() {
    var listed = sbd("query-watchdog");
    assertEquals(0, listed.code());
    assertTrue(listed.out().startsWith("\nDiscovered "), listed.out());
  }
}
