package org.systole.cts.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.systole.cts.farm.HostFarm;
import org.systole.cts.local.LocalHost;
import org.systole.cts.local.LocalNode;

/// The remote hosts of a benchmark: all in one process, or each a daemon in namespaces of its own.
final class RemoteHosts implements AutoCloseable {
  private static final int KEY_BYTES = 512;
  private static final int FIRST = BenchCluster.NODES + 1; // number in the network

  private final Path home;
  private final int count;
  private final boolean real;
  private final byte[] key = new byte[KEY_BYTES];
  private final List<BenchNode> daemons = new ArrayList<>();
  private @Nullable HostFarm farm;
  private @Nullable BenchCluster cluster;

  RemoteHosts(Path home, int count, boolean real) {
    this.home = home;
    this.count = count;
    this.real = real;
    new Random().nextBytes(key);
  }

  RemoteConfiguration configuration() {
    return new RemoteConfiguration(
        count,
        new RemoteConfiguration.Place() {
          @Override
          public String address(int number) {
            return cluster().address(real ? FIRST + number - 1 : FIRST);
          }

          @Override
          public int port(int number) {
            return real ? 3121 : HostFarm.port(number);
          }
        });
  }

  /// Makes and starts the hosts, in the network of the cluster, and gives all the key.
  void start(BenchCluster cluster) throws IOException {
    this.cluster = cluster;
    for (var node : cluster.nodes()) {
      giveKey(node.layout().configuration().resolve("authkey"));
    }
    if (real) {
      for (var number = 1; number <= count; number++) {
        daemons.add(cluster.addRemote(FIRST + number - 1, RemoteConfiguration.HOST + number));
      }
      for (var daemon : daemons) {
        giveKey(daemon.layout().configuration().resolve("authkey"));
        daemon.start();
      }
      return;
    }
    var directory = cluster.directory().resolve("farm");
    giveKey(HostFarm.key(directory));
    farm =
        HostFarm.start(
            home, directory, cluster.addPlace(FIRST), RemoteConfiguration.HOST, count);
  }

  private void giveKey(Path file) throws IOException {
    Files.createDirectories(file.getParent());
    Files.createFile(
        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-r-----")));
    Files.write(file, key);
    LocalHost.letDaemonsRead(file);
  }

  private BenchCluster cluster() {
    return Objects.requireNonNull(cluster, "the hosts were not started");
  }

  List<HostFarm.Deed> starts(double since) throws IOException {
    if (farm != null) {
      return farm.since(since).stream().filter(it -> it.what().equals("start")).toList();
    }
    return cluster().stage().since(since, "start").stream()
        .filter(it -> it.node().startsWith(RemoteConfiguration.HOST))
        .map(it -> new HostFarm.Deed(it.at(), it.node(), it.resource(), "start"))
        .toList();
  }

  /// When members connected to hosts.
  List<HostFarm.Deed> connections(double since) throws IOException {
    if (farm != null) {
      return farm.since(since).stream()
          .filter(it -> it.what().equals(HostFarm.CONNECTED))
          .toList();
    }
    var found = new ArrayList<HostFarm.Deed>();
    for (var daemon : daemons) {
      NodeLog.moments(daemon.log(), "Serving the cluster's connection", since)
          .forEach(at -> found.add(new HostFarm.Deed(at, daemon.name(), "-", HostFarm.CONNECTED)));
    }
    return found;
  }

  void lose(int number) throws IOException {
    if (farm != null) {
      farm.lose(number);
    } else {
      daemons.get(number - 1).kill();
    }
  }

  void comeBack(int number) throws IOException {
    if (farm != null) {
      farm.start(number);
    } else {
      daemons.get(number - 1).boot();
      daemons.get(number - 1).start();
    }
  }

  @Override
  public void close() throws IOException {
    if (farm != null) {
      farm.close();
    }
    for (var daemon : daemons) {
      daemon.kill();
    }
  }
}
