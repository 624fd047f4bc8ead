package org.systole.tools.fencing;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;

/// What a fence agent has said about itself, kept for the launcher, which says it again without a Java
/// machine and without the agent as long as the files that it comes of are the same.
///
/// The launcher names the file to keep it in, and what those files are now: that is the first line.
public final class KeptMetadata {
  private static final String FILE = "SYSTOLE_KEEP";
  private static final String AS = "SYSTOLE_KEEP_AS";

  private KeptMetadata() {}

  /// Keeps what a command writes, if it was asked to. Who may not keep it does without.
  ///
  /// @param environment of the command
  public static void keep(Map<String, String> environment, String agent, String written) {
    var file = Path.of(environment.getOrDefault(FILE, "")).toAbsolutePath();
    var as = environment.getOrDefault(AS, "");
    // What is inherited is about the agent that has called this command, not about this one.
    if (as.isEmpty() || as.indexOf('\n') >= 0 || !file.endsWith(agent)) {
      return;
    }
    var directory = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x"));
    var mode = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-r--r--"));
    try {
      Files.createDirectories(file.resolveSibling(""), directory);
      var beside = file.resolveSibling("." + file.getFileName() + "." + ProcessHandle.current().pid());
      try {
        Files.createFile(beside, mode);
        try (var channel = FileChannel.open(beside, StandardOpenOption.WRITE)) {
          var bytes = ByteBuffer.wrap((as + "\n" + written).getBytes(StandardCharsets.UTF_8));
          while (bytes.hasRemaining()) {
            channel.write(bytes);
          }
          channel.force(true); // a loss of power would else leave a part of it, which would be said for ever
        }
        Files.move(beside, file, StandardCopyOption.ATOMIC_MOVE);
      } finally {
        Files.deleteIfExists(beside);
      }
    } catch (IOException _) {
      // the agent is asked again the next time
    }
  }
}
