package org.systole.hostha.cib;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.systole.common.cib.CibValidation;
import org.systole.common.hosts.HostHaUse;
import org.systole.common.cib.CibUpdate;
import org.systole.common.hosts.HostStatus;
import org.systole.common.values.NodeName;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlWriter;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.common.xml.XmlWriter;
import org.systole.hostha.HostRecord;
import org.systole.hostha.config.Scope;
import org.systole.hostha.config.Setting;
import org.systole.hostha.fsm.FenceReason;
import org.systole.hostha.fsm.HostState;

final class SetupReaderTest {
  private static final NodeName H1 = new NodeName("h1");
  private static final NodeName H3 = new NodeName("h3");

  private static final String FENCING = "<primitive id=\"f\" class=\"stonith\" type=\"fence_x\"/>";

  private static final String ON =
      """
      <nvpair id="a1" name="ha.enabled" value="true"/>
      <nvpair id="a2" name="ha.volumes" value="/srv/a, /srv/b"/>
      <nvpair id="a3" name="ha.param.command" value="true"/>
      """;

  private static final String EAST =
      """
      <rule id="b0" score="INFINITY">
        <expression id="b00" attribute="zone" operation="eq" value="east"/>
      </rule>
      """;

  @Test
  void nothingIsOnWithoutSettings() {
    var cib = cib("", "");

    assertFalse(HostHaUse.isConfigured(cib));
    assertFalse(HostHaUse.hasSettings(cib));
    var setup = SetupReader.read(cib);
    assertEquals(List.of(), setup.faults());
    assertEquals(List.of(), setup.doubts());
    var host = setup.configuration().hosts().get(H1);
    assertNotNull(host);
    assertFalse(setup.configuration().valuesOf(host).is(Setting.ENABLED));
  }

  @Test
  void remoteNodesAreHostsAndTheirAttributesMakePartitions() {
    var cib = cib(ON, "");

    assertEquals(List.of(), CibValidation.problems(cib));
    assertTrue(HostHaUse.isConfigured(cib));
    var setup = SetupReader.read(cib);
    assertEquals(List.of(), setup.faults());
    assertEquals(3, setup.doubts().size());
    assertTrue(setup.doubts().getFirst().contains("its provider generic has no program that looks"));
    assertEquals(
        List.of("h1", "h2", "h3"),
        setup.configuration().hosts().keySet().stream().map(NodeName::text).toList());
    var host = setup.configuration().hosts().get(H1);
    assertNotNull(host);
    assertEquals("pod=p1", host.partition());
    assertEquals(List.of("/srv/a", "/srv/b"), host.volumes());
    var zone = setup.configuration().partitions().get("zone=east");
    assertNotNull(zone);
    assertEquals(Scope.ZONE, zone.scope());
    assertEquals(Map.of("command", "true"), setup.parameters().get(H1));
    assertEquals("ocf:systole:ha-generic", setup.provider(host).toString());
  }

  @Test
  void rulesNameZonesPartitionsAndHosts() {
    var setup =
        SetupReader.read(
            cib(
                ON,
                set("b", EAST + pair("b1", "kvm.ha.fence.timeout", "30"))
                    + set("c", uname("h1") + pair("c1", "kvm.ha.fence.timeout", "40s"))
                    + set("d", uname("h1") + pair("d1", "ha.param.command", "false"))));

    assertEquals(List.of(), setup.faults());
    assertEquals(40_000, ms(setup, "h1"));
    assertEquals(30_000, ms(setup, "h2"));
    assertEquals(60_000, ms(setup, "h3"));
    assertEquals(Map.of("command", "false"), setup.parameters().get(H1));
    assertEquals(Map.of("command", "true"), setup.parameters().get(H3));
  }

  @Test
  void whatMakesNoSenseIsNamed() {
    fault(pair("x", "ha.enable", "true"), "cluster (for the whole cluster): there is no setting ha.enable: crm_hostha --list-settings shows all");
    fault(
        pair("x", "kvm.ha.activity.check.failure.ratio", "2"),
        "cluster (for the whole cluster): kvm.ha.activity.check.failure.ratio takes a share from 0 to 1, not '2'");
    fault(
        pair("x", "ha.provider", "../evil"),
        "cluster (for the whole cluster): ha.provider takes the name of a provider, such as generic, or an agent such as"
            + " ocf:acme:ha-host, not '../evil'");
  }

  @Test
  void aProviderInsideAnotherIsRefused() {
    var inner =
        set(
            "c",
            "<rule id=\"c0\" score=\"0\"><expression id=\"c00\" attribute=\"pod\" operation=\"eq\""
                + " value=\"p1\"/></rule>"
                + pair("c1", "ha.provider", "kvm"));
    var setup =
        SetupReader.read(cib(ON, set("b", EAST + pair("b1", "ha.provider", "kvm")) + inner));

    assertEquals(1, setup.faults().size());
    assertTrue(
        setup.faults().getFirst().contains("has a provider, and so has"),
        setup.faults().toString());
  }

