package org.systole.common.real;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.CannotStart;
import org.systole.common.world.Connection;
import org.systole.common.world.ConnectionHandler;
import org.systole.common.world.World;

/// One local connection, read and written by the loop. What one turn of the loop sends goes out
/// together.
final class SocketConnection implements Connection {
  private static final long WAITING_MAX = 96L << 20; // bytes queued for a peer that does not read
  private static final int WRITE = 64 << 10;
  private static final int READ = 128 << 10;
  private static final long WHOLE_NANOS = 60_000_000_000L; // from a frame's first byte to its last
  private static final long MEMORY_NANOS = 20_000_000L; // between two tries to get room for a frame
  private static final long LINGER_NANOS = 5_000_000_000L;

  private final EventLoop loop;
  private final SocketChannel channel;
  private final Credentials peer;
  private final Guests guests;
  private final Deque<ByteBuffer> outgoing = new ArrayDeque<>(); // headers and frames in turn
  private final ByteBuffer header = ByteBuffer.allocate(Integer.BYTES);
  private @Nullable ByteBuffer frame; // the one that is coming in
  private @Nullable ByteBuffer leftOver; // read, and waiting for room
  private World.@Nullable Timer deadline; // for what has begun to come in
  private int reserved;
  private @Nullable SelectionKey key;
  private @Nullable ConnectionHandler handler;
  private Runnable onEnd = () -> {};
  private long waiting;
  private boolean flushComing;
  private boolean closing;
  private boolean ended;
  private @Nullable String cutOff;

  SocketConnection(EventLoop loop, SocketChannel channel, Credentials peer, Guests guests) {
    this.loop = loop;
    this.channel = channel;
    this.peer = peer;
    this.guests = guests;
  }

  private boolean isGuest() {
    return !peer.privileged();
  }

  @Override
  public long unsent() {
    return waiting;
  }

  @Override
  public Credentials peer() {
    return peer;
  }

  /// Called in the loop, once.
  void start(ConnectionHandler toTell, Runnable atEnd) {
    handler = toTell;
    onEnd = atEnd;
    toTell.opened(this);
    try {
      if (!ended) {
        key = loop.watch(channel, SelectionKey.OP_READ, this::ready);
        flush();
      }
    } catch (IOException e) {
      end(CannotStart.reason(e));
    }
  }

  @Override
  public void send(byte[] message) {
    if (message.length < 1) {
      throw new IllegalArgumentException("a frame without content");
    }
    if (!loop.isCurrent()) {
      loop.post(() -> queue(message));
    } else {
      queue(message);
    }
  }

  private void queue(byte[] message) {
    if (closing) {
      return;
    }
    if (message.length > FRAME_MAX) {
      cutOff("a frame of %d bytes was to be sent".formatted(message.length));
      return;
    }
    waiting += message.length;
    if (waiting > WAITING_MAX || isGuest() && !guests.queue(message.length)) {
      cutOff("the peer does not read: %d bytes wait for it".formatted(waiting));
      return;
    }
    outgoing.add(ByteBuffer.allocate(Integer.BYTES).putInt(message.length).flip());
    outgoing.add(ByteBuffer.wrap(message));
    flushSoon();
  }

  private void cutOff(String why) {
    cutOff = why;
    closing = true;
    end(why);
  }

  private void flushSoon() {
    if (!flushComing && key != null) {
      flushComing = true;
      loop.atEndOfTurn(
          () -> {
            flushComing = false;
            flush();
          });
    }
  }

  @Override
  public void close() {
    if (!loop.isCurrent()) {
      loop.post(this::close);
    } else if (!closing) {
      closing = true;
      loop.after(LINGER_NANOS, () -> end("closed"));
      flushSoon();
    }
  }

  @Override
  public void abandon() {
    if (!loop.isCurrent()) {
      loop.post(this::abandon);
    } else {
      closing = true;
      end("closed");
    }
  }

  /// Writes what the peer takes; the rest when it takes more.
  private void flush() {
    var registered = key;
    if (ended || registered == null) {
      return;
    }
    try {
      while (!outgoing.isEmpty() && write()) {
        dropWritten();
      }
      dropWritten();
      choose(registered);
      if (closing && outgoing.isEmpty()) {
        end("closed");
      }
    } catch (IOException | CancelledKeyException e) {
      end(closing ? "closed" : "the peer closed the connection");
    }
  }

  private void choose(SelectionKey registered) {
    var reading = leftOver == null ? SelectionKey.OP_READ : 0;
    registered.interestOps(outgoing.isEmpty() ? reading : reading | SelectionKey.OP_WRITE);
  }

