package org.systole.tools.cli;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.systole.common.output.ExitStatus;

/// A file that cannot be read, in the words of all commands that Pacemaker does not have.
public final class UnreadFile {
  private UnreadFile() {}

  /// @param what it as the user knows it, such as "the script FILE"
  public static CommandException of(String what, Path file, IOException e) {
    return new CommandException(ExitStatus.NOINPUT, "%s cannot be read: %s".formatted(what, why(file, e)));
  }

  static String why(Path file, IOException e) {
    return switch (e) {
      case NoSuchFileException _ -> "there is no such file";
      case AccessDeniedException _ -> "you may not read it";
      case FileSystemException it -> it.getReason() == null ? "" + it : it.getReason();
      default -> Files.isDirectory(file) ? "it is a directory" : "" + e.getMessage(); // opened it was
    };
  }
}
