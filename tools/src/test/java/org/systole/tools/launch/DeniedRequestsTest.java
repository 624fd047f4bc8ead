package org.systole.tools.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.systole.attrd.client.AttrMessage;
import org.systole.common.layout.Layout;
import org.systole.common.wire.ClientProtocol;
import org.systole.fenced.client.FenceMessage;
import org.systole.pacemakerd.client.PacemakerdMessage;
import org.systole.tools.attributes.AttrdUpdater;
import org.systole.tools.cli.Command;
import org.systole.tools.cli.Shell;
import org.systole.tools.fencing.StonithAdmin;

/// What commands make of a daemon that does not do what is asked for this user: they end with
/// "insufficient privileges" and say why. The daemons are stand-ins at real sockets.
@Timeout(60)
class DeniedRequestsTest {
  private static final String WHY = "user anna may not do this";

  @TempDir Path root;

  private <Q, R, E> Shell.Result run(
      String name, ClientProtocol<Q, R, E> protocol, R answer, Command command, String... args)
      throws Exception {
    var shell = new Shell(root).set(Layout.ROOT, root.toString());
    var socket = new Layout(root, root).socket(name);
    Files.createDirectories(socket.getParent());
    try (var server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      server.bind(UnixDomainSocketAddress.of(socket));
      var daemon = Thread.ofVirtual().start(() -> serve(server, protocol, answer));
      var result = shell.run(command, args);
      daemon.join();
      return result;
    } finally {
      Files.delete(socket);
    }
  }

  private static <Q, R, E> void serve(
      ServerSocketChannel server, ClientProtocol<Q, R, E> protocol, R answer) {
    try (var channel = server.accept()) {
      var in = new DataInputStream(Channels.newInputStream(channel));
      while (true) {
        var frame = in.readNBytes(in.readInt());
        var reply = protocol.reply(protocol.requestIn(frame).id(), answer);
        var out = ByteBuffer.allocate(Integer.BYTES + reply.length);
        out.putInt(reply.length).put(reply).flip();
        while (out.hasRemaining()) {
          channel.write(out);
        }
      }
    } catch (EOFException e) {
      return; // the command has ended
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void assertDenied(Shell.Result result) {
    assertEquals(4, result.code(), result.toString());
    assertTrue(result.err().contains("Permission denied (" + WHY + ")"), result.toString());
  }

  @Test
  void aNodeThatIsNotStoppedForAnybodyIsNotTakenForDown() throws Exception {
    for (var option : new String[] {"--shutdown", "--debug=yes"}) {
      assertDenied(
          run(
              PacemakerdMessage.SOCKET,
              PacemakerdMessage.PROTOCOL,
              new PacemakerdMessage.Denied(WHY),
              new Pacemakerd(),
              option));
    }
  }

  @Test
  void theFencer() throws Exception {
    for (var option : new String[] {"--reboot=node2", "--list=node2", "--confirm=node2"}) {
      assertDenied(
          run(
              FenceMessage.SOCKET,
              FenceMessage.PROTOCOL,
              new FenceMessage.Denied(WHY),
              new StonithAdmin(),
              option));
    }
    assertDenied(
        run(
            FenceMessage.SOCKET,
            FenceMessage.PROTOCOL,
            new FenceMessage.Denied(WHY),
            new StonithAdmin(),
            "--history=node2",
            "--cleanup"));
  }

  @Test
  void theAttributeManager() throws Exception {
    assertDenied(
        run(
            AttrMessage.SOCKET,
            AttrMessage.PROTOCOL,
            new AttrMessage.Done(AttrMessage.Outcome.DENIED, WHY),
            new AttrdUpdater(),
            "-n",
            "x",
            "-U",
            "1"));
  }
}
