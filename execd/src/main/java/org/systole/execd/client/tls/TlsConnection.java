package org.systole.execd.client.tls;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import org.systole.common.world.Connection;
import org.systole.common.world.ConnectionHandler;
import org.systole.common.world.World;
import org.systole.execd.client.remote.RemoteFrameException;
import org.systole.execd.client.remote.RemoteFrameReader;
import org.systole.execd.client.remote.RemoteFrames;

/// A connection whose ends have proved themselves. One thread reads and one writes; a peer that does
/// not read, or sends faster than it is listened to, holds up its own connection only.
final class TlsConnection implements Connection {
  private static final long WAITING_MAX = 32L << 20; // bytes queued for a peer that does not read
  private static final int READ_MAX = 32 << 20; // bytes of messages that wait for the loop
  private static final int WAIT_MAX = 32; // messages that wait for it: others have their turns, too
  private static final int BUFFER = 16 << 10;
  private static final Duration STALL = Duration.ofSeconds(30);
  private static final Duration GOODBYE = Duration.ofSeconds(5);
  private static final byte[] END = {};

  private final World world;
  private final Socket socket;
  private final TlsLine tls;
  private final String address;
  private final LinkedBlockingQueue<byte[]> outgoing = new LinkedBlockingQueue<>();
  private final AtomicLong waiting = new AtomicLong();
  private final AtomicLong written = new AtomicLong();
  private final Semaphore room = new Semaphore(READ_MAX);
  private final Semaphore turns = new Semaphore(WAIT_MAX);
  private final ReadRoom.Part part;
  private volatile String ended = "";
  private boolean watched; // in the loop
  private boolean closing; // in the loop

  /// @param room of all connections
  TlsConnection(World world, ReadRoom room, Socket socket, TlsLine tls, String address) {
    this.world = world;
    this.part = room.part(() -> end("it sends too much: the memory of all connections is full"));
    this.socket = socket;
    this.tls = tls;
    this.address = address;
  }

  /// Reads until the connection ends; the handler hears of all that happens in the loop.
  void run(ConnectionHandler handler) {
    Thread.ofVirtual().name("to-" + address).start(this::write);
    world.post(() -> handler.opened(this));
    var why = read(handler);
    end(why);
    outgoing.add(END);
    var reason = ended;
    world.post(
        () -> {
          closing = true;
          handler.closed(this, reason);
        });
  }

  private String read(ConnectionHandler handler) {
    var frames = new RemoteFrameReader();
    var buffer = new byte[BUFFER];
    var kept = 0;
    try {
      InputStream in = tls.in();
      for (var count = in.read(buffer); count >= 0; count = in.read(buffer)) {
        frames.take(buffer, 0, count, message -> received(handler, message));
        part.change(frames.kept() - kept);
        kept = frames.kept();
      }
      return "closed by the other end";
    } catch (RemoteFrameException e) {
      return e.getMessage();
    } catch (IOException | RuntimeException e) { // whatever the other end sent
      return PskTls.reason(e);
    } finally {
      part.change(-kept);
    }
  }

  private void received(ConnectionHandler handler, byte[] message) {
    var size = Math.max(1, message.length);
    room.acquireUninterruptibly(size);
    turns.acquireUninterruptibly();
    part.change(size);
    world.post(
        () -> {
          part.change(-size);
          room.release(size);
          turns.release();
          handler.received(this, message);
        });
  }

  private void write() {
    try {
      OutputStream out = tls.out();
      var id = 0L;
      for (var message = outgoing.take(); message != END; message = outgoing.take()) {
        out.write(RemoteFrames.header(++id, message)); // a record of its own
        var text = java.util.Arrays.copyOf(message, message.length + 1); // with its final zero
        out.write(text);
        out.flush();
        waiting.addAndGet(-message.length);
        written.incrementAndGet();
      }
      socket.setSoLinger(false, 0); // what was written gets through
      because("closed"); // before the reader notices
      tls.close();
    } catch (IOException | RuntimeException e) {
      end(PskTls.reason(e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    end("closed");
  }

  /// The first reason given is the one that is told.
  private synchronized void because(String why) {
    if (ended.isEmpty()) {
      ended = why;
    }
  }

  private void end(String why) {
    because(why);
    try {
      socket.close();
    } catch (IOException e) {
      return; // gone already
    }
  }

  @Override
  public void send(byte[] frame) {
    if (closing) {
      return;
    }
    if (frame.length >= RemoteFrames.MAX) {
      end("a message of %d bytes was to be sent".formatted(frame.length));
      return;
    }
    if (waiting.addAndGet(frame.length) > WAITING_MAX) {
      end("the other end does not read");
      return;
    }
    outgoing.add(frame);
    watch();
  }

  /// Cuts off a peer that has read nothing for long although something waits for it.
  private void watch() {
    if (watched) {
      return;
    }
    watched = true;
    var before = written.get();
    world.after(
        STALL,
        () -> {
          watched = false;
          if (closing || waiting.get() == 0) {
            return;
          }
          if (written.get() == before) {
            end("the other end does not read");
          } else {
            watch();
          }
        });
  }

  @Override
  public void close() {
    if (!closing) {
      closing = true;
      outgoing.add(END);
      world.after(GOODBYE, () -> end("closed"));
    }
  }

  @Override
  public void abandon() {
    closing = true;
    outgoing.clear();
    end("closed");
  }

  @Override
  public long unsent() {
    return waiting.get();
  }

  @Override
  public Credentials peer() {
    return new Credentials(address, List.of(), true);
  }
}
