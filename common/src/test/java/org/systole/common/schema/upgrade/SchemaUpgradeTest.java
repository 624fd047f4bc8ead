package org.systole.common.schema.upgrade;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.common.output.Rc;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;

class SchemaUpgradeTest {
  private static Element cib(String schema, String resources, String constraints) {
    try {
      return XmlReader.parse(
          "<cib epoch='1' num_updates='0' admin_epoch='0' validate-with='"
              + schema
              + "'><configuration><crm_config><cluster_property_set id='o'>"
              + "<nvpair id='o1' name='crmd-transition-delay' value='2s'/></cluster_property_set>"
              + "</crm_config><nodes/><resources>"
              + resources
              + "</resources><constraints>"
              + constraints
              + "</constraints></configuration><status/></cib>");
    } catch (XmlException e) {
      throw new IllegalArgumentException(e);
    }
  }

  private static SchemaUpgrade.Result upgrade(String resources, String constraints) {
    var result = SchemaUpgrade.toCurrent(cib("pacemaker-3.5", resources, constraints));
    assertEquals(List.of(), result.problems());
    assertEquals("pacemaker-4.0", result.cib().get("validate-with"));
    return result;
  }

  private static Element section(SchemaUpgrade.Result result, String name) {
    var section = result.cib().path("configuration", name);
    assertNotNull(section);
    return section;
  }

  @Test
  void aCibWithoutAKnownSchemaIsRefused() {
    assertEquals(Rc.CIB_CORRUPT, SchemaUpgrade.toCurrent(Element.of("cib")).rc());
    assertEquals(
        Rc.CIB_CORRUPT,
        SchemaUpgrade.toCurrent(Element.of("cib", "validate-with", "pacemaker-9.9")).rc());
  }

  @Test
  void whatConformsToNoSchemaIsNotUpgraded() {
    var result = SchemaUpgrade.toCurrent(cib("pacemaker-2.5", "<primitive id='p'/>", ""));
    assertEquals(Rc.TRANSFORM_FAILED, result.rc());
    assertEquals(
        List.of(
            "<primitive id=\"p\">: lacks class and type or template",
            "Cannot upgrade configuration (claiming pacemaker-2.5 schema) to at least pacemaker-4.0"
                + " because it does not validate with any schema from pacemaker-2.5 to the latest"),
        result.problems());
  }

  @Test
  void whatConformsToALaterSchemaThanItNamesIsUpgradedFromThere() {
    var result =
        SchemaUpgrade.toCurrent(
            cib(
                "pacemaker-3.0",
                "<primitive id='p' class='lsb' type='T'><operations>"
                    + "<op id='op' name='monitor' interval='1' role='Promoted'/>"
                    + "</operations></primitive>",
                ""));
    assertEquals(List.of(), result.problems());
    assertEquals("pacemaker-4.0", result.cib().get("validate-with"));
  }

  @Test
  void anUpgradeGoesNoFurtherThanItIsToldTo() {
    var old = cib("pacemaker-1.2", "<primitive id='p' class='lsb' type='T'/>", "");
    var result = SchemaUpgrade.upgrade(old, "pacemaker-2.10");
    assertEquals(Rc.OK, result.rc());
    assertEquals("pacemaker-2.10", result.cib().get("validate-with"));
  }

  @Test
  void aReferenceToNothingStaysOneThoughLaterSchemasDoNotMind() {
    var cib = cib("pacemaker-3.2", "", "");
    var tag = Element.of("tag", "id", "t").plus(Element.of("obj_ref", "id", "x"));
    var configuration = cib.child(0).plus(Element.of("tags").plus(tag));
    var result = SchemaUpgrade.toCurrent(cib.replace(0, configuration));
    assertEquals(Rc.TRANSFORM_FAILED, result.rc());
  }

