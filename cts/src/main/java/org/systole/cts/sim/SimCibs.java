package org.systole.cts.sim;

import java.util.Map;
import java.util.TreeMap;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;

/// Configurations to simulate with.
public final class SimCibs {
  /// A parameter that tells the agent how it moves a resource.
  static final String IS_LIVE = "OCF_RESKEY_live";

  private static final String LIVE =
      "<instance_attributes id=\"b-how\"><nvpair id=\"b-live\" name=\"live\" value=\"true\"/></instance_attributes>";

  private static final String STANDARD =
      """
      <cib admin_epoch="0" epoch="1" num_updates="0" validate-with="pacemaker-4.0" crm_feature_set="3.20.2">
        <configuration>
          <crm_config>
            <cluster_property_set id="cib-bootstrap-options">
              <nvpair id="opt-fencing" name="fencing-enabled" value="%s"/>
              <nvpair id="opt-fence-timeout" name="fencing-timeout" value="60s"/>
              %s
            </cluster_property_set>
          </crm_config>
          <nodes>%s</nodes>
          <resources>
            <primitive id="fencing" class="stonith" type="fence_sim">
              <instance_attributes id="fencing-params">
                <nvpair id="fencing-hosts" name="pcmk_host_list" value="%s"/>
              </instance_attributes>
              <operations><op id="fencing-monitor" name="monitor" interval="60s" timeout="20s"/></operations>
            </primitive>
            %s
            %s
            <group id="g">
              %s
              %s
            </group>
            <clone id="store-clone">
              <meta_attributes id="store-clone-meta">
                <nvpair id="store-clone-promotable" name="promotable" value="true"/>
              </meta_attributes>
              <primitive id="store" class="ocf" provider="pacemaker" type="Stateful">
                <operations>
                  <op id="store-monitor-promoted" name="monitor" interval="10s" role="Promoted" timeout="20s"/>
                  <op id="store-monitor" name="monitor" interval="11s" role="Unpromoted" timeout="20s"/>
                </operations>
              </primitive>
            </clone>
            %s
          </resources>
          <constraints>%s</constraints>
          %s
        </configuration>
        <status/>
      </cib>
      """;

  private SimCibs() {}

  /// A fence device, two resources of their own, a group, and a promotable clone.
  public static Element standard(int nodes) {
    return standard(nodes, Map.of("no-quorum-policy", "stop"));
  }

  /// As [#standard(int)], with cluster options of its own beside fencing's.
  static Element standard(int nodes, Map<String, String> options) {
    return made(nodes, options, primitive("b"), "", "", "", 0);
  }

  /// As [#standard(int, Map)], with all that a random cluster has besides.
  static Element random(int nodes, Map<String, String> options, SimOptions more) {
    return random(nodes, options, more, false);
  }

  /// @param live whether what is migrated runs at its target from the end of `migrate_to` on, as a machine does; else in between
  ///     it runs nowhere
  static Element random(int nodes, Map<String, String> options, SimOptions more, boolean live) {
    var resources = new StringBuilder();
    if (more.everywhere()) {
      resources.append("<clone id=\"each-clone\">").append(primitive("each")).append("</clone>");
    }
    var constraints = "";
    if (more.ticket()) {
      resources.append(primitive(SimOptions.TICKETED));
      constraints =
          "<rsc_ticket id=\"needs\" rsc=\"%s\" ticket=\"%s\" loss-policy=\"stop\"/>"
              .formatted(SimOptions.TICKETED, SimOptions.TICKET);
    }
    var b =
        more.migrates()
            ? primitive("b")
                .replace(
                    "<operations>",
                    (live ? LIVE : "") + "<meta_attributes id=\"b-meta\"><nvpair id=\"b-migrates\" name=\"allow-migrate\""
                        + " value=\"true\"/></meta_attributes><operations>")
            : primitive("b");
    var defaults =
        more.defaults().isEmpty()
            ? ""
            : "<rsc_defaults><meta_attributes id=\"defaults\">%s</meta_attributes></rsc_defaults>"
                .formatted(pairs("default", more.defaults()));
    for (var host = 1; host <= more.hosts(); host++) {
      resources.append(connection(SimOptions.host(host)));
    }
    return made(nodes, options, b, resources.toString(), constraints, defaults, more.hosts());
  }

  private static String pairs(String prefix, Map<String, String> values) {
    var pairs = new StringBuilder();
    values.forEach(
        (name, value) ->
            pairs.append(
                "<nvpair id=\"%1$s-%2$s\" name=\"%2$s\" value=\"%3$s\"/>"
                    .formatted(prefix, name, value)));
    return pairs.toString();
  }

  private static Element made(
      int nodes,
      Map<String, String> options,
      String b,
      String resources,
      String constraints,
      String defaults,
      int farHosts) {
    var more = new TreeMap<>(options);
    var fences = more.remove("fencing-enabled");
    var names = new StringBuilder();
    var hosts = new StringBuilder();
    for (var id = 1; id <= nodes; id++) {
      names.append("<node id=\"%d\" uname=\"node%d\"/>".formatted(id, id));
      hosts.append(id == 1 ? "" : " ").append("node").append(id);
    }
    for (var host = 1; host <= farHosts; host++) {
      hosts.append(' ').append(SimOptions.host(host));
    }
    var text =
        STANDARD.formatted(
            fences == null ? "true" : fences,
            pairs("opt", more),
            names,
            hosts,
            primitive("a"),
            b,
            primitive("g1"),
            primitive("g2"),
            resources,
            constraints,
            defaults);
    try {
      return XmlReader.parse(text);
    } catch (XmlException e) {
      throw new IllegalStateException(e);
    }
  }

  /// A resource of its own, as an administrator would add it.
  static Element resource(String id) {
    try {
      return XmlReader.parse(primitive(id));
    } catch (XmlException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String connection(String id) {
    return """
    <primitive id="%1$s" class="ocf" provider="pacemaker" type="remote">
      <instance_attributes id="%1$s-params">
        <nvpair id="%1$s-reconnect" name="reconnect_interval" value="30s"/>
      </instance_attributes>
      <operations>
        <op id="%1$s-start" name="start" interval="0" timeout="20s"/>
        <op id="%1$s-monitor" name="monitor" interval="10s" timeout="15s"/>
      </operations>
    </primitive>\
    """
        .formatted(id);
  }

  private static String primitive(String id) {
    return """
    <primitive id="%s" class="ocf" provider="pacemaker" type="Dummy">
      <operations><op id="%s-monitor" name="monitor" interval="10s" timeout="20s"/></operations>
    </primitive>\
    """
        .formatted(id, id);
  }
}
