package org.systole.pacemakerd.qdevice;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.systole.common.cluster.ClusterConfig;
import org.systole.common.layout.Layout;
import org.systole.common.real.RealWorld;
import org.systole.common.values.NodeId;
import org.systole.pacemakerd.outside.DeviceCertificates;
import org.systole.pacemakerd.outside.TcpStreams;

/// The client against the real server.
final class QnetdTest {
  private static final NodeId ONE = new NodeId(1);
  private static final NodeId TWO = new NodeId(2);
  private static final int PATIENCE = 15;

  @TempDir private Path root;
  private @Nullable Qnetd server;
  private @Nullable RealWorld world;
  private final List<QnetClient> clients = new ArrayList<>();

  @AfterEach
  void end() throws Exception {
    for (var it : clients) {
      on(() -> {
        it.close();
        return true;
      });
    }
    if (server != null) {
      server.close();
    }
  }

  private void begin(String serverTls) throws Exception {
    server = new Qnetd(Files.createDirectories(root.resolve("qnetd")), serverTls);
    var layout = new Layout(root, root);
    var made = RealWorld.create(layout, Map.of("SYSTOLE_NODE", "node1", "PCMK_logfile", "none"), "test", "link");
    world = made;
    Thread.ofPlatform().daemon().start(() -> made.runInProcess(() -> {}));
  }

  private QnetClient client(NodeId id, int nodes, String algorithm, String tls, String more)
      throws Exception {
    var list = new StringBuilder();
    IntStream.rangeClosed(1, nodes)
        .forEach(
            it ->
                list.append(
                    "node { \n ring0_addr: 10.0.0.%1$d\n name: node%1$d\n nodeid: %1$d\n }\n"
                        .formatted(it)));
    var config =
        ClusterConfig.parse(
            "test",
            """
            totem {
              version: 2
              cluster_name: lab
              token: 1000
            }
            nodelist {
            %s
            }
            quorum {
              provider: corosync_votequorum
              device {
                model: net
                votes: %d
                net {
                  host: 127.0.0.1
                  port: %d
                  algorithm: %s
                  tls: %s
                }
                %s
              }
            }
            """
                .formatted(
                    list,
                    algorithm.equals("lms") ? nodes - 1 : 1,
                    server.port(),
                    algorithm,
                    tls,
                    more));
    var timing = DeviceTiming.of(Duration.ofSeconds(1), 1000, null, null, 30_000);
    var streams = new TcpStreams(world, new DeviceCertificates(server.node()));
    var made =
        on(
            () -> {
              var it = new QnetClient(world, streams, config, id, timing);
              it.start();
              return it;
            });
    clients.add(made);
    return made;
  }

  private <T> T on(java.util.function.Supplier<T> what) throws Exception {
    var done = new CompletableFuture<T>();
    world.post(() -> done.complete(what.get()));
    return done.get(10, TimeUnit.SECONDS);
  }

  private void side(QnetClient client, NodeId leader, long number, NodeId... nodes)
      throws Exception {
    on(
        () -> {
          client.side(new Side(leader, number, List.of(nodes)), false);
          return true;
        });
  }

  private void awaits(QnetClient client, Predicate<Word> wanted) throws Exception {
    for (var attempt = 0; attempt < PATIENCE * 10; attempt++) {
      if (on(() -> wanted.test(client.word()))) {
        return;
      }
      TimeUnit.MILLISECONDS.sleep(100);
    }
    throw new AssertionError(
        on(client::word) + " " + on(() -> DeviceText.of(client, ZoneOffset.UTC, true))
            + server.log());
  }

  private static boolean votes(Word it) {
    return it.hold() != Word.Hold.NONE;
  }

  private static boolean refused(Word it) {
    return it.hold() == Word.Hold.NONE && !it.awaits();
  }

