package org.systole.common.cib;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.systole.common.cib.CibAccess.Mode;
import org.systole.common.output.Rc;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.common.xml.XmlWriter;

class CibAccessTest {
  private static final String CIB =
      """
      <cib crm_feature_set="3.20.5" validate-with="pacemaker-4.0" admin_epoch="0" epoch="5" \
      num_updates="0"><configuration><crm_config><cluster_property_set id="o">\
      <nvpair id="o-acl" name="enable-acl" value="true"/></cluster_property_set></crm_config>\
      <nodes/><resources><primitive id="a" class="ocf" provider="pacemaker" type="Dummy">\
      <meta_attributes id="a-m"><nvpair id="a-m-role" name="target-role" value="Started"/>\
      </meta_attributes></primitive>\
      <primitive id="b" class="ocf" provider="pacemaker" type="Dummy"/></resources><constraints/>\
      <acls><acl_target id="u"><role id="r"/></acl_target><acl_group id="g"><role id="r"/>\
      </acl_group><acl_role id="r">%s</acl_role></acls></configuration><status/></cib>""";
  private static final String READ_ALL = "<acl_permission id='p1' kind='read' xpath='/cib'/>";
  private static final String DENY_ALL = "<acl_permission id='p2' kind='deny' xpath='/cib'/>";
  private static final String WRITE_ALL = "<acl_permission id='p3' kind='write' xpath='/cib'/>";
  private static final String WRITE_RESOURCES =
      "<acl_permission id='p4' kind='write' object-type='resources'/>";
  private static final String DENY_RESOURCES =
      "<acl_permission id='p5' kind='deny' xpath='//resources'/>";
  private static final String WRITE_ROLES =
      "<acl_permission id='p6' kind='write' xpath='//nvpair[@name=\"target-role\"]'/>";
  private static final String READ_META =
      "<acl_permission id='p7' kind='read' object-type='meta_attributes'/>";
  private static final CibUser U = new CibUser("u", List.of());

  private static Element xml(String text) throws XmlException {
    return XmlReader.parse(text);
  }

  private static Element cib(String permissions) throws XmlException {
    return xml(CIB.formatted(permissions));
  }

  private static @Nullable Element visible(String permissions, CibUser user) throws XmlException {
    return CibUpdate.query(cib(permissions), CibQuery.ALL, user).output();
  }

  private static Rc change(String permissions, CibOp operation) throws XmlException {
    return CibUpdate.apply(cib(permissions), List.of(operation), null, U).rc();
  }

  private static CibOp addResource() throws XmlException {
    return CibOp.create(
        "resources", xml("<primitive id='n' class='ocf' provider='pacemaker' type='Dummy'/>"));
  }

  @Test
  void whatAWholeCibHoldsBesideTheSectionIsNotAskedFor() throws XmlException {
    var permissions = DENY_ALL + WRITE_RESOURCES;
    var whole = cib(permissions);
    var changed = xml(XmlWriter.compact(whole).replace("type=\"Dummy\"", "type=\"Stateful\""));
    assertEquals(Rc.OK, change(permissions, CibOp.replace("resources", changed)));
    assertEquals(Rc.EACCES, change(permissions, CibOp.replace("crm_config", changed)));
  }

  private static CibOp option(String name, String value) throws XmlException {
    return CibOp.put(
        "crm_config",
        xml(
            "<cluster_property_set id='o'><nvpair id='o-%1$s' name='%1$s' value='%2$s'/></cluster_property_set>"
                .formatted(name, value)));
  }

