package org.systole.common.real;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.Connection;
import org.systole.common.world.ConnectionHandler;

/// One local connection: a virtual thread reads, another writes, the loop hears and speaks.
final class SocketConnection implements Connection {
  private static final long WAITING_MAX = 96L << 20; // bytes queued for a peer that does not read
  private static final int AHEAD = 64; // frames read before the loop has taken the earlier ones
  private static final int READ = 16 << 10;
  private static final long WHOLE_NANOS = 60_000_000_000L; // from a frame's first byte to its last
  private static final long LINGER_NANOS = 5_000_000_000L;
  private static final byte[] END = new byte[0];

  private final EventLoop loop;
  private final SocketChannel channel;
  private final Credentials peer;
  private final Guests guests;
  private final ByteBuffer incoming = ByteBuffer.allocate(READ).flip();
  private final LinkedBlockingQueue<byte[]> outgoing = new LinkedBlockingQueue<>();
  private final AtomicLong waiting = new AtomicLong();
  private final Semaphore ahead = new Semaphore(AHEAD);
  private final AtomicBoolean closing = new AtomicBoolean();
  private volatile @Nullable String cutOff;

  SocketConnection(EventLoop loop, SocketChannel channel, Credentials peer, Guests guests) {
    this.loop = loop;
    this.channel = channel;
    this.peer = peer;
    this.guests = guests;
  }

  @Override
  public Credentials peer() {
    return peer;
  }

  /// Called in the loop, once.
  void start(ConnectionHandler handler, Runnable onEnd) {
    Thread.ofVirtual().name("write").start(this::write);
    handler.opened(this);
    Thread.ofVirtual().name("read").start(() -> read(handler, onEnd));
  }

  @Override
  public void send(byte[] frame) {
    if (frame.length < 1 || frame.length > FRAME_MAX) {
      throw new IllegalArgumentException("a frame of " + frame.length + " bytes");
    }
    if (closing.get()) {
      return;
    }
    if (waiting.addAndGet(frame.length) > WAITING_MAX
        || isGuest() && !guests.queue(frame.length)) {
      cut("the peer does not read: %d bytes wait for it".formatted(waiting.get()));
      return;
    }
    outgoing.add(frame);
  }

  @Override
  public void close() {
    if (closing.compareAndSet(false, true)) {
      outgoing.add(END);
      loop.after(LINGER_NANOS, this::closeChannel);
    }
  }

  private void cut(String why) {
    closing.set(true);
    cutOff = why;
    closeChannel();
    outgoing.add(END);
  }

  private void closeChannel() {
    try {
      channel.close();
    } catch (IOException e) {
      cutOff = "closing failed: " + e.getMessage();
    }
  }

  private void write() {
    try {
      while (true) {
        var frame = outgoing.take();
        if (frame == END) {
          break;
        }
        var buffers = new ByteBuffer[] {header(frame.length), ByteBuffer.wrap(frame)};
        while (buffers[1].hasRemaining()) {
          channel.write(buffers);
        }
        waiting.addAndGet(-frame.length);
        if (isGuest()) {
          guests.unqueue(frame.length);
        }
      }
    } catch (IOException e) {
      // the reader sees the same and reports it
      closing.set(true);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    closeChannel();
    if (isGuest()) {
      guests.unqueue(waiting.getAndSet(0)); // what was never sent
    }
  }

  private static ByteBuffer header(int length) {
    return ByteBuffer.allocate(Integer.BYTES).putInt(length).flip();
  }

  private void read(ConnectionHandler handler, Runnable onEnd) {
    String why;
    try {
      while (true) {
        var length = nextLength();
        if (length < 1 || length > FRAME_MAX) {
          throw new IOException("a frame of " + Integer.toUnsignedString(length) + " bytes");
        }
        ahead.acquire();
        guests.reserve(isGuest(), length);
        byte[] frame;
        try {
          frame = body(length);
        } catch (IOException e) {
          guests.release(isGuest(), length);
          throw e;
        }
        loop.post(() -> received(handler, frame));
      }
    } catch (EOFException e) {
      why = "the peer closed the connection";
    } catch (IOException e) {
      why = closing.get() ? "closed" : CannotStart.reason(e);
    } catch (InterruptedException e) {
      why = "interrupted";
    }
    var cause = cutOff;
    var last = cause != null ? cause : why;
    closing.set(true);
    outgoing.add(END);
    closeChannel();
    onEnd.run();
    loop.post(() -> handler.closed(this, last));
  }

  private boolean isGuest() {
    return !peer.privileged();
  }

  private void received(ConnectionHandler handler, byte[] frame) {
    ahead.release();
    try {
      if (!closing.get()) {
        handler.received(this, frame);
      }
    } finally {
      guests.release(isGuest(), frame.length);
    }
  }

  /// Waits as long as it takes for a frame to begin; once begun, it has to go on.
  private int nextLength() throws IOException {
    while (incoming.remaining() < Integer.BYTES) {
      incoming.compact();
      var begun = incoming.position() > 0;
      var deadline = begun ? loop.after(WHOLE_NANOS, this::tooSlow) : null;
      var n = channel.read(incoming);
      incoming.flip();
      if (deadline != null) {
        deadline.cancel();
      }
      if (n < 0) {
        throw new EOFException();
      }
    }
    return incoming.getInt();
  }

  private byte[] body(int length) throws IOException {
    var frame = ByteBuffer.allocate(length);
    var there = Math.min(length, incoming.remaining());
    frame.put(incoming.slice().limit(there));
    incoming.position(incoming.position() + there);
    if (!frame.hasRemaining()) {
      return frame.array();
    }
    var deadline = loop.after(WHOLE_NANOS, this::tooSlow);
    try {
      while (frame.hasRemaining()) {
        if (channel.read(frame) < 0) {
          throw new EOFException();
        }
      }
    } finally {
      deadline.cancel();
    }
    return frame.array();
  }

  private void tooSlow() {
    cut("half a frame, and nothing more for %d s".formatted(WHOLE_NANOS / 1_000_000_000L));
  }
}
