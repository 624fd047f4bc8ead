package org.systole.common.world;

/// What happens on a connection. Each method is called inside the loop.
public interface ConnectionHandler {
  void opened(Connection connection);

  void received(Connection connection, byte[] frame);

  /// The last call, also when the connection never opened.
  ///
  /// @param why one line for a log
  void closed(Connection connection, String why);
}