  /// Writes what fits one buffer, by one call: headers and short frames go together.
  ///
  /// @return whether the peer may take more
  private boolean write() throws IOException {
    var together = loop.writeBuffer(WRITE);
    for (var it : outgoing) {
      var count = Math.min(it.remaining(), together.remaining());
      together.put(together.position(), it, it.position(), count);
      together.position(together.position() + count);
      if (!together.hasRemaining()) {
        break;
      }
    }
    var wanted = together.flip().remaining();
    var written = channel.write(together);
    var left = written;
    for (var it : outgoing) {
      var count = Math.min(left, it.remaining());
      it.position(it.position() + count);
      left -= count;
      if (left == 0) {
        break;
      }
    }
    return written == wanted;
  }

  private void dropWritten() {
    while (!outgoing.isEmpty() && !outgoing.getFirst().hasRemaining()) {
      var written = outgoing.removeFirst();
      if (outgoing.size() % 2 == 0) { // that was a frame, not its header
        waiting -= written.limit();
        if (isGuest()) {
          guests.unqueue(written.limit());
        }
      }
    }
  }

  private void ready() {
    var registered = key;
    if (ended || registered == null) {
      return;
    }
    if (registered.isReadable()) {
      read();
    }
    if (!ended && !outgoing.isEmpty()) {
      flush();
    }
  }

  private void read() {
    var buffer = loop.readBuffer(READ);
    int count;
    try {
      count = channel.read(buffer);
    } catch (IOException e) {
      end(closing ? "closed" : CannotStart.reason(e));
      return;
    }
    if (count < 0) {
      end(closing ? "closed" : "the peer closed the connection");
      return;
    }
    takeAll(buffer.flip());
  }

  private void takeAll(ByteBuffer buffer) {
    while (!ended && buffer.hasRemaining() && take(buffer)) {
      // frame by frame
    }
    if (!ended && buffer.hasRemaining()) {
      waitForRoom(buffer);
    } else if (!ended && deadline == null && (frame != null || header.position() > 0)) {
      deadline =
          loop.after(
              WHOLE_NANOS,
              () ->
                  end(
                      "half a frame, and nothing more for %d s"
                          .formatted(WHOLE_NANOS / 1_000_000_000L)));
    }
  }

  /// @return false if there is no room for the frame that begins
  private boolean take(ByteBuffer buffer) {
    var coming = frame;
    if (coming == null) {
      move(buffer, header);
      if (header.hasRemaining()) {
        return true;
      }
      var length = header.getInt(0);
      if (length < 1 || length > FRAME_MAX) {
        end("a frame of " + Integer.toUnsignedString(length) + " bytes");
        return true;
      }
      if (length > buffer.remaining()) {
        if (!guests.reserve(isGuest(), length)) {
          return false;
        }
        reserved = length;
      }
      header.clear();
      coming = ByteBuffer.allocate(length);
      frame = coming;
    }
    move(buffer, coming);
    if (!coming.hasRemaining()) {
      received(coming.array());
    }
    return true;
  }

  private void received(byte[] whole) {
    frame = null;
    stopWaiting();
    var told = handler;
    if (!closing && told != null) {
      told.received(this, whole);
    }
    release();
  }

  private void stopWaiting() {
    if (deadline != null) {
      deadline.cancel();
      deadline = null;
    }
  }

  private void release() {
    if (reserved > 0) {
      guests.release(isGuest(), reserved);
      reserved = 0;
    }
  }

  /// Reads no more from this peer until others' frames have been dealt with.
  private void waitForRoom(ByteBuffer rest) {
    var copy = ByteBuffer.allocate(Integer.BYTES + rest.remaining());
    leftOver = copy.put(header.flip()).put(rest).flip();
    header.clear();
    var registered = key;
    if (registered != null) {
      choose(registered);
    }
    loop.after(
        MEMORY_NANOS,
        () -> {
          var there = leftOver;
          leftOver = null;
          if (there != null && !ended) {
            takeAll(there);
          }
          if (leftOver == null && registered != null && !ended) {
            choose(registered);
          }
        });
  }

  private static void move(ByteBuffer from, ByteBuffer to) {
    var count = Math.min(from.remaining(), to.remaining());
    to.put(to.position(), from, from.position(), count);
    to.position(to.position() + count);
    from.position(from.position() + count);
  }

  private void end(String why) {
    if (ended) {
      return;
    }
    ended = true;
    var cause = cutOff;
    var last = cause != null ? cause : why;
    closing = true;
    leftOver = null;
    stopWaiting();
    release();
    outgoing.clear();
    if (isGuest()) {
      guests.unqueue(waiting); // what was never sent
    }
    try {
      channel.close();
    } catch (IOException e) {
      last = "closing failed: " + e.getMessage();
    }
    onEnd.run();
    var reason = last;
    var told = handler;
    if (told != null) {
      loop.post(() -> told.closed(this, reason));
    }
  }
}
