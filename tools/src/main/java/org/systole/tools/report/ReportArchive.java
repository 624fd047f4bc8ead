package org.systole.tools.report;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorOutputStream;
import org.systole.common.values.NodeName;

/// Directories as archives, and back. All that is written is for its owner only.
final class ReportArchive {
  static final String SUFFIX = ".tar.bz2";
  private static final long SIZE_MAX = 2L << 30;
  private static final int ENTRIES_MAX = 100_000;
  static final FileAttribute<Set<PosixFilePermission>> OWN_DIRECTORY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
  private static final FileAttribute<Set<PosixFilePermission>> OWN_FILE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  private ReportArchive() {}

  /// Writes a compressed archive of a directory, under the directory's own name.
  ///
  /// @throws IOException if it cannot be written, or is there already
  static void compress(Path directory, Path to) throws IOException {
    var create = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    try (var out = Channels.newOutputStream(Files.newByteChannel(to, create, OWN_FILE));
        var compressed = new BZip2CompressorOutputStream(new BufferedOutputStream(out))) {
      write(directory, compressed);
    } catch (IOException e) {
      if (!(e instanceof FileAlreadyExistsException)) {
        Files.deleteIfExists(to);
      }
      throw e;
    }
  }

  /// Writes an archive of a directory, under the directory's own name, without compression.
  static void write(Path directory, OutputStream to) throws IOException {
    var tar = new TarArchiveOutputStream(to, "UTF-8");
    tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
    tar.setBigNumberMode(TarArchiveOutputStream.BIGNUMBER_POSIX);
    var parent = directory.toAbsolutePath().getParent();
    try (var files = Files.walk(directory)) {
      for (var file : files.sorted().filter(Files::isRegularFile).toList()) {
        var name = parent.relativize(file.toAbsolutePath()).toString();
        // made of its name, not of the file: then it has no headers that tar does not know
        var entry = new TarArchiveEntry(name);
        entry.setSize(Files.size(file));
        entry.setModTime(Files.getLastModifiedTime(file));
        entry.setMode(0600);
        entry.setUserName("root");
        entry.setGroupName("root");
        entry.setIds(0, 0);
        tar.putArchiveEntry(entry);
        Files.copy(file, tar);
        tar.closeArchiveEntry();
      }
    }
    tar.finish();
  }

  /// Reads what another node has sent. It may write below its own directory, and nothing but files.
  ///
  /// @param node the name of the directory that all of it has to be in
  /// @param to where that directory goes
  /// @throws IOException if it is no archive, too large, or not of that node alone
  static void read(InputStream from, NodeName node, Path to) throws IOException {
    var left = SIZE_MAX;
    var entries = 0;
    var home = to.resolve(node.text()).normalize();
    try (var tar = new TarArchiveInputStream(new BufferedInputStream(from), "UTF-8")) {
      for (var entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
        var file = to.resolve(entry.getName()).normalize();
        left -= entry.getSize();
        if (!isFile(entry) || !file.startsWith(home) || file.equals(home)) {
          throw new IOException("what it sent is not of this node: " + entry.getName());
        }
        if (left < 0 || ++entries > ENTRIES_MAX) {
          throw new IOException("it sent too much");
        }
        Files.createDirectories(file.getParent());
        Files.copy(tar, file);
      }
    }
    if (entries == 0) {
      throw new IOException("it sent nothing");
    }
  }

  private static boolean isFile(TarArchiveEntry entry) {
    return entry.getLinkFlag() == TarConstants.LF_NORMAL
        || entry.getLinkFlag() == TarConstants.LF_OLDNORM;
  }
}
