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
  private static final long LINGER_NANOS = 5_000_000_000L;
  private static final byte[] END = new byte[0];

  private final EventLoop loop;
  private final SocketChannel channel;
  private final Credentials peer;
  private final LinkedBlockingQueue<byte[]> outgoing = new LinkedBlockingQueue<>();
  private final AtomicLong waiting = new AtomicLong();
  private final Semaphore ahead = new Semaphore(AHEAD);
  private final AtomicBoolean closing = new AtomicBoolean();
  private volatile @Nullable String cutOff;

  SocketConnection(EventLoop loop, SocketChannel channel, Directories directories)
      throws IOException {
    this.loop = loop;
    this.channel = channel;
    this.peer = directories.credentials(channel);
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
    if (waiting.addAndGet(frame.length) > WAITING_MAX) {
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
      }
    } catch (IOException e) {
      // the reader sees the same and reports it
      closing.set(true);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    closeChannel();
  }

  private static ByteBuffer header(int length) {
    return ByteBuffer.allocate(Integer.BYTES).putInt(length).flip();
  }

  private void read(ConnectionHandler handler, Runnable onEnd) {
    String why;
    try {
      while (true) {
        var header = ByteBuffer.allocate(Integer.BYTES);
        fill(header);
        var length = header.getInt(0);
        if (length < 1 || length > FRAME_MAX) {
          throw new IOException("a frame of " + length + " bytes");
        }
        var frame = ByteBuffer.allocate(length);
        fill(frame);
        ahead.acquire();
        loop.post(() -> received(handler, frame.array()));
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

  private void received(ConnectionHandler handler, byte[] frame) {
    ahead.release();
    if (!closing.get()) {
      handler.received(this, frame);
    }
  }

  private void fill(ByteBuffer buffer) throws IOException {
    while (buffer.hasRemaining()) {
      if (channel.read(buffer) < 0) {
        throw new EOFException();
      }
    }
  }
}
