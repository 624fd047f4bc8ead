package org.systole.cts.fuzz;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import org.systole.common.layout.Layout;
import org.systole.cts.local.ClusterView;
import org.systole.cts.local.LocalHost;
import org.systole.cts.local.LocalNode;

/// Two real daemons of remote nodes: `far`, which the cluster is connected to and has a resource on,
/// and one that has the same key and that nobody needs.
final class RemoteHosts implements AutoCloseable {
  static final String FAR = "far";

  private static final int KEY_BYTES = 256;
  private static final int PORT = 7; // from the cluster's
  private static final Duration LIMIT = Duration.ofSeconds(120);
  private static final String LOST = "Lost the connection to remote node " + FAR;

  private final FuzzedCluster cluster;
  private final Path distribution;
  private final Path key;
  private final Path wrongKey;
  private final Map<String, Process> daemons = new TreeMap<>();

  RemoteHosts(FuzzedCluster cluster, Path distribution, RandomGenerator random) throws IOException {
    this.cluster = cluster;
    this.distribution = distribution;
    key = write(cluster.dir().resolve("remote-key"), random);
    wrongKey = write(cluster.dir().resolve("wrong-key"), random);
    for (var node : cluster.ours()) {
      var there = node.layout().configuration().resolve("authkey");
      Files.createDirectories(there.getParent());
      Files.copy(key, there);
      LocalHost.letDaemonsRead(there);
    }
    start(FAR, inUse());
    start("spare", spare());
    configure(
        "<primitive id='far' class='ocf' provider='pacemaker' type='remote'>"
            + attributes(FAR, inUse())
            + "<operations><op id='far-m' name='monitor' interval='2s' timeout='60s'/><op id='far-s'"
            + " name='start' interval='0' timeout='60s'/></operations></primitive>"
            + "<primitive id='distant' class='ocf' provider='pacemaker' type='Dummy'><operations>"
            + "<op id='distant-m' name='monitor' interval='2s' timeout='60s'/></operations></primitive>",
        "<rsc_location id='far-l' rsc='distant' node='far' score='1000'/>"
            + "<rsc_location id='far-d' rsc='dummy' node='far' score='-INFINITY'/>");
    awaitOnline(FAR);
    awaitServed(spare());
  }

  private static void awaitServed(InetSocketAddress address) throws IOException {
    var end = System.nanoTime() + LIMIT.toNanos();
    while (true) {
      try (var socket = new Socket()) {
        socket.connect(address, (int) LIMIT.toMillis());
        return;
      } catch (ConnectException e) {
        if (System.nanoTime() > end) {
          throw e;
        }
        LockSupport.parkNanos(Duration.ofMillis(50).toNanos()); // a process of its own starts
      }
    }
  }

  private static Path write(Path file, RandomGenerator random) throws IOException {
    var bytes = new byte[KEY_BYTES];
    random.nextBytes(bytes);
    Files.write(file, bytes);
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
  }

  /// The parameters of a connection.
  static String attributes(String name, InetSocketAddress address) {
    return "<instance_attributes id='%s-a'><nvpair id='%s-as' name='server' value='%s'/><nvpair id='%s-ap' name='port' value='%d'/></instance_attributes>"
        .formatted(name, name, address.getAddress().getHostAddress(), name, address.getPort());
  }

  void configure(String resources, String constraints) throws IOException {
    var text =
        ("<configuration><crm_config><cluster_property_set id='cib-bootstrap-options'>"
                + "<nvpair id='f3' name='start-failure-is-fatal' value='false'/></cluster_property_set>"
                + "</crm_config><resources>%s</resources><constraints>%s</constraints></configuration>")
            .formatted(resources, constraints);
    var made = first().run("cibadmin", "-M", "-c", "-o", "configuration", "-X", text);
    if (!made.ok()) {
      throw new IOException("the configuration is not taken: " + made.output());
    }
  }

  private LocalNode first() {
    return cluster.ours().getFirst();
  }

  private void start(String name, InetSocketAddress address) throws IOException {
    var root = Files.createDirectories(cluster.dir().resolve(name));
    var logs = Files.createDirectories(root.resolve("var/log/pacemaker"));
    var there = root.resolve("etc/pacemaker/authkey");
    Files.createDirectories(there.getParent());
    Files.copy(key, there, java.nio.file.StandardCopyOption.COPY_ATTRIBUTES);
    var builder = new ProcessBuilder(distribution.resolve("sbin/systole-remoted").toString());
    builder.environment().put(Layout.ROOT, root.toString());
    builder.environment().put(Layout.NODE, name);
    builder.environment().put("PCMK_remote_address", address.getAddress().getHostAddress());
    builder.environment().put("PCMK_remote_port", "" + address.getPort());
    builder.redirectErrorStream(true).redirectOutput(logs.resolve("console.log").toFile());
    daemons.put(name, builder.start());
    cluster.alsoRead(logs);
  }

  void awaitOnline(String name) throws IOException {
    var seen = new ClusterView(cluster.ours()).await(it -> it.online().contains(name), LIMIT);
    if (seen == null) {
      throw new IOException(name + " is not connected after " + LIMIT);
    }
  }

  InetSocketAddress address(int last) {
    var mine = cluster.enemy().address();
    return new InetSocketAddress(
        mine.substring(0, mine.lastIndexOf('.') + 1) + last, cluster.port() + PORT);
  }

  InetSocketAddress inUse() {
    return address(11);
  }

  InetSocketAddress spare() {
    return address(12);
  }

  Path key() {
    return key;
  }

  Path wrongKey() {
    return wrongKey;
  }

  /// What went wrong with the daemons, or with the connection to the one in use; empty if nothing.
  List<String> problems(long mostKilobytes) throws IOException {
    var found = new ArrayList<String>();
    for (var daemon : daemons.entrySet()) {
      if (!daemon.getValue().isAlive()) {
        found.add(daemon.getKey() + " ended with " + daemon.getValue().exitValue());
        continue;
      }
      var held = kilobytes(daemon.getValue().pid());
      if (held > mostKilobytes) {
        found.add("%s holds %d KiB".formatted(daemon.getKey(), held));
      }
    }
    for (var node : cluster.ours()) {
      try (var lines = Files.lines(node.layout().log().resolve("pacemaker.log"))) {
        lines.filter(it -> it.contains(LOST)).forEach(it -> found.add(node.name() + ": " + it));
      }
    }
    return found;
  }

  /// The memory that a process holds.
  static long kilobytes(long pid) throws IOException {
    try (var lines = Files.lines(Path.of("/proc", Long.toString(pid), "status"))) {
      return lines
          .filter(it -> it.startsWith("VmRSS:"))
          .mapToLong(it -> Long.parseLong(it.replaceAll("\\D", "")))
          .findFirst()
          .orElse(0);
    }
  }

  @Override
  public void close() {
    daemons.values().forEach(Process::destroyForcibly);
    daemons.values().forEach(it -> it.onExit().orTimeout(10, TimeUnit.SECONDS).join());
  }
}
