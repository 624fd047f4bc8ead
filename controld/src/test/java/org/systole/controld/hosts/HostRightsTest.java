package org.systole.controld.hosts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.common.values.NodeName;
import org.systole.common.world.Connection.Credentials;
import org.systole.common.xml.Element;
import org.systole.controld.TestCib;
import org.systole.controld.client.CtlMessage;
import org.systole.controld.client.CtlMessage.HostOrder;

/// Who may see hosts and have something done about them.
final class HostRightsTest {
  private static final Credentials ROOT = new Credentials("root", List.of("root"), true);
  private static final Credentials ANNA = new Credentials("anna", List.of("haclient"), false);
  private static final NodeName HOST = new NodeName("h1");

  private static Element cib(boolean on, String... permissions) {
    var all = new StringBuilder();
    for (var it : permissions) {
      all.append("<acl_permission id=\"p%d\" %s/>".formatted(all.length(), it));
    }
    return TestCib.xml(
        """
        <cib><configuration>
          <crm_config><cluster_property_set id="cib-bootstrap-options">
            <nvpair id="a" name="enable-acl" value="%s"/></cluster_property_set></crm_config>
          <acls><acl_target id="anna"><role id="r"/></acl_target><acl_role id="r">%s</acl_role></acls>
        </configuration><status/></cib>
        """
            .formatted(on, all));
  }

  private static boolean may(Element cib, Credentials who, HostOrder what) {
    return HostRights.denied(cib, who, new CtlMessage.OrderHost(HOST, what, "")) == null;
  }

  private static boolean maySee(Element cib, Credentials who) {
    return HostRights.denied(cib, who, new CtlMessage.HostsQuery(null, false)) == null;
  }

  @Test
  void withoutListsMembersSeeAndOrderNothing() {
    var open = cib(false);
    assertTrue(maySee(open, ANNA));
    for (var what : HostOrder.values()) {
      assertTrue(may(open, ROOT, what));
      assertEquals(false, may(open, ANNA, what), what::name);
    }
    assertNotNull(HostRights.denied(open, ANNA, new CtlMessage.TryHost(HOST)));
    assertNull(HostRights.denied(open, ANNA, new CtlMessage.DcQuery()), "that is not about hosts");
  }

  @Test
  void listsGiveOrdersAndPowerEachByItself() {
    var operator = cib(true, "kind=\"write\" object-type=\"hosts\" attribute=\"order\"");
    assertTrue(maySee(operator, ANNA));
    assertTrue(may(operator, ANNA, HostOrder.CLEAR));
    assertEquals(false, may(operator, ANNA, HostOrder.FENCE));
    assertNull(HostRights.denied(operator, ANNA, new CtlMessage.TryHost(HOST)));
    var chief = cib(true, "kind=\"write\" object-type=\"hosts\"");
    assertTrue(may(chief, ANNA, HostOrder.FENCE));
    var far = new Credentials("anna", List.of("haclient"), false, new NodeName("r1"));
    assertEquals(false, may(chief, far, HostOrder.FENCE), "a remote node's user");
  }

  @Test
  void whomListsLimitSeesHostsOnlyWithARight() {
    assertEquals(false, maySee(cib(true), ANNA));
    assertTrue(maySee(cib(true, "kind=\"read\" xpath=\"/cib\""), ANNA));
    assertTrue(maySee(cib(true, "kind=\"read\" object-type=\"hosts\""), ANNA));
    assertEquals(
        false,
        maySee(cib(true, "kind=\"read\" xpath=\"/cib\"", "kind=\"deny\" object-type=\"hosts\""), ANNA));
    assertNotNull(HostRights.denied(null, ANNA, new CtlMessage.HostsQuery(null, false)));
  }
}
