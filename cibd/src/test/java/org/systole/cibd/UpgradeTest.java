package org.systole.cibd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibUpdate;
import org.systole.common.output.Rc;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlReader;

/// What the CIB manager can do with only its own module and common beside it.
class UpgradeTest {
  private static final String OLD =
      """
      <cib epoch="7" num_updates="3" admin_epoch="1" validate-with="pacemaker-2.10">
        <configuration>
          <crm_config>
            <cluster_property_set id="o">
              <nvpair id="o1" name="stonith_action" value="off"/>
            </cluster_property_set>
          </crm_config>
          <nodes/><resources/><constraints/>
        </configuration>
        <status/>
      </cib>
      """;

  @Test
  void aConfigurationOfAnOldSchemaIsUpgradedWithoutTheScheduler() throws Exception {
    var result = CibUpdate.apply(XmlReader.parse(OLD), List.of(CibOp.upgrade("")), null);

    assertEquals(Rc.OK, result.rc());
    assertEquals("pacemaker-4.0", result.cib().get("validate-with"));
    assertEquals("stonith-action", option(result.cib()).get("name"));
    assertEquals("2", result.cib().get("admin_epoch"));
  }

  @Test
  void anUpgradeStopsAtTheSchemaThatWasAskedFor() throws Exception {
    var asked = CibOp.upgrade("pacemaker-3.2");
    var result = CibUpdate.apply(XmlReader.parse(OLD), List.of(asked), null);

    assertEquals(Rc.OK, result.rc());
    assertEquals("pacemaker-3.2", result.cib().get("validate-with"));
  }

  private static Element option(Element cib) {
    var options = cib.path("configuration", "crm_config", "cluster_property_set", "nvpair");
    assertNotNull(options);
    return options;
  }
}
