package org.systole.tools.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.GZIPOutputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorInputStream;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.systole.common.layout.Layout;
import org.systole.tools.cli.Shell;

/// The time of the shell is noon of 15 June 2024. The cluster does not run; its configuration is in a
/// file.
final class CrmReportTest {
  private static final String SECRET = "hunter2";
  private static final String CIB =
      """
      <cib validate-with="pacemaker-3.9" epoch="1" num_updates="0" admin_epoch="0">
        <configuration><crm_config/><nodes><node id="1" uname="%s"/><node id="2" uname="other"/>
        </nodes><resources>
        <primitive id="power" class="stonith" type="fence_x"><instance_attributes id="p">
          <nvpair id="p-1" name="Passwd" value="hunter2"/><nvpair id="p-2" name="ip" value="192.0.2.1"/>
        </instance_attributes></primitive></resources><constraints/></configuration>
        <status/></cib>
      """;

  @TempDir Path directory;
  private Path root;
  private String here;
  private Shell shell;

  @BeforeEach
  void node() throws IOException {
    here = InetAddress.getLocalHost().getHostName();
    root = Files.createDirectory(directory.resolve("node"));
    var layout = new Layout(root, root);
    file(layout.clusterConfiguration(), "totem {\n  password: hunter2\n}\n");
    file(
        layout.log().resolve("pacemaker.log"),
        """
        Jun 15 11:00:00.100 node1 cibd[1] (Cibd) notice: in time
        and on
        Jun 15 11:30:00.100 node1 fenced[1] (Fencer) error: passwd=hunter2 is wrong
        Jun 15 11:59:00.100 node1 cibd[1] (Cibd) notice: after it
        """);
    var older = layout.log().resolve("pacemaker.log.1.gz");
    try (var out = new GZIPOutputStream(Files.newOutputStream(older))) {
      out.write(
          "Jun 15 09:00:00.100 too early\nJun 15 10:59:00.100 just in time\n"
              .getBytes(StandardCharsets.UTF_8));
    }
    Files.setLastModifiedTime(older, java.nio.file.attribute.FileTime.fromMillis(0));
    Files.createDirectories(layout.state("pengine"));
    var input = layout.state("pengine").resolve("pe-input-1.bz2");
    try (var out = new BZip2CompressorOutputStream(Files.newOutputStream(input))) {
      out.write(CIB.formatted(here).getBytes(StandardCharsets.UTF_8));
    }
    Files.setLastModifiedTime(
        input, java.nio.file.attribute.FileTime.from(java.time.Instant.parse("2024-06-15T11:10:00Z")));
    file(layout.state("lrm").resolve("secrets/power/passwd"), SECRET);
    file(directory.resolve("cib.xml"), CIB.formatted(here));
    shell =
        new Shell(directory)
            .set(Layout.ROOT, root.toString())
            .set("PATH", System.getenv("PATH"))
            .set("CIB_file", directory.resolve("cib.xml").toString());
  }

  private static void file(Path path, String text) throws IOException {
    Files.createDirectories(path.getParent());
    Files.writeString(path, text);
  }

  private Shell.Result run(String... args) {
    return shell.run(new CrmReport(), args);
  }

  private static Map<String, String> content(Path archive) throws IOException {
    var found = new TreeMap<String, String>();
    try (var tar =
        new TarArchiveInputStream(
            new BZip2CompressorInputStream(
                new BufferedInputStream(Files.newInputStream(archive))))) {
      for (var entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
        found.put(entry.getName(), new String(tar.readAllBytes(), StandardCharsets.ISO_8859_1));
      }
    }
    return found;
  }

  @Test
  void aReportHasWhatANodeSaysOfThatTimeAndNoSecret() throws IOException {
    var result = run("-f", "10:30", "--to", "2024-6-15 11:45:00", "-S", "outage");
    assertEquals(0, result.code(), result.err());
    assertTrue(result.err().contains("available in " + directory.resolve("outage.tar.bz2")));
    var archive = directory.resolve("outage.tar.bz2");
    assertEquals(
        PosixFilePermissions.fromString("rw-------"), Files.getPosixFilePermissions(archive));
    var files = content(archive);
    assertEquals(
        """
        Jun 15 10:59:00.100 just in time
        Jun 15 11:00:00.100 node1 cibd[1] (Cibd) notice: in time
        and on
        Jun 15 11:30:00.100 node1 fenced[1] (Fencer) error: passwd=**** is wrong
        """,
        files.get("outage/" + here + "/pacemaker.log"));
    assertEquals(
        "Jun 15 11:30:00.100 node1 fenced[1] (Fencer) error: passwd=**** is wrong\n",
        files.get("outage/" + here + "/analysis.txt"));
    var cib = files.get("outage/" + here + "/cib.xml");
    assertTrue(cib.contains("name=\"Passwd\" value=\"****\""), cib);
    assertTrue(cib.contains("192.0.2.1"), cib);
    assertTrue(files.get("outage/" + here + "/corosync.conf").contains("password: ****"));
    assertTrue(files.containsKey("outage/" + here + "/pengine/pe-input-1.bz2"), files.keySet()::toString);
    assertTrue(files.containsKey("outage/report.txt"));
    files.forEach((name, text) -> assertFalse(text.contains(SECRET), name));
    assertEquals(List.of(), leftovers());
  }

