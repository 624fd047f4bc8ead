package org.systole.common.wire;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What a command says of a daemon that hangs up.
final class BlockingClientTest {
  sealed interface Talk {
    ClientProtocol<Said, Said, ClientProtocol.NoEvent> PROTOCOL =
        ClientProtocol.of(Protocol.of("talk", 1, Talk.class), Said.class, Said.class);

    sealed interface Said extends Talk {}

    record Say(String text) implements Said {}
  }

  @Test
  void aUserWhomADaemonDoesNotTakeIsToldWhoMayAsk(@TempDir Path directory) throws IOException {
    var socket = directory.resolve("talk.sock");
    try (var server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      server.bind(UnixDomainSocketAddress.of(socket));
      for (var closedBefore : new boolean[] {true, false}) {
        try (var client = BlockingClient.open(socket, Talk.PROTOCOL)) {
          var accepted = server.accept();
          if (closedBefore) {
            accepted.close(); // what is sent breaks the pipe
          } else {
            accepted.shutdownOutput();
          }
          var told =
              assertThrows(
                  IOException.class, () -> client.call(new Talk.Say("hello"), Duration.ofSeconds(20)));
          assertTrue(
              ("" + told.getMessage()).contains("root and members of group haclient may ask"), told::toString);
          accepted.close();
        }
      }
    }
  }
}
