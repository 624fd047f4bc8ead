package org.systole.controld.operations;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.systole.common.cib.CibUpdate;
import org.systole.common.output.Rc;
import org.systole.common.values.NodeName;
import org.systole.common.values.ResourceId;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.common.xml.XmlWriter;

/// `vm` is moved from node1 to node2.
final class HalfMovedTest {
  private static final String SENT =
      "<lrm_rsc_op id='vm_migrate_to_0' operation='migrate_to' migrate_source='node1'"
          + " migrate_target='node2' call-id='9' rc-code='0' op-status='0' interval='0'/>";
  private static final String PROBED =
      "<lrm_rsc_op id='vm_last_0' operation='monitor' call-id='3' rc-code='7' op-status='0'"
          + " interval='0'/>";

  private static String operation(String name, int call) {
    return "<lrm_rsc_op id='vm_last_0' operation='%s' call-id='%d' rc-code='0' op-status='0' interval='0'/>"
        .formatted(name, call);
  }

  private static Element xml(String text) {
    try {
      return XmlReader.parse(text);
    } catch (XmlException e) {
      throw new IllegalArgumentException(text, e);
    }
  }

  private static String lrm(int node, String entries) {
    return "<lrm id='%d'><lrm_resources><lrm_resource id='vm'>%s</lrm_resource></lrm_resources></lrm>"
        .formatted(node, entries);
  }

  private static Element cib(String source, String target) {
    return xml(
        "<cib admin_epoch='0' epoch='1' num_updates='0' validate-with='pacemaker-4.0'><configuration>"
            + "<crm_config/><nodes/><resources/><constraints/></configuration><status>"
            + "<node_state id='1' uname='node1'>%s</node_state>".formatted(lrm(1, source))
            + "<node_state id='2' uname='node2' crmd='1' expected='member'>%s</node_state>"
                .formatted(target)
            + "</status></cib>");
  }

  private static Element state(Element cib, String id) {
    var state = cib.find(it -> it.is("node_state") && id.equals(it.id()));
    assertNotNull(state);
    return state;
  }

  /// What becomes of the target's entry.
  private static Element targetAfter(Element cib, @Nullable Element told) {
    var made = CibUpdate.apply(cib, HalfMoved.lookAgain(cib, state(cib, "1"), told), null);
    assertEquals(Rc.OK, made.rc());
    return state(made.cib(), "2");
  }

  private static Element targetAfterRefresh(Element cib, String resource) {
    var changes = HalfMoved.lookAgain(cib, new NodeName("node1"), List.of(new ResourceId(resource)));
    var made = CibUpdate.apply(cib, changes, null);
    assertEquals(Rc.OK, made.rc());
    return state(made.cib(), "2");
  }

  @Test
  void whatMayHaveComeIsToldAgainUnlessItIsKnownToRunThere() {
    var vm = new ResourceId("vm");
    var target = new NodeName("node2");
    var pending = operation("start", 9).replace("rc-code='0' op-status='0'", "rc-code='193' op-status='-1'").replace("call-id='9'", "call-id='-1'");
    for (var known : List.of(lrm(2, operation("start", 5)), lrm(2, PROBED + pending.replace("last", "start")))) {
      assertTrue(HalfMoved.isKnownToRun(cib(SENT, known), vm, target), known);
    }
    for (var known : List.of("", lrm(2, PROBED), lrm(2, operation("stop", 5)))) {
      assertFalse(HalfMoved.isKnownToRun(cib(SENT, known), vm, target), known);
    }
  }

  @Test
  void theTargetIsLookedAtAgainWhereWhatItsSourceKnowsIsRefreshed() {
    var half = cib(operation("start", 5) + SENT, lrm(2, PROBED));
    assertIsLookedAtAgain(targetAfterRefresh(half, "vm"));
    assertEquals(state(half, "2"), targetAfterRefresh(half, "other"));
    var whole = cib(operation("start", 5) + SENT, lrm(2, operation("migrate_from", 7)));
    assertEquals(state(whole, "2"), targetAfterRefresh(whole, "vm"));
    var here = cib(operation("start", 5), lrm(2, PROBED));
    assertEquals(state(here, "2"), targetAfterRefresh(here, "vm"));
    assertEquals(List.of(), HalfMoved.lookAgain(null, new NodeName("node1"), List.of(new ResourceId("vm"))));
  }

