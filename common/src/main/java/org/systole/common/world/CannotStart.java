package org.systole.common.world;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/// Something the administrator has to mend before this program can run. The message is one line.
public final class CannotStart extends RuntimeException {
  private final int status;

  public CannotStart(String message) {
    this(message, 1);
  }

  /// @param status the exit status of the program
  public CannotStart(String message, int status) {
    super(message);
    this.status = status;
  }

  public int status() {
    return status;
  }

  /// What an exception says, in words for a log line.
  public static String reason(IOException e) {
    return switch (e) {
      case AccessDeniedException it -> it.getFile() + ": permission denied";
      case NoSuchFileException it -> it.getFile() + ": no such file";
      case FileAlreadyExistsException it -> it.getFile() + ": exists already";
      case FileSystemException it ->
          it.getFile() + ": " + (it.getReason() == null ? "input/output error" : it.getReason());
      default -> {
        var message = e.getMessage();
        yield message == null
            ? e.getClass().getSimpleName()
            : message.lines().findFirst().orElse("");
      }
    };
  }
}
