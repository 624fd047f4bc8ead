package org.systole.tools.resource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.systole.common.values.NodeName;
import org.systole.common.values.ResourceId;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.scheduler.model.ClusterFlag;
import org.systole.scheduler.model.WorkingSet;
import org.systole.scheduler.unpack.Status;
import org.systole.tools.cli.CommandException;

class ResourceCleanupTest {
  private static final String CIB =
      """
      <cib crm_feature_set="3.20.5" validate-with="pacemaker-4.0" epoch="1" num_updates="0"
          admin_epoch="0" have-quorum="1">
        <configuration>
          <crm_config/>
          <nodes><node id="1" uname="node1"/><node id="2" uname="node2"/></nodes>
          <resources>
            <primitive id="a" class="ocf" provider="pacemaker" type="Dummy"/>
            <clone id="k"><primitive id="b" class="ocf" provider="pacemaker" type="Dummy"/></clone>
          </resources>
          <constraints/>
        </configuration>
        <status>
          <node_state id="1" uname="node1" in_ccm="true" crmd="online" join="member"
              expected="member">
            <lrm id="1"><lrm_resources>
              <lrm_resource id="a" class="ocf" provider="pacemaker" type="Dummy">
                <lrm_rsc_op id="a_last_failure_0" operation_key="a_monitor_2000"
                    operation="monitor" interval="2000" call-id="3" rc-code="7" op-status="0"
                    transition-key="1:1:0:x" transition-magic="0:7;1:1:0:x" on_node="node1"/>
                <lrm_rsc_op id="a_last_0" operation_key="a_start_0" operation="start"
                    interval="0" call-id="4" rc-code="0" op-status="0"
                    transition-key="2:1:0:x" transition-magic="0:0;2:1:0:x" on_node="node1"/>
              </lrm_resource>
              <lrm_resource id="b" class="ocf" provider="pacemaker" type="Dummy">
                <lrm_rsc_op id="b_last_0" operation_key="b_start_0" operation="start"
                    interval="0" call-id="5" rc-code="1" op-status="0"
                    transition-key="3:1:0:x" transition-magic="0:1;3:1:0:x" on_node="node1"/>
              </lrm_resource>
            </lrm_resources></lrm>
          </node_state>
          <node_state id="2" uname="node2" in_ccm="true" crmd="online" join="member"
              expected="member"/>
        </status>
      </cib>
      """;

  private final WorkingSet status = read();

  private static WorkingSet read() {
    try {
      return Status.of(
          XmlReader.parse(CIB),
          Instant.parse("2024-06-15T12:00:00Z"),
          ZoneOffset.UTC,
          Set.of(ClusterFlag.NO_COUNTS));
    } catch (XmlException e) {
      throw new IllegalStateException(e);
    }
  }

  private Set<String> failed(String node, @Nullable String rsc, String operation, long interval) {
    return ResourceCleanup.failed(
        status,
        Objects.requireNonNull(status.node(node)),
        rsc == null ? null : status.find(rsc),
        operation,
        interval);
  }

  /// Also if no failure is counted any more, as for a node that left in between.
  @Test
  void theHistoriesThatHoldFailuresAreFoundOnTheNodeOfTheFailure() {
    assertEquals(Set.of("a", "b"), failed("node1", null, "", 0));
    assertEquals(Set.of(), failed("node2", null, "", 0));
  }

  @Test
  void ofAResourceOnlyItsOwnAreFound() {
    assertEquals(Set.of("a"), failed("node1", "a", "", 0));
  }

  @Test
  void anInstanceOfACloneGoesByTheNameItsHistoryHas() {
    var instance = status.find("k").children().getFirst();
    assertEquals(
        Set.of("b"), ResourceCleanup.failed(status, status.node("node1"), instance, "", 0));
  }

  @Test
  void anOperationIsMeantWithItsInterval() {
    assertEquals(Set.of("a"), failed("node1", "a", "monitor", 2000));
    assertEquals(Set.of(), failed("node1", "a", "monitor", 10_000));
    assertEquals(Set.of(), failed("node1", "a", "stop", 0));
  }

  @Test
  void allResourcesAndAllNodesAreNamedByNothing() throws CommandException {
    var all = ResourceCleanup.failures("", "", 0, "");
    assertNull(all.resource());
    assertNull(all.node());
    var some = ResourceCleanup.failures("a", "start", 0, "node1");
    assertEquals(ResourceId.of("a"), some.resource());
    assertEquals(NodeName.of("node1"), some.node());
  }
}
