package org.systole.cibd.client;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Set;
import org.systole.common.cib.CibDigest;
import org.systole.common.cib.CibUpdate;
import org.systole.common.values.Numbers;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.common.xml.XmlWriter;

/// The CIB manager's own file, written by a command while the cluster is down: with its digest
/// beside it, without the status, and with the previous version kept as a backup.
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

  /// @param now the time of day, written as `cib-last-written`
  /// @throws IOException if it cannot be written, or does not match its digest
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
    if (!isThere(file) || !isThere(signature)) {
      return;
    }
    try {
      var there = XmlReader.parse(read(file));
      if (!CibDigest.matches(there, text(signature))) {
        throw new IOException("it was changed by hand: it does not match " + signature);
      }
    } catch (XmlException e) {
      throw new IOException("it is not XML: " + e.getMessage(), e);
    }
  }

  private void backUp() throws IOException {
    if (!isThere(file)) {
      return;
    }
    var counter = directory.resolve("cib.last");
    var number = isThere(counter) ? Numbers.parseInt(text(counter), 0) % BACKUPS_MAX : 0;
    replace(directory.resolve("cib-" + number + ".raw"), text(file));
    if (isThere(signature)) {
      replace(directory.resolve("cib-" + number + ".raw.sig"), text(signature));
    }
    replace(counter, Integer.toString((number + 1) % BACKUPS_MAX));
  }

  // The directory belongs to the cluster's user and the writer may be root, so no link in it is
  // followed.

  private static boolean isThere(Path path) {
    return Files.exists(path, LinkOption.NOFOLLOW_LINKS);
  }

  private static String text(Path path) throws IOException {
    return new String(read(path), StandardCharsets.UTF_8);
  }

  private static byte[] read(Path path) throws IOException {
    if (Files.isSymbolicLink(path)) {
      throw new IOException(path + " is a symbolic link; remove it");
    }
    try (var in = Files.newInputStream(path, LinkOption.NOFOLLOW_LINKS)) {
      return in.readAllBytes();
    }
  }

  /// Replaces a file, as the CIB manager would: with the directory's owner, readable only by it.
  private void replace(Path target, String content) throws IOException {
    var beside = target.resolveSibling(target.getFileName() + ".new");
    Files.deleteIfExists(beside);
    try (var channel =
        FileChannel.open(
            beside,
            Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW),
            PosixFilePermissions.asFileAttribute(FileInPlace.OWNER_ONLY))) {
      giveToOwnerOfDirectory(beside);
      FileInPlace.fill(channel, content.getBytes(StandardCharsets.UTF_8));
    }
    Files.move(beside, target, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
  }

  private void giveToOwnerOfDirectory(Path path) throws IOException {
    var wanted = Files.readAttributes(directory, PosixFileAttributes.class);
    var view =
        Files.getFileAttributeView(
            path, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
    var present = view.readAttributes();
    if (!present.owner().equals(wanted.owner())) {
      view.setOwner(wanted.owner());
    }
    if (!present.group().equals(wanted.group())) {
      view.setGroup(wanted.group());
    }
  }
}
