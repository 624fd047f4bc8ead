package org.systole.tools.status;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.systole.cibd.client.CibMessage;
import org.systole.common.cib.CibVersion;
import org.systole.common.cluster.LinkMessage;
import org.systole.common.cluster.LinkMessage.ConfiguredNode;
import org.systole.common.cluster.Member;
import org.systole.common.cluster.Membership;
import org.systole.common.layout.Layout;
import org.systole.common.output.Rc;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.tools.cli.Shell;
import org.systole.tools.cli.StandIn;

/// What `crm_mon` shows of the nodes before the CIB has entries of them. Who starts a node and waits for it, as
/// `pcs cluster start --wait` does, takes one that is not shown for an error.
final class ListedNodesTest {
  private static final String CIB =
      """
      <cib crm_feature_set="3.19.0" validate-with="pacemaker-3.10" epoch="0" num_updates="4" admin_epoch="0" have-quorum="%s" %s>
        <configuration><crm_config/><nodes>%s</nodes><resources/><constraints/></configuration>
        <status>%s</status>
      </cib>
      """;
  private static final String ONLINE =
      "<node_state id=\"1\" uname=\"n1\" in_ccm=\"1718452740\" crmd=\"1718452740\" join=\"member\" expected=\"member\"/>";

  @TempDir private Path directory;

  /// @param list names of the nodes in the configuration file, by id from 1 on
  private List<String> nodes(String cib, String... list) throws Exception {
    var configured = Stream.of(list).map(it -> configured(List.of(list).indexOf(it) + 1, it)).toList();
    var status =
        new LinkMessage.Status(
            new NodeId(1),
            new NodeName("n1"),
            "first",
            configured,
            new Membership(1, List.of(new Member(new NodeId(1), new NodeName("n1"), 1)), false),
            3,
            1,
            2,
            List.of());
    return StandIn.beside(directory, LinkMessage.SOCKET, LinkMessage.PROTOCOL, status, () -> shown(cib));
  }

  private static ConfiguredNode configured(int id, String name) {
    return new ConfiguredNode(
        new NodeId(id), name.isEmpty() ? ConfiguredNode.unknown(new NodeId(id)) : new NodeName(name), 1);
  }

  private List<String> shown(String cib) throws Exception {
    var shell =
        new Shell(directory).set(Layout.ROOT, directory.toString()).set(Layout.HOME, directory.toString());
    var ran =
        StandIn.answering(
            directory,
            CibMessage.SOCKET,
            CibMessage.PROTOCOL,
            _ -> new CibMessage.Answer(Rc.OK, "", cib, CibVersion.NONE),
            () -> shell.run(new CrmMon(), "--output-as=xml", "--include=none,nodes"));
    assertEquals(0, ran.code(), ran.err());
    return ran.out().lines().map(String::strip).filter(it -> it.startsWith("<node ")).toList();
  }

  private static void isNode(String line, String name, boolean online, boolean unclean) {
    assertTrue(line.contains(" name=\"%s\" ".formatted(name)), line);
    assertTrue(line.contains(" online=\"%s\" ".formatted(online)), line);
    assertTrue(line.contains(" unclean=\"%s\" ".formatted(unclean)), line);
    assertTrue(line.contains(" pending=\"false\" "), line);
  }

  @Test
  void aNodeAloneIsShownOnlineAndTheOthersAreNot() throws Exception {
    var nodes = nodes(CIB.formatted("0", "dc-uuid=\"1\"", "", ONLINE), "n1", "n2");
    assertEquals(2, nodes.size(), () -> "" + nodes);
    isNode(nodes.get(0), "n1", true, false);
    isNode(nodes.get(1), "n2", false, true);
  }

  @Test
  void aNodeThatWaitsForADcIsShownOffline() throws Exception {
    var nodes = nodes(CIB.formatted("0", "", "", ""), "n1");
    assertEquals(1, nodes.size(), () -> "" + nodes);
    isNode(nodes.getFirst(), "n1", false, true);
  }

  @Test
  void whatTheCibHasStaysAndANodeWithoutANameIsNotShown() throws Exception {
    var entry = "<node id=\"1\" uname=\"older\"/>";
    var nodes = nodes(CIB.formatted("0", "dc-uuid=\"1\"", entry, ""), "n1", "");
    assertEquals(1, nodes.size(), () -> "" + nodes);
    assertTrue(nodes.getFirst().contains("name=\"older\""), () -> "" + nodes);
  }

  /// Nobody asks the link then, which there is none of.
  @Test
  void withQuorumTheCibSaysWhichNodesThereAre() throws Exception {
    assertEquals(List.of(), shown(CIB.formatted("1", "dc-uuid=\"1\"", "", "")));
  }

  @Test
  void withoutALinkTheCibIsShownAsItIs() throws Exception {
    assertEquals(List.of(), shown(CIB.formatted("0", "", "", "")));
    assertFalse(shown(CIB.formatted("0", "", "<node id=\"1\" uname=\"n1\"/>", "")).isEmpty());
  }
}
