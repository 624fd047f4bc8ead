package org.systole.tools.cli;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorInputStream;
import org.systole.common.output.ExitStatus;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;

/// Reads XML the user names on the command line.
public final class XmlInput {
  private static final int SIZE_MAX = 512 * 1024 * 1024;

  private XmlInput() {}

  /// Reads a file, or standard input if the path is `-`. A file whose name ends in `.bz2` is
  /// decompressed, as the scheduler's saved inputs are.
  ///
  /// @throws XmlException if the text is not well-formed XML, or cannot be read
  public static Element read(Terminal terminal, String path) throws XmlException {
    return XmlReader.parse(bytes(terminal, path));
  }

  /// The bytes of such a file.
  ///
  /// @param how it is opened
  /// @throws XmlException if it cannot be read
  public static byte[] bytes(Terminal terminal, String path, OpenOption... how) throws XmlException {
    try {
      return readBytes(terminal, path, how);
    } catch (IOException e) {
      throw new XmlException(UnreadFile.why(terminal.resolve(path), e), 0);
    }
  }

  /// The bytes of such a file, or why they cannot be read.
  ///
  /// @throws CommandException if it cannot be read, or is too large
  public static byte[] told(Terminal terminal, String path) throws CommandException {
    try {
      return readBytes(terminal, path);
    } catch (XmlException e) {
      throw new CommandException(ExitStatus.NOINPUT, "" + e.getMessage());
    } catch (IOException e) {
      throw UnreadFile.of(path.equals("-") ? "standard input" : path, terminal.resolve(path), e);
    }
  }

  /// Says what is wrong with such a text, and where, beside the words that Pacemaker's commands have for it.
  ///
  /// @param what the text as the user knows it, such as a file
  public static void explain(Terminal terminal, String what, XmlException fault) {
    var where = fault.line() == 0 ? "" : "line %d: ".formatted(fault.line());
    terminal.err().println("%s: %s%s".formatted(what, where, fault.getMessage()));
  }

  private static byte[] readBytes(Terminal terminal, String path, OpenOption... how)
      throws IOException, XmlException {
    if (path.equals("-")) {
      var bytes = terminal.in().readNBytes(SIZE_MAX + 1);
      if (bytes.length > SIZE_MAX) {
        throw new XmlException("standard input is larger than " + SIZE_MAX + " bytes", 0);
      }
      return bytes;
    }
    var file = terminal.resolve(path);
    if (Files.size(file) > SIZE_MAX) {
      throw new XmlException(path + " is larger than " + SIZE_MAX + " bytes", 0);
    }
    if (!path.endsWith(".bz2")) {
      try (var in = Files.newInputStream(file, how)) {
        return in.readAllBytes();
      }
    }
    try (var in =
        new BZip2CompressorInputStream(
            new BufferedInputStream(Files.newInputStream(file, how)), true)) {
      var bytes = in.readNBytes(SIZE_MAX + 1);
      if (bytes.length > SIZE_MAX) {
        throw new XmlException(path + " holds more than " + SIZE_MAX + " bytes", 0);
      }
      return bytes;
    }
  }

  /// Writes an element as a file.
  ///
  /// @throws CommandException if it cannot be written
  public static void write(Terminal terminal, String path, Element element)
      throws CommandException {
    try {
      Files.writeString(terminal.resolve(path), element.toString());
    } catch (IOException e) {
      throw new CommandException(
          ExitStatus.CANTCREAT, "Could not create '" + path + "': " + e.getMessage());
    }
  }
}
