package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.systole.common.cluster.ClusterConfig;
import org.systole.common.cluster.ClusterConfigException;

/// Files that a node reads when it starts, damaged: whatever is in them, the node comes up with all
/// its daemons, or says in a line why not. `-Dfuzz.files=N` tries as many damages, `-Dfuzz.seed`
/// others.
final class StartFilesFuzzTest {
  private static final Duration LIMIT = Duration.ofMinutes(3);
  private static final List<String> DAEMONS =
      List.of("pacemakerd", "cibd", "fenced", "execd", "attrd", "schedulerd", "controld");

  private final long seed = Long.getLong("fuzz.seed", 1);
  private final int tries = Integer.getInteger("fuzz.files", 30);

  private static final String CONFIGURATION =
      """
      totem {
        version: 2
        cluster_name: first
        token: 1000
        crypto_cipher: aes256
        interface {
          linknumber: 0
          mcastport: 5405
        }
      }
      nodelist {
        node {
          ring0_addr: 192.0.2.11
          name: alpha
          nodeid: 1
          quorum_votes: 1
        }
        node {
          ring0_addr: 192.0.2.12
          name: beta
          nodeid: 2
        }
      }
      quorum {
        provider: corosync_votequorum
        two_node: 1
        wait_for_all: 0
      }
      logging {
        to_syslog: yes
      }
      """;

  /// One node with resources that run, and then its power is gone.
  private static SimCluster life(long seed) {
    var cluster = RealDaemons.cluster(seed, 1);
    cluster.loadCib(SimCibs.standard(1));
    cluster.powerOnAll();
    assertTrue(cluster.settle(LIMIT), () -> cluster.unsettled().toString());
    cluster.node("node1").powerOff();
    return cluster;
  }

  private static Map<String, byte[]> files(SimNode node) {
    var all = new TreeMap<String, byte[]>();
    for (var daemon : DAEMONS) {
      node.disk(daemon).files().forEach((name, content) -> all.put(daemon + "/" + name, content));
    }
    return all;
  }

  private static byte[] damaged(byte[] content, List<byte[]> others, RandomGenerator random) {
    var bytes = content.clone();
    return switch (random.nextInt(8)) {
      case 0 -> new byte[0];
      case 1 -> Arrays.copyOf(bytes, random.nextInt(bytes.length + 1));
      case 2 -> others.get(random.nextInt(others.size()));
      case 3 -> {
        var garbage = new byte[random.nextInt(5_000)];
        random.nextBytes(garbage);
        yield garbage;
      }
      case 4 -> "9".repeat(random.nextInt(1, 3_000)).getBytes(StandardCharsets.UTF_8);
      case 5 -> text(bytes, random).getBytes(StandardCharsets.UTF_8);
      default -> {
        for (var times = random.nextInt(1, 8); times > 0 && bytes.length > 0; times--) {
          bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
        }
        yield bytes;
      }
    };
  }

  /// With a number or a word that is another one, or a line more or less.
  private static String text(byte[] content, RandomGenerator random) {
    var lines = new ArrayList<>(new String(content, StandardCharsets.UTF_8).lines().toList());
    if (lines.isEmpty()) {
      return "x";
    }
    var at = random.nextInt(lines.size());
    switch (random.nextInt(5)) {
      case 0 -> lines.remove(at);
      case 1 -> lines.add(at, lines.get(random.nextInt(lines.size())));
      case 2 -> lines.set(at, lines.get(at).replaceFirst("[0-9]+", "99999999999999999999"));
      case 3 -> lines.set(at, lines.get(at).replaceFirst("[0-9]+", "-1"));
      default -> lines.set(at, lines.get(at).replaceFirst("[a-z]+", "\u0000\u00e4" + "x".repeat(300)));
    }
    return String.join("\n", lines) + "\n";
  }

  @Test
  void aNodeComesUpWhateverIsInTheFilesOfItsDaemons() {
    var read = new TreeMap<String, Integer>();
    for (var number = seed; number < seed + tries; number++) {
      var random = new java.util.SplittableRandom(number);
      var cluster = life(number);
      var node = cluster.node("node1");
      var files = files(node);
      var names = List.copyOf(files.keySet());
      var what = new ArrayList<String>();
      for (var times = random.nextInt(1, 4); times > 0; times--) {
        var name = names.get(random.nextInt(names.size()));
        var content = damaged(files.get(name), List.copyOf(files.values()), random);
        var slash = name.indexOf('/');
        node.file(name.substring(0, slash), name.substring(slash + 1), content);
        read.merge(name.replaceAll("[0-9]+", "N"), 1, Integer::sum);
        what.add(name + " " + content.length + " bytes");
      }
      var why = "seed " + number + ": " + what;
      node.powerOn();
      cluster.run(Duration.ofSeconds(90));
      for (var daemon : DAEMONS) {
        assertTrue(node.process(daemon) != null, () -> why + ": no " + daemon + cluster.failures());
      }
      assertTrue(node.isDc(), () -> why + ": no DC " + cluster.failures());
      assertEquals(List.of(), cluster.failures(), why);
    }
    System.out.println("fuzz: files damaged: " + read);
    assertTrue(tries < 30 || read.size() > 5, read::toString);
  }

  @Test
  void aClusterConfigurationIsTakenOrRefusedInALine() {
    var refused = 0;
    for (var number = 0; number < 20 * tries; number++) {
      var random = new java.util.SplittableRandom(seed * 1_000_003 + number);
      var bytes = CONFIGURATION.getBytes(StandardCharsets.UTF_8);
      for (var times = random.nextInt(1, 4); times > 0; times--) {
        bytes = damaged(bytes, List.of(bytes, new byte[300]), random);
      }
      var text = new String(bytes, StandardCharsets.UTF_8);
      try {
        var config = parsed(text);
        assertFalse(config.nodes().isEmpty(), text);
      } catch (Refusal e) {
        refused++;
        assertTrue(e.getMessage().startsWith("corosync.conf"), e.getMessage());
        assertEquals(1, e.getMessage().lines().count(), e.getMessage());
        assertTrue(e.getMessage().length() < 2_000, e.getMessage());
      }
    }
    assertTrue(refused > tries, "most of them are no good");
  }

  private static final class Refusal extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Refusal(String why) {
      super(why);
    }
  }

  private static ClusterConfig parsed(String text) {
    try {
      return ClusterConfig.parse("corosync.conf", text);
    } catch (ClusterConfigException e) {
      throw new Refusal(e.getMessage());
    }
  }
}
