package org.systole.cibd;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.systole.common.cib.CibSections;
import org.systole.common.world.TestWorld;
import org.systole.common.xml.Element;

/// What a start makes of files that somebody has changed, or that do not fit each other.
final class CibFoundTest {
  private static final String LOG = "cib.log";

  private final TestWorld world = new TestWorld();
  private final Map<String, byte[]> files = world.disk().files();
  private final CibDisk disk = new CibDisk(world, _ -> {}, () -> {});
  private int last;

  /// The second is `cib.xml`, the first a backup.
  @BeforeEach
  void twoVersionsOnDisk() {
    disk.load();
    for (var epoch = 1; epoch <= 2; epoch++) {
      save(epoch);
      renewed();
    }
  }

  private void save(int... epochs) {
    for (var epoch : epochs) {
      save(epoch, 0);
    }
  }

  private void save(int epoch, long promised) {
    last = epoch;
    var cib =
        CibSections.emptyCib(epoch, CibSections.SCHEMA)
            .with("cib-last-written", "Fri Nov 27 12:00:00 2026")
            .plus(Element.of("status"));
    disk.save(new CibDisk.Image(cib, Line.NONE, List.of(), promised, epoch));
    world.settle();
  }

  /// The same configuration, further on in the history: the roles have changed.
  private void moveOn(long index) {
    var cib = new CibDisk(world, _ -> {}, () -> {}).load().cib();
    disk.save(new CibDisk.Image(cib, new Line(1, index, 0, 0, false), List.of(new Line.Span(1, index)), 1, last));
    world.settle();
  }

  private void promise(long term) {
    save(last, term);
  }

  /// Saves versions that are in the log then.
  private byte[] logOf(int... epochs) {
    save(epochs);
    return bytes(LOG);
  }

  private void renewed() {
    world.pass(Duration.ofSeconds(3));
    assertFalse(files.containsKey(LOG));
  }

  private byte[] bytes(String name) {
    return Objects.requireNonNull(files.get(name), name);
  }

  private String text(String name) {
    return new String(bytes(name), UTF_8);
  }

  /// What a daemon that starts now goes on with.
  private String found() {
    var epoch = new CibDisk(world, _ -> {}, () -> {}).load().cib().get("epoch", "");
    world.settle();
    return epoch;
  }

  /// Changes `cib.xml` and removes its digest.
  private void edit(String epoch) {
    var text =
        text("cib.xml")
            .replace("<nodes/>", "<nodes><node id=\"9\"/></nodes>")
            .replace(" epoch=\"2\"", " epoch=\"" + epoch + "\"");
    assertTrue(text.contains("node id"), text);
    files.put("cib.xml", text.getBytes(UTF_8));
    files.remove("cib.xml.sig");
  }

  private void putBack(String backup) {
    files.put("cib.xml", bytes(backup));
    files.put("cib.xml.sig", bytes(backup + ".sig"));
  }

  @Test
  void aLogThatIsInTheFileAlreadyIsIgnoredWithoutAlarm() {
    var log = logOf(3);
    renewed();
    files.put(LOG, log);

    var before = new TreeMap<>(files);
    assertEquals("3", found());
    assertEquals(before.keySet(), files.keySet());
    assertFalse(world.logged("left out"));
  }

  @Test
  void aFileThatWasPutThereDoesNotUndoWhatWasConfirmedSince() {
    logOf(3);
    putBack("cib-0.raw");

    assertEquals("3", found());
    assertTrue(text("cib-lost-0.xml").contains("epoch=\"1\""), "what was put there is kept");
    assertTrue(
        world.logged("lacks 1 changes that were made and confirmed, up to version 0.3.0"));
    assertEquals("3", found(), "a daemon killed before it wrote anything changed nothing");
  }

  /// As a program does that changes the file of a node that runs.
  @Test
  void aFileChangedByHandDoesNotUndoWhatWasConfirmedSince() {
    edit("3");
    logOf(3, 4);

    assertEquals("4", found());
    assertTrue(text("cib-lost-0.xml").contains("node id=\"9\""), "what was changed is kept");
    assertTrue(world.logged("keeping the file as cib-lost-0.xml"));
    assertFalse(files.containsKey("cib.xml"));
    assertEquals("4", found());
  }