  private List<String> leftovers() throws IOException {
    try (var files = Files.list(directory)) {
      return files.map(it -> it.getFileName().toString()).filter(it -> it.startsWith(".")).toList();
    }
  }

  @Test
  void whatIsLeftAsADirectoryIsForItsOwnerOnly() throws IOException {
    assertEquals(0, run("-f", "10:30", "-S", "-d", "outage").code());
    var left = directory.resolve("outage");
    assertEquals(
        "rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(left)));
  }

  /// The directories of logs and state are not root's, who makes the report.
  @Test
  void linksAreNotFollowed() throws IOException {
    var layout = new Layout(root, root);
    var key = directory.resolve("key");
    file(key, "the key itself\n");
    var input = directory.resolve("input.bz2");
    try (var out = new BZip2CompressorOutputStream(Files.newOutputStream(input))) {
      out.write("the key itself".getBytes(StandardCharsets.UTF_8));
    }
    Files.createSymbolicLink(layout.log().resolve("pacemaker.log.2"), key);
    Files.createDirectories(layout.state("cib"));
    Files.createSymbolicLink(layout.state("cib").resolve("cib.xml"), key);
    Files.createSymbolicLink(layout.state("pengine").resolve("pe-input-2.bz2"), input);
    assertEquals(0, run("-f", "10:30", "-S", "-d", "outage").code());
    try (var files = Files.walk(directory.resolve("outage"))) {
      for (var file : files.filter(Files::isRegularFile).toList()) {
        assertFalse(Files.readString(file, StandardCharsets.ISO_8859_1).contains("key itself"), file::toString);
        assertFalse(file.endsWith("pe-input-2.bz2"));
      }
    }
  }

  @Test
  void otherNodesAreAskedAndOneThatDoesNotAnswerIsNamed() throws IOException {
    var sent = Files.createDirectories(directory.resolve("sent/other"));
    Files.writeString(sent.resolve("cib.xml"), "<cib/>");
    try (var out = Files.newOutputStream(directory.resolve("other.tar"))) {
      ReportArchive.write(sent, out);
    }
    var remote = directory.resolve("remote");
    Files.writeString(
        remote,
        """
        #!/bin/sh
        echo "$*" >>'%s/asked'
        [ "$3" = other ] && exec cat '%s/other.tar'
        echo "no route to $3" >&2
        exit 255
        """
            .formatted(directory, directory));
    Files.setPosixFilePermissions(remote, PosixFilePermissions.fromString("rwx------"));
    var result =
        run("-f", "11:00", "-n", "other third," + here, "-e", remote.toString(), "-u", "me", "-p",
            "it's", "--dest", "whole");
    assertEquals(1, result.code(), result.err());
    assertTrue(result.err().contains("third: ERROR: nothing could be collected: no route to third"), result.err());
    var files = content(directory.resolve("whole.tar.bz2"));
    assertEquals("<cib/>", files.get("whole/other/cib.xml"));
    assertTrue(files.containsKey("whole/" + here + "/crm_mon.txt"));
    assertTrue(files.get("whole/report.txt").contains("No data of third: no route to third"));
    var asked = Files.readString(directory.resolve("asked"));
    assertTrue(
        asked.contains("-l me other 'crm_report' '--collect' 'other' '--from' '@1718449200'"), asked);
    assertTrue(asked.contains("'-p' 'it'\\''s'"), asked);
  }

  @Test
  void theNodesAreThoseOfTheConfiguration() {
    var result = run("-f", "11:00", "-e", "false", "-d", "all");
    assertTrue(result.err().contains("Calculated node list: "), result.err());
    assertTrue(result.err().contains("other: ERROR: nothing could be collected"), result.err());
    assertTrue(Files.isRegularFile(directory.resolve("all").resolve(here).resolve("nodes.txt")));
    assertTrue(Files.isRegularFile(directory.resolve("all").resolve(here).resolve("roles.txt")));
    assertTrue(Files.isRegularFile(directory.resolve("all").resolve(here).resolve("hosts.xml")));
  }

  @Test
  void whatIsThereIsNotOverwritten() throws IOException {
    Files.writeString(directory.resolve("mine.tar.bz2"), "mine");
    var result = run("-f", "11:00", "-S", "mine");
    assertEquals(73, result.code());
    assertTrue(result.err().contains("is there already"), result.err());
    assertEquals("mine", Files.readString(directory.resolve("mine.tar.bz2")));
  }

  @Test
  void whatCannotBeMeantIsRefused() {
    assertEquals(64, run("-S").code(), "no time");
    assertEquals(64, run("-S", "-f", "yesterday").code());
    assertEquals(64, run("-S", "-f", "11:00", "-t", "10:00").code());
    assertEquals(64, run("-S", "-f", "11:00", "-p", "(").code());
    assertEquals(64, run("-f", "11:00", "-n", "-oProxyCommand=x").code());
  }
}
