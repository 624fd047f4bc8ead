package org.systole.schedulerd;

import java.time.Duration;
import java.util.function.Consumer;
import org.systole.common.operation.TaskName;
import org.systole.common.world.World;

/// Plans for a small made-up cluster while there is nothing to do, so that the code is compiled
/// when the first failure has to be answered: the first plans of a process take ten times as long
/// as later ones.
final class WarmUp {
  private static final Duration FIRST = Duration.ofSeconds(10);
  private static final Duration BETWEEN = Duration.ofMillis(20);
  private static final Duration QUIET = Duration.ofSeconds(1); // since the last request
  private static final int ROUNDS = 40;
  private static final int RESOURCES = 6;

  private static final String FRAME =
      """
      <cib crm_feature_set="3.19.0" validate-with="pacemaker-4.0" epoch="1" num_updates="0"\
       admin_epoch="0" have-quorum="1" dc-uuid="1">
        <configuration>
          <crm_config>
            <cluster_property_set id="o">
              <nvpair id="o-f" name="fencing-enabled" value="false"/>
            </cluster_property_set>
          </crm_config>
          <nodes>%s</nodes>
          <resources>
            %s
            <group id="g">%s</group>
            <clone id="c">%s</clone>
          </resources>
          <constraints>
            <rsc_location id="l" rsc="p0" node="n1" score="100"/>
            <rsc_colocation id="w" rsc="p1" with-rsc="g" score="INFINITY"/>
            <rsc_order id="f" first="c-clone" then="p2"/>
          </constraints>
        </configuration>
        <status>%s</status>
      </cib>
      """;
  private static final String PRIMITIVE =
      """
      <primitive id="%1$s" class="ocf" provider="pacemaker" type="Dummy">
        <operations><op id="%1$s-m" name="monitor" interval="10s"/></operations>
      </primitive>
      """;
  private static final String NODE_STATE =
      """
      <node_state id="%1$d" uname="n%1$d" in_ccm="1" crmd="1" join="member" expected="member">
        <transient_attributes id="%1$d">
          <instance_attributes id="status-%1$d">
            <nvpair id="status-%1$d-f" name="fail-count-p0#monitor_10000" value="%1$d"/>
          </instance_attributes>
        </transient_attributes>
        <lrm id="%1$d"><lrm_resources>%2$s</lrm_resources></lrm>
      </node_state>
      """;
  private static final String OPERATION =
      """
      <lrm_rsc_op id="%1$s_%2$s_%3$d" operation_key="%1$s_%2$s_%3$d" operation="%2$s"\
       crm_feature_set="3.19.0" transition-key="1:1:%5$d:00000000-0000-0000-0000-000000000000"\
       transition-magic="0:%4$d;1:1:%5$d:00000000-0000-0000-0000-000000000000" on_node="n"\
       call-id="%6$d" rc-code="%4$d" op-status="0" interval="%3$d" last-rc-change="1000000000"\
       exec-time="1" queue-time="0"/>
      """;

  private final World world;
  private final Consumer<String> planner;
  private long lastRequest;
  private int rounds;

  /// @param planner makes a plan of nothing but a CIB
  WarmUp(World world, Consumer<String> planner) {
    this.world = world;
    this.planner = planner;
  }

  void begin() {
    world.after(FIRST, () -> round(cib()));
  }

  /// A real plan was asked for: others may follow.
  void requested() {
    lastRequest = world.nanoTime();
  }

  private void round(String cib) {
    if (world.nanoTime() - lastRequest < QUIET.toNanos()) {
      world.after(QUIET, () -> round(cib));
      return;
    }
    planner.accept(cib);
    rounds++;
    if (rounds < ROUNDS) {
      world.after(BETWEEN, () -> round(cib));
    }
  }

  /// The made-up cluster: one monitor has failed, and much is to be started.
  static String cib() {
    return FRAME.formatted(
        nodes(), primitives(), member("g0") + member("g1"), member("c0"), states());
  }

  private static String nodes() {
    var text = new StringBuilder();
    for (var node = 1; node <= 3; node++) {
      text.append("<node id=\"%1$d\" uname=\"n%1$d\"/>".formatted(node));
    }
    return text.toString();
  }

  private static String member(String id) {
    return PRIMITIVE.formatted(id);
  }

  private static String primitives() {
    var text = new StringBuilder();
    for (var number = 0; number < RESOURCES; number++) {
      text.append(member("p" + number));
    }
    return text.toString();
  }

  private static String states() {
    var text = new StringBuilder();
    for (var node = 1; node <= 3; node++) {
      var resources = new StringBuilder();
      for (var number = 0; number < RESOURCES; number++) {
        resources.append(history("p" + number, number % 3 + 1 == node, number == 0));
      }
      text.append(NODE_STATE.formatted(node, resources));
    }
    return text.toString();
  }

  private static String history(String resource, boolean runs, boolean failed) {
    var text = new StringBuilder();
    text.append(
        "<lrm_resource id=\"%s\" class=\"ocf\" provider=\"pacemaker\" type=\"Dummy\">"
            .formatted(resource));
    if (runs) {
      text.append(OPERATION.formatted(resource, TaskName.START, 0, 0, 0, 2));
      text.append(OPERATION.formatted(resource, TaskName.MONITOR, 10000, failed ? 7 : 0, 0, 3));
    } else {
      text.append(OPERATION.formatted(resource, TaskName.MONITOR, 0, 7, 7, 1));
    }
    return text.append("</lrm_resource>").toString();
  }
}
