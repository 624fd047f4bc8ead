package org.systole.cts.fuzz;

import java.io.IOException;
import java.net.Socket;
import java.util.HexFormat;
import java.util.random.RandomGenerator;
import org.systole.cts.fuzz.SocketFuzz.Wrong;
import org.systole.execd.client.tls.RemoteProof;

/// What somebody says to a port that speaks TLS who has no right to it.
final class TlsStranger {
  /// The beginning of a greeting of TLS 1.2.
  private static final byte[] HELLO =
      HexFormat.of().parseHex("16030100c8010000c40303" + "5a".repeat(32) + "00");

  private TlsStranger() {}

  /// Says one of five things: noise, a part of a greeting, one and noise, what shows another key, and
  /// nothing.
  ///
  /// @param wrong what nobody may be let in for
  static void speak(
      Socket socket, int kind, RemoteProof wrong, RandomGenerator random, Figures figures)
      throws Wrong {
    try {
      var out = socket.getOutputStream();
      switch (kind) {
        case 0 -> out.write(bytes(random, 3_000));
        case 1 -> out.write(HELLO, 0, random.nextInt(1, HELLO.length));
        case 2 -> {
          out.write(HELLO);
          out.write(bytes(random, 20_000));
        }
        case 3 -> {
          figures.manner("another key");
          wrong.connect(socket, socket.getInputStream());
          throw new Wrong("another key was taken");
        }
        default -> socket.shutdownOutput();
      }
    } catch (IOException | RuntimeException e) {
      figures.manner("cut off while it spoke"); // as it should be
    }
  }

  /// At least two bytes of noise.
  static byte[] bytes(RandomGenerator random, int longest) {
    var bytes = new byte[random.nextInt(2, longest)];
    random.nextBytes(bytes);
    return bytes;
  }
}
