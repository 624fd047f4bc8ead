package org.systole.controld.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibUpdate;
import org.systole.common.output.Rc;
import org.systole.common.values.CibNodeId;
import org.systole.common.values.NodeName;
import org.systole.common.values.ResourceId;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;

final class RememberedConnectionsTest {
  private static final String CIB =
      """
      <cib admin_epoch="0" epoch="1" num_updates="0" validate-with="pacemaker-4.0"><configuration><crm_config/><nodes/><resources/><constraints/></configuration><status>
        <node_state id="1" uname="node1"/>
        <node_state id="2" uname="node2"><lrm id="2"><lrm_resources>
          <lrm_resource id="a" class="ocf" provider="pacemaker" type="Dummy"/>
          <lrm_resource id="host1" class="ocf" provider="pacemaker" type="remote"/>
        </lrm_resources></lrm></node_state>
      </status></cib>
      """;

  private static boolean isRemembered(String node) throws XmlException {
    return RememberedConnections.has(XmlReader.parse(CIB), new NodeName(node));
  }

  @Test
  void aConnectionIsRememberedAsLongAsAMemberHasItsHistory() throws XmlException {
    assertTrue(isRemembered("host1"));
    assertFalse(isRemembered("host2"));
    assertFalse(isRemembered("a"), "it is another resource");
    assertFalse(RememberedConnections.has(Element.of("cib"), new NodeName("host1")));
  }

  /// Else nothing would tell any more that the node is connected to, and it would be fenced for what runs there.
  @Test
  void whatIsKnownOfAConnectionIsDeletedOnlyWhereItIsConfigured() throws XmlException {
    var host = new ResourceId("host1");
    var change = CibOp.deleteAllXPath(RememberedConnections.ifConfigured(host, "//node_state[@id='2']/lrm/lrm_resources/lrm_resource[@id='host1']"));
    var without = XmlReader.parse(CIB);
    var with = XmlReader.parse(CIB.replace("<resources/>", "<resources><group id=\"g\"><primitive id=\"host1\" class=\"ocf\" provider=\"pacemaker\" type=\"remote\"/></group></resources>"));
    var far = new NodeName("host1");
    assertTrue(RememberedConnections.has(CibUpdate.apply(without, List.of(change), null).cib(), far));
    assertFalse(RememberedConnections.has(CibUpdate.apply(with, List.of(change), null).cib(), far));
  }

  @Test
  void aNodeIsOneInAnyCaseOfLetters() throws XmlException {
    assertTrue(isRemembered("HOST1"), "crm_node -R HOST1 would not wait for it, and the node be fenced");
  }

  /// Nobody could ask a member that is down to forget the connection: its node would be there for the scheduler, unknown, and fenced
  /// again and again.
  @Test
  void aMemberThatLeftInGoodOrderIsMadeToForgetAndNoOther() throws XmlException {
    var far = new NodeName("host1");
    for (var state : List.of("expected=\"member\" in_ccm=\"0\" crmd=\"0\"", "expected=\"down\" in_ccm=\"17\" crmd=\"17\"", "expected=\"down\" in_ccm=\"17\" crmd=\"0\"")) {
      var cib = node2Is(state);
      assertTrue(RememberedConnections.has(cib, far), state);
      assertTrue(RememberedConnections.has(forgotten(cib, far), far), state);
    }
    var left = node2Is("expected=\"down\" in_ccm=\"0\" crmd=\"0\"");
    for (var called : List.of(far, new NodeName("Host1"))) {
      assertFalse(RememberedConnections.has(left, called), "nobody will be asked to forget it: it was waited for in vain");
      assertTrue(isThere("host1", left));
      var after = forgotten(left, called);
      assertFalse(isThere("host1", after), "asked for as " + called);
      assertTrue(isThere("a", after));
    }
  }

  /// It may not be fenced for long, and the node was fenced again and again meanwhile, though it had been stopped in good order.
  @Test
  void aMemberThatIsLostIsMadeToForgetANodeThatRunsNothing() throws XmlException {
    var far = new NodeName("host1");
    var lost = node2Is("expected=\"member\" in_ccm=\"0\" crmd=\"0\"");
    var fenced = XmlReader.parse("<node_state id=\"host1\" uname=\"host1\" remote_node=\"true\" in_ccm=\"0\" node_fenced=\"1700\"/>");
    var cib = CibUpdate.apply(lost, List.of(CibOp.put("status", fenced)), null).cib();
    assertFalse(RememberedConnections.has(cib, far));
    var after = forgotten(cib, far);
    assertFalse(isThere("host1", after));
    assertTrue(isThere("a", after));

    var there = CibUpdate.apply(node2Is("expected=\"member\" in_ccm=\"17\" crmd=\"17\""), List.of(CibOp.put("status", fenced)), null).cib();
    assertTrue(RememberedConnections.has(there, far), "it will be asked to forget it");
    assertTrue(RememberedConnections.has(forgotten(there, far), far));
  }

  /// As when all is refreshed while a connection is being stopped.
  @Test
  void thatAConnectionIsNotThereIsRecordedUnlessItsHistoryWasDeleted() throws XmlException {
    var stopped =
        XmlReader.parse(
            "<node_state id=\"2\" uname=\"node2\"><lrm id=\"2\"><lrm_resources><lrm_resource id=\"host1\"><lrm_rsc_op id=\"host1_last_0\" operation=\"stop\"/></lrm_resource></lrm_resources></lrm></node_state>");
    var change = List.of(RememberedConnections.notThere(new CibNodeId("2"), new ResourceId("host1"), stopped));
    var made = CibUpdate.apply(XmlReader.parse(CIB), change, null);
    assertEquals(Rc.OK, made.rc());
    assertNotNull(made.cib().find(it -> "host1_last_0".equals(it.id())));
    assertTrue(isThere("a", made.cib()));

    var refreshed = XmlReader.parse(CIB.replaceFirst("<lrm_resource id=\"host1\"[^>]*>", ""));
    assertNotEquals(Rc.OK, CibUpdate.apply(refreshed, change, null).rc());
  }

  private static Element node2Is(String state) throws XmlException {
    return XmlReader.parse(CIB.replace("uname=\"node2\"", "uname=\"node2\" " + state));
  }

  private static boolean isThere(String resource, Element cib) {
    return cib.find(it -> it.is("lrm_resource") && resource.equals(it.id())) != null;
  }

  private static Element forgotten(Element cib, NodeName node) {
    return CibUpdate.apply(cib, RememberedConnections.forgottenByThoseGone(cib, node), null).cib();
  }
}
