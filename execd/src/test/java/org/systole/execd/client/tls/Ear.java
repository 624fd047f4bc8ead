package org.systole.execd.client.tls;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.systole.common.world.Connection;
import org.systole.common.world.ConnectionHandler;

/// Hears what happens on connections; asked by the thread of a test.
final class Ear implements ConnectionHandler {
  final BlockingQueue<Connection> opened = new LinkedBlockingQueue<>();
  final BlockingQueue<byte[]> received = new LinkedBlockingQueue<>();
  final BlockingQueue<String> closed = new LinkedBlockingQueue<>();

  @Override
  public void opened(Connection connection) {
    opened.add(connection);
  }

  @Override
  public void received(Connection connection, byte[] frame) {
    received.add(frame);
  }

  @Override
  public void closed(Connection connection, String why) {
    closed.add(why);
  }

  /// The next of a queue, waited for up to a minute.
  static <T> T next(BlockingQueue<T> queue) throws InterruptedException {
    var next = queue.poll(60, TimeUnit.SECONDS);
    assertTrue(next != null, "it did not come");
    return next;
  }
}