  @Test
  void whatIsCurrentOrExemptIsLeftAlone() {
    for (var schema : new String[] {"pacemaker-4.0", "none"}) {
      var cib = cib(schema, "<master id='m'/>", "");
      var result = SchemaUpgrade.toCurrent(cib);
      assertNotNull(result);
      assertEquals(cib, result.cib());
    }
  }

  @Test
  void aPromotableCloneIsACloneThatSaysSo() {
    var resources =
        section(
            upgrade(
                "<master id='m'><primitive id='p' class='ocf' provider='x' type='T'/></master>",
                ""),
            "resources");
    var clone = resources.first("clone", "m");
    assertNotNull(clone);
    var meta = clone.first("meta_attributes");
    assertNotNull(meta);
    assertEquals("promotable", meta.child(0).get("name"));
  }

  @Test
  void clusterOptionsGetTheirNewNames() {
    var config = section(upgrade("", ""), "crm_config");
    assertEquals("transition-delay", config.child(0).child(0).get("name"));
  }

  @Test
  void resourcesOfGoneKindsGoWithTheirConstraints() {
    var result =
        upgrade(
            "<group id='g'><primitive id='n' class='nagios' type='T'/></group>"
                + "<primitive id='p' class='ocf' provider='x' type='T'/>",
            "<rsc_location id='l' rsc='g' node='a' score='1'/>"
                + "<rsc_order id='k' first='p' then='g'/>"
                + "<rsc_location id='s' rsc='p' node='a' score='1'/>");
    assertEquals(1, section(result, "resources").childCount());
    assertEquals("s", section(result, "constraints").child(0).id());
    assertTrue(result.warnings().getFirst().contains("nagios"), result.warnings().toString());
  }

  @Test
  void aLifetimeBecomesAConditionBesideTheNode() {
    var constraints =
        section(
            upgrade(
                "<primitive id='p' class='ocf' provider='x' type='T'/>",
                "<rsc_location id='l' rsc='p' node='a' score='5'><lifetime><rule id='r' score='1'>"
                    + "<date_expression id='d' operation='lt' end='2030-01-01'/></rule></lifetime>"
                    + "</rsc_location>"),
            "constraints");
    var location = constraints.child(0);
    assertNull(location.get("node"));
    var rule = location.child(0);
    assertEquals("and", rule.get("boolean-op"));
    assertEquals("#uname", rule.child(0).child(0).get("attribute"));
    assertEquals("r", rule.child(1).id());
  }

  @Test
  void everyRuleGetsAConstraintOfItsOwn() {
    var constraints =
        section(
            upgrade(
                "<primitive id='p' class='ocf' provider='x' type='T'/>",
                "<rsc_location id='l' rsc='p'>"
                    + "<rule id='r1' score='1'><op_expression id='e1' name='x'/></rule>"
                    + "<rule id='r2' score='1'><op_expression id='e2' name='x'/></rule>"
                    + "</rsc_location>"),
            "constraints");
    assertEquals(2, constraints.childCount());
    assertEquals("r2", constraints.child(1).child(0).id());
  }

  @Test
  void usersWithRightsOfTheirOwnGetARole() throws XmlException {
    var old =
        XmlReader.parse(
            "<cib epoch='1' num_updates='0' admin_epoch='0' validate-with='pacemaker-1.2'>"
                + "<configuration><crm_config/><nodes/><resources/><constraints/>"
                + "<acls><acl_user id='joe'><read id='r' xpath='/cib'/></acl_user></acls>"
                + "</configuration></cib>");
    var result = SchemaUpgrade.toCurrent(old);
    assertNotNull(result);
    var acls = result.cib().path("configuration", "acls");
    assertNotNull(acls);
    assertEquals("auto-joe", acls.child(0).child(0).id());
    assertEquals("read", acls.child(1).child(0).get("kind"));
  }

