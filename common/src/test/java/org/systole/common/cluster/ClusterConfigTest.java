package org.systole.common.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;

class ClusterConfigTest {
  private static final String THREE =
      """
      # the first cluster
      totem {
        version: 2
        cluster_name: first
        token: 3000
        interface {
          linknumber: 0
          mcastport: 5505
        }
      }
      nodelist {
        node {
          ring0_addr: 127.0.0.13
          name: c
          nodeid: 3
        }
        node {
          ring0_addr: 127.0.0.11
          name: a
          nodeid: 1
          quorum_votes: 2
        }
        node {
          ring0_addr: 127.0.0.12
          nodeid: 2
        }
      }
      quorum {
        provider: corosync_votequorum
        auto_tie_breaker: 1
        auto_tie_breaker_node: 2 1
      }
      logging {
        to_syslog: yes
        logger_subsys {
          subsys: QUORUM
        }
      }
      """;

  @Test
  void aUsualFileIsRead() throws Exception {
    var config = ClusterConfig.parse("corosync.conf", THREE);
    assertEquals("first", config.name());
    assertEquals(3000, config.tokenMillis());
    assertEquals(5505, config.port());
    assertTrue(config.encrypted());
    assertEquals(
        "[1, 2, 3]", config.nodes().stream().map(ClusterConfig.Node::id).toList().toString());
    assertEquals(
        new ClusterConfig.Node(new NodeId(2), new NodeName("127.0.0.12"), ClusterConfig.Naming.UNKNOWN, "127.0.0.12", 1),
        config.node(new NodeId(2)));
    assertEquals(4, config.quorum().expectedVotes());
    assertEquals("[2, 1]", config.quorum().tieBreakerIds().toString());
    assertFalse(config.quorum().waitForAll());
  }

  @Test
  void theCoefficientLengthensTheTokenPerNodeBeyondTwo() throws Exception {
    var text = THREE.replace("token: 3000", "token: 1000\n  token_coefficient: 650");
    assertEquals(1650, ClusterConfig.parse("f", text).tokenMillis());
  }

  @Test
  void theLocalNodeIsTheOneNamedOrTheOneWithAnAddressOfThisMachine() throws Exception {
    var config = ClusterConfig.parse("f", THREE);
    assertEquals(new NodeId(3), config.localNode("c", it -> false).id());
    assertEquals(new NodeId(1), config.localNode(null, "127.0.0.11"::equals).id());
    assertThrows(ClusterConfigException.class, () -> config.localNode("z", it -> false));
    assertThrows(ClusterConfigException.class, () -> config.localNode(null, it -> true));
    assertThrows(ClusterConfigException.class, () -> config.localNode(null, it -> false));
  }

  @Test
  void twoNodesHaveTwoVotesThoughTheFileStillExpectsOne() throws Exception {
    var two =
        """
        totem {
          version: 2
        }
        nodelist {
          node {
            ring0_addr: 127.0.0.11
            nodeid: 1
          }
          node {
            ring0_addr: 127.0.0.12
            nodeid: 2
          }
        }
        quorum {
          provider: corosync_votequorum
          expected_votes: 1
          two_node: 1
        }
        """;
    var quorum = ClusterConfig.parse("f", two).quorum();
    assertTrue(quorum.twoNode());
    assertEquals(2, quorum.expectedVotes());
    refused("expected_votes is 3", two.replace("expected_votes: 1", "expected_votes: 3"));
  }

  /// A majority of the three, not of the two that were there before, or one of them.
  @Test
  void twoNodeOfMoreThanTwoNodesIsLeftAlone() throws Exception {
    var file = THREE.replace("auto_tie_breaker: 1", "two_node: 1").replaceAll("(?m)^.*auto_tie_breaker_node.*$", "");
    var config = ClusterConfig.parse("f", file.replace("two_node: 1", "two_node: 1\n  expected_votes: 2"));
    assertEquals(List.of("two_node has no effect in f, which lists 3 nodes"), config.remarks());
    var quorum = config.quorum();
    assertFalse(quorum.twoNode());
    assertFalse(quorum.waitForAll());
    assertEquals(4, quorum.expectedVotes());
    assertEquals(ClusterConfig.parse("f", file.replace("two_node: 1", "")).quorum(), quorum);
  }

  @Test
  void whatIsWrongIsNamedWithFileAndLine() {
    refused("f, line 5: token is \"soon\"; use a number", THREE.replace("3000", "soon"));
    refused("f, line 2: section totem is not closed", "\ntotem {\n");
    refused("f, line 1: a \"}\" without a section", "}");
    refused("there is no nodelist", "totem {\n}\n");
    refused("f, line 17: node a has the nodeid", THREE.replace("nodeid: 1", "nodeid: 3"));
    refused("no nodeid", THREE.replace("nodeid: 2", ""));
    refused("no node has the nodeid 9", THREE.replace("2 1\n", "9\n"));
    refused("is neither", "hello");
    refused("f, line 1: \"totem { version: 2 }\" is neither", "totem { version: 2 }");
    refused("f, line 1: a section needs a name", "{");
    refused("f, line 3: a section needs a name", "totem {\n}\nname: {\n}");
    refused("f, line 3: version is \"3\"; use 2", THREE.replace("version: 2", "version: 3"));
    refused("token is 5; use a number from 200", THREE.replace("3000", "5"));
    refused("token is \"99999999999\"; use a number", THREE.replace("3000", "99999999999"));
    refused("nodeid is 0; use a number from 1", THREE.replace("nodeid: 1", "nodeid: 0"));
    refused("ring0_addr is \"a b\"", THREE.replace("ring0_addr: 127.0.0.11", "ring0_addr: a b"));
    refused("has no ring0_addr", THREE.replace("ring0_addr: 127.0.0.11", "ring1_addr: 127.0.0.11"));
    refused("quorum provider \"magic\"", THREE.replace("corosync_votequorum", "magic"));
    refused("auto_tie_breaker is \"maybe\"", THREE.replace("breaker: 1", "breaker: maybe"));
    refused(
        "crypto_cipher is \"aes-256\"; use none, aes256",
        THREE.replace("version: 2", "crypto_cipher: aes-256"));
    refused("keyfile is \"key\"", THREE.replace("version: 2", "keyfile: key"));
  }

  @Test
  void aHostNameThatIsTheAddressToBeginWithIsAName() throws Exception {
    var text = THREE.replace("ring0_addr: 127.0.0.11", "ring0_addr: a");
    var node = ClusterConfig.parse("f", text).node(new NodeId(1));
    assertTrue(node.named());
    assertFalse(node.isUnknown());
    var address = ClusterConfig.parse("f", THREE.replace("name: a", "name: 127.0.0.11"));
    assertTrue(address.node(new NodeId(1)).isUnknown());
    var told = address.called(java.util.Map.of(new NodeId(1), new NodeName("127.0.0.11")));
    assertFalse(told.node(new NodeId(1)).isUnknown());
  }

  @Test
  void encryptionIsOffOnlyWhereTheFileSaysSo() throws Exception {
    assertFalse(
        ClusterConfig.parse("f", THREE.replace("version: 2", "crypto_cipher: none")).encrypted());
    assertTrue(
        ClusterConfig.parse("f", THREE.replace("version: 2", "crypto_cipher: aes256")).encrypted());
  }

  private static void refused(String expected, String text) {
    var e = assertThrows(ClusterConfigException.class, () -> ClusterConfig.parse("f", text));
    assertTrue(e.getMessage().contains(expected), e.getMessage());
  }
}
