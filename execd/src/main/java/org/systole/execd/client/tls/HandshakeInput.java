package org.systole.execd.client.tls;

import java.io.FilterInputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import org.bouncycastle.tls.AlertDescription;
import org.bouncycastle.tls.TlsFatalAlert;
import org.bouncycastle.tls.TlsFatalAlertReceived;
import org.jspecify.annotations.Nullable;

/// Lets everything that is read until the end of the handshake take so long together, and be so long: a
/// peer that sends a byte now and then has no more time than another, and one that sends what means nothing
/// is not listened to for all of it. It also sees what the handshake itself does not tell apart.
final class HandshakeInput extends FilterInputStream {
  /// Of bytes that the other end sends until both are proved; certificates take some thousand.
  private static final int MAX = 256 << 10;

  /// What a first record can be, see RFC 5246, 6.2.1.
  private static final int ALERT = 21;

  private static final int HANDSHAKE = 22;

  private final Socket socket;
  private final long until;
  private boolean done;
  private int heard;
  private int first = -1;
  private boolean ended;

  HandshakeInput(Socket socket, Duration within) throws IOException {
    super(socket.getInputStream());
    this.socket = socket;
    this.until = System.nanoTime() + within.toNanos();
  }

  void done() throws IOException {
    done = true;
    socket.setSoTimeout(0);
  }

  /// Why a handshake that this end began came to nothing, where what was read says more than what the handshake
  /// made of it; null where it does not.
  @Nullable String reason(Exception failure) {
    if (first >= 0 && first != ALERT && first != HANDSHAKE) {
      return "what answers there does not speak TLS; another program may have that port";
    }
    if (failure instanceof SocketTimeoutException && heard == 0) {
      return "it takes the connection, but says nothing in time; it hangs, or another program has that port";
    }
    return isClosed(failure)
        ? "it closed the connection before both had proved who they are; it may have no key, or another one (its log says more)"
        : null;
  }

  /// Whether the other end left without a reason. Pacemaker's daemon says goodbye then, which in the middle of a
  /// handshake fails like an end that nobody has spoken of.
  private boolean isClosed(Exception failure) {
    return switch (failure) {
      case TlsFatalAlertReceived _ -> false; // the reason
      case TlsFatalAlert it when it.getAlertDescription() == AlertDescription.handshake_failure -> true;
      default -> ended;
    };
  }

  private void limit() throws IOException {
    if (!done) {
      var left = (until - System.nanoTime()) / 1_000_000;
      if (left <= 0) {
        throw new SocketTimeoutException();
      }
      socket.setSoTimeout((int) Math.min(left, Integer.MAX_VALUE));
    }
  }

  private void heard(int byteOrEnd, int count) throws IOException {
    if (done) {
      return;
    }
    if (count < 0) {
      ended = true;
    } else if (count > 0) {
      first = heard == 0 ? byteOrEnd : first;
      heard += count;
      if (heard > MAX) {
        throw new IOException("it says too much before it has proved who it is");
      }
    }
  }

  @Override
  public int read() throws IOException {
    limit();
    var read = super.read();
    heard(read, read < 0 ? -1 : 1);
    return read;
  }

  @Override
  public int read(byte[] bytes, int offset, int length) throws IOException {
    limit();
    var count = super.read(bytes, offset, length);
    heard(count > 0 ? bytes[offset] & 0xff : -1, count);
    return count;
  }
}
