package org.systole.cts.bench;

/// A cluster with remote hosts, and ten resources for each.
///
/// A resource has its host and the next one, and is looked for on these alone, as is usual with many
/// hosts: looking for each on all would be hosts times resources probes.
///
/// @param hosts how many
/// @param place the address and port of a host, by its number from 1 on
record RemoteConfiguration(int hosts, Place place) {
  static final int EACH = 10;
  static final String HOST = "far";

  /// Where a host is.
  interface Place {
    String address(int number);

    int port(int number);
  }

  /// Before any host is there: fencing, with a device for all.
  String base() {
    var names = new StringBuilder("node1 node2 node3");
    for (var number = 1; number <= hosts; number++) {
      names.append(' ').append(HOST).append(number);
    }
    return """
        <cib crm_feature_set="3.19.0" validate-with="pacemaker-3.7" epoch="5" num_updates="0" admin_epoch="0">
        <configuration><crm_config><cluster_property_set id="cib-bootstrap-options">
        <nvpair id="o-stonith-enabled" name="stonith-enabled" value="true"/>
        </cluster_property_set></crm_config><nodes/><resources>
        <primitive id="fence" class="stonith" type="fence_bench"><instance_attributes id="fence-ia">
        <nvpair id="fence-ia-check" name="pcmk_host_check" value="static-list"/>
        <nvpair id="fence-ia-list" name="pcmk_host_list" value="%s"/>
        </instance_attributes></primitive></resources>
        <constraints>%s</constraints></configuration><status/></cib>
        """
        .formatted(names, fenceOnMembers());
  }

  private static String fenceOnMembers() {
    return """
        <rsc_location id="fence-here" rsc="fence" resource-discovery="exclusive">
        <rule id="fence-here-rule" score="0"><expression id="fence-here-kind" attribute="#kind"
         operation="eq" value="cluster"/></rule></rsc_location>
        """;
  }

  /// The connections.
  String connections() {
    var text = new StringBuilder("<configuration><resources>");
    for (var number = 1; number <= hosts; number++) {
      text.append(
          """
          <primitive id="%1$s%2$d" class="ocf" provider="pacemaker" type="remote">
          <instance_attributes id="%1$s%2$d-ia">
          <nvpair id="%1$s%2$d-server" name="server" value="%3$s"/>
          <nvpair id="%1$s%2$d-port" name="port" value="%4$d"/></instance_attributes>
          <operations><op id="%1$s%2$d-start" name="start" interval="0" timeout="120s"/>
          <op id="%1$s%2$d-m" name="monitor" interval="30s" timeout="20s"/></operations></primitive>
          """
              .formatted(HOST, number, place.address(number), place.port(number)));
    }
    return text.append("</resources></configuration>").toString();
  }

  /// The resources, and where each may run.
  String resources() {
    var text = new StringBuilder("<configuration><resources>");
    for (var at = 1; at <= hosts * EACH; at++) {
      text.append(
          """
          <primitive id="d%1$d" class="ocf" provider="bench" type="Dummy"><operations>
          <op id="d%1$d-m" name="monitor" interval="10s" timeout="60s"/></operations></primitive>
          """
              .formatted(at));
    }
    text.append("</resources><constraints>");
    for (var at = 1; at <= hosts * EACH; at++) {
      var own = (at - 1) / EACH + 1;
      location(text, at, own, 200);
      location(text, at, own % hosts + 1, 100);
    }
    return text.append("</constraints></configuration>").toString();
  }

  private static void location(StringBuilder text, int resource, int host, int score) {
    text.append(
        """
        <rsc_location id="d%1$d-%2$d" rsc="d%1$d" node="%4$s%2$d" score="%3$d" resource-discovery="exclusive"/>
        """
            .formatted(resource, host, score, HOST));
  }
}
