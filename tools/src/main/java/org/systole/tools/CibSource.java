package org.systole.tools;

import java.nio.file.Path;
import org.systole.common.output.ExitStatus;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;

/// Where a command finds the CIB when it is not told a file: the running cluster, a shadow copy or the
/// file named in the environment.
@FunctionalInterface
public interface CibSource {
  /// The whole CIB.
  ///
  /// @throws CommandException if it cannot be had
  Element query() throws CommandException;

  /// That which the environment asks for: `CIB_shadow`, `CIB_file`, else the running cluster.
  static CibSource of(Terminal terminal) {
    var shadow = terminal.environment().get("CIB_shadow");
    if (shadow != null && !shadow.isEmpty()) {
      var directory = terminal.variable("CIB_shadow_dir", "/var/lib/pacemaker/cib");
      return () -> file(terminal, Path.of(directory, "shadow." + shadow).toString());
    }
    var file = terminal.environment().get("CIB_file");
    if (file != null && !file.isEmpty()) {
      return () -> file(terminal, file);
    }
    return () -> {
      throw new CommandException(ExitStatus.DISCONNECT, "Could not connect to the CIB: Not connected");
    };
  }

  private static Element file(Terminal terminal, String path) throws CommandException {
    try {
      return XmlInput.read(terminal, path);
    } catch (XmlException e) {
      throw new CommandException(
          ExitStatus.NOSUCH, "Could not read the CIB from " + path + ": " + e.getMessage());
    }
  }
}
