package org.systole.fenced;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.common.values.IsoTime;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;

final class CibDevicesTest {
  private static final IsoTime NOW =
      IsoTime.of(Instant.parse("2026-01-01T00:00:00Z"), ZoneOffset.UTC);

  private static CibDevices read(String options, String resources, String constraints) {
    var xml =
        """
        <cib>
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
          </configuration>
          <status/>
        </cib>
        """
            .formatted(options, resources, constraints);
    try {
      return new CibDevices(XmlReader.parse(xml), "node1", NOW);
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

  @Test
  void levelsByNameHideThoseByPatternAndTheseThoseByAttribute() {
    var read = read("", "", "");
    var topology = new Topology();
    topology.configure(read.levels(), read.nodeAttributes());

    assertEquals(List.of(List.of("a", "c"), List.of("b")), topology.levels("node1"));
    assertEquals(List.of(List.of("d")), topology.levels("node2"));
    assertEquals(List.of(), topology.levels("other"));
    assertEquals(List.of(), topology.levels("x9"));
  }
}
