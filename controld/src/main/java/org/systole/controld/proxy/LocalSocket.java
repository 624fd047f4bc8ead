package org.systole.controld.proxy;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.wire.Behalf;
import org.systole.common.world.Connection;
import org.systole.common.world.ConnectionHandler;
import org.systole.common.world.World;

/// A connection to a daemon of this member in the name of a remote node's user. It is made once: a
/// daemon that goes ends it, and the command with it.
final class LocalSocket implements ConnectionHandler {
  private final Connection.Credentials user;
  private final Consumer<byte[]> received;
  private final Consumer<String> ended;
  private final Deque<byte[]> early = new ArrayDeque<>(); // until it is open
  private @Nullable Connection connection;
  private boolean isOver;

  /// @param received told of each frame
  /// @param ended told once if the connection ends, unless it was closed here
  LocalSocket(
      World world,
      String socket,
      Connection.Credentials user,
      Consumer<byte[]> received,
      Consumer<String> ended) {
    this.user = user;
    this.received = received;
    this.ended = ended;
    world.connect(socket, this);
  }

  void send(byte[] frame) {
    var to = connection;
    if (to != null) {
      to.send(frame);
    } else if (!isOver) {
      early.add(frame);
    }
  }

  /// How many bytes the daemon has not taken yet.
  long unsent() {
    var to = connection;
    return to == null ? early.stream().mapToLong(it -> it.length).sum() : to.unsent();
  }

  void close() {
    isOver = true;
    early.clear();
    if (connection != null) {
      connection.close();
    }
  }

  @Override
  public void opened(Connection opened) {
    var behalf = Behalf.frame(user);
    if (isOver || behalf == null) {
      opened.close();
      return;
    }
    connection = opened;
    opened.send(behalf); // before all else
    early.forEach(opened::send);
    early.clear();
  }

  @Override
  public void received(Connection from, byte[] frame) {
    if (!isOver) {
      received.accept(frame);
    }
  }

  @Override
  public void closed(Connection was, String why) {
    if (!isOver) {
      isOver = true;
      early.clear();
      ended.accept(why);
    }
  }
}
