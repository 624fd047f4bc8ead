package org.systole.common.wire;

import java.io.EOFException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.Connection;

/// A command's connection to a daemon: ask, wait, read. For commands, never for daemons.
///
/// Not safe for use by several threads.
///
/// @param <Q> the protocol's requests
/// @param <R> its replies
/// @param <E> its events
public final class BlockingClient<Q, R, E> implements AutoCloseable {
  private final ClientProtocol<Q, R, E> protocol;
  private final SocketChannel channel;
  private final Selector selector;
  private final Deque<E> events = new ArrayDeque<>();
  private ByteBuffer incoming = ByteBuffer.allocate(1 << 16);
  private long lastId;
  private boolean heard; // the daemon has said something

  private BlockingClient(ClientProtocol<Q, R, E> protocol, SocketChannel channel)
      throws IOException {
    this.protocol = protocol;
    this.channel = channel;
    this.selector = Selector.open();
    channel.configureBlocking(false);
    channel.register(selector, SelectionKey.OP_READ);
  }

  /// @param socket the socket's path
  /// @throws IOException if no daemon serves it or this user may not open it
  public static <Q, R, E> BlockingClient<Q, R, E> open(
      Path socket, ClientProtocol<Q, R, E> protocol) throws IOException {
    var channel = SocketChannel.open(StandardProtocolFamily.UNIX);
    try {
      channel.connect(UnixDomainSocketAddress.of(socket));
      return new BlockingClient<>(protocol, channel);
    } catch (IOException e) {
      channel.close();
      throw e;
    }
  }

  /// Sends a request and waits for its answer; events that arrive meanwhile are kept for [#event].
  ///
  /// @throws SocketTimeoutException if no answer came within `timeout`; the request may still be
  ///     carried out
  /// @throws IOException if the daemon closed the connection or sent garbage
  public R call(Q request, Duration timeout) throws IOException {
    var id = ++lastId;
    send(DecodedFrames.bytes(protocol.request(id, request))); // the other end is another process
    var deadline = Deadline.in(timeout);
    while (true) {
      var frame = frame(deadline);
      if (frame == null) {
        throw new SocketTimeoutException(
            protocol.name() + ": no answer within " + timeout.toMillis() + " ms");
      }
      var said = protocol.saidIn(frame);
      if (said instanceof ClientProtocol.Said.Event<R, E> event) {
        events.add(event.body());
      } else if (said instanceof ClientProtocol.Said.Reply<R, E> reply && reply.id() == id) {
        return reply.body();
      }
    }
  }

  /// The next event, null if none came within `timeout`.
  ///
  /// @throws IOException if the daemon closed the connection or sent garbage
  public @Nullable E event(Duration timeout) throws IOException {
    var deadline = Deadline.in(timeout);
    while (events.isEmpty()) {
      var frame = frame(deadline);
      if (frame == null) {
        return null;
      }
      if (protocol.saidIn(frame) instanceof ClientProtocol.Said.Event<R, E> event) {
        events.add(event.body());
      }
    }
    return events.remove();
  }

  @Override
  public void close() {
    try (channel;
        selector) {
      lastId = Long.MIN_VALUE;
    } catch (IOException e) {
      // nothing is lost by a failing close: every answer that mattered has been read
      lastId = Long.MIN_VALUE;
    }
  }

  private void send(byte[] frame) throws IOException {
    if (frame.length > Connection.FRAME_MAX) {
      throw new IOException(protocol.name() + ": " + Frames.tooLong("the request", frame));
    }
    var out = ByteBuffer.allocate(Integer.BYTES + frame.length);
    out.putInt(frame.length).put(frame).flip();
    while (out.hasRemaining()) {
      if (write(out) == 0) {
        var key = channel.keyFor(selector);
        key.interestOps(SelectionKey.OP_WRITE);
        selector.select(1000);
        selector.selectedKeys().clear();
        key.interestOps(SelectionKey.OP_READ);
      }
    }
  }

  private int write(ByteBuffer out) throws IOException {
    try {
      return channel.write(out);
    } catch (ClosedChannelException e) {
      throw e; // it was closed on this side
    } catch (IOException e) {
      throw closed(e);
    }
  }

  private void read() throws IOException {
    int count;
    try {
      count = channel.read(incoming);
    } catch (ClosedChannelException e) {
      throw e;
    } catch (IOException e) {
      throw closed(e);
    }
    if (count < 0) {
      throw closed(null);
    }
  }

  /// A daemon closes the connection of a user whom it does not take without a word.
  private IOException closed(@Nullable IOException why) {
    var text = protocol.name() + ": the daemon closed the connection";
    var refused =
        " before it said anything: it has ended, or does not take this user (root and members of group"
            + " haclient may ask; its log says whom it refused)";
    var closed = new EOFException(heard ? text : text + refused);
    closed.initCause(why);
    return closed;
  }

  private byte @Nullable [] frame(Deadline deadline) throws IOException {
    while (true) {
      var whole = takeWhole();
      if (whole != null) {
        return whole;
      }
      var leftMillis = deadline.leftMillis();
      if (leftMillis <= 0) {
        return null;
      }
      selector.select(leftMillis);
      selector.selectedKeys().clear();
      read();
    }
  }

  private byte @Nullable [] takeWhole() throws IOException {
    if (incoming.position() < Integer.BYTES) {
      return null;
    }
    var length = incoming.getInt(0);
    if (length < 1 || length > Connection.FRAME_MAX) {
      throw new IOException(protocol.name() + ": a frame of " + length + " bytes");
    }
    if (incoming.position() < Integer.BYTES + length) {
      if (incoming.capacity() < Integer.BYTES + length) {
        var larger = ByteBuffer.allocate(Integer.BYTES + length + (1 << 16));
        larger.put(incoming.flip());
        incoming = larger;
      }
      return null;
    }
    incoming.flip().position(Integer.BYTES);
    var frame = new byte[length];
    heard = true;
    incoming.get(frame);
    incoming.compact();
    return frame;
  }

  /// A moment on the monotonic clock. Commands have no world; this is their only clock.
  private record Deadline(long atNanos) {
    static Deadline in(Duration timeout) {
      return new Deadline(System.nanoTime() + timeout.toNanos());
    }

    long leftMillis() {
      return (atNanos - System.nanoTime() + 999_999) / 1_000_000;
    }
  }
}
