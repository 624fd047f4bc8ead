package org.systole.cts.fuzz;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.systole.cts.local.ClusterView;
import org.systole.cts.local.LocalCluster;
import org.systole.cts.local.LocalNode;

/// Two real nodes, of three that are configured; the third one is the enemy's. They have secrets:
/// the cluster's key, and a password in the configuration that members of the cluster's group may
/// not see.
final class FuzzedCluster implements AutoCloseable {
  static final int NODES = 3;
  static final String NAME = "fuzz";
  static final String PASSWORD = "pa55-in-the-cib";

  private static final Duration START = Duration.ofSeconds(180);
  private static final int TOKEN_MILLIS = 3000;
  private static final List<String> DAEMONS =
      List.of("pacemakerd", "cibd", "fenced", "schedulerd", "execd", "attrd", "controld");

  /// What no log has, and no answer to those who may not see everything.
  private static final List<String> TRACES =
      List.of(
          "broken invariant",
          "OutOfMemory",
          "StackOverflow",
          "NullPointer",
          "IndexOutOfBounds",
          "ClassCast",
          "IllegalState",
          "  at org.",
          "  at java.",
          "\tat ",
          "ended unexpectedly",
          "does not answer",
          "The thread ");

  private final Path dir;
  private final LocalCluster cluster;
  private final byte[] key;
  private final int port;
  private final List<String> secrets;
  private final Map<Path, Long> read = new HashMap<>();
  private final List<Path> others = new ArrayList<>(); // directories with logs

  private FuzzedCluster(Path dir, LocalCluster cluster, byte[] key, int port) {
    this.dir = dir;
    this.cluster = cluster;
    this.key = key;
    this.port = port;
    this.secrets =
        List.of(
            PASSWORD,
            HexFormat.of().formatHex(key, 0, 16),
            Base64.getEncoder().encodeToString(key).substring(0, 20),
            new String(key, 0, 16, StandardCharsets.ISO_8859_1));
  }

  /// Makes the nodes' files below a new directory.
  static FuzzedCluster make(Path home, RandomGenerator random) throws IOException {
    var dir = Files.createTempDirectory(Path.of("/tmp"), "systole-fuzz-");
    Files.setPosixFilePermissions(dir, PosixFilePermissions.fromString("rwxr-xr-x"));
    var nodes = new ArrayList<LocalNode>();
    var net = 20 + ProcessHandle.current().pid() % 200;
    for (var id = 1; id <= NODES; id++) {
      var name = "node" + id;
      var address = "127.0." + net + "." + id;
      nodes.add(new LocalNode(name, address, home, dir.resolve(name), List.of()));
    }
    int port;
    try (var free = new ServerSocket(0)) {
      port = free.getLocalPort() % 20_000 + 20_000;
    }
    var key = new byte[256];
    random.nextBytes(key);
    var made = new FuzzedCluster(dir, new LocalCluster(dir, nodes), key, port);
    for (var node : nodes) {
      node.prepare(made.configuration(), key);
    }
    return made;
  }

  String configuration() {
    var text = new StringBuilder();
    text.append(
        "totem {\n  version: 2\n  cluster_name: %s\n  token: %d\n  interface {\n".formatted(NAME, TOKEN_MILLIS));
    text.append("    linknumber: 0\n    mcastport: %d\n  }\n}\nnodelist {\n".formatted(port));
    for (var at = 0; at < NODES; at++) {
      var node = cluster.nodes().get(at);
      text.append(
          "  node {\n    ring0_addr: %s\n    name: %s\n    nodeid: %d\n  }\n"
              .formatted(node.address(), node.name(), at + 1));
    }
    return text.append("}\nquorum {\n  provider: corosync_votequorum\n}\n").toString();
  }

  /// Starts the two nodes that are ours, and gives them something to hide.
  void start() throws IOException {
    for (var node : ours()) {
      node.start();
    }
    if (!awaitWhole(START)) {
      throw new IOException("the cluster does not come up; see " + dir);
    }
    var made = ours().getFirst().run("cibadmin", "-M", "-c", "-o", "configuration", "-X", CIB);
    if (!made.ok()) {
      throw new IOException("the configuration is not taken: " + made.output());
    }
  }

