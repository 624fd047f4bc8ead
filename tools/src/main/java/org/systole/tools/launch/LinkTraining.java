package org.systole.tools.launch;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.systole.common.layout.Layout;
import org.systole.common.real.AccountCheck;
import org.systole.common.world.ClusterAccount;
import org.systole.pacemakerd.PacemakerdMain;

/// What pacemakerd does in the training, in a process of its own: the link of the node whose daemons
/// run, and two more of a cluster of two, for only links that find others seal what they say. One of these
/// two has a supervisor, whose daemons only wait for its end.
final class LinkTraining {
  private static final int KEY_BYTES = 256;
  private static final int FIRST_PORT = 15405;
  private static final int PORTS = 100; // fewer than the next: they must not overlap
  private static final int FAILURE_PORT_OFFSET = 100;
  private static final List<String> PEERS = List.of("peer1", "peer2");
  private static final String CLUSTER =
      """
      totem {
        version: 2
        cluster_name: training
        token: 3000
        mcastport: %d
      }
      nodelist {
      %s}
      quorum {
        provider: corosync_votequorum
      }
      """;
  private static final String NODE =
      """
        node {
          ring0_addr: 127.0.0.%1$d
          name: %2$s
          nodeid: %1$d
        }
      """;

  private static final List<String> DAEMONS =
      List.of("cibd", "fenced", "execd", "attrd", "schedulerd", "controld");
  private static final String DAEMON =
      """
      #!/bin/sh
      exec cat >/dev/null
      """;

  private LinkTraining() {}

  /// Writes the configuration of both clusters.
  ///
  /// @param environment with the root of the node's files; those of the others are below it
  static void prepare(Map<String, String> environment, String node) throws IOException {
    var port = freePort();
    var key = new byte[KEY_BYTES];
    new SecureRandom().nextBytes(key);
    write(environment, CLUSTER.formatted(port, NODE.formatted(1, node)), key);
    var nodes = new StringBuilder();
    for (var peer : PEERS) {
      nodes.append(NODE.formatted(2 + PEERS.indexOf(peer), peer));
    }
    for (var peer : PEERS) {
      write(of(peer, environment), CLUSTER.formatted(port, nodes), key);
    }
    var programs = Path.of(supervised(environment).get(Layout.HOME), "libexec/systole");
    Files.createDirectories(programs);
    for (var daemon : DAEMONS) {
      var program = programs.resolve(daemon);
      Files.writeString(program, DAEMON);
      Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
  }

  private static Map<String, String> supervised(Map<String, String> environment) {
    var changed = of(PEERS.getLast(), environment);
    changed.put(Layout.HOME, Path.of(changed.get(Layout.ROOT), "home").toString());
    changed.put(ClusterAccount.VARIABLE, "root");
    return changed;
  }

  private static void write(Map<String, String> environment, String configuration, byte[] key)
      throws IOException {
    var layout = Layout.of(environment);
    Files.createDirectories(layout.clusterConfiguration().getParent());
    Files.writeString(layout.clusterConfiguration(), configuration);
    Files.write(layout.clusterKey(), key);
    Files.setPosixFilePermissions(
        layout.clusterKey(), PosixFilePermissions.fromString("rw-------"));
  }

  private static LinkedHashMap<String, String> of(String peer, Map<String, String> environment) {
    var changed = new LinkedHashMap<>(environment);
    changed.put(Layout.ROOT, Path.of(environment.get(Layout.ROOT), peer).toString());
    changed.put(Layout.NODE, peer);
    return changed;
  }

  /// One that nothing listens on, for a node may run on this machine.
  private static int freePort() throws IOException {
    var address = InetAddress.getLoopbackAddress();
    for (var port = FIRST_PORT; port < FIRST_PORT + PORTS; port++) {
      try (var _ = new ServerSocket(port, 1, address);
          var _ = new ServerSocket(port + FAILURE_PORT_OFFSET, 1, address)) {
        return port;
      } catch (BindException e) {
        continue; // in use
      }
    }
    throw new IOException("no port is free on " + address);
  }

  /// Runs the links until the standard input ends, and the process with them.
  ///
  /// @param environment the node's
  static int run(Map<String, String> environment) {
    Training.loadZones();
    Training.runSilently(environment, "pacemakerd", "--features"); // it reads its options by this
    begin(environment);
    begin(of(PEERS.getFirst(), environment));
    AccountCheck.missing();
    Thread.ofPlatform().daemon().start(() -> PacemakerdMain.run(supervised(environment)));
    Training.awaitEnd();
    return 0;
  }

  private static void begin(Map<String, String> environment) {
    Thread.ofPlatform().daemon().start(() -> PacemakerdMain.runLink(environment));
  }
}
