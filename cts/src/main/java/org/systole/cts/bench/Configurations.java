package org.systole.cts.bench;

/// The configurations the benchmark runs with.
final class Configurations {
  private Configurations() {}

  /// @param fencing whether there is a fence device, and fencing on
  static String cib(int resources, int monitorSeconds, boolean fencing) {
    return """
        <cib crm_feature_set="3.19.0" validate-with="pacemaker-3.7" epoch="5" num_updates="0" admin_epoch="0">
        <configuration><crm_config><cluster_property_set id="cib-bootstrap-options">
        <nvpair id="o-stonith-enabled" name="stonith-enabled" value="%s"/>
        </cluster_property_set></crm_config><nodes/><resources>%s%s</resources><constraints/>
        </configuration><status/></cib>
        """
        .formatted(fencing, fencing ? device() : "", primitives(resources, monitorSeconds));
  }

  static String section(int resources, int monitorSeconds) {
    return "<resources>" + primitives(resources, monitorSeconds) + "</resources>";
  }

  private static String device() {
    return """
        <primitive id="fence" class="stonith" type="fence_bench"><instance_attributes id="fence-ia">
        <nvpair id="fence-ia-check" name="pcmk_host_check" value="static-list"/>
        <nvpair id="fence-ia-list" name="pcmk_host_list" value="node1 node2 node3"/>
        </instance_attributes></primitive>
        """;
  }

  private static String primitives(int count, int monitorSeconds) {
    var text = new StringBuilder();
    for (var at = 1; at <= count; at++) {
      text.append(
          """
          <primitive id="d%d" class="ocf" provider="bench" type="Dummy"><operations>
          <op id="d%d-m" name="monitor" interval="%ds" timeout="20s"/></operations></primitive>
          """
              .formatted(at, at, monitorSeconds));
    }
    return text.toString();
  }
}
