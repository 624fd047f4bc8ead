package org.systole.controld.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.systole.common.cib.CibUpdate;
import org.systole.common.hosts.HostStatus;
import org.systole.common.output.Rc;
import org.systole.common.values.NodeName;
import org.systole.common.values.ResourceId;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlReader;
import org.systole.common.xml.XmlWriter;
import org.systole.controld.operations.HistoryXml;

final class RemoteRecordsTest {
  private static Element cib() throws Exception {
    return XmlReader.parse(
        """
        <cib><configuration><resources>
          <primitive id="far" class="ocf" provider="pacemaker" type="remote"/>
          <group id="g"><primitive id="vm" class="ocf" provider="heartbeat" type="VirtualDomain">
            <meta_attributes id="m"><nvpair id="n" name="remote-node" value="inside"/>
            </meta_attributes></primitive></group>
          <bundle id="box"><podman image="local/web"/><primitive id="web"/></bundle>
        </resources></configuration><status>
          <node_state id="old" uname="old" remote_node="true"/><node_state id="1" uname="node1"/>
        </status></cib>
        """);
  }

  // A member is let in

  private static final NodeName FAR = new NodeName("far");
  private static final NodeName ME = new NodeName("node1");

  /// @param last the key of the last call on far that the CIB knows of
  private static Element connected(String by, String last) throws Exception {
    return XmlReader.parse(
        """
        <cib admin_epoch="0" epoch="1" num_updates="0" validate-with="pacemaker-4.0"><configuration>
          <crm_config/><nodes/><resources/><constraints/></configuration><status><node_state id="far" uname="far" remote_node="true"
            crm-debug-origin="remote_node_up" in_ccm="1700" node_fenced="0" left="0" connection="%s" executor="5a">
          <lrm id="far" history-lost="true"><lrm_resources><lrm_resource id="db">
            <lrm_rsc_op id="db_last_0" call-id="7" transition-key="%s"/>
          </lrm_resource></lrm_resources></lrm></node_state></status></cib>
        """
            .formatted(by, last));
  }

  private static Element empty() throws Exception {
    return XmlReader.parse(
        """
        <cib admin_epoch="0" epoch="1" num_updates="0" validate-with="pacemaker-4.0"><configuration>
          <crm_config/><nodes/><resources/><constraints/></configuration><status/></cib>
        """);
  }

  private static Element rejoined(Element cib, String last) {
    var made = CibUpdate.apply(cib, RemoteRecords.rejoined(cib, FAR, new Connected(ME, 1700, "5a", ""), last), null);
    assertEquals(Rc.OK, made.rc());
    return made.cib();
  }

  private static void assertAllIsToBeProbed(Element cib) {
    var state = RemoteRecords.state(cib, FAR);
    assertNotNull(state);
    assertEquals(ME, RemoteRecords.connection(cib, FAR));
    assertEquals("1700", RemoteRecords.since(state));
    var lrm = state.first("lrm");
    assertNotNull(lrm);
    assertTrue(HistoryXml.isLost(lrm));
    assertNull(state.find(it -> it.is("lrm_rsc_op")));
  }

  @Test
  void whatIsOfTheLineOfTheMemberWithTheConnectionStaysAsItIs() throws Exception {
    var cib = connected("node1", "5:9:0:uuid");
    assertEquals(cib.first("status"), rejoined(cib, "5:9:0:uuid").first("status"));
    assertEquals(cib.first("status"), rejoined(cib, "").first("status"), "nothing was done there yet");
  }

  @Test
  void theEntryOfAnotherTimeOrSideTellsNothing() throws Exception {
    assertAllIsToBeProbed(rejoined(connected("node1", "5:9:0:uuid"), "6:11:0:uuid"));
    assertAllIsToBeProbed(rejoined(connected("node5", "5:9:0:uuid"), "6:11:0:uuid"));
    assertAllIsToBeProbed(rejoined(connected("node5", "5:9:0:uuid"), ""));
    assertAllIsToBeProbed(rejoined(empty(), ""));
  }

