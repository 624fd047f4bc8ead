package org.systole.cts.fuzz;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// One connection to a local socket, over which anything can be said. Not safe for use by several
/// threads.
final class Talk implements AutoCloseable {
  private final SocketChannel channel;
  private final Selector selector;
  private ByteBuffer incoming = ByteBuffer.allocate(1 << 14);
  private boolean ended;

  private Talk(SocketChannel channel) throws IOException {
    this.channel = channel;
    this.selector = Selector.open();
    channel.configureBlocking(false);
    channel.register(selector, SelectionKey.OP_READ);
  }

  /// @throws IOException if nobody listens there, or lets nobody in just now
  static Talk to(Path socket) throws IOException {
    var channel = SocketChannel.open(StandardProtocolFamily.UNIX);
    try {
      channel.connect(UnixDomainSocketAddress.of(socket));
      return new Talk(channel);
    } catch (IOException e) {
      channel.close();
      throw e;
    }
  }

  static byte[] framed(byte[] content) {
    return ByteBuffer.allocate(Integer.BYTES + content.length)
        .putInt(content.length)
        .put(content)
        .array();
  }

  /// Says bytes as they are, until they are gone, the other end has gone or the time is over.
  ///
  /// @return whether all of them are gone
  boolean say(byte[] bytes, Duration limit) throws IOException {
    var left = ByteBuffer.wrap(bytes);
    var deadline = System.nanoTime() + limit.toNanos();
    while (left.hasRemaining()) {
      try {
        if (channel.write(left) > 0) {
          continue;
        }
      } catch (IOException e) {
        return false; // cut off; what was answered can still be read
      }
      if (System.nanoTime() > deadline || Thread.currentThread().isInterrupted()) {
        return false;
      }
      await(SelectionKey.OP_WRITE, 20);
    }
    return true;
  }

  private void await(int forWhat, long millis) throws IOException {
    for (var key : selector.keys()) {
      key.interestOps(forWhat);
    }
    selector.select(Math.max(1, millis));
    selector.selectedKeys().clear();
  }

  /// The next frame that comes.
  ///
  /// @return null if none came in time, or the other end has gone, see [#isEnded]
  byte @Nullable [] hear(Duration limit) throws IOException {
    var deadline = System.nanoTime() + limit.toNanos();
    while (true) {
      var whole = next();
      if (whole != null || ended) {
        return whole;
      }
      int count;
      try {
        count = channel.read(incoming);
      } catch (IOException e) {
        count = -1;
      }
      if (count < 0) {
        ended = true;
      } else if (count == 0) {
        var left = (deadline - System.nanoTime()) / 1_000_000;
        if (left <= 0 || Thread.currentThread().isInterrupted()) {
          return null;
        }
        await(SelectionKey.OP_READ, left);
      }
    }
  }

  private byte @Nullable [] next() throws IOException {
    incoming.flip();
    try {
      if (incoming.remaining() < Integer.BYTES) {
        return null;
      }
      var length = incoming.getInt(incoming.position());
      if (length < 1 || length > 64 << 20) {
        throw new IOException("a daemon sends a frame of " + length + " bytes");
      }
      if (incoming.remaining() < Integer.BYTES + length) {
        if (incoming.capacity() < Integer.BYTES + length) {
          incoming = ByteBuffer.allocate(2 * length).put(incoming).flip();
        }
        return null;
      }
      var frame = new byte[length];
      incoming.getInt();
      incoming.get(frame);
      return frame;
    } finally {
      incoming.compact();
    }
  }

  boolean isEnded() {
    return ended;
  }

  @Override
  public void close() {
    try {
      selector.close();
      channel.close();
    } catch (IOException e) {
      ended = true;
    }
  }
}