  @Test
  void whatRootIsToRunOnHostsIsNoMatterOfOptionsAlone() throws XmlException {
    var options = READ_ALL + "<acl_permission id='p8' kind='write' object-type='crm_config'/>";
    for (var name : List.of("ha.provider", "ha.param.command", "ha.volumes")) {
      assertEquals(Rc.EACCES, change(options, option(name, "/usr/sbin/reboot")), name);
      assertEquals(Rc.OK, change(options + WRITE_RESOURCES, option(name, "/usr/sbin/reboot")), name);
      assertEquals(Rc.OK, change(WRITE_ALL, option(name, "/usr/sbin/reboot")), name);
    }
    assertEquals(Rc.OK, change(options, option("ha.enabled", "true")));
    assertEquals(Rc.OK, change(options, option("no-quorum-policy", "stop")));
    assertEquals(Rc.EACCES, change(options + WRITE_RESOURCES + DENY_RESOURCES, option("ha.provider", "x")));
  }

  @Test
  void whatStandsThereIsNotTurnedToOtherHosts() throws XmlException {
    var set =
        "<cluster_property_set id='h'><rule id='h-r' score='1'><expression id='h-e' attribute='#uname'"
            + " operation='eq' value='h1'/></rule><nvpair id='h-c' name='ha.param.command' value='/x'/>"
            + "<nvpair id='h-t' name='kvm.ha.fence.timeout' value='9'/></cluster_property_set>";
    var options = READ_ALL + "<acl_permission id='p8' kind='write' object-type='crm_config'/>";
    var before = xml(XmlWriter.compact(cib(options)).replace("</crm_config>", set + "</crm_config>"));
    for (var change : List.of("h-e value h2 EACCES", "h-t value 8 OK", "h-c value /y EACCES", "h score 9 EACCES")) {
      var words = change.split(" ");
      var text = XmlWriter.compact(before);
      var at = text.indexOf("id=\"" + words[0] + "\"");
      var old = words[1].equals("score") ? "id=\"h\"" : text.substring(at, text.indexOf('>', at));
      var now = words[1].equals("score") ? "id=\"h\" score=\"9\"" : old.replaceAll("value=\"[^\"]*\"", "value=\"" + words[2] + "\"");
      var after = xml(text.replace(old, now));
      var access = CibAccess.of(before, U);
      assertEquals(words[3].equals("OK"), access != null && access.allows(before, after), change);
    }
  }

  private static CibOp setRole(String resource) throws XmlException {
    return CibOp.put(
        "resources",
        xml(
            ("<primitive id='%1$s'><meta_attributes id='%1$s-m'><nvpair id='%1$s-m-role'"
                    + " name='target-role' value='Stopped'/></meta_attributes></primitive>")
                .formatted(resource)));
  }

  @Test
  void whoHasNoPermissionSeesNothingAndChangesNothing() throws XmlException {
    assertEquals(
        Rc.EACCES, CibUpdate.query(cib(""), CibQuery.ALL, new CibUser("x", List.of())).rc());
    assertNull(visible("", U));
    assertNull(visible(DENY_ALL, U));
    assertEquals(Rc.EACCES, change("", addResource()));
    assertEquals(Rc.EACCES, change(DENY_ALL, addResource()));
  }

  @Test
  void listsCountOnlyWhereTheyAreEnforcedAndNeverForTheClustersOwn() throws XmlException {
    var off = xml(CIB.formatted("").replace("value=\"true\"", "value=\"false\""));
    assertSame(off, CibUpdate.query(off, CibQuery.ALL, U).output());
    var on = cib("");
    assertSame(on, CibUpdate.query(on, CibQuery.ALL, CibUser.UNRESTRICTED).output());
  }

  @Test
  void aGroupOfTheUserCountsAsItself() throws XmlException {
    assertEquals(cib(READ_ALL), visible(READ_ALL, new CibUser("x", List.of("users", "g"))));
    assertNull(visible(READ_ALL, new CibUser("x", List.of("users"))));
  }

  @Test
  void onTheWayToWhatIsReadableOnlyIdsAreSeen() throws XmlException {
    for (var permissions : List.of(READ_META, DENY_ALL + READ_META)) {
      var seen = visible(permissions, U);
      assertEquals(
          "<cib><configuration><resources><primitive id=\"a\"><meta_attributes id=\"a-m\"><nvpair"
              + " id=\"a-m-role\" name=\"target-role\" value=\"Started\"/></meta_attributes>"
              + "</primitive></resources></configuration></cib>",
          seen == null ? "" : XmlWriter.compact(seen));
    }
  }