  @Test
  void whatIsKnownOfAnEarlierConnectionOfTheSameMemberTellsNothingOfTheOneItHas() throws Exception {
    var earlier = XmlReader.parse(XmlWriter.compact(connected("node1", "5:9:0:uuid")).replace("1700", "1200"));
    assertAllIsToBeProbed(rejoined(earlier, ""));
  }

  /// Nobody makes anew what is there.
  @Test
  void theConnectionToAHostThatAnotherSideHadLostIsThere() throws Exception {
    var cib = host("node5", "1");
    var status = HostStatus.of(rejoined(cib, "5:9:0:uuid"), FAR);
    assertNotNull(status);
    assertFalse(status.lost());
    assertAllIsToBeProbed(rejoined(cib, "5:9:0:uuid"));
  }

  private static Element host(String by, String lost) throws Exception {
    var cib = XmlWriter.compact(connected(by, "5:9:0:uuid"));
    return XmlReader.parse(
        cib.replace("connection=", "host_ha=\"AVAILABLE\" host_ha_lost=\"%s\" connection=".formatted(lost)));
  }

  /// What another one could not connect to may run what the member with the connection had begun there.
  @Test
  void onlyTheMemberThatHadTheConnectionSaysThatTheNodeWasLeft() throws Exception {
    var cib = connected("node1", "5:9:0:uuid");
    assertEquals("1", left(down(cib, ME)));
    assertEquals("0", left(down(cib, new NodeName("node2"))));
    var left = down(cib, ME);
    assertEquals("1", left(down(left, new NodeName("node2"))), "it was left before that");
    var taken = CibUpdate.apply(left, RemoteRecords.taken(left, FAR, new Connected(new NodeName("node2"), 17, "5a", "")), null);
    assertEquals("0", left(taken.cib()));
    var up = CibUpdate.apply(left, RemoteRecords.up(left, FAR, new Connected(new NodeName("node2"), 1800, "5a", ""), true), null);
    assertEquals("0", left(up.cib()));
    assertEquals("0", left(down(up.cib(), ME)), "which is another one's by then");
    assertEquals("0", left(down(cib, ME, false)), "it was lost before that");
    assertEquals("1", left(down(left, ME, false)), "nobody was connected since");
  }

  /// What it was moving away as its executor was lost may have got there, though its target was looked at before.
  @Test
  void whatWasBeingMovedAwayIsLookedForWhereItWasMovedTo() throws Exception {
    var op =
        "<lrm_rsc_op id=\"b_%s\" operation=\"%s\" interval=\"0\" call-id=\"%d\" rc-code=\"%d\" op-status=\"%d\" %s transition-key=\"4:%d:0:11111111-1111-1111-1111-111111111111\"/>";
    var history = "<lrm id=\"%s\"><lrm_resources><lrm_resource id=\"b\" class=\"ocf\" provider=\"pacemaker\" type=\"Dummy\">%s</lrm_resource></lrm_resources></lrm>";
    var cib =
        XmlReader.parse(
            "<cib admin_epoch=\"0\" epoch=\"1\" num_updates=\"0\" validate-with=\"pacemaker-4.0\"><configuration><crm_config/><nodes/><resources/><constraints/></configuration>"
                + "<status><node_state id=\"2\" uname=\"node2\" in_ccm=\"17\" crmd=\"17\">"
                + history.formatted("2", op.formatted("last_0", "monitor", 3, 7, 0, "", 30))
                + "</node_state><node_state id=\"far\" uname=\"far\" remote_node=\"true\" in_ccm=\"17\" connection=\"node2\" executor=\"5a\">"
                + history.formatted("far", op.formatted("migrate_to_0", "migrate_to", -1, 193, -1, "migrate_source=\"far\" migrate_target=\"node2\"", 34))
                + "</node_state></status></cib>");
    for (var keeps : new boolean[] {true, false}) {
      var made = CibUpdate.apply(cib, RemoteRecords.up(cib, FAR, new Connected(ME, 1800, "6b", ""), keeps), null);
      assertEquals(Rc.OK, made.rc());
      assertEquals(null, made.cib().find(it -> it.is("lrm_resource")), "both are to be probed");
    }
  }

