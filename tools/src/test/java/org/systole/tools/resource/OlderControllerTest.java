package org.systole.tools.resource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.systole.common.layout.Layout;
import org.systole.common.output.ExitStatus;
import org.systole.controld.client.CtlMessage;
import org.systole.tools.cli.CommandException;

/// A command of a newer version than the controller beside it, as while a cluster is upgraded.
class OlderControllerTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  @TempDir Path directory;

  private CommandException refused() {
    var environment = Map.of("SYSTOLE_ROOT", directory.toString());
    return assertThrows(
        CommandException.class,
        () -> ResourceCleanup.ask(environment, TIMEOUT, new CtlMessage.MayChange()));
  }

  @Test
  void oneThatDoesNotKnowTheRequestIsNotTakenForOneThatIsNotThere() throws Exception {
    var socket = Layout.of(Map.of("SYSTOLE_ROOT", directory.toString())).socket(CtlMessage.SOCKET);
    Files.createDirectories(socket.getParent());
    try (var server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      server.bind(UnixDomainSocketAddress.of(socket));
      var served =
          CompletableFuture.supplyAsync(
              () -> {
                try (var client = server.accept()) {
                  return client.read(ByteBuffer.allocate(1 << 16)) > 0;
                } catch (java.io.IOException e) {
                  throw new java.io.UncheckedIOException(e);
                }
              });

      var why = refused();

      assertTrue(served.get());
      assertEquals(ExitStatus.DISCONNECT, why.status());
      assertTrue(why.getMessage().contains("of an older version than this command"), why::toString);
    }
  }

  @Test
  void oneThatIsNotThereIsNotConnected() {
    assertTrue(refused().getMessage().contains("Not connected"));
  }
}
