package org.systole.controld.roles;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.systole.common.values.NodeName;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;

/// What a plan goes by where the CIB says that a role is active.
final class PlannedRolesTest {
  private static final NodeName N1 = new NodeName("n1");

  private final PlannedRoles planned = new PlannedRoles();

  private static Element cib(String... pairs) {
    var set = new StringBuilder();
    for (var pair : pairs) {
      var of = pair.split("=");
      set.append("<nvpair id=\"%1$s\" name=\"%1$s\" value=\"%2$s\"/>".formatted(of[0], of[1]));
    }
    try {
      return XmlReader.parse(
          "<cib><configuration/><status><node_state id=\"1\" uname=\"n1\"><transient_attributes id=\"1\">"
              + "<instance_attributes id=\"s\">"
              + set
              + "</instance_attributes></transient_attributes><lrm id=\"1\"/></node_state>"
              + "<node_state id=\"2\" uname=\"n2\"/></status></cib>");
    } catch (XmlException e) {
      throw new IllegalStateException(e);
    }
  }

  private static SortedMap<NodeName, SortedMap<String, String>> known(Map<String, String> of) {
    return new TreeMap<>(Map.of(N1, new TreeMap<>(of)));
  }

  @Test
  void whatIsActiveByTheDocumentTooIsLeftAsItIs() {
    var cib = cib("#role-disk=active", "#role-clock=error", "other=active");
    assertSame(cib, planned.correct(cib, known(Map.of("#role-disk", "active", "#role-clock", "active"))));
    assertSame(cib, planned.correct(cib, new TreeMap<>())); // no member
  }

  @Test
  void whatIsActiveInTheCibOnlyDoesNotPass() {
    assertEquals(
        cib("#role-disk=todo", "other=active"),
        planned.correct(
            cib("#role-disk=active", "#role-clock=active", "other=active"),
            known(Map.of("#role-disk", "todo"))));
  }

  @Test
  void anotherPlanIsWantedOnceItIsActive() {
    planned.correct(cib("#role-disk=active"), known(Map.of("#role-disk", "todo")));
    assertFalse(planned.isOutdated(known(Map.of("#role-disk", "transition"))));
    assertTrue(planned.isOutdated(known(Map.of("#role-disk", "active"))));
    assertFalse(planned.isOutdated(known(Map.of("#role-clock", "active"))));
    planned.correct(cib("#role-disk=active"), known(Map.of("#role-disk", "active")));
    assertFalse(planned.isOutdated(known(Map.of("#role-disk", "active"))));
  }
}
