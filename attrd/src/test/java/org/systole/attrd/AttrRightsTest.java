package org.systole.attrd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.attrd.client.AttrMessage;
import org.systole.attrd.client.AttrUpdates;
import org.systole.common.world.Connection.Credentials;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlReader;

class AttrRightsTest {
  private static final Credentials ROOT = new Credentials("root", List.of("root"), true);
  private static final Credentials MEMBER = new Credentials("u", List.of("haclient"), false);

  private static Element cib(String enforced) throws Exception {
    return XmlReader.parse(
        """
        <cib validate-with="pacemaker-4.0" admin_epoch="0" epoch="1" num_updates="0"><configuration>
        <crm_config><cluster_property_set id="o"><nvpair id="a" name="enable-acl" value="%s"/>
        </cluster_property_set></crm_config><nodes/><resources/><constraints/><acls><acl_target
        id="u"><role id="r"/></acl_target><acl_role id="r"><acl_permission id="p" kind="write"
        xpath="//nvpair[@name='mine']"/></acl_role></acls></configuration><status><node_state
        id="1" uname="n"/></status></cib>"""
            .formatted(enforced));
  }

  @Test
  void aMemberSetsWhatTheListsAllowAndNothingElse() throws Exception {
    var mine = AttrUpdates.set("mine", "n", "1");
    var other = AttrUpdates.set("other", "n", "1");
    assertNull(AttrRights.refusal(mine, MEMBER, cib("true"), "1"));
    assertEquals(
        "Permission denied for user u", AttrRights.refusal(other, MEMBER, cib("true"), "1"));
    assertNull(AttrRights.refusal(other, MEMBER, cib("false"), "1"));
    assertNull(AttrRights.refusal(other, ROOT, cib("true"), "1"));
    assertNotNull(AttrRights.refusal(mine, MEMBER, null, "1"), "the lists are not known yet");
    var clear = new AttrMessage.ClearFailures("rsc", "", 0, "");
    assertNotNull(AttrRights.refusal(clear, MEMBER, cib("true"), "1"));
  }

  @Test
  void aNameIsNoXPath() throws Exception {
    assertNull(AttrRights.refusal(new AttrMessage.RemoveNode("n", false), ROOT, null, "1"));
    var odd = new AttrMessage.RemoveNode("n']|//primitive['", false);
    assertNotNull(AttrRights.refusal(odd, ROOT, cib("false"), "1"));
    assertNotNull(
        AttrRights.refusal(AttrUpdates.set("a", "n' or '1", "1"), ROOT, cib("false"), "1"));
  }
}