  private static final String CIB =
      """
      <configuration><crm_config><cluster_property_set id="cib-bootstrap-options">
      <nvpair id="f1" name="fencing-enabled" value="false"/>
      <nvpair id="f2" name="enable-acl" value="true"/></cluster_property_set></crm_config>
      <resources><primitive id="dummy" class="ocf" provider="pacemaker" type="Dummy">
      <instance_attributes id="dummy-a"><nvpair id="dummy-p" name="password" value="%s"/>
      </instance_attributes><operations><op id="dummy-m" name="monitor" interval="5s"/></operations>
      </primitive></resources>
      <acls><acl_target id="nobody"><role id="r"/></acl_target><acl_role id="r">
      <acl_permission id="p1" kind="read" xpath="/cib"/>
      <acl_permission id="p2" kind="deny" xpath="//*[@name='password']"/>
      <acl_permission id="p3" kind="deny" xpath="//lrm"/>
      <acl_permission id="p4" kind="write" xpath="//transient_attributes"/>
      </acl_role></acls></configuration>"""
          .formatted(PASSWORD);

  /// Waits until both nodes are online and there is a DC.
  boolean awaitWhole(Duration limit) {
    return new ClusterView(ours())
            .await(
                it ->
                    it.dc() != null && it.online().containsAll(List.of("node1", "node2")),
                limit)
        != null;
  }

  List<LocalNode> ours() {
    return cluster.nodes().subList(0, 2);
  }

  LocalNode enemy() {
    return cluster.nodes().get(2);
  }

  Path dir() {
    return dir;
  }

  byte[] key() {
    return key;
  }

  int port() {
    return port;
  }

  List<String> secrets() {
    return secrets;
  }

  /// The daemons of the nodes that are ours, by node and name; a child's name is the program's. Commands
  /// that a test has run there meanwhile are none.
  Map<String, Long> daemons() {
    var found = new TreeMap<String, Long>();
    for (var node : ours()) {
      for (var process : node.processes()) {
        var arguments = List.of(process.info().arguments().orElse(new String[0]));
        var main = arguments.indexOf("org.systole.tools.launch.Main");
        if (main >= 0 && main + 1 < arguments.size() && DAEMONS.contains(arguments.get(main + 1))) {
          found.put(node.name() + " " + arguments.get(main + 1), process.pid());
        }
      }
    }
    return found;
  }

  /// What the logs have come to say since the last call that they must never say.
  List<String> complaints() throws IOException {
    var found = new ArrayList<String>();
    var all = new ArrayList<>(others);
    ours().forEach(it -> all.add(it.layout().log()));
    for (var logs : all) {
      for (var name : List.of("pacemaker.log", "console.log")) {
        var file = logs.resolve(name);
        if (Files.exists(file)) {
          news(file).lines().filter(this::isBad).forEach(it -> found.add(file + ": " + it));
        }
      }
    }
    return found;
  }

  /// Has the logs in a directory of somebody else looked at, too.
  void alsoRead(Path logs) {
    others.add(logs);
  }

  /// How long the logs are, in bytes.
  long logged() throws IOException {
    var sum = 0L;
    for (var node : ours()) {
      sum += Files.size(node.layout().log().resolve("pacemaker.log"));
    }
    return sum;
  }

  private String news(Path file) throws IOException {
    try (var in = Files.newByteChannel(file)) {
      in.position(read.getOrDefault(file, 0L));
      var bytes = java.nio.channels.Channels.newInputStream(in).readAllBytes();
      var end = bytes.length;
      while (end > 0 && bytes[end - 1] != '\n') {
        end--; // a line that is still being written
      }
      read.merge(file, (long) end, Long::sum);
      return new String(bytes, 0, end, StandardCharsets.UTF_8);
    }
  }

  /// What the transport's library says of a frame that it cannot read names the exception; it is one
  /// line, and what comes of it is that the frame is dropped.
  private boolean isBad(String line) {
    var ofLibrary = line.contains("JGRP") && line.contains("failed handling incoming message");
    return !ofLibrary && TRACES.stream().anyMatch(line::contains)
        || secrets.stream().anyMatch(line::contains);
  }

  @Override
  public void close() throws IOException {
    for (var node : cluster.nodes()) {
      node.kill();
    }
  }

  /// Removes all files, those of hostile nodes too, which live in this process and may still log.
  void removeFiles() {
    try {
      LocalCluster.remove(dir);
    } catch (IOException e) {
      System.out.println("fuzz: some files are left in " + dir + ": " + e);
    }
  }
}