  private static void assertIsLookedAtAgain(Element target) {
    assertNull(target.find(it -> it.is("lrm_resource")));
    var lrm = target.first("lrm");
    assertTrue(lrm != null && HistoryXml.isLost(lrm));
  }

  @Test
  void theTargetIsLookedAtAgainIfItOnlySaysWhatItFoundBefore() {
    assertIsLookedAtAgain(targetAfter(cib(operation("start", 5) + SENT, lrm(2, PROBED)), null));
    assertIsLookedAtAgain(targetAfter(cib(SENT, "<lrm id='2'><lrm_resources/></lrm>"), null));
    var pending = SENT.replace("call-id='9'", "call-id='-1'").replace("op-status='0'", "op-status='-1'");
    assertIsLookedAtAgain(targetAfter(cib(operation("start", 5) + pending, lrm(2, PROBED)), null));
    var nothing = xml(lrm(1, PROBED));
    assertIsLookedAtAgain(targetAfter(cib(SENT, lrm(2, PROBED)), nothing));
  }

  @Test
  void theTargetIsLookedAtAgainIfItRanThereBeforeAndWasStopped() {
    var stopped = operation("stop", 8);
    assertIsLookedAtAgain(targetAfter(cib(operation("start", 5) + SENT, lrm(2, stopped)), null));
    var moved = operation("migrate_from", 6) + operation("migrate_to", 7) + stopped;
    assertIsLookedAtAgain(targetAfter(cib(operation("migrate_from", 8) + SENT, lrm(2, moved)), null));
  }

  private static void assertStays(Element cib, @Nullable Element told) {
    assertEquals(state(cib, "2"), targetAfter(cib, told));
  }

  @Test
  void itIsNotWhereSomethingElseTellsOfTheMove() {
    assertStays(cib(SENT, lrm(2, operation("migrate_from", 7))), null);
    assertStays(cib(SENT, lrm(2, operation("start", 7))), null);
    assertStays(cib(operation("start", 5), lrm(2, PROBED)), null);
    assertStays(cib(SENT, lrm(2, PROBED)), xml(lrm(1, SENT)));
    assertStays(cib(SENT, ""), null);
  }

  /// The member that had asked it for that may have been the source, and is back with no memory.
  @Test
  void aRemoteNodeThatWasTakingItInIsLookedAtAgain() {
    var taking = PROBED + "<lrm_rsc_op id='vm_migrate_from_0' operation='migrate_from' call-id='-1' rc-code='193' op-status='-1' interval='0'/>";
    var member = cib(SENT, lrm(2, taking));
    assertStays(member, null);
    assertIsLookedAtAgain(targetAfter(xml(XmlWriter.compact(member).replace("crmd=\"1\"", "remote_node=\"true\"")), null));
  }

  @Test
  void aStopOnTheSourceTellsNothingOfTheTarget() {
    var stopped = SENT + operation("stop", 11);
    assertIsLookedAtAgain(targetAfter(cib(stopped, lrm(2, PROBED)), null));
    var forgetful = xml(lrm(1, operation("stop", 11)));
    assertIsLookedAtAgain(targetAfter(cib(stopped, lrm(2, PROBED)), forgetful));
    assertStays(cib(stopped, lrm(2, PROBED)), xml(lrm(1, stopped)));
    assertStays(cib(SENT + operation("start", 11), lrm(2, PROBED)), null);
    assertTrue(HalfMoved.isUnseen(cib(stopped, lrm(2, PROBED)), new ResourceId("vm")));
  }

  private static String planned(String operation, int transition) {
    var key = "1:%d:0:be2e97d9-05e2-439d-863e-48f7aecab2aa".formatted(transition);
    return operation.replace("interval='0'", "interval='0' transition-key='%s'".formatted(key));
  }

