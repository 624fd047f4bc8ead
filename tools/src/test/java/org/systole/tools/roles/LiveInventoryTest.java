package org.systole.tools.roles;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.systole.common.values.NodeName;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.roles.data.Json;
import org.systole.roles.data.JsonFault;
import org.systole.roles.data.JsonText;
import org.systole.roles.live.ClusterRoles;
import org.systole.roles.simulate.Shown;
import org.systole.roles.simulate.StoryText;

/// The inventory of a running cluster.
final class LiveInventoryTest {
  private static NodeName node(String name) {
    return new NodeName(name);
  }

  private static Json.Obj told(String text) throws JsonFault {
    return JsonText.readObject(text);
  }

  @Test
  void theAgentsOfResourcesAreLookedForButNotThoseInsideOfBundles() throws XmlException {
    var cib =
        XmlReader.parse(
            """
            <cib><configuration><resources>
              <template id="t" class="ocf" provider="heartbeat" type="pgsql"/>
              <primitive id="db" template="t"/>
              <group id="g"><primitive id="ip" class="ocf" provider="heartbeat" type="IPaddr2"/></group>
              <clone id="c"><group id="cg"><primitive id="w" class="systemd" type="nginx"/></group></clone>
              <master id="m"><primitive id="ms" class="ocf" provider="heartbeat" type="pgsql"/></master>
              <primitive id="n9" class="ocf" provider="pacemaker" type="remote"/>
              <primitive id="lost" template="none"/>
              <primitive id="f" class="stonith" type="fence_xvm"/>
              <bundle id="b"><primitive id="in" class="ocf" provider="heartbeat" type="apache"/></bundle>
            </resources></configuration></cib>
            """);
    assertEquals(
        List.of("ocf:heartbeat:IPaddr2", "ocf:heartbeat:pgsql", "stonith:fence_xvm", "systemd:nginx"),
        LiveInventory.wanted(cib));
    assertEquals(List.of(), LiveInventory.wanted(XmlReader.parse("<cib/>")));
  }

  @Test
  void whatNodesHaveAndLackIsTold() throws JsonFault {
    var told =
        new TreeMap<>(
            Map.of(
                node("n1"),
                told(
                    "{\"inventory\":{\"ocf:heartbeat\":[\"IPaddr2\",\"pgsql\"]},\"packages\":{\"pcs\":\"1\"}}"),
                node("n2"),
                told(
                    "{\"inventory\":{\"ocf:heartbeat\":[\"IPaddr2\"]},\"packages\":{\"pcs\":\"2\"},"
                        + "\"missing\":[\"ocf:heartbeat:pgsql\"]}")));
    var untold = new TreeMap<>(Map.of(node("n3"), "it is not in the cluster"));
    var shown = new Shown(ClusterRoles.fresh().document()).inventory(told, untold);
    assertEquals(
        """
        of n1 n2
        ocf:heartbeat: IPaddr2
          pgsql is missing on n2
        package pcs: differs: n1 1, n2 2
        resources use ocf:heartbeat:pgsql, which is missing on n2
        n3 does not tell: it is not in the cluster""",
        String.join("\n", StoryText.lines(shown)));
    var nobody = new Shown(ClusterRoles.fresh().document()).inventory(new TreeMap<>(), untold);
    assertEquals(
        "no node has told of its agents\nn3 does not tell: it is not in the cluster",
        String.join("\n", StoryText.lines(nobody)));
  }
}
