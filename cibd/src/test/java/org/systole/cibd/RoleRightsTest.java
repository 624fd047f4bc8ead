package org.systole.cibd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.common.cib.CibUser;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;

/// What users whom the access control lists limit may do with roles.
final class RoleRightsTest {
  private static final CibUser ANNA = new CibUser("anna", List.of("haclient"));

  private static Element xml(String text) {
    try {
      return XmlReader.parse(text);
    } catch (XmlException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Element cib(String... permissions) {
    var all = new StringBuilder();
    for (var it : permissions) {
      all.append("<acl_permission id=\"p%d\" %s/>".formatted(all.length(), it));
    }
    return xml(
        """
        <cib><configuration>
          <crm_config><cluster_property_set id="cib-bootstrap-options">
            <nvpair id="a" name="enable-acl" value="true"/></cluster_property_set></crm_config>
          <acls><acl_target id="anna"><role id="r"/></acl_target><acl_role id="r">%s</acl_role></acls>
        </configuration><status/></cib>
        """
            .formatted(all));
  }

  private static boolean may(Element cib, String steps) {
    return RoleRights.mayAsk(cib, ANNA)
        && RoleRights.denied(cib, ANNA, xml("<steps>" + steps + "</steps>")) == null;
  }

  @Test
  void whereNothingIsSaidOfRolesTheWholeCibDecides() {
    assertFalse(RoleRights.mayRead(cib(), ANNA));
    assertFalse(may(cib(), "<commit/>"));
    var reader = cib("kind=\"read\" xpath=\"/cib\"");
    assertTrue(RoleRights.mayRead(reader, ANNA));
    assertFalse(may(reader, "<commit/>"));
    assertTrue(may(cib("kind=\"write\" xpath=\"/cib\""), "<propose/><commit/><role id=\"a\" jig=\"noop\"/>"));
  }

  @Test
  void eachPartIsARightOfItsOwn() {
    var operator =
        cib(
            "kind=\"read\" xpath=\"/cib\"",
            "kind=\"write\" object-type=\"roles\" attribute=\"retry\"",
            "kind=\"write\" object-type=\"roles\" attribute=\"propose\"");
    assertTrue(RoleRights.mayRead(operator, ANNA));
    assertTrue(may(operator, "<retry role=\"a\" node=\"n1\"/>"));
    assertTrue(may(operator, "<propose/><bind role=\"a\" node=\"n1\"/><unbind role=\"a\" node=\"n1\"/>"));
    assertFalse(may(operator, "<propose/><commit/>"), "one that is not allowed is enough");
    assertFalse(may(operator, "<delete-node node=\"n1\"/>"));
    assertFalse(may(operator, "<remove-role role=\"a\"/>"));
    assertFalse(may(operator, "<jig id=\"script\" active=\"true\"/>"));
    var why = RoleRights.denied(operator, ANNA, xml("<steps><commit/></steps>"));
    assertNotNull(why);
    assertTrue(why.contains("attribute=\"commit\""), why);
    var domain = xml("<steps domain=\"example.com\"/>");
    assertNotNull(RoleRights.denied(operator, ANNA, domain));
  }

  @Test
  void whoMayWriteTheCibCanBeKeptFromRoles() {
    var other =
        cib("kind=\"write\" xpath=\"/cib\"", "kind=\"deny\" object-type=\"roles\"");
    assertFalse(RoleRights.mayRead(other, ANNA));
    assertFalse(may(other, "<commit/>"));
    var all = cib("kind=\"write\" object-type=\"roles\"");
    assertTrue(RoleRights.mayRead(all, ANNA));
    assertTrue(may(all, "<commit/><create-node node=\"n1\"/>"));
    assertNull(RoleRights.denied(other, CibUser.UNRESTRICTED, xml("<steps><commit/></steps>")));
  }
}
