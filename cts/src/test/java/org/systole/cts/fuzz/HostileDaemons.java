package org.systole.cts.fuzz;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.systole.common.cluster.LinkMessage;
import org.systole.common.values.NodeId;
import org.systole.cts.Protocols;
import org.systole.cts.Protocols.Spoken;
import org.systole.cts.local.LocalNode;

/// A node of the cluster whose link is as it must be, and whose daemons say nothing but nonsense to
/// their like on the other nodes. The third node runs pacemakerd alone, with programs that do
/// nothing for daemons; their places in the groups are taken here.
///
/// Safe for use by several threads.
final class HostileDaemons implements AutoCloseable {
  private static final Map<String, String> GROUPS =
      Map.of(
          "AttrPeerMessage", "attr",
          "CibPeerMessage", "cib",
          "FencePeerMessage", "fence",
          "PeerMessage", "ctl");
  /// What is believed of a member that says it is the DC: that another node is not wanted here.
  private static final List<String> VERDICTS = List.of("Offer", "Result");

  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Duration PAUSE = Duration.ofMillis(1);
  private static final int LONG = 1 << 20;

  private final List<Spoken> peers =
      Protocols.all().stream().filter(it -> GROUPS.containsKey(it.name())).toList();
  private final Map<String, Talk> talks = new LinkedHashMap<>();
  private final LocalNode node;
  private final Figures figures;

  HostileDaemons(FuzzedCluster cluster, Path distribution, Figures figures) throws IOException {
    this.figures = figures;
    var home = cluster.dir().resolve("node3/home");
    for (var part : List.of("sbin", "libexec", "share")) {
      copy(distribution.resolve(part), home.resolve(part));
    }
    Files.createSymbolicLink(home.resolve("lib"), distribution.resolve("lib"));
    for (var name : List.of("cibd", "fenced", "execd", "attrd", "schedulerd", "controld")) {
      var program = home.resolve("libexec/systole").resolve(name);
      Files.deleteIfExists(program);
      Files.writeString(program, "#!/bin/sh\nexec sleep 100000\n");
      Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
    var enemy = cluster.enemy();
    node = new LocalNode(enemy.name(), enemy.address(), home, enemy.dir(), List.of());
    node.prepare(cluster.configuration(), cluster.key());
    node.start();
  }

  private static void copy(Path from, Path to) throws IOException {
    try (var files = Files.walk(from)) {
      for (var file : files.toList()) {
        var there = to.resolve(from.relativize(file).toString());
        Files.createDirectories(there.getParent());
        if (!Files.isDirectory(there, LinkOption.NOFOLLOW_LINKS)) {
          Files.copy(
              file, there, LinkOption.NOFOLLOW_LINKS, StandardCopyOption.COPY_ATTRIBUTES);
        }
      }
    }
  }

  List<Spoken> protocols() {
    return peers;
  }

  /// One try, see [SocketFuzz#attempt].
  synchronized String attempt(RandomGenerator random) throws IOException, InterruptedException {
    var spoken = peers.get(random.nextInt(peers.size()));
    var types =
        spoken.types().stream().filter(it -> !VERDICTS.contains(it.getSimpleName())).toList();
    var type = types.get(random.nextInt(types.size()));
    var nonsense = new Nonsense(random, LONG);
    var message = nonsense.of(spoken, type);
    var payload = random.nextInt(20) == 0 ? nonsense.garbage() : message.frame();
    var talk = talk(GROUPS.get(spoken.name()));
    LinkMessage.Request request =
        random.nextBoolean()
            ? new LinkMessage.Broadcast(payload)
            : new LinkMessage.Send(new NodeId(1 + random.nextInt(2)), payload);
    talk.say(Talk.framed(LinkMessage.PROTOCOL.request(0, request)), LIMIT);
    figures.count("group " + GROUPS.get(spoken.name()), spoken + "." + type.getSimpleName());
    while (talk.hear(PAUSE) != null) {
      // what the others say to it
    }
    return message.what();
  }

  private Talk talk(String group) throws IOException, InterruptedException {
    var present = talks.get(group);
    if (present != null && !present.isEnded()) {
      return present;
    }
    var deadline = System.nanoTime() + LIMIT.toNanos();
    while (true) {
      try {
        var talk = Talk.to(node.layout().socket(LinkMessage.SOCKET));
        var join = LinkMessage.PROTOCOL.request(1, new LinkMessage.Join(group));
        talk.say(Talk.framed(join), LIMIT);
        if (talk.hear(LIMIT) != null) {
          talks.put(group, talk);
          return talk;
        }
      } catch (IOException e) {
        if (System.nanoTime() > deadline) {
          throw e;
        }
      }
      Thread.sleep(100); // nothing tells when the link comes up
    }
  }

  @Override
  public void close() throws IOException {
    talks.values().forEach(Talk::close);
    node.kill();
  }
}
