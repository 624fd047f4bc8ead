package org.systole.tools.cli;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.systole.common.layout.Layout;
import org.systole.common.wire.ClientProtocol;

/// A stand-in for a daemon, at its real socket: it gives the same answer to all that a command asks.
public final class StandIn {
  private StandIn() {}

  /// Runs a command beside the stand-in.
  ///
  /// @param name the socket's
  public static <Q, R, E> Shell.Result run(
      Path root,
      String name,
      ClientProtocol<Q, R, E> protocol,
      R answer,
      Command command,
      String... args)
      throws Exception {
    var shell = new Shell(root).set(Layout.ROOT, root.toString());
    return beside(root, name, protocol, answer, () -> shell.run(command, args));
  }

  /// Has something done beside the stand-in, which has to ask it.
  ///
  /// @param name the socket's
  public static <Q, R, E, T> T beside(
      Path root, String name, ClientProtocol<Q, R, E> protocol, R answer, Callable<T> what)
      throws Exception {
    return answering(root, name, protocol, _ -> answer, what);
  }

  /// The same with an answer for each request.
  @SuppressWarnings("try") // closed before the end, so that the stand-in ends
  public static <Q, R, E, T> T answering(
      Path root, String name, ClientProtocol<Q, R, E> protocol, Function<Q, R> answer, Callable<T> what)
      throws Exception {
    var socket = new Layout(root, root).socket(name);
    Files.createDirectories(socket.getParent());
    try (var server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      server.bind(UnixDomainSocketAddress.of(socket));
      var asked = new AtomicBoolean();
      var daemon =
          Thread.ofVirtual()
              .start(
                  () -> {
                    while (accept(server) instanceof SocketChannel channel) {
                      asked.set(true);
                      Thread.ofVirtual().start(() -> serve(channel, protocol, answer));
                    }
                  });
      var result = what.call();
      server.close();
      daemon.join();
      if (!asked.get()) {
        throw new IllegalStateException("nobody has asked " + name);
      }
      return result;
    } finally {
      Files.delete(socket);
    }
  }

  /// @return null once the socket is closed
  private static @Nullable SocketChannel accept(ServerSocketChannel server) {
    try {
      return server.accept();
    } catch (ClosedChannelException e) {
      return null;
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static <Q, R, E> void serve(
      SocketChannel accepted, ClientProtocol<Q, R, E> protocol, Function<Q, R> answer) {
    try (var channel = accepted) {
      var in = new DataInputStream(Channels.newInputStream(channel));
      while (true) {
        var frame = in.readNBytes(in.readInt());
        var asked = protocol.requestIn(frame);
        var reply = protocol.reply(asked.id(), answer.apply(asked.body()));
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
}
