package org.systole.tools.cli;

import java.net.InetAddress;
import java.net.UnknownHostException;

/// The name of this node, for commands that mean "here".
public final class LocalNodeName {
  private LocalNodeName() {}

  /// @param live whether the command works on the running cluster; on a file there is only the
  ///     host's name to go by
  public static String of(Terminal terminal, boolean live) throws CommandException {
    if (live) {
      return LinkStatus.of(terminal).localName().text();
    }
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "localhost";
    }
  }
}
