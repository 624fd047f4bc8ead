package org.systole.pacemakerd.outside;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import org.systole.common.world.UpgradableStreams;
import org.systole.common.world.World;

/// The real [UpgradableStreams]. Each connection has virtual threads of its own.
public final class TcpStreams implements UpgradableStreams {
  private final World world;
  private final DeviceCertificates certificates;

  public TcpStreams(World world, DeviceCertificates certificates) {
    this.world = world;
    this.certificates = certificates;
  }

  @Override
  public void connect(Target target, Duration within, Handler handler) {
    Thread.ofVirtual()
        .name("qdevice")
        .start(
            () -> {
              Socket socket;
              try {
                socket = open(target, within);
              } catch (IOException | RuntimeException e) { // whatever the network says
                var why =
                    "cannot connect to %s port %d: %s"
                        .formatted(target.server(), target.port(), TcpStream.reason(e));
                world.post(() -> handler.closed(why));
                return;
              }
              new TcpStream(world, socket, certificates, handler).run();
            });
  }

  /// Tries the host's addresses one after the other.
  private static Socket open(Target target, Duration within) throws IOException {
    var until = System.nanoTime() + within.toNanos();
    IOException last = new IOException("it has no address of that version of IP");
    for (var address : InetAddress.getAllByName(target.server())) {
      var version = address instanceof Inet4Address ? 4 : 6;
      if (target.ipVersion() != 0 && target.ipVersion() != version) {
        continue;
      }
      var left = (until - System.nanoTime()) / 1_000_000;
      if (left <= 0) {
        break;
      }
      var socket = new Socket();
      try {
        socket.setTcpNoDelay(true);
        socket.connect(
            new InetSocketAddress(address, target.port()), (int) Math.min(left, Integer.MAX_VALUE));
        return socket;
      } catch (IOException e) {
        last = e;
        socket.close();
      }
    }
    throw last;
  }
}
