package org.systole.controld.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.systole.common.values.NodeName;
import org.systole.common.xml.Element;
import org.systole.controld.TestCib;

final class RemoteNamesTest {
  private static final String CONFIGURATION =
      """
      <primitive id="far" class="ocf" provider="pacemaker" type="remote"/>
      <group id="g"><primitive id="vm" class="ocf" provider="heartbeat" type="VirtualDomain">
        <meta_attributes id="m"><nvpair id="n" name="remote-node" value="Inside"/>
        </meta_attributes></primitive></group>
      <bundle id="Box"><podman image="local/web"/><primitive id="web"/></bundle>
      """;
  private static final String STATUS =
      "<node_state id=\"old\" uname=\"old\" remote_node=\"true\"/><node_state id=\"1\" uname=\"node1\"/>";

  private final RemoteNames names = new RemoteNames();

  private static Element cib(String configuration, String status) {
    return TestCib.xml(
        "<cib><configuration><resources>%s</resources></configuration><status>%s</status></cib>"
            .formatted(configuration, status));
  }

  private @Nullable String of(String name) {
    var found = names.of(cib(CONFIGURATION, STATUS), new NodeName(name));
    return found == null ? null : found.text();
  }

  /// A member that is to be added would be turned down for a replica that there is not.
  @Test
  void aNameIsKeptForAsManyReplicasAsABundleHas() {
    var bundles = CONFIGURATION + "<bundle id='db'><network/><docker promoted-max='2'/></bundle><bundle id='ha'><podman replicas='3'/></bundle>";
    for (var each : new String[] {"far", "Inside", "box-0", "db-1", "ha-2", "old", "web-7", "Box-3"}) {
      var status = STATUS + "<node_state id='Box-3' uname='Box-3' remote_node='true'/>";
      assertEquals(!each.equals("web-7"), names.isKept(cib(bundles, status), each), each);
    }
    for (var each : new String[] {"Box-1", "db-2", "ha-3", "ha-99999999999999999999", "Box-3"}) {
      assertFalse(names.isKept(cib(bundles, STATUS), each), each);
    }
  }

  @Test
  void aNodeIsRemoteByItsConnectionByWhatRunsItOrByItsState() {
    for (var each : new String[] {"far", "Inside", "Box-0", "Box-12", "old"}) {
      assertEquals(each, of(each));
    }
  }

  @Test
  void aNodeIsFoundInAnyCaseOfLettersByItsOwnName() {
    assertEquals("far", of("FAR"));
    assertEquals("Inside", of("inside"));
    assertEquals("Box-12", of("box-12"));
    assertEquals("old", of("Old"));
  }

  @Test
  void otherNamesAreThoseOfMembers() {
    for (var each : new String[] {"node1", "vm", "box", "box-", "box-1a", "boxes-1"}) {
      assertNull(of(each), each);
    }
  }

  @Test
  void whatTheConfigurationHasNoMoreIsNotMadeByIt() {
    assertTrue(names.isMade(cib(CONFIGURATION, STATUS), "far"));
    assertFalse(names.isMade(cib("", "<node_state id=\"far\" remote_node=\"true\"/>"), "far"));
    assertTrue(names.has(cib("", "<node_state id=\"far\" remote_node=\"true\"/>"), "far"));
    assertFalse(names.has(null, "far"));
  }
}
