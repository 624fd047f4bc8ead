package org.systole.tools.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;

/// The CIB on standard input, for a command that is called with `CIB_file=-`. The command works on a
/// file only its user can read, which is gone when the command ends, with what was changed in it.
final class InputCib implements AutoCloseable {
  private static final String VARIABLE = "CIB_file";
  private static final int SIZE_MAX = 64 << 20;

  private final Path file;
  private final Terminal terminal;

  /// @throws IOException if it cannot be read, is too long, or cannot be kept
  InputCib(Terminal caller) throws IOException {
    var document = caller.in().readNBytes(SIZE_MAX + 1);
    if (document.length > SIZE_MAX) {
      throw new IOException("it is longer than " + SIZE_MAX + " bytes");
    }
    file = Files.createTempFile("cib.", ".xml");
    try {
      Files.write(file, document);
    } catch (IOException e) {
      Files.deleteIfExists(file);
      throw e;
    }
    var environment = new HashMap<>(caller.environment());
    environment.put(VARIABLE, file.toString());
    terminal =
        new Terminal(
            caller.in(),
            caller.out(),
            caller.err(),
            environment,
            caller.directory(),
            caller.clock(),
            caller.zones());
  }

  static boolean isNamed(Terminal caller) {
    return "-".equals(caller.environment().get(VARIABLE));
  }

  Terminal terminal() {
    return terminal;
  }

  @Override
  public void close() throws IOException {
    Files.deleteIfExists(file);
  }
}
