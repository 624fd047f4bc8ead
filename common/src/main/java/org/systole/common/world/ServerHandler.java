package org.systole.common.world;

/// What a server does with those who connect.
@FunctionalInterface
public interface ServerHandler {
  /// A client connects; what is returned hears of it, starting with `opened`.
  ConnectionHandler accept(Connection connection);
}