  @Test
  void ofTheSameVersionWhatWasConfirmedCounts() {
    logOf(3);
    edit("3");

    assertEquals("3", found());
    assertFalse(new CibDisk(world, _ -> {}, () -> {}).load().cib().toString().contains("node id"));
  }

  @Test
  void aFileChangedByHandWithALaterVersionCountsAndWhatItLacksIsKept() {
    var log = logOf(3);
    edit("5");

    assertEquals("5", found());
    assertTrue(text("cib-lost-0.xml").contains("epoch=\"3\""), "the configuration that it lacks");
    assertArrayEquals(log, bytes("cib-lost-0.xml.log"));
    assertFalse(files.containsKey(LOG));
    assertTrue(world.logged("1 changes in cib.log are left out"));
    assertTrue(world.logged("version 0.3.0, is cib-lost-0.xml"));
    assertEquals("5", found());
  }

  @Test
  void aFileThatIsGoneIsMadeAnewOfABackupAndTheLogs() {
    logOf(3);
    renewed();
    logOf(4);
    files.remove("cib.xml");
    files.remove("cib.xml.sig");

    assertEquals("4", found());
    assertFalse(world.logged("left out"));
  }

  /// A takeover changes what a node has promised, and nothing else: the log of it leads nowhere.
  @Test
  void promisesDoNotTakeThePlaceOfTheLogFromTheLastBackup() {
    promise(7);
    assertTrue(files.containsKey(LOG));
    renewed();
    logOf(3);
    var all = new TreeMap<>(files);
    putBack("cib-0.raw");

    assertEquals("3", found());
    files.clear();
    files.putAll(all);
    files.remove("cib.xml");
    files.remove("cib.xml.sig");
    assertEquals("3", found());
  }

  @Test
  void aLogIsKeptWhoseFileIsNowhereAnyMore() {
    var log = logOf(3, 4);
    files.keySet().removeIf(it -> !it.equals(LOG));

    assertEquals("0", found());
    assertArrayEquals(log, bytes("cib-lost-0.xml.log"));
    assertTrue(world.logged("2 changes in cib.log are left out"));
  }

  @Test
  void aLogIsKeptThatDoesNotGoOnFromTheBackupThatTookTheFilesPlace() {
    logOf(3);
    renewed();
    var log = logOf(4);
    files.keySet().removeAll(List.of("cib.xml", "cib.xml.sig", "cib.log.before"));

    assertEquals("2", found());
    assertArrayEquals(log, bytes("cib-unusable-0.xml.log"));
    assertTrue(world.logged("The changes in cib.log go on from the unusable cib.xml"));
  }

  @Test
  void whatComesAfterADamagedPlaceOfTheLogIsKept() {
    var first = logOf(3).length;
    var log = logOf(4, 5).clone();
    log[first + (log.length - first) / 4] ^= 1;
    files.put(LOG, log);

    assertEquals("3", found());
    assertArrayEquals(log, bytes("cib-lost-0.xml.log"));
    assertTrue(world.logged("cib.log is damaged: the 1 changes after the damage"));

    log = log.clone();
    log[first / 2] ^= 1;
    files.put(LOG, log);
    assertEquals("2", found());
    assertArrayEquals(log, bytes("cib-lost-1.xml.log"));
  }

  @Test
  void aRecordThatWasBeingWrittenIsNoDamage() {
    var log = logOf(3, 4);
    files.put(LOG, Arrays.copyOf(log, log.length - 5));

    assertEquals("3", found());
    assertFalse(world.logged("damaged"));
  }

  /// Else a node whose file was damaged counts as older than one that lacks changes of the roles, and drops its own.
  @Test
  void withoutTheFileTheConfigurationIsAsFarOnInTheHistoryAsWithIt() {
    save(3);
    moveOn(7);
    renewed();
    moveOn(8);
    renewed();
    assertEquals("3", found());

    files.put("cib.xml", Arrays.copyOf(bytes("cib.xml"), 40));
    var start = new CibDisk(world, _ -> {}, () -> {}).load();
    assertEquals("3", start.cib().get("epoch"));
    assertEquals(new Line(1, 8, 0, 0, false), start.line());
    assertEquals(List.of(new Line.Span(1, 8)), start.history());
  }

