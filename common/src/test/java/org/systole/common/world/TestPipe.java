package org.systole.common.world;

import org.jspecify.annotations.Nullable;

/// One end of a connection, as its owner sees it; what it sends is heard at the other end.
final class TestPipe implements Connection {
  private final TestWorld world;
  private final Credentials peer;
  private final ConnectionHandler other;
  private @Nullable ConnectionHandler owner;
  private boolean closed;
  private boolean held;
  private long waiting;

  /// @param other who hears what is sent
  TestPipe(TestWorld world, Credentials peer, ConnectionHandler other) {
    this.world = world;
    this.peer = peer;
    this.other = other;
  }

  /// Names the end that owns this, which is told when it is closed.
  void to(ConnectionHandler handler) {
    owner = handler;
  }

  /// From now on the other end reads nothing.
  void hold() {
    held = true;
  }

  @Override
  public void send(byte[] frame) {
    if (held) {
      waiting += frame.length;
      return;
    }
    world.post(
        () -> {
          if (!closed) {
            other.received(this, frame);
          }
        });
  }

  @Override
  public void close() {
    world.post(() -> end("closed"));
  }

  void end(String why) {
    if (!closed) {
      closed = true;
      other.closed(this, why);
      if (owner != null) {
        owner.closed(this, why);
      }
    }
  }

  @Override
  public long unsent() {
    return held ? waiting : world.unsent();
  }

  @Override
  public Credentials peer() {
    return peer;
  }
}
