package org.systole.common.cib;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.common.output.Rc;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;

/// Whatever a user asks for, the answer is the same for two CIBs that differ only in what is hidden
/// from him. Else the difference could be found out, a letter at a time.
final class HiddenValuesTest {
  private static final CibUser USER = new CibUser("u", List.of());
  private static final String CIB =
      """
      <cib crm_feature_set="3.20.5" validate-with="pacemaker-4.0" admin_epoch="0" epoch="5" \
      num_updates="0"><configuration><crm_config><cluster_property_set id="o">\
      <nvpair id="o-acl" name="enable-acl" value="true"/></cluster_property_set></crm_config>\
      <nodes/><resources><primitive id="own" class="ocf" provider="x" type="Dummy">\
      <meta_attributes id="own-m"/></primitive>\
      <primitive id="b" class="ocf" provider="pacemaker" type="Dummy"><instance_attributes id="b-i">\
      <nvpair id="b-p" name="passwd" value="%s"/></instance_attributes></primitive></resources>\
      <constraints/><acls><acl_target id="u"><role id="r"/></acl_target><acl_role id="r">\
      <acl_permission id="p1" kind="write" reference="own"/>%s</acl_role></acls></configuration>\
      <status/></cib>""";
  private static final List<String> OTHER_PERMISSIONS =
      List.of(
          "",
          "<acl_permission id='p2' kind='read' xpath='/cib'/>"
              + "<acl_permission id='p3' kind='deny' xpath='//nvpair[@name=\"passwd\"]'/>",
          "<acl_permission id='p2' kind='write' xpath='/cib'/>"
              + "<acl_permission id='p3' kind='deny' object-type='instance_attributes'/>");

  private static Element xml(String text) {
    try {
      return XmlReader.parse(text);
    } catch (XmlException e) {
      throw new IllegalArgumentException(text, e);
    }
  }

  private static Element guess(String value) {
    return Element.of("nvpair", "id", "b-p", "name", "passwd", "value", value);
  }

  private static List<CibOp> inquiries() {
    var touch = Element.of("nvpair", "id", "b-p", "name", "other");
    var primitive =
        xml(
            "<primitive id='b'><instance_attributes id='b-i'>" + guess("secret")
                + "</instance_attributes></primitive>");
    var all = new ArrayList<CibOp>();
    for (var xpath :
        List.of(
            "//nvpair[starts-with(@value,'s')]",
            "//nvpair[@value='secret']",
            "//primitive[.//@value='secret']",
            "//*[@id='own'][//nvpair[@value='secret']]",
            "//*[@id='own'][following::nvpair[@value='secret']]",
            "//*[@id='own'][following-sibling::primitive[.//@value='secret']]",
            "//*[@id='own'][../primitive/*/nvpair/@value='secret']",
            "//*[@id='own'][count(//@value[.='secret'])=1]",
            "//@value[.='secret']")) {
      all.add(CibOp.deleteXPath(xpath));
      all.add(CibOp.deleteAllXPath(xpath));
      all.add(CibOp.modifyXPath(xpath, touch));
      all.add(CibOp.modifyXPath(xpath, Element.of("primitive", "id", "own", "type", "Stateful")));
      all.add(CibOp.replaceXPath(xpath, touch));
    }
    all.add(CibOp.modify("resources", guess("secret")));
    all.add(CibOp.put("resources", guess("secret")));
    all.add(CibOp.modify("resources", primitive));
    all.add(CibOp.replace("resources", guess("secret")));
    all.add(CibOp.delete("resources", guess("secret")));
    all.add(CibOp.delete("resources", Element.of("nvpair", "name", "passwd", "value", "secret")));
    all.add(CibOp.delete("resources", Element.of("nvpair", "value", "secret")));
    all.add(CibOp.create("resources", primitive));
    var whole = xml(CIB.formatted("secret", OTHER_PERMISSIONS.getFirst()));
    all.add(CibOp.replace("resources", whole.path("configuration", "resources")));
    all.add(CibOp.replace("", whole.with("epoch", "9")));
    all.add(CibOp.patch(CibPatch.between(whole, xml(CIB.formatted("secret2", "")))));
    all.add(
        CibOp.patch(
            CibPatch.between(xml(CIB.formatted("x", "")), xml(CIB.formatted("secret", "")))));
    return all;
  }

  /// All that the user hears and sees of it.
  private static List<Object> answer(String permissions, String secret, CibOp... operations) {
    var before = xml(CIB.formatted(secret, permissions));
    var result = CibUpdate.apply(before, List.of(operations), null, USER);
    var output = result.output() == null ? "" : result.output().toString();
    var sees = CibUpdate.query(result.cib(), CibQuery.ALL, USER).output();
    return List.of(result.rc(), result.problems(), output, "" + sees);
  }

  @Test
  void whatAChangeFindsDoesNotDependOnThem() {
    for (var permissions : OTHER_PERMISSIONS) {
      for (var inquiry : inquiries()) {
        assertEquals(
            answer(permissions, "another", inquiry),
            answer(permissions, "secret", inquiry),
            permissions + " " + inquiry);
      }
    }
  }

  @Test
  void norDoesWhatASecondOperationFindsAfterTheFirstHasTakenTheListsAway() {
    var first =
        List.of(
            CibOp.deleteXPath("//acl_permission[@kind='deny']"),
            CibOp.deleteXPath("//acls"),
            CibOp.modify("crm_config", Element.of("nvpair", "id", "o-acl", "value", "false")),
            CibOp.modifyXPath("//primitive[@id='own']", Element.of("primitive", "id", "own")));
    for (var permissions : OTHER_PERMISSIONS.subList(0, 2)) { // with the third he may do so
      for (var preparation : first) {
        for (var inquiry : inquiries()) {
          assertEquals(
              answer(permissions, "another", preparation, inquiry),
              answer(permissions, "secret", preparation, inquiry),
              permissions + " " + preparation + " " + inquiry);
        }
      }
    }
  }

  @Test
  void whoMaySeeThemFindsThem() {
    var permissions = "<acl_permission id='p2' kind='write' xpath='/cib'/>";
    var touch = CibOp.deleteXPath("//nvpair[@value='secret']");

    assertNotEquals(answer(permissions, "another", touch), answer(permissions, "secret", touch));
    assertEquals(Rc.OK, answer(permissions, "secret", touch).getFirst());
  }

  @Test
  void whatIsHisOwnHeChangesByXPathAndByName() {
    for (var permissions : OTHER_PERMISSIONS) {
      for (var change :
          List.of(
              CibOp.modifyXPath("//primitive[@id='own']", xml("<primitive id='own' type='T'/>")),
              CibOp.modify("resources", xml("<primitive id='own' type='T'/>")),
              CibOp.deleteXPath("//meta_attributes[@id='own-m']"),
              CibOp.delete("resources", xml("<meta_attributes id='own-m'/>")))) {
        var before = xml(CIB.formatted("secret", permissions));
        var result = CibUpdate.apply(before, List.of(change), null, USER);
        assertEquals(Rc.OK, result.rc(), permissions + " " + change);
        assertTrue(result.cib() != before, permissions + " " + change);
      }
    }
  }
}
