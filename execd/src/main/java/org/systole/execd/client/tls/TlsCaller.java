package org.systole.execd.client.tls;

import java.io.ByteArrayOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.systole.execd.client.remote.RemoteFrameException;
import org.systole.execd.client.remote.RemoteFrameReader;
import org.systole.execd.client.remote.RemoteFrames;

/// A command's connection to a member, for one question at a time; each call blocks. Not safe for use
/// by several threads.
public final class TlsCaller implements AutoCloseable {
  private static final int BUFFER = 16 << 10;

  private final Socket socket;
  private final Limited in;
  private final TlsLine line;
  private final RemoteFrameReader frames = new RemoteFrameReader();
  private final Deque<byte[]> read = new ArrayDeque<>();
  private long id;

  private TlsCaller(Socket socket, Limited in, TlsLine line) {
    this.socket = socket;
    this.in = in;
    this.line = line;
  }

  /// Connects, and proves who both are.
  ///
  /// @throws IOException with one line that says why not
  public static TlsCaller open(String server, int port, RemoteProof proof, Duration within)
      throws IOException {
    proof.check(); // before anybody is asked
    var socket = new Socket();
    try {
      var target = new InetSocketAddress(server, port);
      if (target.isUnresolved()) {
        throw new IOException("there is no address for this name");
      }
      socket.setTcpNoDelay(true);
      socket.connect(target, Math.clamp(within.toMillis(), 1, Integer.MAX_VALUE));
      var in = new Limited(socket);
      in.limit(within);
      return new TlsCaller(socket, in, proof.connect(socket, in));
    } catch (IOException | RuntimeException e) { // whatever the other end sends
      socket.close();
      throw new IOException(
          "cannot connect to %s port %d: %s".formatted(server, port, PskTls.reason(e)), e);
    }
  }

  /// Sends a message.
  public void send(byte[] message) throws IOException {
    if (message.length >= RemoteFrames.MAX) {
      throw new IOException("it is too long: at most %d bytes are taken".formatted(RemoteFrames.MAX));
    }
    var out = line.out();
    out.write(RemoteFrames.header(++id, message)); // a record of its own
    var text = new ByteArrayOutputStream(message.length + 1);
    text.write(message);
    text.write(0);
    out.write(text.toByteArray());
    out.flush();
  }

  /// The next message.
  ///
  /// @throws SocketTimeoutException if none comes in time
  /// @throws IOException if the connection ends
  public byte[] receive(Duration within) throws IOException {
    in.limit(within);
    var buffer = new byte[BUFFER];
    while (read.isEmpty()) {
      var count = line.in().read(buffer);
      if (count < 0) {
        throw new IOException("closed by the other end");
      }
      try {
        frames.take(buffer, 0, count, read::add);
      } catch (RemoteFrameException e) {
        throw new IOException(e.getMessage(), e);
      }
    }
    return read.poll();
  }

  @Override
  public void close() {
    try {
      in.limit(Duration.ofSeconds(1));
      line.close();
      socket.close();
    } catch (IOException e) {
      return; // gone already
    }
  }

  /// Lets what is read until a moment take so long together.
  private static final class Limited extends FilterInputStream {
    private final Socket socket;
    private long until;

    Limited(Socket socket) throws IOException {
      super(socket.getInputStream());
      this.socket = socket;
    }

    void limit(Duration within) {
      until = System.nanoTime() + within.toNanos();
    }

    private void arm() throws IOException {
      var left = (until - System.nanoTime()) / 1_000_000;
      if (left <= 0) {
        throw new SocketTimeoutException("no answer in time");
      }
      socket.setSoTimeout((int) Math.min(left, Integer.MAX_VALUE));
    }

    @Override
    public int read() throws IOException {
      arm();
      return super.read();
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      arm();
      return super.read(bytes, offset, length);
    }
  }
}