  private static Element down(Element cib, NodeName by) {
    return down(cib, by, true);
  }

  private static Element down(Element cib, NodeName by, boolean there) {
    var made = CibUpdate.apply(cib, RemoteRecords.down(cib, FAR, by, there), null);
    assertEquals(Rc.OK, made.rc());
    return made.cib();
  }

  private static @Nullable String left(Element cib) {
    var state = RemoteRecords.state(cib, FAR);
    return state == null ? "none" : state.get("left");
  }

  @Test
  void aConnectionIsLostForTheMemberThatHasItOnly() throws Exception {
    var mine = CibUpdate.apply(host("node1", "0"), RemoteRecords.lostUnlessTaken(FAR, ME), null);
    assertEquals(Rc.OK, mine.rc());
    var status = HostStatus.of(mine.cib(), FAR);
    assertTrue(status != null && status.lost());
    var others = CibUpdate.apply(host("node5", "0"), RemoteRecords.lostUnlessTaken(FAR, ME), null);
    assertEquals(Rc.ENXIO, others.rc(), "nothing is written");
  }

  /// It would stay lost for good: the member that has it knows of no loss.
  @Test
  void aConnectionThatIsTakenOverIsNotLostAndWhatWasLostBeforeIsToBeProbed() throws Exception {
    for (var lost : List.of("0", "1")) {
      var before = host("node1", lost);
      var made = CibUpdate.apply(before, RemoteRecords.taken(before, FAR, new Connected(new NodeName("node2"), 17, "5a", "")), null);
      assertEquals(Rc.OK, made.rc());
      var status = HostStatus.of(made.cib(), FAR);
      assertTrue(status != null && !status.lost());
      var state = RemoteRecords.state(made.cib(), FAR);
      var lrm = state == null ? null : state.first("lrm");
      assertTrue(lrm != null && HistoryXml.isLost(lrm), "what is not in it may run there");
      assertEquals(lost.equals("0"), lrm.find(it -> it.is("lrm_rsc_op")) != null);
    }
  }

  @Test
  void ofAttributesThatStayOnlyTheRequestToStopIsForgotten() throws Exception {
    var attributes =
        """
        <transient_attributes id="far"><instance_attributes id="status-far"><nvpair id="status-far-shutdown"
          name="shutdown" value="1650"/><nvpair id="status-far-master-db" name="master-db" value="10"/></instance_attributes>
        </transient_attributes></node_state>
        """;
    var cib = XmlReader.parse(XmlWriter.compact(connected("node5", "5:9:0:uuid")).replace("</node_state>", attributes));
    for (var keeps : List.of(true, false)) {
      var made = CibUpdate.apply(cib, RemoteRecords.up(cib, FAR, new Connected(ME, 1700, "5a", ""), keeps), null);
      assertEquals(Rc.OK, made.rc());
      assertAllIsToBeProbed(made.cib());
      assertEquals(keeps ? List.of("master-db") : List.of(), attributes(made.cib()));
    }
  }

  private static List<String> attributes(Element cib) {
    var names = new ArrayList<String>();
    var state = RemoteRecords.state(cib, FAR);
    var set = state == null ? null : state.path("transient_attributes", "instance_attributes");
    if (set != null) {
      set.children("nvpair").forEach(it -> names.add(it.get("name", "")));
    }
    return names;
  }

  @Test
  void aGuestOfWhichNothingIsKnownIsToBeProbedWhereItsMachineRuns() throws Exception {
    var made = CibUpdate.apply(empty(), RemoteRecords.unknown(FAR, ME, 1700), null);
    assertEquals(Rc.OK, made.rc());
    assertAllIsToBeProbed(made.cib());
  }

  @Test
  void aGuestThatTheCibKnowsIsLeftAsItIs() throws Exception {
    var cib = connected("node5", "5:9:0:uuid");
    var made = CibUpdate.apply(cib, RemoteRecords.unknown(FAR, ME, 1800), null);
    assertEquals(Rc.ENXIO, made.rc());
  }