  @ParameterizedTest
  @CsvSource({
    "ffsplit, on, on, Yes",
    "ffsplit, req, required, Yes",
    "ffsplit, off, on, No",
    "ffsplit, on, off, No",
    "lms, on, on, Yes",
  })
  void bothNodesTogetherGetTheVoteAndItSettles(
      String algorithm, String serverTls, String tls, String encrypted) throws Exception {
    begin(serverTls);
    var one = client(ONE, 2, algorithm, tls, "");
    var two = client(TWO, 2, algorithm, tls, "");
    side(one, ONE, 7, ONE, TWO);
    side(two, ONE, 7, ONE, TWO);

    awaits(one, it -> it.hold() == Word.Hold.SETTLED && it.plan() == 7);
    awaits(two, it -> it.hold() == Word.Hold.SETTLED);

    var text = on(() -> DeviceText.of(one, ZoneOffset.UTC, true));
    assertTrue(text.contains("TLS active:\t\t" + encrypted), text);
    assertTrue(text.contains("State:\t\t\tConnected"), text);
  }

  @ParameterizedTest
  @CsvSource({"ffsplit", "lms"})
  void ofTwoHalvesOnlyTheLowestHasTheVote(String algorithm) throws Exception {
    begin("on");
    var one = client(ONE, 2, algorithm, "on", "");
    var two = client(TWO, 2, algorithm, "on", "");
    side(one, ONE, 7, ONE, TWO);
    side(two, ONE, 7, ONE, TWO);
    awaits(one, QnetdTest::votes);
    awaits(two, QnetdTest::votes);

    side(one, ONE, 8, ONE);
    side(two, TWO, 3, TWO);

    awaits(one, it -> votes(it) && it.plan() == 8);
    awaits(two, QnetdTest::refused);
  }

  @ParameterizedTest
  @CsvSource({"ffsplit", "lms"})
  void theVoteGoesToWhoIsLeftWhenTheOtherIsSilent(String algorithm) throws Exception {
    begin("on");
    var one = client(ONE, 2, algorithm, "on", "");
    var two = client(TWO, 2, algorithm, "on", "");
    side(one, ONE, 7, ONE, TWO);
    side(two, ONE, 7, ONE, TWO);
    awaits(two, QnetdTest::votes);

    on(
        () -> {
          one.close();
          return true;
        });
    side(two, TWO, 3, TWO);

    awaits(two, it -> it.hold() == Word.Hold.SETTLED && it.plan() == 3);
  }

  @Test
  void aServerThatStartsAgainIsFoundAgain() throws Exception {
    begin("on");
    var one = client(ONE, 2, "ffsplit", "on", "");
    side(one, ONE, 7, ONE);
    awaits(one, QnetdTest::votes);

    // It stays away until that was noticed: the client can be back with it in less than a look takes.
    server.close();
    awaits(one, it -> it.hold() == Word.Hold.NONE || it.awaits());
    server.again("on");

    awaits(one, QnetdTest::votes);
  }

  @Test
  void aNodeThatFailsItsHeuristicsGivesWay() throws Exception {
    begin("on");
    var flag = root.resolve("useful");
    Files.writeString(flag, "");
    var more =
        """
        heuristics {
          mode: on
          interval: 500
          timeout: 400
          exec_flag: /usr/bin/test -e %s
        }
        """;
    var one = client(ONE, 2, "ffsplit", "on", more.formatted(flag));
    var two = client(TWO, 2, "ffsplit", "on", more.formatted("/"));
    side(one, ONE, 8, ONE);
    awaits(one, QnetdTest::votes); // it came first, and keeps it
    side(two, TWO, 3, TWO);
    awaits(two, QnetdTest::refused);

    Files.delete(flag);

    awaits(two, it -> it.hold() == Word.Hold.SETTLED);
    awaits(one, QnetdTest::refused);
  }

  @Test
  void aServerThatDoesNotEncryptIsRefusedWhereThatIsRequired() throws Exception {
    begin("off");
    var one = client(ONE, 2, "ffsplit", "required", "");

    for (var attempt = 0; attempt < 100; attempt++) {
      var trouble = on(() -> one.state().trouble());
      if (trouble != null) {
        assertEquals(
            "it does not encrypt, and tls is required here; start it with -s on",
            trouble);
        return;
      }
      TimeUnit.MILLISECONDS.sleep(100);
    }
    throw new AssertionError("nothing was said");
  }
}
