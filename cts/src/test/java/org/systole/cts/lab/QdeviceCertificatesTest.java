package org.systole.cts.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The program that makes the certificates for the quorum device, with those of NSS played by others.
final class QdeviceCertificatesTest {
  private static final List<String> MADE =
      List.of("cert9.db", "key4.db", "noise.txt", "pkcs11.txt", "pwdfile.txt");

  @TempDir private Path directory;
  private Path database = Path.of("");
  private Path certificate = Path.of("");
  private String said = "";

  @BeforeEach
  void begin() throws IOException {
    database = directory.resolve("qdevice/net/nssdb");
    certificate = directory.resolve("certificate");
    Files.writeString(certificate, "good\n");
    command(
        "certutil",
        """
        echo "certutil $*" >>%s
        for it; do :; done
        case $1 in
          -N) touch %2$s/cert9.db %2$s/key4.db %2$s/pkcs11.txt ;;
          -d) grep -q good "$it" || { echo 'could not decode certificate' >&2; exit 255; } ;;
        esac"""
            .formatted(directory.resolve("calls"), database));
    command(
        "pk12util",
        """
        echo "pk12util $*" >>%s
        case $* in
          *-o*) grep -q answer %s || { echo 'find user certs from nickname failed' >&2; exit 24; }
            for it; do [ "$before" != -o ] || echo key >"$it"; before=$it; done ;;
        esac"""
            .formatted(directory.resolve("calls"), certificate));
  }

  @Test
  void whatIsMadeIsRootsAlone() throws Exception {
    assertEquals(0, run("-i", "-c", certificate.toString()), said);
    var files = files();
    assertEquals(MADE, List.copyOf(files.keySet()));
    files.forEach((name, mode) -> assertEquals("rw-------", mode, name));
    assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(database)));
  }

  @Test
  void aCertificateThatCannotBeReadLeavesNoDatabaseThatStandsInTheWayOfTheNextTry() throws Exception {
    Files.writeString(certificate, "garbage\n");
    assertEquals(255, run("-i", "-c", certificate.toString()));
    Files.writeString(certificate, "good\n");
    assertEquals(0, run("-i", "-c", certificate.toString()), said);
    assertEquals(1, run("-i", "-c", certificate.toString()));
    assertTrue(said.contains("already exists"), said);
    assertEquals(MADE, List.copyOf(files().keySet())); // a refusal removes nothing
  }

  @Test
  void aForeignCertificateIsRefusedInWordsAndTheNodesOwnStays() throws Exception {
    assertEquals(0, run("-i", "-c", certificate.toString()));
    Files.writeString(database.resolve("qdevice-net-node.p12"), "own");
    var before = files().keySet();
    assertEquals(1, run("-M", "-c", certificate.toString()));
    assertTrue(said.contains("is not the answer to the request that was made here (-r)"), said);
    assertEquals(before, files().keySet());
    assertEquals("own", Files.readString(database.resolve("qdevice-net-node.p12")));

    Files.writeString(certificate, "good answer\n");
    assertEquals(0, run("-M", "-c", certificate.toString()), said);
    assertEquals(before, files().keySet());
    assertEquals("key\n", Files.readString(database.resolve("qdevice-net-node.p12")));
    assertEquals("rw-------", files().get("qdevice-net-node.p12"));
  }

  @Test
  void aClustersNameThatWouldBeMoreThanAWordIsRefused() throws Exception {
    assertEquals(0, run("-i", "-c", certificate.toString()));
    for (var it : List.of("a;reboot", "a b", "$(id)", "../x", "a\nb")) {
      assertEquals(2, run("-r", "-n", it), it);
    }
    assertEquals(0, run("-r", "-n", "my-cluster_1.x"), said);
  }

  private java.util.SortedMap<String, String> files() throws IOException {
    var all = new TreeMap<String, String>();
    try (var files = Files.list(database)) {
      for (var it : files.toList()) {
        all.put(it.getFileName().toString(), PosixFilePermissions.toString(Files.getPosixFilePermissions(it)));
      }
    }
    return all;
  }

  private void command(String name, String text) throws IOException {
    var file = directory.resolve("bin").resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, "#!/bin/sh\n" + text + "\n");
    assertTrue(file.toFile().setExecutable(true));
  }

  private int run(String... arguments) throws IOException, InterruptedException {
    var here = Path.of(System.getProperty("user.dir"));
    var top = Files.exists(here.resolve("tools")) ? here : here.resolve("..");
    var script = directory.resolve("corosync-qdevice-net-certutil");
    Files.writeString(
        script,
        Files.readString(top.resolve("tools/src/main/deb/corosync-qdevice-net-certutil"))
            .replace("\ndb=/etc/corosync/", "\ndb=" + directory + "/"));
    var command = new java.util.ArrayList<>(List.of("sh", script.toString()));
    command.addAll(List.of(arguments));
    var output = directory.resolve("output");
    var builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
    builder.environment().put("PATH", directory.resolve("bin") + ":/usr/bin:/bin");
    var process = builder.start();
    assertTrue(process.waitFor(1, TimeUnit.MINUTES));
    said = Files.readString(output);
    return process.exitValue();
  }
}
