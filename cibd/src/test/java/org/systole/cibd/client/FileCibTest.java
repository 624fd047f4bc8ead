package org.systole.cibd.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.systole.common.cib.CibOp;
import org.systole.common.layout.Layout;
import org.systole.common.output.Rc;
import org.systole.common.xml.Element;

/// A CIB in a file that others read and write too.
final class FileCibTest {
  private static final String CIB =
      """
      <cib validate-with="pacemaker-4.0" epoch="1" num_updates="0" admin_epoch="0">
        <configuration><crm_config/><nodes/><resources/><constraints/></configuration>
      </cib>
      """;

  @TempDir private Path directory;
  private Path file;

  @BeforeEach
  void write() throws IOException {
    file = directory.resolve("cib.xml");
    Files.writeString(file, CIB);
  }

  @Test
  void theCopyThatAFailureLeavesBehindIsForItsOwnerOnly() throws IOException {
    var full = Path.of("/dev/full");
    assumeTrue(Files.isWritable(full), "no /dev/full here");
    var link = Files.createSymbolicLink(directory.resolve("full.xml"), full);

    assertThrows(IOException.class, () -> FileInPlace.write(link, CIB.getBytes()));

    var copy = directory.resolve("full.xml.new");
    assertEquals(CIB, Files.readString(copy));
    assertEquals(
        "rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(copy)));
  }

  private static void change(Path cib, String id) throws CibException {
    try (var open = FileCib.open(cib, false, "")) {
      var resource =
          Element.of("primitive", "id", id, "class", "ocf", "provider", "x", "type", "y");
      var answer = open.update(List.of(CibOp.create("resources", resource)), false, "");
      assertEquals(Rc.OK, answer.rc(), answer.why());
    }
  }

  private List<String> files() throws IOException {
    try (Stream<Path> all = Files.list(directory)) {
      return all.map(it -> it.getFileName().toString()).sorted().toList();
    }
  }

  @Test
  void aProgramThatHoldsTheFileOpenSeesTheChange() throws Exception {
    try (var reader = FileChannel.open(file)) {
      change(file, "a");

      var bytes = ByteBuffer.allocate(1 << 16);
      reader.read(bytes, 0);
      var seen = new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8);
      assertTrue(seen.contains("id=\"a\""), seen);
      assertEquals(Files.readString(file), seen);
    }
    assertEquals(List.of("cib.xml"), files());
  }

  @Test
  void aShorterContentLeavesNothingOfTheLongerOne() throws Exception {
    Files.writeString(file, CIB + "<!-- " + "x".repeat(10_000) + " -->\n");

    change(file, "a");

    assertFalse(Files.readString(file).contains("xx"));
    try (var open = FileCib.open(file, false, "")) {
      assertEquals("cib", open.cib().name());
    }
  }

  @Test
  void ownerAndModeStayAndALinkStaysALink() throws Exception {
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
    var link = Files.createSymbolicLink(directory.resolve("link.xml"), file);

    change(link, "a");

    assertTrue(Files.isSymbolicLink(link));
    assertTrue(Files.readString(file).contains("id=\"a\""));
    assertEquals(
        "rw-r-----", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
    assertEquals(List.of("cib.xml", "link.xml"), files());
  }

  /// It has the passwords of the cluster's CIB; the directory may be anybody's.
  @Test
  void aNewShadowCopyIsForItsOwnerOnly() throws Exception {
    var shadow = directory.resolve("shadow.a");
    Cibs.writeShadow(shadow, CIB);
    assertEquals(
        "rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(shadow)));
  }

  /// As it is after the machine failed in the middle of writing.
  @Test
  void theErrorForATruncatedFileNamesItsCopy() throws Exception {
    Files.writeString(file.resolveSibling("cib.xml.new"), CIB);
    Files.writeString(file, CIB.substring(0, 50));

    var refused = assertThrows(CibException.class, () -> FileCib.open(file, false, ""));

    assertTrue(refused.getMessage().contains("cib.xml.new has what"), refused.getMessage());
  }

  /// Somebody else may have put a link there, to have another file overwritten.
  @Test
  void theCopyBesideItGoesThroughNoLink() throws Exception {
    var other = Files.writeString(directory.resolve("other"), "mine");
    Files.createSymbolicLink(file.resolveSibling("cib.xml.new"), other);

    change(file, "a");

    assertEquals("mine", Files.readString(other));
  }

  @Test
  void whoMayNotWriteWithTheClustersFilesHasShadowCopiesOfTheirOwn() throws IOException {
    var layout = new Layout(directory.resolve("none"), directory);
    var home = Map.of("HOME", directory.toString());
    var shared = layout.state("cib");
    assertEquals(directory.resolve(".cib"), Cibs.shadows(layout, home, "alice"));
    assertEquals(shared, Cibs.shadows(layout, home, "root"));
    assertEquals(shared, Cibs.shadows(layout, home, "hacluster"));
    assertEquals(
        directory, Cibs.shadows(layout, Map.of("CIB_shadow_dir", directory.toString()), "alice"));
    Files.createDirectories(shared);
    assertEquals(shared, Cibs.shadows(layout, home, "alice"), "her own node");

    var copy = directory.resolve(".cib/shadow.try");
    Cibs.writeShadow(copy, CIB);
    assertEquals(CIB, Files.readString(copy));
    assertEquals(
        PosixFilePermissions.fromString("rwx------"),
        Files.getPosixFilePermissions(directory.resolve(".cib")));
  }
}