  @Test
  void aRuleThatNamesNoPlaceIsAFault() {
    var rule =
        "<rule id=\"b0\" score=\"0\"><expression id=\"b00\" attribute=\"zone\" operation=\"ne\""
            + " value=\"east\"/></rule>";
    var setup = SetupReader.read(cib(ON, set("b", rule + pair("b1", "ha.enabled", "false"))));

    assertEquals(1, setup.faults().size());
    assertTrue(setup.faults().getFirst().startsWith("b: its rule is to name zones"));
  }

  @Test
  void whatCanHardlyBeMeantIsDoubted() {
    var setup =
        SetupReader.read(
            cib(
                pair("x", "ha.enabled", "true")
                    + pair("y", "kvm.ha.activity.check.failure.ratio", "0.5"),
                set("c", uname("h9") + pair("c1", "ha.enabled", "false"))));

    assertEquals(5, setup.doubts().size(), setup.doubts().toString());
    assertTrue(setup.doubts().getFirst().contains("there is no host h9 ("));
  }

  @Test
  void whatCanNeverRecoverAHostIsDoubted() {
    var name = "kvm.ha.activity.check.";
    for (var pairs :
        List.of(
            pair("x", name + "failure.ratio", "1"),
            pair("x", name + "max.attempts", "1"),
            pair("x", name + "interval", "1ms"),
            pair("x", "kvm.ha.fence.stop_operation", "PROVIDER") + pair("y", "ha.provider", "kvm"),
            pair("x", "ha.param.command", "true"))) {
      var looks = pairs.contains("param.command") ? "" : pair("z", "ha.param.look", "true");
      var setup = SetupReader.read(cib(ON + looks + pairs, ""));
      assertEquals(looks.isEmpty() ? 3 : 1, setup.doubts().size(), setup.doubts().toString());
    }
    assertEquals(List.of(), SetupReader.read(cib(ON + pair("z", "ha.param.look", "true"), "")).doubts());
  }

  @Test
  void onWithoutAFenceDeviceIsAFault() {
    var setup = SetupReader.read(parse(text(ON, "").replace(FENCING, "")));

    assertEquals(
        List.of("host HA is on, but there is no fence device that could recover or fence a host"),
        setup.faults());
  }

  @Test
  void aRecordIsReadAsItWasWritten() {
    var record =
        new HostRecord(
            H1, HostState.FENCED, 1234, 1, false, FenceReason.A_PERSON, "new disk since=9 begun=x", false);

    assertEquals(record, CibRecords.parse(H1, CibRecords.text(record)));
    assertNull(CibRecords.parse(H1, "NONSENSE attempts=1"));
  }

  @Test
  void ofTwoRecordsTheFirstIsReadAndTheOtherGoesWhenItIsWritten() {
    var record = new HostRecord(H1, HostState.FENCED, 5, 1, true, null, null, false);
    var cib =
        parse(
            """
            <cib validate-with="pacemaker-4.0" admin_epoch="0" epoch="1" num_updates="0">
              <configuration><crm_config/><nodes><node id="h1" uname="h1" type="remote">
              <instance_attributes id="a"><nvpair id="a1" name="#host-ha" value="%s"/></instance_attributes>
              <instance_attributes id="b"><nvpair id="b1" name="#host-ha" value="RECOVERING attempts=2"/>
              </instance_attributes>
            </node></nodes><resources/><constraints/></configuration><status/></cib>
            """
                .formatted(CibRecords.text(record)));
    assertEquals(record, CibRecords.read(cib).get(H1));

    var next = new HostRecord(H1, HostState.RECOVERED, 9, 1, false, null, null, false);
    var result = CibUpdate.apply(cib, CibRecords.changes(cib, H1, next, null), null);
    assertEquals(List.of(), result.problems());
    var changed = result.cib();

    assertEquals(next, CibRecords.read(changed).get(H1));
    assertEquals(1, XmlWriter.compact(changed).split("#host-ha", -1).length - 1);
  }

  @Test
  void aSurvivingRecordCountsUntilTheStatusSaysMore() {
    var cib = parse(text(ON, "").replace("name=\"pod\"", "name=\"#host-ha\""));

    var survived = HostStatus.of(cib, H1);
    assertNotNull(survived);
    assertEquals(HostStatus.Hold.FROZEN, survived.hold(), "a record that cannot be read");
    assertNull(HostStatus.of(cib, H3));
    var text = XmlWriter.compact(cib).replace("\"p1\"", "\"RECOVERED attempts=1\"");
    var readable = HostStatus.of(parse(text), H1);
    assertNotNull(readable);
    assertEquals("RECOVERED", readable.state());
  }

  @Test
  void everyStateMeansSomethingForPlans() {
    for (var state : HostState.values()) {
      var held = new HostStatus(state.name(), 0, "", false, null).hold();
      var lost = new HostStatus(state.name(), 0, "", true, null);
      assertEquals(state.isManaged(), lost.isManaged(), state.name());
      assertEquals(
          switch (state) {
            case DISABLED, INELIGIBLE, AVAILABLE -> HostStatus.Hold.NONE;
            case FENCED -> HostStatus.Hold.DOWN;
            case SUSPECT, CHECKING, DEGRADED, RECOVERING, RECOVERED, FENCING ->
                HostStatus.Hold.FROZEN;
          },
          held,
          state.name());
    }
    assertEquals(
        HostStatus.Hold.FROZEN, new HostStatus("AVAILABLE", 0, "", true, null).hold());
  }

