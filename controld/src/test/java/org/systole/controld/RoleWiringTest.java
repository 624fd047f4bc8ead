package org.systole.controld;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;
import org.systole.common.values.IsoTime;
import org.systole.common.values.NodeName;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;

/// When a node's roles are left alone.
final class RoleWiringTest {
  private static boolean isInMaintenance(String permanent, String transientOnes) throws XmlException {
    var cib =
        XmlReader.parse(
            ("<cib><configuration><nodes><node id=\"1\" uname=\"n1\">%s</node><node id=\"2\" uname=\"n2\"/></nodes>"
                    + "</configuration><status><node_state id=\"1\" uname=\"n1\"><transient_attributes id=\"1\">%s"
                    + "</transient_attributes></node_state></status></cib>")
                .formatted(permanent, transientOnes));
    var now = IsoTime.of(Instant.ofEpochSecond(1_700_000_000), ZoneOffset.UTC);
    return RoleWiring.isInMaintenance(cib, new NodeName("n1"), now);
  }

  private static Element cib(String one, String two) throws XmlException {
    return XmlReader.parse(
        ("<cib><status><node_state id=\"1\" uname=\"n1\"><transient_attributes id=\"1\">%s</transient_attributes></node_state>"
                + "<node_state id=\"2\" uname=\"n2\"><transient_attributes id=\"2\">%s</transient_attributes></node_state></status></cib>")
            .formatted(one, two));
  }

  private static boolean changes(Element before, Element after) {
    return RoleWiring.changesMaintenance(before, after, IsoTime.of(Instant.ofEpochSecond(1_700_000_000), ZoneOffset.UTC));
  }

  @Test
  void maintenanceInTheStatusIsNoticedWhenItComesAndGoes() throws XmlException {
    var none = cib("", "");
    var off = cib(set("false", ""), "");
    var on = cib("", set("true", ""));
    assertEquals(false, changes(none, none));
    assertEquals(false, changes(none, off));
    assertEquals(true, changes(none, on));
    assertEquals(true, changes(on, off));
    assertEquals(true, changes(XmlReader.parse("<cib><status/></cib>"), on));
  }

  private static String set(String value, String before) {
    return "<instance_attributes id=\"s%1$s\">%2$s<nvpair id=\"p%1$s\" name=\"maintenance\" value=\"%1$s\"/></instance_attributes>"
        .formatted(value, before);
  }

  @Test
  void anyWayToSayYesCounts() throws XmlException {
    for (var yes : new String[] {"true", "on", "yes", "1", "y", "TRUE"}) {
      assertEquals(true, isInMaintenance(set(yes, ""), ""), yes);
      assertEquals(true, isInMaintenance("", set(yes, "")), yes);
    }
    assertEquals(false, isInMaintenance(set("false", ""), ""));
    assertEquals(false, isInMaintenance("", ""));
  }

  @Test
  void whatIsInTheStatusGoesBeforeWhatIsConfigured() throws XmlException {
    assertEquals(false, isInMaintenance(set("true", ""), set("off", "")));
    assertEquals(true, isInMaintenance(set("off", ""), set("on", "")));
  }

  @Test
  void aSetWhoseRuleDoesNotHoldDoesNotCountNorDoesUtilization() throws XmlException {
    var past =
        "<rule id=\"r\" boolean-op=\"and\"><date_expression id=\"d\" operation=\"lt\" end=\"2020-01-01\"/></rule>";
    assertEquals(false, isInMaintenance(set("true", past), ""));
    assertEquals(
        false,
        isInMaintenance(
            "<utilization id=\"u\"><nvpair id=\"x\" name=\"maintenance\" value=\"true\"/></utilization>", ""));
  }
}
