package org.systole.common.world;

import java.util.List;

/// Stands for a connection that did not come about, where its handler is told so.
///
/// @param server what was to be at the other end
public record NeverOpened(String server) implements Connection {
  @Override
  public void send(byte[] frame) {}

  @Override
  public void close() {}

  @Override
  public long unsent() {
    return 0;
  }

  @Override
  public Credentials peer() {
    return new Credentials(server, List.of(), false);
  }
}
