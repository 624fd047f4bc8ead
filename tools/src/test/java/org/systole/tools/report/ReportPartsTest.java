package org.systole.tools.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.systole.common.values.NodeName;

final class ReportPartsTest {
  private static final Instant NOW = Instant.parse("2024-06-15T12:00:00Z");
  private static final NodeName NODE2 = new NodeName("node2");
  private final Masking masking = new Masking(List.of("passw.*", "secret"));

  @TempDir Path directory;

  private static Instant time(String text) {
    return ReportScope.time(text, NOW, ZoneOffset.UTC);
  }

  @Test
  void timesAreReadAsUsersWriteThem() {
    assertEquals(Instant.parse("2024-01-02T03:04:05Z"), time("2024-1-2 3:04:05"));
    assertEquals(Instant.parse("2024-01-02T03:04:00Z"), time("2024-01-02 03:04"));
    assertEquals(Instant.parse("2024-01-02T00:00:00Z"), time("2024-01-02"));
    assertEquals(Instant.parse("2024-06-15T13:05:00Z"), time("13:05:00"));
    assertEquals(Instant.ofEpochSecond(1718449200), time("@1718449200"));
    for (var wrong : new String[] {"", " ", "noon", "2024-13-01", "25:00", "2024-02-30"}) {
      assertNull(time(wrong), wrong);
    }
  }

  @Test
  void valuesAreMaskedByTheNameTheyHave() {
    for (var line :
        List.of(
            "passwd=x1y2", "PASSWORD: x1y2", "my_password='x1y2'", "\"secret\": \"x1y2\"",
            "a b,passwd_script = x1y2, c", "pcmk_secret_key=x1y2")) {
      var masked = masking.text(line);
      assertTrue(masked.contains(Masking.MASK) && !masked.contains("x1y2"), masked);
    }
    assertEquals("nothing here", masking.text("nothing here"));
    assertEquals("passwd=**** and the rest", masking.text("passwd=x and the rest"));
    var xml = masking.xml("<a><nvpair value='x1y2' name='passwd'/><op password='x1y2' b='c'/></a>");
    assertTrue(!xml.contains("x1y2") && xml.contains("b=\"c\""), xml);
    assertEquals("<a passwd=****", masking.text("<a passwd=x1y2"), "what is no XML is a text");
  }

  @Test
  void namesAndValuesApartFromEachOtherAreMaskedToo() {
    for (var text :
        List.of(
            "+ <nvpair id=\"f-passwd\" name=\"passwd\" value=\"x1y2 x1y2\"/>",
            "<nvpair value='x1y2' id='f' name='passwd_script'/>",
            "a warning first\n<cib><nvpair name=\"passwd\"\n  value=\"x1y2\"/></cib>",
            "crm_resource -r f -p passwd -v x1y2",
            "crm_resource --parameter=passwd --parameter-value=x1y2",
            "fence_x --password x1y2 -o off",
            "{\"name\": \"passwd\", \"value\": \"x1y2\"}")) {
      var masked = masking.xml(text);
      assertTrue(masked.contains(Masking.MASK) && !masked.contains("x1y2"), masked);
    }
    var other = "<nvpair id=\"a\" name=\"ip\" value=\"v1\"/><nvpair name=\"passwd\" value=\"v2\"/>";
    assertTrue(masking.text(other).contains("v1"));
  }

  @Test
  void aLogWithoutAYearIsOfThePast() {
    var scope = new ReportScope(NOW, NOW, List.of(), true, List.of("x"), List.of());
    var extract = new LogExtract(scope, ZoneOffset.UTC, NOW);
    assertEquals(Instant.parse("2024-06-15T11:00:00Z"), extract.time("Jun 15 11:00:00 a b"));
    assertEquals(Instant.parse("2023-12-31T23:59:59Z"), extract.time("Dec 31 23:59:59.1 a"));
    assertEquals(Instant.parse("2024-02-29T00:00:00Z"), extract.time("Feb 29 00:00:00 a"));
    assertEquals(Instant.parse("2024-06-15T09:00:00Z"), extract.time("2024-06-15T11:00:00+0200 a"));
    assertEquals(Instant.parse("2024-06-15T11:00:00Z"), extract.time("2024-06-15 11:00:00.123 a"));
    assertNull(extract.time("Foo 15 11:00:00 a"));
    assertNull(extract.time("  continued"));
    assertNull(extract.time("2024-99-15T11:00:00Z"));
  }

  @Test
  void ofALogWithoutTimesTheLastLinesAreTaken() throws IOException {
    var file = Files.writeString(directory.resolve("log"), "one\ntwo\n");
    var scope = new ReportScope(NOW, NOW, List.of(), true, List.of("x"), List.of());
    assertEquals(List.of("one", "two"), new LogExtract(scope, ZoneOffset.UTC, NOW).of(file));
  }

  /// One that is put in a log's place after the look at what lies there.
  @Test
  void aLinkIsNotOpenedAsTheClustersOwnFile() throws IOException {
    var file = Files.writeString(directory.resolve("log"), "the key\n");
    var link = Files.createSymbolicLink(directory.resolve("link"), file);
    var scope = new ReportScope(NOW, NOW, List.of(), true, List.of("x"), List.of());
    var extract = new LogExtract(scope, ZoneOffset.UTC, NOW);
    assertEquals(List.of("the key"), extract.of(link)); // one that the administrator names
    assertThrows(IOException.class, () -> extract.of(link, LinkOption.NOFOLLOW_LINKS));
  }

  private static byte[] tar(TarArchiveEntry... entries) throws IOException {
    var bytes = new ByteArrayOutputStream();
    try (var tar = new TarArchiveOutputStream(bytes)) {
      for (var entry : entries) {
        tar.putArchiveEntry(entry);
        tar.write(new byte[(int) entry.getSize()]);
        tar.closeArchiveEntry();
      }
    }
    return bytes.toByteArray();
  }

  private static TarArchiveEntry entry(String name) {
    var entry = new TarArchiveEntry(name, true);
    entry.setSize(3);
    return entry;
  }

  @Test
  void aNodeWritesNowhereButInItsOwnDirectory() throws IOException {
    var link = new TarArchiveEntry("node2/link", TarConstants.LF_SYMLINK);
    link.setLinkName("/etc/passwd");
    for (var sent :
        List.of(
            tar(entry("../outside")), tar(entry("node2/../node1/file")), tar(entry("/etc/outside")),
            tar(entry("node3/file")), tar(link), tar(entry("node2")), tar(),
            "no archive".getBytes(StandardCharsets.UTF_8))) {
      var to = Files.createTempDirectory(directory, "to");
      assertThrows(
          IOException.class,
          () -> ReportArchive.read(new ByteArrayInputStream(sent), NODE2, to));
      try (var files = Files.walk(to)) {
        assertEquals(List.of(), files.filter(Files::isRegularFile).toList());
      }
    }
    ReportArchive.read(new ByteArrayInputStream(tar(entry("node2/a/b"))), NODE2, directory);
    assertEquals(3, Files.size(directory.resolve("node2/a/b")));
  }
}
