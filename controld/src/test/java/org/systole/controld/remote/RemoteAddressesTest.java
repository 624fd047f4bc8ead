package org.systole.controld.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.systole.common.operation.AgentName;
import org.systole.common.operation.OperationRequest;
import org.systole.common.operation.Task;
import org.systole.common.values.NodeName;
import org.systole.common.values.ResourceId;
import org.systole.common.world.TestWorld;
import org.systole.controld.TestCib;

final class RemoteAddressesTest {
  private static final String GUESTS =
      """
      <primitive id="vm1"><meta_attributes id="m1"><nvpair id="n1" name="remote-node" value="g1"/></meta_attributes></primitive>
      <primitive id="vm2"><meta_attributes id="m2"><nvpair id="n2" name="remote-node" value="g2"/></meta_attributes></primitive>
      """;

  private static final String SITES =
      """
      <primitive id="far" class="ocf" provider="pacemaker" type="remote">
        <instance_attributes id="p" score="1"><rule id="r" score="0"/><nvpair id="s" name="server" value="10.0.0.8"/></instance_attributes>
        <instance_attributes id="q"><nvpair id="t" name="server" value="10.0.0.9"/></instance_attributes>
      </primitive>
      """;

  private static final String MADE =
      """
      <lrm><lrm_resources><lrm_resource id="g1"><lrm_rsc_op operation="start"/></lrm_resource><lrm_resource id="far"><lrm_rsc_op operation="start"/></lrm_resource></lrm_resources></lrm>
      """;

  private final TestWorld world = new TestWorld();

  private @Nullable String objection(String resources, String status, String node, Map<String, String> parameters) {
    var cib =
        TestCib.xml(
            "<cib><configuration><resources>%1$s</resources></configuration><status><node_state id='1' uname='node1' in_ccm='5' crmd='6'>%2$s</node_state><node_state id='2' uname='node2' in_ccm='0' crmd='0'>%2$s</node_state>%3$s</status></cib>"
                .formatted(resources, MADE, status));
    var request =
        new OperationRequest(
            new ResourceId(node), AgentName.REMOTE, Task.START.operation(), 0, 20_000, 0, new TreeMap<>(parameters), "");
    return RemoteAddresses.objection(world, cib, new NodeName(node), new Opening(world, new Asked(request, 1), 0, null, true));
  }

  private static String connected(String node, String by, String address) {
    return "<node_state id='%s' uname='%1$s' remote_node='true' in_ccm='17' connection='%s' address='%s'/>".formatted(node, by, address);
  }

  private @Nullable String guest(String status) {
    return objection(GUESTS, status, "g2", Map.of("addr", "10.0.0.8", "CRM_meta_container", "vm2"));
  }

  /// Each would take the machine away from the other, which would be restarted for that, without end.
  @Test
  void aGuestIsNotConnectedWhereAnotherOneOrARemoteNodeIs() {
    assertEquals("remote node g1 is connected there", guest(connected("g1", "node1", "10.0.0.8:3121")));
    assertEquals("remote node far is connected there", guest(connected("far", "node1", "10.0.0.8:3121")));
    assertEquals(
        "remote node g1 is connected there",
        objection(GUESTS, connected("g1", "node1", "10.0.0.8:3121"), "far", Map.of("server", "10.0.0.8")));
    assertNull(guest(connected("g1", "node1", "10.0.0.7:3121")));
  }

  /// The machines of two guests may have one address if no more than one of them runs.
  @Test
  void aGuestWhoseMemberIsLostKeepsNobodyFromItsAddress() {
    assertNull(guest(connected("g1", "node2", "10.0.0.8:3121")));
    assertNull(guest(connected("g0", "node1", "10.0.0.8:3121")), "it had that one before it was lost");
    assertNull(guest(connected("g1", "node1", "10.0.0.8:3121").replace("in_ccm='17'", "in_ccm='0'")));
    assertEquals("remote node old is connected there", objection("", connected("old", "node2", "10.0.0.8:3121"), "far", Map.of("server", "10.0.0.8")));
  }

  /// What answers there is the host's own executor, which would be taken away from the cluster, and the host fenced.
  @Test
  void aReplicaIsNotConnectedWhereItsHostsOwnExecutorIs() {
    var replica = Map.of("addr", "far", "CRM_meta_container", "box-podman-0");
    assertEquals("remote node far is connected there", objection("", connected("far", "node1", "far:3121"), "box-0", replica));
    assertNull(objection("", connected("far", "node1", "far:3122"), "box-0", replica));
  }

  @Test
  void aGuestIsWhereItsMachineIs() {
    assertNull(guest(connected("g2", "node1", "10.0.0.7:3121")));
  }

  /// A bundle's replicas without addresses are reached by those of their members.
  @Test
  void aReplicaOfABundleHasNoAddressOfItsOwn() {
    var status = connected("box-1", "node1", "");
    assertNull(objection(GUESTS, status, "box-0", Map.of("addr", "node1", "CRM_meta_container", "box-podman-0")));
  }

  /// Its host would be fenced whenever a member with the connection is lost, and no move succeed.
  @Test
  void aHostThatEachMemberReachesByAnAddressOfItsOwnIsConnected() {
    assertNull(objection(SITES, connected("far", "node2", "10.0.0.8:3121"), "far", Map.of("server", "10.0.0.9")));
    assertEquals(
        "what runs at 10.0.0.7:3121 was neither stopped nor fenced",
        objection(SITES, connected("far", "node2", "10.0.0.7:3121"), "far", Map.of("server", "10.0.0.9")));
    assertEquals(
        "what runs at 10.0.0.8:3122 was neither stopped nor fenced",
        objection(SITES, connected("far", "node2", "10.0.0.8:3122"), "far", Map.of("server", "10.0.0.9")));
  }
}