  @Test
  void aReferenceOutlivesTheOriginalThatIsDropped() {
    var result =
        SchemaUpgrade.toCurrent(
            cib(
                "pacemaker-2.10",
                "<primitive id='p' class='ocf' provider='x' type='T'><operations>"
                    + "<op id='m' name='monitor' interval='2s'><instance_attributes id='i'>"
                    + "<nvpair id='r' name='requires' value='power'/></instance_attributes></op>"
                    + "</operations><instance_attributes id-ref='i'/></primitive>",
                ""));
    assertNotNull(result);
    var primitive = section(result, "resources").child(0);
    assertEquals(0, primitive.child(0).child(0).childCount());
    assertEquals("_cibtr-2_i", primitive.child(1).id());
    assertEquals("__cibtr-2_i__r", primitive.child(1).child(0).id());
  }

  @Test
  void aReferenceToWhatGoesTakesItsPlace() {
    var result =
        upgrade(
            "<primitive id='old' class='upstart' type='T'><instance_attributes id='i'>"
                + "<nvpair id='n' name='a' value='1'/></instance_attributes></primitive>"
                + "<primitive id='p' class='lsb' type='T'><instance_attributes id-ref='i'/>"
                + "</primitive><primitive id='q' class='lsb' type='T'>"
                + "<instance_attributes id-ref='i'/></primitive>",
            "");
    var resources = section(result, "resources");
    assertEquals("n", resources.child(0).child(0).child(0).id());
    assertEquals(Element.of("instance_attributes", "id-ref", "i"), resources.child(1).child(0));
  }

  @Test
  void whatIsMadeFromATemplateThatGoesGoesWithIt() {
    var result =
        upgrade("<template id='t' class='upstart' type='T'/><primitive id='p' template='t'/>", "");
    assertEquals(0, section(result, "resources").childCount());
    assertEquals(
        List.of(
            "Dropping template t because upstart resources are no longer supported",
            "Dropping resource p because upstart resources are no longer supported"),
        result.warnings());
  }

  @Test
  void aRuleOthersReferToOutlivesTheLifetimeItWasIn() {
    var constraints =
        section(
            upgrade(
                "<primitive id='p' class='lsb' type='T'/><primitive id='q' class='lsb' type='T'/>",
                "<rsc_order id='k' first='p' then='q'><lifetime><rule id='r' score='1'>"
                    + "<op_expression id='e' name='x'/></rule></lifetime></rsc_order>"
                    + "<rsc_location id='l' rsc='p'><rule id-ref='r'/></rsc_location>"),
            "constraints");
    assertEquals(3, constraints.childCount());
    assertEquals("r", constraints.child(1).child(0).get("id-ref"));
    assertEquals("a^", constraints.child(2).get("rsc-pattern"));
    assertEquals("r", constraints.child(2).child(0).child(0).id());
  }

  @Test
  void rightsToWhatWasSplitOrDroppedFollowIt() {
    var cib =
        cib(
            "pacemaker-3.9",
            "<primitive id='p' class='lsb' type='T'/><primitive id='n' class='nagios' type='T'/>",
            "<rsc_location id='l' rsc='p'>"
                + "<rule id='r1' score='1'><op_expression id='e1' name='x'/></rule>"
                + "<rule id='r2' score='1'><op_expression id='e2' name='x'/></rule>"
                + "</rsc_location>");
    var role =
        Element.of("acl_role", "id", "role")
            .plus(Element.of("acl_permission", "id", "a1", "kind", "read", "reference", "l"))
            .plus(Element.of("acl_permission", "id", "a2", "kind", "read", "reference", "n"));
    var acls = Element.of("acls").plus(role);
    var result = SchemaUpgrade.toCurrent(cib.replace(0, cib.child(0).plus(acls)));
    var rights = section(result, "acls").child(0);
    assertEquals(
        "//*[@id = 'pcmk__3_10_upgrade-l-1' or @id = 'pcmk__3_10_upgrade-l-2']",
        rights.child(0).get("xpath"));
    assertEquals("/*[false()]", rights.child(1).get("xpath"));
    assertTrue(result.warnings().getLast().contains("cibadmin --upgrade"));
  }
}