  @Test
  void theGuestsOfMachinesAreFoundInGroupsToo() throws Exception {
    var machines = List.of(new ResourceId("vm"), new ResourceId("far"));
    assertEquals(List.of(new NodeName("inside")), RemoteRecords.guestsOf(cib(), machines));
    assertEquals(List.of(), RemoteRecords.guestsOf(cib(), List.of(new ResourceId("web"))));
  }

  // A guest whose machine is moved live

  /// @param source what node1 has of the machine
  /// @param target what node2 has of it
  private static Element fencedGuest(String source, String target) throws Exception {
    var cib =
        XmlReader.parse(
            """
            <cib admin_epoch="0" epoch="1" num_updates="0" validate-with="pacemaker-4.0"><configuration>
              <crm_config/><nodes/><resources><primitive id="vm" class="ocf" provider="heartbeat" type="VirtualDomain">
                <meta_attributes id="m"><nvpair id="m-r" name="remote-node" value="far"/></meta_attributes></primitive>
              </resources><constraints/></configuration><status>
              <node_state id="1" uname="node1" in_ccm="0" crmd="0">%s</node_state>
              <node_state id="2" uname="node2" in_ccm="1600" crmd="1600">%s</node_state>
              <node_state id="far" uname="far" remote_node="true" in_ccm="1700" node_fenced="0" left="0" connection="node1"><lrm id="far">
                <lrm_resources><lrm_resource id="a"><lrm_rsc_op id="a_last_0" call-id="7"/></lrm_resource></lrm_resources></lrm>
              </node_state></status></cib>
            """
                .formatted(source, target));
    var made = CibUpdate.apply(cib, RemoteRecords.fenced(cib, FAR, 1800), null);
    assertEquals(Rc.OK, made.rc());
    var state = RemoteRecords.state(made.cib(), FAR);
    assertNotNull(state);
    assertNull(state.find(it -> it.is("lrm_rsc_op")));
    assertEquals("0", RemoteRecords.since(state));
    return state;
  }

  private static String vm(String lost, String operations) {
    return "<lrm id='n'%s><lrm_resources><lrm_resource id='vm'>%s</lrm_resource></lrm_resources></lrm>"
        .formatted(lost, operations);
  }

  private static final String SENT =
      "<lrm_rsc_op id='vm_migrate_to_0' operation='migrate_to' migrate_source='node1' migrate_target='node2' call-id='9' rc-code='0' op-status='0' interval='0'/>";
  private static final String NOT_THERE =
      "<lrm_rsc_op id='vm_last_0' operation='monitor' call-id='3' rc-code='7' op-status='0' interval='0'/>";

  private static void assertIsToBeLookedFor(Element guest) {
    assertFalse(RemoteRecords.isDownAndClean(guest));
    var lrm = guest.first("lrm");
    assertNotNull(lrm);
    assertTrue(HistoryXml.isLost(lrm));
  }

  @Test
  void aGuestWhoseMachineMayHaveArrivedElsewhereIsNotDown() throws Exception {
    assertIsToBeLookedFor(fencedGuest(vm("", SENT), vm("", NOT_THERE)));
    assertIsToBeLookedFor(fencedGuest(vm("", SENT), ""));
    var forgotten = "<lrm id='2' history-lost='true'/>";
    assertIsToBeLookedFor(fencedGuest("", forgotten));
  }

  @Test
  void aGuestWhoseMachineIsGoneIsDown() throws Exception {
    var start = "<lrm_rsc_op id='vm_last_0' operation='start' call-id='3' rc-code='0' op-status='0' interval='0'/>";
    assertTrue(RemoteRecords.isDownAndClean(fencedGuest(vm("", start), vm("", NOT_THERE))));
    assertTrue(RemoteRecords.isDownAndClean(fencedGuest("", vm(" history-lost='true'", NOT_THERE))), "it was looked for");
  }
}
