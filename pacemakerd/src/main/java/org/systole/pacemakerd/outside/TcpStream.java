package org.systole.pacemakerd.outside;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.UpgradableStreams;
import org.systole.common.world.World;

/// A connection: one thread reads, one writes. Reading stops while the loop has more than a few
/// pieces to take.
final class TcpStream implements UpgradableStreams.Stream {
  private static final int PIECE = 16 << 10;
  private static final int PIECES = 16; // read and not yet taken
  private static final int WAITING_MAX = 1 << 20; // bytes to be written

  /// What the writer is to do.
  private sealed interface Job {
    record Write(byte[] bytes) implements Job {}

    record Secure(Duration within) implements Job {}
  }

  private final World world;
  private final Socket socket;
  private final DeviceCertificates certificates;
  private final UpgradableStreams.Handler handler;
  private final LinkedBlockingQueue<Job> jobs = new LinkedBlockingQueue<>();
  private final AtomicInteger waiting = new AtomicInteger();
  private final AtomicBoolean closed = new AtomicBoolean();
  private final Semaphore places = new Semaphore(PIECES);
  private volatile @Nullable String why;

  TcpStream(
      World world,
      Socket socket,
      DeviceCertificates certificates,
      UpgradableStreams.Handler handler) {
    this.world = world;
    this.socket = socket;
    this.certificates = certificates;
    this.handler = handler;
  }

  static String reason(Exception e) {
    return e instanceof SocketTimeoutException
        ? "no answer"
        : e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
  }

  @Override
  public void send(byte[] bytes) {
    if (waiting.addAndGet(bytes.length) > WAITING_MAX) {
      end("it does not take what is sent");
      return;
    }
    jobs.add(new Job.Write(bytes));
  }

  @Override
  public void secure(Duration within) {
    jobs.add(new Job.Secure(within));
  }

  @Override
  public void close() {
    end("closed here");
  }

  private void end(String reason) {
    if (why == null) {
      why = reason;
    }
    closed.set(true);
    try {
      socket.close();
    } catch (IOException e) {
      return; // gone already
    }
  }

  /// Until the connection ends.
  void run() {
    world.post(() -> handler.opened(this));
    try {
      var in = socket.getInputStream();
      // In the clear the server speaks only when it is asked: nothing comes before the writer
      // has taken the reader's place, or secured the connection.
      write(in, socket.getOutputStream());
    } catch (IOException | RuntimeException e) { // whatever the other end sends
      end(reason(e));
    }
    end("the server has closed the connection");
    var reason = why == null ? "it has ended" : why;
    world.post(() -> handler.closed(reason));
  }

  /// Writes in the clear until the connection is secured, and reads beside it.
  private void write(InputStream in, OutputStream out) throws IOException {
    var reader = Thread.ofVirtual().name("qdevice-read").unstarted(() -> read(in, true));
    reader.start();
    var job = pump(out);
    if (job == null) {
      return;
    }
    joined(reader);
    var secure = secured(job.within());
    var proved = secure.getSession().getLocalCertificates() != null;
    world.post(() -> handler.secured(this, proved));
    var next = secure.getInputStream();
    Thread.ofVirtual().name("qdevice-read").start(() -> read(next, false));
    if (pump(secure.getOutputStream()) != null) {
      throw new IOException("it is secured already");
    }
  }

  /// @return the job that was not to write, null if the connection has ended
  private Job.@Nullable Secure pump(OutputStream out) throws IOException {
    while (!closed.get()) {
      try {
        switch (jobs.poll(1, java.util.concurrent.TimeUnit.SECONDS)) {
          case null -> {} // look whether it is closed
          case Job.Write(var bytes) -> {
            out.write(bytes);
            out.flush();
            waiting.addAndGet(-bytes.length);
          }
          case Job.Secure it -> {
            return it;
          }
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return null;
      }
    }
    return null;
  }

  private void joined(Thread reader) {
    upgrading = true;
    try {
      reader.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private SSLSocket secured(Duration within) throws IOException {
    socket.setSoTimeout(Math.clamp(within.toMillis(), 1, Integer.MAX_VALUE));
    var made =
        certificates
            .context()
            .getSocketFactory()
            .createSocket(socket, socket.getInetAddress().getHostAddress(), socket.getPort(), true);
    if (!(made instanceof SSLSocket secure)) {
      throw new IOException("no encryption can be had");
    }
    secure.setUseClientMode(true);
    secure.startHandshake();
    var peer = secure.getSession().getPeerCertificates();
    if (!(peer[0] instanceof X509Certificate it) || !DeviceCertificates.isServer(it)) {
      throw new IOException(
          "its certificate is not that of a qnetd: it is not called " + DeviceCertificates.SERVER);
    }
    socket.setSoTimeout(0);
    return secure;
  }

  private volatile boolean upgrading;

  /// @param clear whether it ends when the connection is to be secured
  private void read(InputStream in, boolean clear) {
    var buffer = new byte[PIECE];
    try {
      if (clear) {
        socket.setSoTimeout(50);
      }
      while (!closed.get() && !(clear && upgrading)) {
        int count;
        try {
          count = in.read(buffer);
        } catch (SocketTimeoutException e) {
          continue; // look whether it is to be secured
        }
        if (count < 0) {
          break;
        }
        var piece = Arrays.copyOf(buffer, count);
        places.acquireUninterruptibly();
        world.post(
            () -> {
              places.release();
              handler.received(this, piece);
            });
      }
    } catch (IOException | RuntimeException e) { // whatever the other end sends
      end(reason(e));
    }
    if (!(clear && upgrading)) {
      end("the server has closed the connection");
    }
  }
}
