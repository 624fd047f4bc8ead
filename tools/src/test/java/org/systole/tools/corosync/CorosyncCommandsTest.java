package org.systole.tools.corosync;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.systole.common.cluster.LinkMessage;
import org.systole.common.cluster.LinkMessage.ConfiguredNode;
import org.systole.common.cluster.Member;
import org.systole.common.cluster.Membership;
import org.systole.common.layout.Layout;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.pacemakerd.client.PacemakerdMessage;
import org.systole.tools.cli.Command;
import org.systole.tools.cli.Shell;
import org.systole.tools.cli.StandIn;

/// What pcs, crmsh and others read of Corosync's commands.
@Timeout(60)
class CorosyncCommandsTest {
  private static final String FILE =
      """
      totem {
        version: 2
        cluster_name: first
        transport: knet
        token: 3000
        token_coefficient: 500
        interface {
          linknumber: 0
          mcastport: 5405
        }
      }
      nodelist {
        node {
          ring0_addr: 127.0.0.12
          name: beta
          nodeid: 2
        }
        node {
          ring0_addr: 127.0.0.11
          name: alpha
          nodeid: 1
        }
        node {
          ring0_addr: 127.0.0.13
          name: gamma
          nodeid: 3
        }
      }
      quorum {
        provider: corosync_votequorum
        wait_for_all: 1
      }
      """;

  private String file = FILE;

  @TempDir Path root;

  private static Member member(int id, String name) {
    return new Member(new NodeId(id), new NodeName(name), 1);
  }

  private Shell.Result shell(Command command, String... args) {
    return new Shell(root).set(Layout.ROOT, root.toString()).run(command, args);
  }

  /// Of node 1, where node 3 is away.
  private static LinkMessage.Status status() {
    var nodes =
        List.of(
            new ConfiguredNode(new NodeId(1), new NodeName("alpha"), 1),
            new ConfiguredNode(new NodeId(2), new NodeName("beta"), 1),
            new ConfiguredNode(new NodeId(3), new NodeName("gamma"), 1));
    return new LinkMessage.Status(
            new NodeId(1),
            new NodeName("alpha"),
            "first",
            nodes,
            new Membership(26, List.of(member(1, "alpha"), member(2, "beta")), true),
            3,
            2,
            2,
            List.of("Quorate"));
  }

  private Shell.Result run(Command command, String... args) throws Exception {
    return StandIn.beside(
        root,
        PacemakerdMessage.SOCKET,
        PacemakerdMessage.PROTOCOL,
        new PacemakerdMessage.Configuration(file, true),
        () ->
            StandIn.beside(
                root,
                LinkMessage.SOCKET,
                LinkMessage.PROTOCOL,
                status(),
                () -> shell(command, args)));
  }

  private Shell.Result reload(boolean done, String... lines) throws Exception {
    return StandIn.beside(
        root,
        PacemakerdMessage.SOCKET,
        PacemakerdMessage.PROTOCOL,
        new PacemakerdMessage.ReadAnew(done, List.of(lines)),
        () -> shell(new CorosyncCfgtool(), "-R"));
  }

  @Test
  void theStateOfTheLinkIsShownNodeByNode() throws Exception {
    var result = run(new CorosyncCfgtool(), "-s");
    assertEquals(0, result.code(), result.err());
    assertEquals(
        """
        Local node ID 1, transport knet
        LINK ID 0 udp
        \taddr\t= 127.0.0.11
        \tstatus:
        \t\tnodeid:          1:\tlocalhost
        \t\tnodeid:          2:\tconnected
        \t\tnodeid:          3:\tdisconnected
        """,
        result.out());
    assertTrue(run(new CorosyncCfgtool(), "-s", "-b").out().endsWith("\tstatus\t= n31\n"));
  }

  @Test
  void eachOfSeveralLinksIsShown() throws Exception {
    file =
        FILE.replaceAll("(ring0_addr: 127.0.0)(.\\d+)", "$1$2\n    ring1_addr: 127.0.1$2");
    assertEquals(
        """
        LINK ID 1 udp
        \taddr\t= 127.0.1.11
        \tstatus\t= n31
        """,
        run(new CorosyncCfgtool(), "-s", "-b", "-i", "1").out().split("\n", 2)[1]);
    var node = run(new CorosyncCfgtool(), "-n").out();
    assertTrue(node.contains("   LINK: 1 udp (127.0.1.11->127.0.1.12) enabled connected mtu"), node);
    var keys = run(new CorosyncCmapctl()).out();
    assertTrue(
        keys.contains("members.2.ip (str) = r(0) ip(127.0.0.12) r(1) ip(127.0.1.12) \n"), keys);
  }

  @Test
  void aLinkIsUpWhereTheNodeSaysSo() {
    var gamma =
        new RunningConfig.Node(2, 3, new java.util.TreeMap<>(java.util.Map.of(0, "a", 1, "b")));
    var states =
        List.of(
            new PacemakerdMessage.LinkState(new NodeId(3), 0, false),
            new PacemakerdMessage.LinkState(new NodeId(3), 1, true));
    var running = new RunningConfig(java.util.Map.of(), 1000, false, status(), states);
    assertFalse(running.isUp(gamma, 0));
    assertTrue(running.isUp(gamma, 1));
  }

