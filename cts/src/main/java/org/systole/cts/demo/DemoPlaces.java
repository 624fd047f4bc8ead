package org.systole.cts.demo;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.layout.Layout;
import org.systole.cts.local.LocalCluster;
import org.systole.cts.local.LocalHost;
import org.systole.cts.local.LocalNode;

/// The addresses that a demonstration has to itself on this machine. Two cannot be there at once, and of
/// one whose nodes run where another starts neither would say why it does not work.
///
/// Has one of the addresses as long as it is open, so that of two that start at the same time one is
/// refused.
final class DemoPlaces implements AutoCloseable {
  private static final String OWN = "127.0.0.10";
  private static final int MEMBERS_PORT = 5405;
  private static final int LIFELINES_PORT = 5505;
  private static final int HOSTS_PORT = 3121;

  private final ServerSocket own;

  private DemoPlaces(ServerSocket own) {
    this.own = own;
  }

  /// Takes them.
  ///
  /// @param hosts those that are to run
  /// @throws InUse if another demonstration, or any other program, has one
  static DemoPlaces take(LocalCluster cluster, List<LocalHost> hosts) throws IOException, InUse {
    var own = listen(OWN, MEMBERS_PORT, cluster.dir());
    try {
      for (var node : cluster.nodes()) {
        listen(node.address(), MEMBERS_PORT, cluster.dir()).close();
        listen(node.address(), LIFELINES_PORT, cluster.dir()).close();
      }
      for (var host : hosts) {
        listen(host.node().address(), HOSTS_PORT, cluster.dir()).close();
      }
    } catch (IOException | InUse e) {
      own.close();
      throw e;
    }
    return new DemoPlaces(own);
  }

  private static ServerSocket listen(String address, int port, Path dir) throws IOException, InUse {
    var socket = new ServerSocket();
    try {
      socket.setReuseAddress(true); // connections of one that has just ended are no hindrance
      socket.bind(new InetSocketAddress(InetAddress.getByName(address), port));
      return socket;
    } catch (BindException e) {
      socket.close();
      throw new InUse(inUse(address, port, other(dir)));
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  private static String inUse(String address, int port, @Nullable Path other) {
    var who =
        other == null
            ? "another user's demonstration, or another program (as root, 'ss -ltnp' says which); end it"
            : "the demonstration in %1$s has it; end that one first (SYSTOLE_DEMO=%1$s ./systole stop)"
                .formatted(other);
    return "port %d of %s is in use: %s, then start this one again".formatted(port, address, who);
  }

  /// The directory of another demonstration on this machine's addresses, null if none is seen.
  private static @Nullable Path other(Path dir) {
    var mine = network(ProcessHandle.current());
    for (var process : ProcessHandle.allProcesses().toList()) {
      var found = directory(LocalNode.environmentOf(process.pid()));
      if (found != null && !found.equals(dir) && mine.equals(network(process))) {
        return found;
      }
    }
    return null;
  }

  /// The network that a process has its addresses in: a laboratory's node has one of its own. Empty if
  /// it is gone or another user's.
  private static String network(ProcessHandle process) {
    try {
      return Files.readSymbolicLink(Path.of("/proc", Long.toString(process.pid()), "ns", "net"))
          .toString();
    } catch (IOException e) {
      return "";
    }
  }

  /// That of the demonstration a process belongs to, by its environment.
  static @Nullable Path directory(List<String> environment) {
    Map<String, String> values = new LinkedHashMap<>();
    for (var it : environment) {
      var end = it.indexOf('=');
      if (end > 0) {
        values.put(it.substring(0, end), it.substring(end + 1));
      }
    }
    var demo = values.get(Demo.DIRECTORY);
    if (demo != null) {
      return Path.of(demo);
    }
    var root = values.get(Layout.ROOT);
    var node = values.get(Layout.NODE);
    return root != null && node != null && root.endsWith("/" + node) ? Path.of(root).getParent() : null;
  }

  @Override
  public void close() throws IOException {
    own.close();
  }

  /// An address is in use; the message says by whom, and what to do.
  static final class InUse extends Exception {
    InUse(String message) {
      super(message);
    }
  }
}
