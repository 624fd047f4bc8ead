package org.systole.cibd.client;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import org.systole.common.cib.CibDigest;
import org.systole.common.cib.CibUpdate;
import org.systole.common.values.Numbers;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.common.xml.XmlWriter;

/// The CIB manager's own file, written by a command while the cluster is down: with its digest
/// beside it, without the status, the version before kept as a backup.
final class ClusterFile {
  private static final int BACKUPS_MAX = 100;

  private final Path directory;
  private final Path file;
  private final Path signature;

  ClusterFile(Path file) {
    this.file = file;
    this.directory = file.toAbsolutePath().getParent();
    this.signature = directory.resolve(file.getFileName() + ".sig");
  }

  /// @param now the time of day, written where the CIB has none
  /// @throws IOException if it cannot be written, or was changed by hand since its digest was
  void write(Element cib, Instant now) throws IOException {
    verify();
    backUp();
    var status = cib.first("status");
    var shown = status == null ? cib : cib.remove(cib.indexOf(status));
    shown = shown.with("num_updates", "0").with("cib-last-written", CibUpdate.written(now));
    replace(file, XmlWriter.pretty(shown));
    replace(signature, CibDigest.onDisk(shown));
  }

  private void verify() throws IOException {
    if (!Files.exists(file) || !Files.exists(signature)) {
      return;
    }
    try {
      var there = XmlReader.parse(Files.readAllBytes(file));
      if (!CibDigest.matches(there, Files.readString(signature))) {
        throw new IOException("it was changed by hand: it does not match " + signature);
      }
    } catch (XmlException e) {
      throw new IOException("it is not XML: " + e.getMessage(), e);
    }
  }

  private void backUp() throws IOException {
    if (!Files.exists(file)) {
      return;
    }
    var counter = directory.resolve("cib.last");
    var number =
        Files.exists(counter) ? Numbers.parseInt(Files.readString(counter), 0) % BACKUPS_MAX : 0;
    replace(directory.resolve("cib-" + number + ".raw"), Files.readString(file));
    if (Files.exists(signature)) {
      replace(directory.resolve("cib-" + number + ".raw.sig"), Files.readString(signature));
    }
    replace(counter, Integer.toString((number + 1) % BACKUPS_MAX));
  }

  private static void replace(Path target, String content) throws IOException {
    var beside = target.resolveSibling(target.getFileName() + ".new");
    Files.write(beside, content.getBytes(StandardCharsets.UTF_8));
    try (var channel = FileChannel.open(beside, StandardOpenOption.WRITE)) {
      channel.force(true);
    }
    Files.move(beside, target, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
  }
}
