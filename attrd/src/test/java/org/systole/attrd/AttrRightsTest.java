package org.systole.attrd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.systole.attrd.client.AttrMessage;
import org.systole.common.values.CibNodeId;
import org.systole.common.values.NodeName;
import org.systole.common.world.Connection.Credentials;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlReader;

class AttrRightsTest {
  private static final Credentials ROOT = new Credentials("root", List.of("root"), true);
  private static final Credentials MEMBER = new Credentials("u", List.of("haclient"), false);

  private static Element cib(String enforced) throws Exception {
    return cib(enforced, "//nvpair[@name='mine']");
  }

  private static Element cib(String enforced, String xpath) throws Exception {
    return XmlReader.parse(
        """
        <cib validate-with="pacemaker-4.0" admin_epoch="0" epoch="1" num_updates="0"><configuration>
        <crm_config><cluster_property_set id="o"><nvpair id="a" name="enable-acl" value="%s"/>
        </cluster_property_set></crm_config><nodes/><resources/><constraints/><acls><acl_target
        id="u"><role id="r"/></acl_target><acl_role id="r"><acl_permission id="p" kind="write"
        xpath="%s"/></acl_role></acls></configuration><status><node_state
        id="1" uname="n"/></status></cib>"""
            .formatted(enforced, xpath));
  }

  private static AttrRights.Place place(String name, AttrMessage.Kind kind) {
    return new AttrRights.Place(new CibNodeId("1"), new NodeName("n"), new Attribute(name, kind, 0));
  }

  private static List<AttrRights.Place> places(String... names) {
    return Stream.of(names).map(it -> place(it, AttrMessage.Kind.TRANSIENT)).toList();
  }

  @Test
  void aMemberSetsWhatTheListsAllowAndNothingElse() throws Exception {
    var enforced = cib("true");
    assertTrue(AttrRights.allows(MEMBER, enforced, places("mine")));
    assertFalse(AttrRights.allows(MEMBER, enforced, places("other")));
    assertFalse(
        AttrRights.allows(MEMBER, enforced, places("mine", "other")), "all that a pattern finds");
    assertTrue(AttrRights.allows(MEMBER, cib("false"), places("other")));
    assertTrue(AttrRights.allows(ROOT, enforced, places("other")));
    assertFalse(AttrRights.allows(MEMBER, null, places("mine")), "the lists are not known yet");
    assertTrue(AttrRights.allows(MEMBER, null, List.of()), "nothing is changed");
  }

  @Test
  void whereAnAttributeIsWrittenCounts() throws Exception {
    var enforced = cib("true", "//transient_attributes/instance_attributes");
    var utilization = new AttrMessage.Kind("", true, false);
    var otherSet = new AttrMessage.Kind("elsewhere", false, false);
    assertTrue(AttrRights.allows(MEMBER, enforced, places("a")));
    assertFalse(AttrRights.allows(MEMBER, enforced, List.of(place("a", utilization))));
    var oneSet = cib("true", "//instance_attributes[@id='status-1']");
    assertTrue(AttrRights.allows(MEMBER, oneSet, places("a")));
    assertFalse(AttrRights.allows(MEMBER, oneSet, List.of(place("a", otherSet))));
  }

  @Test
  void aMemberSeesWhatCouldBeReadInTheCib() throws Exception {
    var both = places("mine", "other");
    var enforced = cib("true");
    assertEquals(both.subList(0, 1), AttrRights.readable(MEMBER, enforced, both));
    assertEquals(both, AttrRights.readable(MEMBER, cib("false"), both));
    assertEquals(both, AttrRights.readable(ROOT, enforced, both));
    assertEquals(List.of(), AttrRights.readable(MEMBER, null, both));
    assertEquals(both, AttrRights.readable(ROOT, null, both));
  }

  @Test
  void rootOfARemoteNodeSetsWhatIsThatNodesAndElseWhatTheListsAllow() throws Exception {
    var enforced = cib("true");
    var own = new Credentials("root", List.of("root"), false, new NodeName("n"));
    var other = new Credentials("root", List.of("root"), false, new NodeName("far"));
    var user = new Credentials("kim", List.of("haclient"), false, new NodeName("n"));
    assertTrue(AttrRights.allows(own, enforced, places("other")));
    assertFalse(AttrRights.allows(other, enforced, places("other")));
    assertFalse(AttrRights.allows(user, enforced, places("other")));
    var load = new AttrMessage.Kind("", true, false);
    assertFalse(AttrRights.allows(own, enforced, List.of(place("cpu", load))));
    assertTrue(AttrRights.allows(other, cib("false"), places("other")));
  }
}
