package org.systole.tools.corosync;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
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
import org.systole.tools.cli.Shell;
import org.systole.tools.cli.StandIn;

@Timeout(60)
class CorosyncQuorumtoolTest {
  @TempDir Path root;

  private static ConfiguredNode configured(int id, String name, int votes) {
    return new ConfiguredNode(new NodeId(id), new NodeName(name), votes);
  }

  private static Member member(int id, String name) {
    return new Member(new NodeId(id), new NodeName(name), 1);
  }

  private Shell.Result run(boolean quorate, String... args) throws Exception {
    var members = List.of(member(1, "node1"), member(2, "another"));
    var status =
        new LinkMessage.Status(
            new NodeId(2),
            new NodeName("another"),
            "first",
            List.of(
                configured(1, "node1", 1), configured(2, "another", 2), configured(3, "node3", 1)),
            new Membership(26, members, quorate),
            4,
            3,
            3,
            quorate ? List.of("Quorate", "WaitForAll") : List.of("WaitForAll"));
    return StandIn.run(
        root, LinkMessage.SOCKET, LinkMessage.PROTOCOL, status, new CorosyncQuorumtool(), args);
  }

  @Test
  void quorumVotesAndMembersAreShown() throws Exception {
    var result = run(true);
    assertEquals(0, result.code(), result.err());
    var text = result.out();
    assertTrue(text.contains("\nQuorate:          Yes\n"), text);
    assertTrue(text.contains("\nNode ID:          2\nRing ID:          1.1a\n"), text);
    assertTrue(text.contains("\nExpected votes:   4\n"), text);
    assertTrue(text.contains("\nTotal votes:      3\nQuorum:           3  \n"), text);
    assertTrue(text.contains("\nFlags:            Quorate WaitForAll \n"), text);
    assertTrue(
        text.endsWith(
            """
            Membership information
            ----------------------
                Nodeid      Votes Name
                     1          1 node1
                     2          2 another (local)
            """),
        text);
  }

  @Test
  void withoutQuorumTheExitStatusSaysSo() throws Exception {
    var result = run(false, "-s");
    assertEquals(2, result.code(), result.err());
    assertTrue(result.out().contains("\nQuorate:          No\n"), result.out());
    assertTrue(result.out().contains("Quorum:           3 Activity blocked\n"), result.out());
  }

  @Test
  void programsGetAllColumnsAndAListOnlyTheMembers() throws Exception {
    var result = run(false, "-l", "-p", "-o", "n");
    assertEquals(0, result.code(), result.err());
    assertEquals(
        """
        Membership information
        ----------------------
            Nodeid      Votes    Qdevice Name
                 2          2         NR another (local)
                 1          1         NR node1
        """,
        result.out());
  }

  @Test
  void aNodeThatIsDownIsToldInTheWordsThatPcsKnows() {
    var result =
        new Shell(root).set(Layout.ROOT, root.toString()).run(new CorosyncQuorumtool(), "-p", "-s");
    assertEquals(1, result.code());
    assertEquals("Cannot initialize CMAP service\n", result.out() + result.err());
  }

  @Test
  void expectedVotesAreConfirmedAndNotChanged() throws Exception {
    var confirmed = run(true, "-e", "4");
    assertEquals("", confirmed.out() + confirmed.err());
    assertEquals(0, confirmed.code());
    var refused = run(true, "-e", "2");
    assertEquals(64, refused.code());
    assertTrue(refused.err().contains("expected_votes in the section quorum"), refused.err());
  }

  @Test
  void nothingIsChanged() {
    for (var args : List.of(List.of("-v"), List.of("-f"), List.of("-o", "x"))) {
      var result = new Shell(root).run(new CorosyncQuorumtool(), args.toArray(String[]::new));
      assertEquals(64, result.code(), args::toString);
      assertFalse(result.err().isEmpty());
    }
  }

  private Shell.Result deviceTool(LinkMessage.DeviceInfo answer, String... args) throws Exception {
    return StandIn.run(
        root, LinkMessage.SOCKET, LinkMessage.PROTOCOL, answer, new CorosyncQdeviceTool(), args);
  }

  @Test
  void theDeviceToolShowsWhatTheNodeSays() throws Exception {
    var result = deviceTool(new LinkMessage.DeviceInfo(null, "State:\t\tConnected\nmore\n"), "-s");

    assertEquals("State:\t\tConnected\nmore\n", result.out());
    assertEquals(0, result.code());
  }

  @Test
  void withoutADeviceTheToolSaysWhatPcsKnows() throws Exception {
    var result = deviceTool(new LinkMessage.DeviceInfo(null, null), "-s", "-v");

    assertEquals(1, result.code());
    assertTrue(result.err().startsWith("Can't connect to QDevice socket"), result.err());
  }
}
