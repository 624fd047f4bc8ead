package org.systole.controld.proxy;

import org.systole.common.xml.Element;

/// One connection of a command on a remote node.
interface ProxySession {
  /// The command asks something.
  ///
  /// @param message a `lrmd_ipc_proxy`
  void request(Element message);

  /// The session is over; nothing is sent for it any more.
  void close();

  /// How many bytes of what was asked are kept here: the daemon has not taken them yet, or not answered.
  long untaken();
}