  @Test
  void theNodesThatCanBeReachedAreShown() throws Exception {
    assertEquals(
        """
        Local node ID 1, transport knet
        nodeid: 2 reachable
           LINK: 0 udp (127.0.0.11->127.0.0.12) enabled connected mtu: 1500

        """,
        run(new CorosyncCfgtool(), "-n").out());
    assertEquals("127.0.0.13\n", run(new CorosyncCfgtool(), "-a", "3").out());
    assertEquals(1, run(new CorosyncCfgtool(), "-a", "4").code());
  }

  @Test
  void aReloadSaysWhatIsWrong() throws Exception {
    var well = reload(true);
    assertEquals(0, well.code());
    assertEquals("Reloading corosync.conf...\nDone\n", well.out());
    var wrong = reload(false, "Node beta: corosync.conf, line 3: no", "Nothing was changed.");
    assertEquals(1, wrong.code());
    assertEquals("Reloading corosync.conf...\n", wrong.out());
    assertTrue(wrong.err().startsWith("Node beta: corosync.conf, line 3: no\n"), wrong.err());
    assertTrue(wrong.err().contains("Errors in applying config"), wrong.err());
  }

  @Test
  void aNodeThatIsDownIsToldInCorosyncsWords() {
    var tool = shell(new CorosyncCfgtool(), "-s");
    assertEquals(1, tool.code());
    assertTrue(
        tool.err().contains("Could not initialize corosync configuration API error"), tool.err());
    var keys = shell(new CorosyncCmapctl());
    assertEquals(1, keys.code());
    assertTrue(keys.err().contains("Failed to initialize the cmap API."), keys.err());
  }

  @Test
  void keysAreThoseOfCorosync() throws Exception {
    var result = run(new CorosyncCmapctl());
    assertEquals(0, result.code(), result.err());
    for (var line :
        List.of(
            "nodelist.local_node_pos (u32) = 1",
            "nodelist.node.0.name (str) = beta",
            "nodelist.node.0.nodeid (u32) = 2",
            "nodelist.node.1.ring0_addr (str) = 127.0.0.11",
            "quorum.provider (str) = corosync_votequorum",
            "quorum.wait_for_all (u8) = 1",
            "runtime.config.totem.token (u32) = 3500",
            "runtime.members.2.config_version (u64) = 0",
            "runtime.members.2.ip (str) = r(0) ip(127.0.0.12) ",
            "runtime.members.2.status (str) = joined",
            "runtime.votequorum.this_node_id (u32) = 1",
            "runtime.votequorum.wait_for_all_status (u8) = 1",
            "totem.cluster_name (str) = first",
            "totem.interface.0.mcastport (u16) = 5405",
            "totem.token (u32) = 3000",
            "totem.version (u32) = 2")) {
      assertTrue(result.out().contains(line + "\n"), () -> line + " is not in " + result.out());
    }
    assertFalse(result.out().contains("runtime.members.3"), result.out());
    assertEquals(result.out().lines().sorted().toList(), result.out().lines().toList());
  }

  @Test
  void someKeysAreAskedForByNameOrByWhatTheyBeginWith() throws Exception {
    var one = "runtime.votequorum.wait_for_all_status (u8) = 1\n";
    var name = "runtime.votequorum.wait_for_all_status";
    assertEquals(one, run(new CorosyncCmapctl(), "-g", name).out());
    assertEquals("1\n", run(new CorosyncCmapctl(), "-q", "-g", name).out());
    var members = run(new CorosyncCmapctl(), "-b", "runtime.members").out();
    assertEquals(8, members.lines().count(), members);
    var former = run(new CorosyncCmapctl(), "-b", "runtime.totem.pg.mrp.srp.members").out();
    assertEquals(members.replace("runtime.", "runtime.totem.pg.mrp.srp."), former);
    assertFalse(run(new CorosyncCmapctl()).out().contains(".srp."));
    var none = run(new CorosyncCmapctl(), "-g", "no.such");
    assertEquals(1, none.code());
    assertEquals("Can't get key no.such. Error CS_ERR_NOT_EXIST\n", none.err());
  }

  @Test
  void theWaitForAllNodesIsEndedByTheKeyThatPcsSets() throws Exception {
    var asked = new ArrayList<PacemakerdMessage.Request>();
    var result =
        StandIn.answering(
            root,
            PacemakerdMessage.SOCKET,
            PacemakerdMessage.PROTOCOL,
            it -> {
              asked.add(it);
              return new PacemakerdMessage.State("running", 0);
            },
            () -> shell(new CorosyncCmapctl(), "-s", "quorum.cancel_wait_for_all", "u8", "1"));
    assertEquals(0, result.code(), result.err());
    assertEquals(List.of(new PacemakerdMessage.EndWait()), asked);
  }

  @Test
  void nothingElseIsSet() {
    for (var args :
        List.of(
            List.of("-s", "quorum.cancel_wait_for_all", "u8", "0"),
            List.of("-s", "totem.token", "u32", "3000"),
            List.of("-d", "x"),
            List.of("-m", "stats"))) {
      var result = shell(new CorosyncCmapctl(), args.toArray(String[]::new));
      assertEquals(64, result.code(), args::toString);
      assertFalse(result.err().isEmpty());
    }
    assertEquals(64, shell(new CorosyncCfgtool(), "-k", "2").code());
  }
}
