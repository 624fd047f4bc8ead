package org.systole.fenced;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.systole.common.values.NodeName;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;

final class CibDevicesTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  private static CibDevices read(String options, String resources, String constraints) {
    return read(options, resources, constraints, "", "");
  }

  private static CibDevices read(
      String options, String resources, String constraints, String more, String status) {
    var xml =
        """
        <cib validate-with="pacemaker-4.0">
          <configuration>
            <crm_config><cluster_property_set id="o">%s</cluster_property_set></crm_config>
            <nodes>
              <node id="1" uname="node1">
                <instance_attributes id="n1"><nvpair id="n1r" name="rack" value="1"/></instance_attributes>
              </node>
              <node id="2" uname="node2"/>
            </nodes>
            <resources>%s</resources>
            <constraints>%s</constraints>
            <fencing-topology>
              <fencing-level id="l1" target="node1" index="2" devices="b"/>
              <fencing-level id="l2" target="node1" index="1" devices="a,c"/>
              <fencing-level id="l3" target-pattern="node.*" index="1" devices="d"/>
              <fencing-level id="l4" target-attribute="rack" target-value="1" index="1" devices="e"/>
              <fencing-level id="l5" target="node9" index="10" devices="x"/>
            </fencing-topology>
            %s
          </configuration>
          <status>%s</status>
        </cib>
        """
            .formatted(options, resources, constraints, more, status);
    return read(xml);
  }

  private static CibDevices read(String xml) {
    try {
      return new CibDevices(XmlReader.parse(xml), new NodeName("node1"), NOW, ZoneOffset.UTC);
    } catch (XmlException e) {
      throw new AssertionError(e);
    }
  }

  private static List<String> names(CibDevices devices) {
    return devices.devices().stream().map(CibDevices.Configured::name).toList();
  }

  private static String device(String id, String more) {
    return "<primitive id=\""
        + id
        + "\" class=\"stonith\" type=\"fence_x\">"
        + more
        + "</primitive>";
  }

  @Test
  void aDeviceHasItsParameters() {
    var resources =
        device(
            "a",
            """
            <instance_attributes id="i"><nvpair id="p" name="ip" value="10.0.0.1"/></instance_attributes>
            <meta_attributes id="m"><nvpair id="q" name="provides" value="unfencing"/></meta_attributes>
            """);

    var found =
        read("", resources + "<primitive id=\"w\" class=\"ocf\" type=\"D\"/>", "").devices();

    assertEquals(1, found.size());
    assertEquals("fence_x", found.getFirst().agent());
    assertEquals("10.0.0.1", found.getFirst().parameters().all().get("ip"));
    assertTrue(found.getFirst().providesUnfencing());
  }

  @Test
  void theSchedulerIsAskedAgainOnlyIfWhatDecidesAboutDevicesChanged() {
    var last = new CibDevices.Last();
    var first = read("", device("a", ""), "").devices(last);
    assertEquals(List.of("a"), first.stream().map(CibDevices.Configured::name).toList());
    var other = device("a", "") + "<primitive id=\"w\" class=\"ocf\" type=\"D\"/>";
    assertSame(first, read("", other, "").devices(last));
    var ban = "<rsc_location id=\"l\" rsc=\"a\" node=\"node1\" score=\"-INFINITY\"/>";
    assertEquals(List.of(), read("", other, ban).devices(last));
    assertEquals(1, read("", other, "").devices(last).size());
    assertEquals(List.of(), read("", "", "").devices(last), "the last device is gone");
  }

  @Test
  void propertiesThatAreNoOptionsDoNotDecideAboutDevices() {
    var last = new CibDevices.Last();
    var first = read("", device("a", ""), "").devices(last);
    var note = "<nvpair id=\"n\" name=\"note\" value=\"1\"/>";
    assertSame(first, read(note, device("a", ""), "").devices(last));
    var option = "<nvpair id=\"s\" name=\"symmetric-cluster\" value=\"false\"/>";
    assertEquals(List.of(), read(note + option, device("a", ""), "").devices(last));
  }

  @Test
  void rulesAboutDatesAreLookedAtEachTime() {
    var last = new CibDevices.Last();
    var now = "<date_expression id=\"d\" operation=\"gt\" start=\"2000-01-01\"/>";
    var rule =
        "<rsc_location id=\"l\" rsc=\"a\"><rule id=\"r\" score=\"5\">" + now + "</rule></rsc_location>";
    var first = read("", device("a", ""), rule).devices(last);
    assertNotSame(first, read("", device("a", ""), rule).devices(last));
  }

  @Test
  void aPatternThatCouldBeTriedForeverIsReadAtOnce() {
    var hostile =
        "<rsc_location id=\"l\" rsc-pattern=\"^((.|.|.|.|.|.|.|.|.|.)+)+=$\" node=\"node1\""
            + " score=\"-INFINITY\"/>";
    var banned =
        "<rsc_location id=\"m\" rsc-pattern=\"^ban(n|x)*ed$\" node=\"node1\" score=\"-INFINITY\"/>";

    var found =
        assertTimeoutPreemptively(
            Duration.ofSeconds(5),
            () -> read("", device("fencing-n1", "") + device("banned", ""), hostile + banned));

    assertEquals(List.of("fencing-n1"), names(found));
  }

  @Test
  void aDisabledDeviceIsNotUsed() {
    var stopped =
        "<meta_attributes id=\"m\"><nvpair id=\"t\" name=\"target-role\" value=\"Stopped\"/>"
            + "</meta_attributes>";

    assertEquals(
        List.of("b"),
        names(
            read(
                "",
                device("a", stopped)
                    + device("b", "")
                    + "<group id=\"g\">"
                    + stopped.replace("\"m\"", "\"gm\"")
                    + device("c", "")
                    + "</group>",
                "")));
  }

  @Test
  void aBannedDeviceIsNotUsedAndOneThatPrefersAnotherNodeIs() {
    var constraints =
        """
        <rsc_location id="c1" rsc="a" node="node1" score="-INFINITY"/>
        <rsc_location id="c2" rsc="b" node="node2" score="INFINITY"/>
        <rsc_location id="c3" rsc="c">
          <rule id="r" score="-1"><expression id="e" attribute="#uname" operation="eq" value="node1"/></rule>
        </rsc_location>
        <rsc_location id="c4" rsc-pattern="^pat" node="node1" score="-5"/>
        """;

    assertEquals(
        List.of("b"),
        names(
            read(
                "",
                device("a", "") + device("b", "") + device("c", "") + device("pattern", ""),
                constraints)));
  }

  @Test
  void inAnOptInClusterADeviceHasToBeAllowed() {
    var options = "<nvpair id=\"s\" name=\"symmetric-cluster\" value=\"false\"/>";
    var constraints = "<rsc_location id=\"c1\" rsc=\"a\" node=\"node1\" score=\"1\"/>";

    assertEquals(
        List.of("a"), names(read(options, device("a", "") + device("b", ""), constraints)));
  }

  private static String ban(String id, String what) {
    return "<rsc_location id=\"%s\" %s node=\"node1\" score=\"-INFINITY\"/>".formatted(id, what);
  }

  private static String inside(String kind, String id, String content) {
    return "<%1$s id=\"%2$s\">%3$s</%1$s>".formatted(kind, id, content);
  }

  @Test
  void aDeviceIsBannedWithItsGroupAndItsClone() {
    var resources =
        inside("group", "g", device("a", "") + device("b", ""))
            + inside("clone", "c", device("d", ""))
            + inside("clone", "e", inside("group", "f", device("h", "")))
            + device("i", "");

    assertEquals(List.of("a", "b", "d", "h", "i"), names(read("", resources, "")));
    assertEquals(
        List.of("d", "h", "i"), names(read("", resources, ban("l", "rsc=\"g\""))));
    assertEquals(
        List.of("a", "b", "h", "i"), names(read("", resources, ban("l", "rsc=\"c\""))));
    assertEquals(
        List.of("a", "b", "d", "i"), names(read("", resources, ban("l", "rsc=\"e\""))));
  }

  @Test
  void theInstancesOfACloneAreOneDevice() {
    var unique =
        "<meta_attributes id=\"m\"><nvpair id=\"u\" name=\"globally-unique\" value=\"true\"/>"
            + "</meta_attributes>";

    assertEquals(
        List.of("a", "b:0"),
        names(
            read(
                "",
                inside("clone", "c", device("a", "")) + inside("clone", "d", unique + device("b", "")),
                "")));
  }

  @Test
  void aDeviceIsBannedByItsTagAndByASet() {
    var tags = "<tags><tag id=\"t\"><obj_ref id=\"a\"/><obj_ref id=\"b\"/></tag></tags>";
    var set =
        """
        <rsc_location id="l2" node="node1" score="-INFINITY">
          <resource_set id="s"><resource_ref id="c"/><resource_ref id="d"/></resource_set>
        </rsc_location>
        """;
    var resources = device("a", "") + device("b", "") + device("c", "") + device("d", "") + device("e", "");

    assertEquals(
        List.of("e"), names(read("", resources, ban("l1", "rsc=\"t\"") + set, tags, "")));
  }

  @Test
  void aDeviceIsMadeOfItsTemplateAndBannedByIt() {
    var resources =
        """
        <template id="t" class="stonith" type="fence_y">
          <instance_attributes id="ti"><nvpair id="tp" name="ip" value="10.0.0.9"/></instance_attributes>
        </template>
        <primitive id="a" template="t"/>
        <primitive id="b" template="t"/>
        """;

    var found = read("", resources, "").devices();
    assertEquals(List.of("a", "b"), found.stream().map(CibDevices.Configured::name).toList());
    assertEquals("fence_y", found.getFirst().agent());
    assertEquals("10.0.0.9", found.getFirst().parameters().all().get("ip"));
    assertEquals(List.of(), names(read("", resources, ban("l", "rsc=\"t\""))));
  }

  @Test
  void aRuleBansWhereAndWhenItHolds() {
    var rule =
        """
        <rsc_location id="l" rsc="a">
          <rule id="r" score="-INFINITY" boolean-op="and">
            <expression id="e" attribute="rack" operation="eq" value="%s"/>
            <date_expression id="d" operation="lt" end="%s"/>
          </rule>
        </rsc_location>
        """;

    assertEquals(List.of(), names(read("", device("a", ""), rule.formatted("1", "2026-02-01"))));
    assertEquals(List.of("a"), names(read("", device("a", ""), rule.formatted("2", "2026-02-01"))));
    assertEquals(List.of("a"), names(read("", device("a", ""), rule.formatted("1", "2025-12-01"))));
  }

  @Test
  void aRuleSeesTransientAttributes() {
    var rule =
        """
        <rsc_location id="l" rsc="a">
          <rule id="r" score="-INFINITY"><expression id="e" attribute="ping" operation="not_defined"/></rule>
        </rsc_location>
        """;
    var status =
        """
        <node_state id="1" uname="node1"><transient_attributes id="1">
          <instance_attributes id="s"><nvpair id="p" name="ping" value="1"/></instance_attributes>
        </transient_attributes></node_state>
        """;

    assertEquals(List.of(), names(read("", device("a", ""), rule)));
    assertEquals(List.of("a"), names(read("", device("a", ""), rule, "", status)));
  }

  /// Its resource is banned from this node, which may be the only one left that can use the device.
  @Test
  void aDeviceThatFailedHereIsUsedAllTheSame() {
    var status =
        """
        <node_state id="1" uname="node1"><transient_attributes id="1">
          <instance_attributes id="s"><nvpair id="f" name="fail-count-a#start_0" value="INFINITY"/>
            <nvpair id="l" name="last-failure-a#start_0" value="1767225656"/></instance_attributes>
        </transient_attributes></node_state>
        """;
    assertEquals(List.of("a"), names(read("", device("a", ""), "", "", status)));
  }

  @Test
  void aConstraintOfThePromotedRoleBansNoDevice() {
    var promoted =
        "<rsc_location id=\"l\" rsc=\"a\" node=\"node1\" score=\"-INFINITY\" role=\"Promoted\"/>";

    assertEquals(List.of("a"), names(read("", device("a", ""), promoted)));
  }

  @Test
  void aNodeTheDcHasNotRecordedYetUsesDevicesToo() throws XmlException {
    var cib =
        """
        <cib validate-with="pacemaker-4.0"><configuration><resources>%s</resources></configuration></cib>
        """
            .formatted(device("a", ""));

    assertEquals(List.of("a"), names(read(cib)));
  }

  @Test
  void anOlderConfigurationIsReadAsTheSchedulerReadsIt() {
    var cib =
        """
        <cib validate-with="pacemaker-2.10" epoch="1" num_updates="0" admin_epoch="0">
          <configuration>
            <crm_config/><nodes><node id="1" uname="node1"/></nodes>
            <resources>%s</resources>
            <constraints>
              <rsc_location id="l" rsc="a">
                <rule id="r" score="-INFINITY">
                  <expression id="e" attribute="#uname" operation="eq" value="node1"/>
                </rule>
                <lifetime/>
              </rsc_location>
            </constraints>
          </configuration>
          <status/>
        </cib>
        """;

    assertEquals(List.of("b"), names(read(cib.replace("<lifetime/>", "").formatted(device("a", "") + device("b", "")))));
  }

  @Test
  void aConfigurationWithoutDevicesIsNotLookedInto() {
    var resources =
        "<template id=\"t\" class=\"stonith\" type=\"fence_y\"/>"
            + "<primitive id=\"w\" class=\"ocf\" provider=\"p\" type=\"D\"/>";

    assertEquals(List.of(), names(read("", resources, "")));
    assertEquals(List.of(), names(read("<cib/>")));
  }

  @Test
  void aLongChainOfConstraintsIsReadOnASmallStack() throws InterruptedException {
    var resources = new StringBuilder();
    var constraints = new StringBuilder();
    for (var i = 0; i < 5_000; i++) {
      resources.append(device("d" + i, ""));
      constraints.append(
          "<rsc_colocation id=\"c%d\" rsc=\"d%d\" with-rsc=\"d%d\" score=\"1\"/>"
              .formatted(i, i, i + 1));
    }
    var found = new AtomicInteger();
    var small =
        new Thread(
            null,
            () ->
                found.set(read("", resources.toString(), constraints.toString()).devices().size()),
            "small",
            256 << 10);
    small.start();
    small.join();

    assertEquals(5_000, found.get());
  }

  @Test
  void levelsByNameComeBeforeThoseByPatternAndThoseBeforeAttributes() {
    var read = read("", "", "");
    var topology = new Topology();
    topology.configure(read.levels(), read.nodeAttributes());

    assertEquals(List.of(List.of("a", "c"), List.of("b")), topology.levels(new NodeName("node1")));
    assertEquals(List.of(List.of("d")), topology.levels(new NodeName("node2")));
    assertEquals(List.of(), topology.levels(new NodeName("other")));
    assertEquals(List.of(), topology.levels(new NodeName("x9")));
  }

  @Test
  void aLevelByAttributeUsesTransientAttributesBeforePermanentOnes() {
    var state =
        """
        <node_state id="%1$s" uname="%1$s"><transient_attributes id="%1$s">
          <instance_attributes id="s%1$s"><nvpair id="r%1$s" name="rack" value="%2$s"/></instance_attributes>
        </transient_attributes></node_state>
        """;
    var status = state.formatted("other", "1") + state.formatted("away", "2");
    var read = read("", "", "", "", status + "<node_state id=\"gone\" uname=\"gone\"/>");
    var topology = new Topology();
    topology.configure(read.levels(), read.nodeAttributes());

    assertEquals(List.of(List.of("e")), topology.levels(new NodeName("other")));
    assertEquals(List.of(), topology.levels(new NodeName("away")));
    assertEquals(List.of(), topology.levels(new NodeName("gone")));
    assertEquals("other", read.nodeAttributes().get(new NodeName("other")).get("#uname"));
    assertEquals("2", read.nodeAttributes().get(new NodeName("node2")).get("#id"));
    assertEquals(
        "2",
        read("", "", "", "", state.formatted("node1", "2"))
            .nodeAttributes()
            .get(new NodeName("node1"))
            .get("rack"));
  }

  @Test
  void aLevelNeedsAnIndexFromOneToNineAndATarget() {
    var xml =
        """
        <cib validate-with="pacemaker-4.0"><configuration><fencing-topology>
          <fencing-level id="a" target="n" index="9" devices="nine"/>
          <fencing-level id="b" target="n" index="1" devices="one"/>
          <fencing-level id="c" target="n" index="0" devices="none"/>
          <fencing-level id="d" target="n" index="10" devices="none"/>
          <fencing-level id="e" target-attribute="rack" index="2" devices="none"/>
          <fencing-level id="f" target-value="1" index="2" devices="none"/>
          <fencing-level id="g" target="" index="2" devices="none"/>
          <fencing-level id="h" index="2" devices="none"/>
        </fencing-topology></configuration></cib>
        """;

    assertEquals(
        List.of("9 [nine]", "1 [one]"),
        read(xml).levels().stream().map(it -> it.index() + " " + it.devices()).toList());
  }
}
