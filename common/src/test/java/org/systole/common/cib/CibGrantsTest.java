package org.systole.common.cib;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.common.cib.CibAccess.Mode;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;

/// Rights to what is kept beside the CIB.
final class CibGrantsTest {
  private static final CibUser ANNA = new CibUser("anna", List.of("haclient"));

  private static Element cib(String permissions, boolean on) throws XmlException {
    return XmlReader.parse(
        """
        <cib><configuration>
          <crm_config><cluster_property_set id="cib-bootstrap-options">
            <nvpair id="a" name="enable-acl" value="%s"/></cluster_property_set></crm_config>
          <acls><acl_target id="anna"><role id="r"/></acl_target><acl_role id="r">%s</acl_role></acls>
        </configuration><status/></cib>
        """
            .formatted(on, permissions));
  }

  private static CibGrants grants(String... permissions) throws XmlException {
    var all = new StringBuilder();
    for (var it : permissions) {
      all.append("<acl_permission id=\"p%d\" %s/>".formatted(all.length(), it));
    }
    var grants = CibGrants.of(cib(all.toString(), true), ANNA, "roles");
    assertNotNull(grants);
    return grants;
  }

  @Test
  void whomNoListsLimitNothingIsSaidTo() throws Exception {
    assertNull(CibGrants.of(cib("", false), ANNA, "roles"));
    assertNull(CibGrants.of(cib("", true), CibUser.UNRESTRICTED, "roles"));
  }

  @Test
  void aPartCountsMoreThanTheWholeAndDenyMoreThanWrite() throws Exception {
    var some =
        grants(
            "kind=\"read\" object-type=\"roles\"",
            "kind=\"write\" object-type=\"roles\" attribute=\"retry\"");
    assertEquals(Mode.WRITABLE, some.of("retry"));
    assertEquals(Mode.READABLE, some.of("commit"));
    var most =
        grants(
            "kind=\"write\" object-type=\"roles\"",
            "kind=\"write\" object-type=\"roles\" attribute=\"commit\"",
            "kind=\"deny\" object-type=\"roles\" attribute=\"commit\"");
    assertEquals(Mode.DENIED, most.of("commit"));
    assertEquals(Mode.WRITABLE, most.of("retry"));
    assertTrue(most.isReadable());
  }

  @Test
  void whatIsAboutTheCibSaysNothing() throws Exception {
    var none = grants("kind=\"write\" xpath=\"/cib\"", "kind=\"write\" object-type=\"nodes\"");
    assertTrue(none.isEmpty());
    assertNull(none.of("retry"));
    assertFalse(none.isReadable());
  }
}
