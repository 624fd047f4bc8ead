package org.systole.cts.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.systole.cts.local.LocalCluster;
import org.systole.cts.local.LocalHost;
import org.systole.cts.local.LocalNode;

/// The hosts `host1` ... of the demonstration of host HA, on loopback addresses of their own.
final class DemoHosts {
  static final int COUNT = 3;
  private static final int KEY_BYTES = 512;

  private final LocalCluster cluster;
  private final List<LocalHost> hosts;

  DemoHosts(LocalCluster cluster, Path home) {
    this.cluster = cluster;
    this.hosts =
        IntStream.rangeClosed(1, COUNT)
            .mapToObj(
                id -> {
                  var name = "host" + id;
                  var dir = cluster.dir().resolve(name);
                  var node = new LocalNode(name, "127.0.0." + (20 + id), home, dir, List.of());
                  return new LocalHost(node, cluster.dir());
                })
            .toList();
  }

  List<LocalHost> all() {
    return hosts;
  }

  /// Null if there is none of that name.
  @Nullable LocalHost named(String name) {
    return hosts.stream().filter(it -> it.name().equals(name)).findFirst().orElse(null);
  }

  LocalHost host(int number) {
    return hosts.get(number - 1);
  }

  /// Writes their trees anew, and gives them and the members one key.
  void prepare() throws IOException {
    removeFiles();
    var key = new byte[KEY_BYTES];
    new SecureRandom().nextBytes(key);
    for (var host : hosts) {
      host.prepare();
    }
    var all = Stream.concat(cluster.nodes().stream(), hosts.stream().map(LocalHost::node));
    for (var node : all.toList()) {
      var file = node.layout().configuration().resolve("authkey");
      Files.createDirectories(file.getParent());
      Files.deleteIfExists(file);
      Files.createFile(
          file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      Files.write(file, key);
      LocalHost.letDaemonsRead(file);
    }
  }

  void start() throws IOException {
    for (var host : hosts) {
      host.node().start();
    }
  }

  void kill() throws IOException {
    for (var host : hosts) {
      host.node().kill();
    }
  }

  void removeFiles() throws IOException {
    for (var host : hosts) {
      LocalCluster.remove(host.node().dir());
      for (var kind : List.of("power", "heart", "broken")) {
        Files.deleteIfExists(cluster.dir().resolve(host.name() + "." + kind));
      }
    }
    LocalCluster.remove(LocalHost.volume(cluster.dir()));
  }
}
