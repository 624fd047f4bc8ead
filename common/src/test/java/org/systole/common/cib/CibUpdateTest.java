package org.systole.common.cib;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.common.output.Rc;
import org.systole.common.values.NodeName;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlReader;

class CibUpdateTest {
  private static final Element EMPTY = CibSections.emptyCib(1, CibSections.SCHEMA);
  private static final CibUpdate.Origin ORIGIN =
      new CibUpdate.Origin(
          new NodeName("node1"), "cibadmin", "root", Instant.parse("2026-03-04T05:06:07Z"));

  private static Element xml(String text) {
    try {
      return XmlReader.parse(text.replace('\'', '"'));
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static CibUpdate.Result run(Element cib, CibOp... operations) {
    return CibUpdate.apply(cib, List.of(operations), null);
  }

  private static final Element RESOURCE =
      xml("<primitive id='r' class='ocf' provider='pacemaker' type='Dummy'/>");

  @Test
  void aChangeOfTheConfigurationRaisesTheEpochAndIsSigned() {
    var result =
        CibUpdate.apply(
            EMPTY.with("num_updates", "7"), List.of(CibOp.create("resources", RESOURCE)), ORIGIN);
    assertEquals(Rc.OK, result.rc());
    assertEquals(new CibVersion(0, 2, 0), CibVersion.of(result.cib()));
    assertTrue(result.configuration());
    assertEquals("Wed Mar  4 05:06:07 2026", result.cib().get("cib-last-written"));
    assertEquals("node1", result.cib().get("update-origin"));
    assertEquals("cibadmin", result.cib().get("update-client"));
  }

  @Test
  void aChangeOfTheStatusRaisesNumUpdatesOnly() {
    var result =
        CibUpdate.apply(
            EMPTY, List.of(CibOp.put("status", xml("<node_state id='1' uname='a'/>"))), ORIGIN);
    assertEquals(new CibVersion(0, 1, 1), CibVersion.of(result.cib()));
    assertFalse(result.configuration());
    assertNull(result.cib().get("update-origin"));
    assertSame(EMPTY.first("configuration"), result.cib().first("configuration"));
  }

  @Test
  void nothingChangedIsNoNewVersion() {
    var once = run(EMPTY, CibOp.create("resources", RESOURCE)).cib();
    var again = run(once, CibOp.modify("resources", RESOURCE));
    assertEquals(Rc.OK, again.rc());
    assertSame(once, again.cib());
  }

  @Test
  void whatIsThereCannotBeCreatedAgain() {
    var once = run(EMPTY, CibOp.create("resources", RESOURCE)).cib();
    var again = run(once, CibOp.create("resources", RESOURCE));
    assertEquals(Rc.EEXIST, again.rc());
    assertSame(once, again.cib());
    assertNotNull(again.output());
    assertEquals("failed", again.output().name());
  }

  /// As with Pacemaker: without a section to create it in, it is what changes what is there.
  @Test
  void whatIsCreatedNowhereInParticularChangesWhatIsThere() {
    var one = run(EMPTY, CibOp.create("resources", RESOURCE)).cib();
    var changed = run(one, CibOp.create("", xml("<primitive id='r' description='x'/>")));
    assertEquals(Rc.OK, changed.rc());
    assertEquals(RESOURCE.with("description", "x"), changed.cib().find(it -> it.is("primitive")));
    var unknown = run(one, CibOp.create("", xml("<primitive id='s' class='ocf' provider='pacemaker' type='Dummy'/>")));
    assertEquals(Rc.ENXIO, unknown.rc());
    assertSame(one, unknown.cib());
  }

  @Test
  void oneFailingOperationUndoesTheWholeBatch() {
    var result =
        run(
            EMPTY,
            CibOp.create("resources", RESOURCE),
            CibOp.modify("nodes", xml("<node id='9' uname='x'/>")));
    assertEquals(Rc.ENXIO, result.rc());
    assertSame(EMPTY, result.cib());
  }

  @Test
  void scoresAddUpWhereAValueIsThere() {
    var cib =
        run(
                EMPTY.with("admin_epoch", "3"),
                CibOp.modifyRoot("admin_epoch", "admin_epoch++").withScore())
            .cib();
    assertEquals("4", cib.get("admin_epoch"));
    var more = run(cib, CibOp.modifyRoot("admin_epoch", "admin_epoch+=10").withScore()).cib();
    assertEquals("14", more.get("admin_epoch"));
  }

  @Test
  void aDuplicateIdABadNameAndADanglingReferenceAreRefused() {
    var base = run(EMPTY, CibOp.create("resources", RESOURCE)).cib();
    for (var bad :
        List.of(
            CibOp.create("constraints", xml("<rsc_location id='r' rsc='r' node='a' score='1'/>")),
            CibOp.create("constraints", xml("<rsc_location id='1x' rsc='r' node='a' score='1'/>")),
            CibOp.create("constraints", xml("<rsc_location id='l' rsc='q' node='a' score='1'/>")),
            CibOp.create("resources", xml("<primitive id='p' class='ocf'/>")),
            CibOp.create("resources", xml("<nonsense id='p'/>")))) {
      var result = run(base, bad);
      assertEquals(Rc.SCHEMA_VALIDATION, result.rc(), bad.toString());
      assertFalse(result.problems().isEmpty());
    }
  }

  @Test
  void anOlderWholeIsRefused() {
    assertEquals(Rc.OLD_DATA, run(EMPTY, CibOp.replace("", EMPTY.with("epoch", "0"))).rc());
  }

  @Test
  void everyMatchOfAnXPathGoesWhenAskedFor() {
    var cib =
        run(
                EMPTY,
                CibOp.create("nodes", xml("<node id='1' uname='a'/>")),
                CibOp.create("nodes", xml("<node id='2' uname='b'/>")))
            .cib();
    assertEquals(1, nodes(run(cib, CibOp.deleteXPath("//node"))));
    assertEquals(0, nodes(run(cib, CibOp.deleteAllXPath("//node"))));
    assertEquals(Rc.OK, run(cib, CibOp.deleteAllXPath("//nothing")).rc());
  }

  private static int nodes(CibUpdate.Result result) {
    return CibUpdate.query(result.cib(), CibQuery.section("nodes")).output().childCount();
  }

  @Test
  void aQueryByXPathFindsOneOrSeveralOrPaths() {
    var cib =
        run(
                EMPTY,
                CibOp.create("nodes", xml("<node id='1' uname='a'/>")),
                CibOp.create("nodes", xml("<node id='2' uname='b'/>")))
            .cib();
    assertEquals("node", CibUpdate.query(cib, CibQuery.xpath("//node[@id='2']")).output().name());
    assertEquals(2, CibUpdate.query(cib, CibQuery.xpath("//node")).output().childCount());
    assertEquals(Rc.ENXIO, CibUpdate.query(cib, CibQuery.xpath("//none")).rc());
    assertEquals(
        "/cib/configuration/nodes/node[@id='1']",
        CibUpdate.query(cib, new CibQuery("//node[@id='1']", true, false, true))
            .output()
            .child(0)
            .id());
  }

  @Test
  void aTouchedTreeSharesWhatWasNotTouched() {
    var cib = run(EMPTY, CibOp.create("resources", RESOURCE)).cib();
    var result = run(cib, CibOp.deleteXPath("//primitive"));
    assertSame(cib.path("configuration", "nodes"), result.cib().path("configuration", "nodes"));
  }
}
