package org.systole.cts.fuzz;

import java.io.IOException;
import java.io.OutputStream;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.HexFormat;
import java.util.random.RandomGenerator;

/// Answers at the address of a remote node, without its key: members connect to it again and again, and it says
/// whatever comes to its mind, for as long as they listen.
final class FalseHost implements AutoCloseable {
  private static final String NAME = "false";
  private static final int BACKLOG = 8;

  /// A record of TLS 1.2 in which a server says that it would like to begin, which it may at any time.
  private static final byte[] REQUEST = HexFormat.of().parseHex("160303000400000000");

  /// The beginning of a greeting of 16 MiB.
  private static final byte[] LONG = HexFormat.of().parseHex("160303400002ffffff0303");

  private static final byte[] WARNING = HexFormat.of().parseHex("15030300020164");

  private final ServerSocket server;
  private final RandomGenerator random; // of its own thread
  private final Figures figures;

  FalseHost(RemoteHosts hosts, Figures figures, RandomGenerator random) throws IOException {
    this.random = random;
    this.figures = figures;
    var at = hosts.address(14);
    server = new ServerSocket(at.getPort(), BACKLOG, at.getAddress());
    Thread.ofPlatform().daemon().start(this::serve);
    hosts.configure(
        "<primitive id='false' class='ocf' provider='pacemaker' type='remote'>"
            + RemoteHosts.attributes(NAME, at)
            + "<operations><op id='false-s' name='start' interval='0' timeout='20s'/></operations>"
            + "</primitive>",
        "");
  }

  private void serve() {
    while (!server.isClosed()) {
      try (var socket = server.accept()) {
        speak(socket);
      } catch (IOException e) {
        figures.manner("a member that hangs up"); // as it should
      }
    }
  }

  private void speak(Socket socket) throws IOException {
    var kind = random.nextInt(6);
    figures.count("a false host", "kind " + kind);
    var out = socket.getOutputStream();
    switch (kind) {
      case 0 -> withoutEnd(out, REQUEST);
      case 1 -> withoutEnd(out, WARNING);
      case 2 -> {
        out.write(LONG);
        withoutEnd(out, new byte[1 << 14]);
      }
      case 3 -> withoutEnd(out, TlsStranger.bytes(random, 20_000));
      case 4 -> socket.getInputStream().readAllBytes(); // says nothing
      default -> out.write(REQUEST, 0, random.nextInt(REQUEST.length));
    }
  }

  private static void withoutEnd(OutputStream out, byte[] what) throws IOException {
    var many = new byte[what.length * Math.max(1, (1 << 14) / what.length)];
    for (var at = 0; at < many.length; at += what.length) {
      System.arraycopy(what, 0, many, at, what.length);
    }
    while (true) {
      out.write(many);
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