  @Test
  void whatIsDeniedInsideIsMissing() throws XmlException {
    var seen = visible(READ_ALL + DENY_RESOURCES, U);
    assertNull(seen == null ? null : seen.path("configuration", "resources"));
    assertEquals(
        cib(READ_ALL + DENY_RESOURCES).first("status"), seen == null ? null : seen.first("status"));
  }

  @Test
  void aQueryOfASectionFindsOnlyWhatIsVisible() throws XmlException {
    var query = CibQuery.xpath("//nvpair[@name='enable-acl']");
    assertEquals(Rc.ENXIO, CibUpdate.query(cib(READ_META), query, U).rc());
    assertEquals(Rc.OK, CibUpdate.query(cib(READ_ALL), query, U).rc());
  }

  @Test
  void theNearestPermissionDecides() throws XmlException {
    assertEquals(Rc.EACCES, change(READ_ALL, addResource()));
    assertEquals(Rc.OK, change(WRITE_ALL, addResource()));
    assertEquals(Rc.OK, change(READ_ALL + WRITE_RESOURCES, addResource()));
    assertEquals(Rc.OK, change(DENY_ALL + WRITE_RESOURCES, addResource()));
    assertEquals(Rc.EACCES, change(WRITE_ALL + DENY_RESOURCES, addResource()));
    assertEquals(Rc.EACCES, change(DENY_RESOURCES + WRITE_RESOURCES, addResource()), "deny first");
  }

  @Test
  void scaffoldingMayBeCreatedForWhatMay() throws XmlException {
    var permissions = READ_ALL + WRITE_ROLES;
    assertEquals(Rc.OK, change(permissions, setRole("a")));
    assertEquals(Rc.OK, change(permissions, setRole("b")), "with meta_attributes of its own");
    assertEquals(
        Rc.EACCES,
        change(permissions, CibOp.modify("resources", xml("<primitive id='a' type='Stateful'/>"))));
  }

  @Test
  void nobodyGivesHimselfRights() throws XmlException {
    var role = xml("<acls><acl_role id='more'/></acls>");
    assertEquals(Rc.EACCES, change(READ_ALL + WRITE_RESOURCES, CibOp.put("acls", role)));
    assertEquals(
        Rc.EACCES,
        change(READ_ALL + WRITE_RESOURCES, CibOp.deleteXPath("//nvpair[@name='enable-acl']")));
    assertEquals(Rc.EACCES, change(READ_ALL + WRITE_RESOURCES, CibOp.erase()));
    assertEquals(Rc.EACCES, change(READ_ALL + WRITE_RESOURCES, CibOp.bump()));
  }

  @Test
  void deletingAndReorderingNeedTheRightToWrite() throws XmlException {
    assertEquals(Rc.EACCES, change(READ_ALL, CibOp.deleteXPath("//primitive[@id='b']")));
    assertEquals(Rc.OK, change(WRITE_RESOURCES, CibOp.deleteXPath("//primitive[@id='b']")));
    var before = cib(READ_ALL + WRITE_ROLES);
    var resources = before.path("configuration", "resources");
    var turned =
        resources == null ? before : resources.withChildren(resources.children().reversed());
    assertEquals(Rc.EACCES, change(READ_ALL + WRITE_ROLES, CibOp.replace("resources", turned)));
  }

  @Test
  void theModesOfAllElementsAreTold() throws XmlException {
    var cib = cib(READ_ALL + DENY_RESOURCES + WRITE_ROLES);
    var modes = CibAccess.listed(cib, U).modes(cib);
    assertEquals(Mode.READABLE, modes.getFirst());
    assertEquals(1, modes.stream().filter(Mode.WRITABLE::equals).count());
    assertEquals(4, modes.stream().filter(Mode.DENIED::equals).count());
  }
}