  private static void fault(String pairs, String expected) {
    assertEquals(List.of(expected), SetupReader.read(cib(ON + pairs, "")).faults());
  }

  private static long ms(HostSetup setup, String host) {
    var entry = setup.configuration().hosts().get(new NodeName(host));
    assertNotNull(entry);
    return setup.configuration().valuesOf(entry).ms(Setting.FENCE_TIMEOUT);
  }

  private static String pair(String id, String name, String value) {
    return "<nvpair id=\"%s\" name=\"%s\" value=\"%s\"/>".formatted(id, name, value);
  }

  private static String uname(String host) {
    return "<rule id=\"r%1$s\" score=\"0\"><expression id=\"rr%1$s\" attribute=\"#uname\""
            .formatted(host)
        + " operation=\"eq\" value=\"" + host + "\"/></rule>";
  }

  private static String set(String id, String content) {
    return "<cluster_property_set id=\"" + id + "\">" + content + "</cluster_property_set>";
  }

  @Test
  void membersAndGuestsAreRefused() {
    var set =
        """
        <cluster_property_set id="other">
          <rule id="o0" score="INFINITY">
            <expression id="o00" attribute="#uname" operation="eq" value="%s"/>
          </rule>
          <nvpair id="o1" name="ha.enabled" value="true"/>
        </cluster_property_set>
        """;
    for (var name : List.of("node1", "inside", "box-2", "nobody")) {
      var text =
          text(ON, set.formatted(name))
              .replace("<nodes>", "<nodes><node id=\"1\" uname=\"node1\"/>")
              .replace(
                  "<resources>",
                  """
                  <resources>
                  <bundle id="box"><docker image="i" replicas="3"/></bundle>
                  <primitive id="vm" class="ocf" provider="heartbeat" type="VirtualDomain">
                    <meta_attributes id="m"><nvpair id="m1" name="remote-node" value="inside"/></meta_attributes>
                  </primitive>
                  """);
      var setup = SetupReader.read(parse(text));

      var kind = name.equals("node1") ? "a member of the cluster" : "a guest node";
      if (name.equals("nobody")) {
        assertEquals(List.of(), setup.faults());
        assertTrue(setup.doubts().toString().contains("there is no host nobody ("));
      } else {
        assertEquals(1, setup.faults().size(), name);
        assertTrue(setup.faults().getFirst().contains(name + " is " + kind), setup.faults()::toString);
      }
    }
  }

  /// Looking through all nodes for each host takes minutes with so many.
  @Test
  void manyHostsAreReadInOnePass() {
    var nodes = new StringBuilder();
    var connections = new StringBuilder();
    var many = 40_000;
    for (var at = 0; at < many; at++) {
      nodes.append("<node id=\"n%1$d\" uname=\"n%1$d\" type=\"remote\"/>".formatted(at));
      connections.append(
          "<primitive id=\"n%d\" class=\"ocf\" provider=\"pacemaker\" type=\"remote\"/>".formatted(at));
    }
    var text =
        text(ON, "")
            .replace("<nodes>", "<nodes>" + nodes)
            .replace("<resources>", "<resources>" + connections);
    var cib = parse(text);

    var setup = assertTimeoutPreemptively(Duration.ofSeconds(20), () -> SetupReader.read(cib));

    assertEquals(many + 3, setup.configuration().hosts().size());
  }

  private static Element cib(String pairs, String sets) {
    return parse(text(pairs, sets));
  }

  private static Element parse(String text) {
    try {
      return XmlReader.parse(text);
    } catch (XmlException e) {
      throw new AssertionError(e);
    }
  }

  private static String text(String pairs, String sets) {
    return """
        <cib validate-with="pacemaker-3.9" epoch="1" num_updates="0" admin_epoch="0">
          <configuration>
            <crm_config><cluster_property_set id="cluster">%s</cluster_property_set>%s</crm_config>
            <nodes>
              <node id="h1" uname="h1" type="remote"><instance_attributes id="n1">
                <nvpair id="n1z" name="zone" value="east"/>
                <nvpair id="n1p" name="pod" value="p1"/>
              </instance_attributes></node>
              <node id="h2" uname="h2" type="remote"><instance_attributes id="n2">
                <nvpair id="n2z" name="zone" value="east"/>
              </instance_attributes></node>
            </nodes>
            <resources>
              %s
              <primitive id="h1" class="ocf" provider="pacemaker" type="remote"/>
              <group id="g"><primitive id="h2" class="ocf" provider="pacemaker" type="remote"/></group>
              <primitive id="h3" class="ocf" provider="pacemaker" type="remote"/>
            </resources>
            <constraints/>
          </configuration>
        </cib>
        """
        .formatted(pairs, sets, FENCING);
  }
}
