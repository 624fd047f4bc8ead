package org.systole.common.world;

/// A local socket being served.
@FunctionalInterface
public interface Server {
  /// Stops serving and closes every connection.
  void close();
}