  @Test
  void whatALaterPlanHasFoundOnTheTargetCounts() {
    var stopped = planned(SENT, 5) + planned(operation("stop", 11), 6);
    assertStays(cib(stopped, lrm(2, planned(operation("stop", 8), 6))), null);
    assertIsLookedAtAgain(targetAfter(cib(stopped, lrm(2, planned(PROBED, 4))), null));
    var pending = SENT.replace("call-id='9'", "call-id='-1'").replace("op-status='0'", "op-status='-1'");
    assertIsLookedAtAgain(targetAfter(cib(planned(pending, 5), lrm(2, planned(PROBED, 6))), null));
  }

  /// It was stopped there as it was found to have failed, and came a moment later.
  @Test
  void whatAPlanHasFoundOnTheTargetDoesNotCountAfterAMigrationThatWasGivenUpWithItsConnection() {
    var lost = planned(SENT.replace("rc-code='0' op-status='0'", "rc-code='1' op-status='8'"), 5);
    assertIsLookedAtAgain(targetAfter(cib(lost, lrm(2, planned(operation("stop", 8), 6))), null));
    var failed = planned(SENT.replace("rc-code='0'", "rc-code='1'"), 5);
    assertStays(cib(failed, lrm(2, planned(operation("stop", 8), 6))), null);
    assertStays(cib(lost, lrm(2, planned(operation("start", 8), 6))), null);
  }

  @Test
  void whatTheTargetHasTakenItKnowsOf() {
    var from = operation("migrate_from", 8).replace("vm_last_0", "vm_migrate_from_0");
    var stopped = operation("stop", 9).replace("interval='0'", "interval='0' transition-key='1:2:0:0b1d6e0c-4a52-4a0d-9f6e-2f9b3a2f1f11'");
    var sent = planned(SENT, 5) + planned(operation("stop", 11), 5);
    assertStays(cib(sent, lrm(2, planned(from, 5) + stopped)), null);
    assertIsLookedAtAgain(targetAfter(cib(sent, lrm(2, planned(from, 4) + stopped)), null));
    assertIsLookedAtAgain(targetAfter(cib(sent, lrm(2, from + stopped)), null));
  }

  @Test
  void aTargetThatWasFencedMeanwhileGetsNoHistory() {
    var before = cib(SENT, lrm(2, PROBED));
    var changes = HalfMoved.lookAgain(before, state(before, "1"), null);
    var fenced =
        xml(
            "<cib admin_epoch='0' epoch='1' num_updates='1' validate-with='pacemaker-4.0'><configuration>"
                + "<crm_config/><nodes/><resources/><constraints/></configuration><status>"
                + "<node_state id='2' uname='node2' in_ccm='0' crmd='0' expected='down'/></status></cib>");
    var made = CibUpdate.apply(fenced, changes, null);
    assertEquals(Rc.OK, made.rc());
    assertNull(state(made.cib(), "2").first("lrm"));
  }

  @Test
  void whatTheTargetStillRemembersOfThatIsNotTaken() {
    var told = xml(lrm(2, PROBED));
    var forgotten = xml("<node_state id='2'><lrm id='2' history-lost='true'><lrm_resources/></lrm></node_state>");
    var left = HalfMoved.withoutForgotten(forgotten, told).first("lrm_resources");
    assertEquals(0, left == null ? -1 : left.childCount());
    var stopped = HalfMoved.withoutForgotten(forgotten, xml(lrm(2, operation("stop", 12)))).first("lrm_resources");
    assertEquals(0, stopped == null ? -1 : stopped.childCount(), "that may have been before");
    var moved = xml(lrm(2, operation("migrate_from", 12)));
    assertSame(moved, HalfMoved.withoutForgotten(forgotten, moved), "it was looked after since");
    var unmarked = xml("<node_state id='2'><lrm id='2'><lrm_resources/></lrm></node_state>");
    assertSame(told, HalfMoved.withoutForgotten(unmarked, told));
    var known = xml("<node_state id='2'>" + lrm(2, PROBED).replace("<lrm ", "<lrm history-lost='true' ") + "</node_state>");
    assertSame(told, HalfMoved.withoutForgotten(known, told));
  }
}
