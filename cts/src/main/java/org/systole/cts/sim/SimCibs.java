package org.systole.cts.sim;

import java.util.Map;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;

/// Configurations to simulate with.
public final class SimCibs {
  private static final String STANDARD =
      """
      <cib admin_epoch="0" epoch="1" num_updates="0" validate-with="pacemaker-4.0" crm_feature_set="3.20.2">
        <configuration>
          <crm_config>
            <cluster_property_set id="cib-bootstrap-options">
              <nvpair id="opt-fencing" name="fencing-enabled" value="true"/>
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
          </resources>
          <constraints/>
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
    var more = new StringBuilder();
    options.forEach(
        (name, value) ->
            more.append(
                "<nvpair id=\"opt-%1$s\" name=\"%1$s\" value=\"%2$s\"/>".formatted(name, value)));
    var names = new StringBuilder();
    var hosts = new StringBuilder();
    for (var id = 1; id <= nodes; id++) {
      names.append("<node id=\"%d\" uname=\"node%d\"/>".formatted(id, id));
      hosts.append(id == 1 ? "" : " ").append("node").append(id);
    }
    var text =
        STANDARD.formatted(
            more, names, hosts, primitive("a"), primitive("b"), primitive("g1"), primitive("g2"));
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

  private static String primitive(String id) {
    return """
    <primitive id="%s" class="ocf" provider="pacemaker" type="Dummy">
      <operations><op id="%s-monitor" name="monitor" interval="10s" timeout="20s"/></operations>
    </primitive>\
    """
        .formatted(id, id);
  }
}
