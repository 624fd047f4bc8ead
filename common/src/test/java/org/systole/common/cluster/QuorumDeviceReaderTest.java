package org.systole.common.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.systole.common.cluster.QuorumDevice.Algorithm;
import org.systole.common.cluster.QuorumDevice.Command;
import org.systole.common.cluster.QuorumDevice.Mode;
import org.systole.common.cluster.QuorumDevice.TieBreaker;
import org.systole.common.cluster.QuorumDevice.Tls;
import org.systole.common.values.NodeId;

final class QuorumDeviceReaderTest {
  private static ClusterConfig config(int nodes, String quorum) throws ClusterConfigException {
    var text = new StringBuilder("totem {\n version: 2\n}\nnodelist {\n");
    IntStream.rangeClosed(1, nodes)
        .forEach(
            it ->
                text.append(
                    "node {\nring0_addr: 10.0.0.%1$d\nname: n%1$d\nnodeid: %1$d\n}\n"
                        .formatted(it)));
    return ClusterConfig.parse("f", text + "}\nquorum {\n" + quorum + "\n}\n");
  }

  private static String device(String more, String net) {
    return "device {\nmodel: net\n%s\nnet {\nhost: q\n%s\n}\n}".formatted(more, net);
  }

  @Test
  void whatIsNotSaidIsAsWithCorosync() throws ClusterConfigException {
    var config = config(2, device("votes: 1", "algorithm: ffsplit"));

    var it = config.device();
    assertEquals(3, config.quorum().expectedVotes());
    assertEquals(1, config.quorum().deviceVotes());
    assertNull(it.timeoutMillis());
    assertEquals(30_000, it.syncTimeoutMillis());
    assertEquals(
        new QuorumDevice.Net(
            "q",
            5403,
            Algorithm.FFSPLIT,
            Tls.ON,
            new TieBreaker.Lowest(),
            null,
            0,
            true),
        it.net());
    assertEquals(Mode.OFF, it.heuristics().mode());
  }

  @Test
  void withLmsTheDeviceHasOneVoteLessThanTheNodes() throws ClusterConfigException {
    var config = config(4, device("", "algorithm: lms"));

    assertEquals(3, config.device().votes());
    assertEquals(7, config.quorum().expectedVotes());
  }

  @Test
  void allOfItIsRead() throws ClusterConfigException {
    var it =
        config(
                2,
                device(
                    """
                    votes: 1
                    timeout: 10000
                    sync_timeout: 20000
                    heuristics {
                      mode: on
                      timeout: 500
                      interval: 4000
                      exec_ping: /bin/ping -c 1 "a host"
                      exec_other: /bin/true
                    }
                    """,
                    """
                    algorithm: ffsplit
                    tls: required
                    tie_breaker: 2
                    port: 99
                    connect_timeout: 9000
                    force_ip_version: 6
                    keep_active_partition_tie_breaker: off
                    """))
            .device();

    assertEquals(10_000, it.timeoutMillis());
    assertEquals(20_000, it.syncTimeoutMillis());
    assertEquals(
        new QuorumDevice.Net(
            "q",
            99,
            Algorithm.FFSPLIT,
            Tls.REQUIRED,
            new TieBreaker.Node(new NodeId(2)),
            9000,
            6,
            false),
        it.net());
    assertEquals(
        new QuorumDevice.Heuristics(
            Mode.ON,
            500,
            10_000,
            4000,
            List.of(
                new Command("ping", List.of("/bin/ping", "-c", "1", "a host")),
                new Command("other", List.of("/bin/true")))),
        it.heuristics());
  }

  @Test
  void aDeviceWithoutModelIsNone() throws ClusterConfigException {
    var config = config(2, "device {\nvotes: 1\n}");

    assertNull(config.device());
    assertEquals(2, config.quorum().expectedVotes());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "two_node: 1 | votes: 1 | algorithm: ffsplit | two_node needs exactly",
        "last_man_standing: 1 | votes: 1 | algorithm: ffsplit | last_man_standing and a quorum",
        "auto_tie_breaker: 1 | votes: 1 | algorithm: ffsplit | auto_tie_breaker and a quorum",
        "expected_votes: 2 | votes: 1 | algorithm: ffsplit | expected_votes leaves 1 for 2 nodes",
        "expected_votes: 3 | | algorithm: lms | give them: votes in section device",
        "| votes: 2 | algorithm: ffsplit | ffsplit needs votes: 1",
        "| votes: 2 | algorithm: lms | they could do nothing without it",
        "| votes: 1 | algorithm: 2nodelms | algorithm is \"2nodelms\"; use ffsplit, lms",
        "| votes: 1 | tls: on | has no algorithm",
        "| timeout: 100 | algorithm: ffsplit | timeout is \"100\"; use a number from 2000",
        "| timeout: 9000;sync_timeout: 8000 | algorithm: ffsplit | sync_timeout (8000) is less",
        "| votes: 1 | algorithm: lms;tie_breaker: 3 | tie_breaker is \"3\"",
        "| heuristics {;mode: on;exec_a: relative;} | algorithm: lms | whole path",
        "| heuristics {;mode: on;exec_a: /bin/x \"a;} | algorithm: lms | close every quotation",
      })
  void aSlipIsRefusedWithWhatToDo(String quorum, String device, String net, String said) {
    var text =
        (quorum == null ? "" : quorum)
            + "\n"
            + device(device == null ? "" : device.replace(';', '\n'), net.replace(';', '\n'));

    var refused = assertThrows(ClusterConfigException.class, () -> config(2, text));

    assertTrue(refused.getMessage().contains(said), refused.getMessage());
  }
}