  /// Else what a majority of which this node is one has confirmed gives way to the copy of a node that lacks it.
  @Test
  void theCopyOfThePlaceInTheHistoryHoldsWhereThatIsDamagedOrGone() {
    moveOn(7);
    renewed();
    var whole = new String(bytes("cib.meta"), UTF_8);
    var damaged = List.of("", "?", whole.strip(), whole.substring(0, whole.length() / 2), whole.replace("entry", "?"), whole + "entry x 1 2\n");
    for (var text : damaged) {
      files.put("cib.meta", text.getBytes(UTF_8));
      assertPlace(text);
      assertTrue(world.logged("cib.meta is damaged; what cib.meta.copy says holds"));
    }
    for (var end = whole.indexOf('\n'); end < whole.length() - 1; end = whole.indexOf('\n', end + 1)) {
      files.put("cib.meta", whole.substring(0, end + 1).getBytes(UTF_8));
      assertPlace("cut at the end of a row: " + end);
      assertTrue(world.logged("cib.meta was cut short; what cib.meta.copy says holds"));
    }
    files.remove("cib.meta");
    assertPlace("gone");
    assertTrue(world.logged("cib.meta is gone; what cib.meta.copy says holds"));

    files.put("cib.meta", whole.getBytes(UTF_8));
    files.put("cib.meta.copy", new byte[0]);
    assertPlace("the copy");
    files.remove("cib.meta");
    assertEquals(Line.NONE, new CibDisk(world, _ -> {}, () -> {}).load().line());
    assertTrue(world.logged("counts as older than any other"));
  }

  /// The files are replaced one after the other.
  @Test
  void anOlderCopyOfThePlaceInTheHistoryIsNotTaken() {
    moveOn(7);
    renewed();
    var older = bytes("cib.meta.copy");
    moveOn(8);
    renewed();
    var newer = bytes("cib.meta");
    files.put("cib.meta.copy", older);
    assertEquals(new Line(1, 8, 0, 0, false), new CibDisk(world, _ -> {}, () -> {}).load().line());

    files.put("cib.meta.copy", newer);
    files.put("cib.meta", new String(older, UTF_8).replace("promised 1\n", "promised 5\n").getBytes(UTF_8));
    assertEquals(5, new CibDisk(world, _ -> {}, () -> {}).load().promised(), "a promise holds whichever file has it");
  }

  private void assertPlace(String why) {
    var start = new CibDisk(world, _ -> {}, () -> {}).load();
    assertEquals(new Line(1, 7, 0, 0, false), start.line(), why);
    assertEquals(1, start.promised(), why);
    assertEquals("2", start.cib().get("epoch"), why);
  }

  @Test
  void changesThatAreOnlyInTheLogAreReadBack() {
    logOf(3);
    assertEquals("3", found());
    renewed();
    assertEquals("3", found());
  }

  @Test
  void aRecordCutShortOrDamagedIsTheEndOfTheLog() {
    var log = logOf(3).clone();
    files.put(LOG, Arrays.copyOf(log, log.length - 5));
    assertEquals("2", found());
    log[log.length / 2] ^= 1;
    files.put(LOG, log);
    assertEquals("2", found());
  }

  @Test
  void ifTheFileIsUnusableTheLogsLeadFromTheBackupToTheLastChange() {
    logOf(3, 4);
    renewed();
    logOf(5, 6);
    files.put("cib.xml", "<cib".getBytes(UTF_8));

    assertEquals("6", found());
    assertEquals("6", found(), "a daemon killed before it wrote anything changed nothing");
    assertTrue(world.logged("cib.log.before adds 2 changes, up to version 0.4.0"));
    assertTrue(world.logged("cib.log adds 2 changes, up to version 0.6.0"));
  }

  @Test
  void aLogThatContinuesALostFileIsKeptAsideAndReported() {
    logOf(3, 4);
    renewed();
    var log = logOf(5);
    files.put("cib.xml", "<cib".getBytes(UTF_8));
    files.remove("cib.log.before");

    assertEquals("2", found());
    assertTrue(world.logged("The changes in cib.log go on from the unusable cib.xml"));
    assertArrayEquals(log, bytes("cib-unusable-0.xml.log"));
    assertArrayEquals("<cib".getBytes(UTF_8), bytes("cib-unusable-0.xml"));
  }
}
