package org.systole.controld.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.common.values.NodeName;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;

final class EmptyHostTest {
  private static final String STOPPED =
      """
      <lrm_rsc_op id="X_last_0" operation="stop" interval="0" call-id="9" rc-code="0" op-status="0"/>
      <lrm_rsc_op id="X_monitor_10000" operation="monitor" interval="10000" call-id="8" rc-code="0" op-status="0"/>""";
  private static final String NOT_THERE =
      "<lrm_rsc_op id=\"X_last_0\" operation=\"monitor\" interval=\"0\" call-id=\"3\" rc-code=\"7\" op-status=\"0\"/>";

  private static boolean isEmpty(String resources, String state) throws XmlException {
    var cib = "<cib><configuration><resources>" + resources + "</resources></configuration><status>" + state + "</status></cib>";
    return EmptyHost.isEmpty(XmlReader.parse(cib), new NodeName("far"));
  }

  private static String state(String attributes, String histories) {
    return "<node_state id=\"far\" uname=\"far\" remote_node=\"true\" in_ccm=\"0\" %s><lrm id=\"far\"><lrm_resources>%s</lrm_resources></lrm></node_state>"
        .formatted(attributes, histories);
  }

  private static String history(String id, String entries) {
    return "<lrm_resource id=\"%s\" class=\"ocf\" provider=\"pacemaker\" type=\"Dummy\">%s</lrm_resource>".formatted(id, entries.replace("X", id));
  }

  private static String primitive(String id) {
    return "<primitive id=\"%s\" class=\"ocf\" provider=\"pacemaker\" type=\"Dummy\"/>".formatted(id);
  }

  @Test
  void aHostIsEmptyWhereAllWasStoppedThereAndThenTheConnection() throws XmlException {
    var both = history("a", STOPPED) + history("b", NOT_THERE);
    assertTrue(isEmpty(primitive("a") + primitive("b"), state("left=\"1\"", both)));
    assertFalse(isEmpty(primitive("a") + primitive("b"), state("left=\"0\"", both)), "its connection was lost");
    assertFalse(isEmpty(primitive("a") + primitive("b"), state("", both)));
    assertFalse(isEmpty(primitive("a"), state("left=\"1\"", both).replace("in_ccm=\"0\"", "in_ccm=\"17\"")), "it is connected");
  }

  @Test
  void whatRanLastRuns() throws XmlException {
    for (var entry : new String[] {
      STOPPED.replace("\"9\"", "\"7\""), // watched after that
      STOPPED.replace("rc-code=\"0\" op-status=\"0\"/>\n", "rc-code=\"1\" op-status=\"0\"/>\n"),
      STOPPED.replace("op-status=\"0\"/>\n", "op-status=\"-1\"/>\n"),
      NOT_THERE.replace("\"7\"", "\"0\""),
      NOT_THERE.replace("op-status=\"0\"", "op-status=\"4\""),
      "",
    }) {
      assertFalse(isEmpty("", state("left=\"1\"", history("a", entry))), entry);
    }
  }

  @Test
  void whatWasNotLookedForMayRun() throws XmlException {
    var a = state("left=\"1\"", history("a", STOPPED));
    assertTrue(isEmpty(primitive("a"), a));
    for (var more : new String[] {
      primitive("b"),
      "<group id=\"g\">" + primitive("b") + "</group>",
      "<clone id=\"c\">" + primitive("b") + "</clone>",
      "<bundle id=\"box\"><podman image=\"local/web\"/></bundle>",
      "<template id=\"t\" class=\"ocf\" provider=\"pacemaker\" type=\"Dummy\"/><primitive id=\"b\" template=\"t\"/>",
    }) {
      assertFalse(isEmpty(primitive("a") + more, a), more);
      var instance = more.contains("bundle") ? "box-podman-0" : more.contains("clone") ? "b:0" : "b";
      assertTrue(isEmpty(primitive("a") + more, state("left=\"1\"", history("a", STOPPED) + history(instance, NOT_THERE))), more);
    }
    var another = state("left=\"1\"", history("box-2", STOPPED));
    assertFalse(isEmpty(primitive("box-2") + "<bundle id=\"box\"><podman image=\"local/web\"/></bundle>", another), "no container of it");
    var elsewhere =
        """
        <primitive id="other" class="ocf" provider="pacemaker" type="remote"/><primitive id="fencing" class="stonith" type="fence_x"/>
        <template id="r" class="ocf" provider="pacemaker" type="remote"/><primitive id="third" template="r"/>
        """;
    assertTrue(isEmpty(primitive("a") + elsewhere, a), "these run on members only");
  }

  @Test
  void whatMayNeitherRunThereNorBeLookedForIsNotThere() throws XmlException {
    var a = state("left=\"1\"", history("a", STOPPED));
    for (var b : List.of(primitive("b"), "<group id=\"b\">" + primitive("c") + "</group>")) {
      for (var ban : List.of("never", "always")) {
        for (var score : List.of("-INFINITY", "-5")) {
          for (var node : List.of("far", "far2")) {
            var cib =
                "<cib><configuration><resources>%s%s</resources><constraints><rsc_location id=\"l\" rsc=\"b\" node=\"%s\" score=\"%s\" resource-discovery=\"%s\"/></constraints></configuration><status>%s</status></cib>"
                    .formatted(primitive("a"), b, node, score, ban, a);
            assertEquals(cib.contains("\"far\" score=\"-INFINITY\" resource-discovery=\"never\""), EmptyHost.isEmpty(XmlReader.parse(cib), new NodeName("far")), cib);
          }
        }
      }
    }
  }

  @Test
  void aFencedOneIsEmptyAndOneOfWhichNothingIsKnownIsNot() throws XmlException {
    assertTrue(isEmpty(primitive("a"), "<node_state id=\"far\" uname=\"far\" remote_node=\"true\" in_ccm=\"0\" node_fenced=\"1700\"/>"));
    for (var state : new String[] {"", "<node_state id=\"far\" uname=\"far\" remote_node=\"true\" in_ccm=\"0\"/>"}) {
      assertFalse(isEmpty(primitive("a"), state), state);
    }
  }

  private static List<String> mayRun(String resources, String state) throws XmlException {
    var cib = "<cib><configuration><resources>" + resources + "</resources></configuration><status>" + state + "</status></cib>";
    return EmptyHost.mayRun(XmlReader.parse(cib), new NodeName("far"));
  }

  @Test
  void whatMayRunIsWhatIsNotKnownToBeStopped() throws XmlException {
    var running = history("b", STOPPED.replace("\"9\"", "\"7\"")) + history("a", NOT_THERE.replace("\"7\"", "\"0\"")) + history("c", STOPPED);
    for (var left : new String[] {"", "left=\"0\"", "left=\"1\""}) {
      assertEquals(List.of("a", "b"), mayRun(primitive("a"), state(left, running)));
    }
    var begun = "<lrm_rsc_op id=\"X_last_0\" operation=\"start\" interval=\"0\" call-id=\"-1\" rc-code=\"193\" op-status=\"-1\"/>";
    assertEquals(List.of("a"), mayRun("", state("", history("a", NOT_THERE.replace("last", "old") + begun))));
    assertEquals(List.of(), mayRun(primitive("a"), state("", history("a", STOPPED))));
    assertEquals(List.of(), mayRun(primitive("a"), state("", "")), "as of one that was never looked through, and never connected");
    assertEquals(List.of(), mayRun(primitive("a"), ""));
  }

  @Test
  void aHostThatWasNotLookedThroughMayRunAnything() throws XmlException {
    var lost = state("", history("a", STOPPED)).replace("<lrm ", "<lrm history-lost=\"true\" ");
    assertEquals(List.of(), mayRun(primitive("a"), lost));
    assertEquals(List.of("anything"), mayRun(primitive("a") + primitive("b"), lost));
    assertEquals(List.of(), mayRun(primitive("a") + primitive("b"), lost.replace("in_ccm", "left=\"1\" in_ccm")));
    var fenced = "<node_state id=\"far\" uname=\"far\" remote_node=\"true\" in_ccm=\"0\" node_fenced=\"1700\"/>";
    assertEquals(List.of(), mayRun(primitive("a") + primitive("b"), fenced));
  }

  @Test
  void ofWhatHasSeveralInstancesWithANameEachAllHaveToBeKnown() throws XmlException {
    var clone = "<clone id=\"c\"><primitive id=\"b\" class=\"ocf\" provider=\"pacemaker\" type=\"Dummy\"/></clone>";
    for (var each : List.of(clone + "|b:", "<bundle id=\"box\"><podman image=\"web\" replicas=\"2\"/></bundle>|box-podman-")) {
      var resources = each.substring(0, each.indexOf('|'));
      var name = each.substring(each.indexOf('|') + 1);
      var member = "<node_state id=\"1\" uname=\"node1\" in_ccm=\"true\"><lrm id=\"1\"><lrm_resources>%s</lrm_resources></lrm></node_state>";
      var others = member.formatted(history(name + 0, NOT_THERE) + history(name + 1, NOT_THERE) + history(name + "x", NOT_THERE));
      var first = history(name + 0, STOPPED);
      for (var there : List.of(first, first + history(name + 1, NOT_THERE))) {
        var lost = others + state("", there).replace("<lrm id=\"far\"", "<lrm id=\"far\" history-lost=\"true\"");
        assertEquals(there.equals(first) ? List.of("anything") : List.of(), mayRun(resources, lost), lost);
        assertEquals(!there.equals(first), isEmpty(resources, others + state("left=\"1\"", there)), there);
      }
    }
  }

  /// A member from where something was migrated.
  private static String source(String entries) {
    return "<node_state id=\"1\" uname=\"node1\" in_ccm=\"true\"><lrm id=\"1\"><lrm_resources>%s</lrm_resources></lrm></node_state>"
        .formatted(history("a", entries));
  }

  private static final String SENT =
      """
      <lrm_rsc_op id="X_migrate_to_0" operation="migrate_to" interval="0" call-id="12" rc-code="0" op-status="0" migrate_source="node1" migrate_target="far" transition-key="4:47:0:11111111-1111-1111-1111-111111111111" last-rc-change="100"/>
      """;

  private static String entry(String operation, int call, int transition, String engine, int date) {
    return "<lrm_rsc_op id=\"X_last_0\" operation=\"%s\" interval=\"0\" call-id=\"%d\" rc-code=\"%d\" op-status=\"0\" transition-key=\"4:%d:0:%s\" last-rc-change=\"%d\"/>"
        .formatted(operation, call, operation.equals("monitor") ? 7 : 0, transition, engine.repeat(8) + ("-" + engine.repeat(4)).repeat(3) + "-" + engine.repeat(12), date);
  }

  @Test
  void whatWasMigratedThereMayRunThereThoughItsSourceHasStoppedItsCopy() throws XmlException {
    var looked = state("left=\"1\"", history("a", entry("monitor", 3, 2, "1", 50)));
    var begun = SENT.replace("\"12\" rc-code=\"0\" op-status=\"0\"", "\"-1\" rc-code=\"193\" op-status=\"-1\"");
    var stopped = entry("stop", 14, 48, "1", 101);
    for (var entries : List.of(begun, SENT, SENT + stopped, SENT.replace("rc-code=\"0\"", "rc-code=\"1\"") + stopped)) {
      assertEquals(List.of("a"), mayRun(primitive("a"), source(entries) + looked), entries);
      assertFalse(isEmpty(primitive("a"), source(entries) + looked), entries);
    }
    assertEquals(List.of("a"), mayRun(primitive("a"), source(SENT)), "of which there is no entry");
    assertEquals(List.of(), mayRun(primitive("a"), source(SENT + stopped)), "what was taken away was settled");
    assertEquals(List.of(), mayRun(primitive("a"), source(SENT.replace("\"far\"", "\"far2\"")) + looked), "it went elsewhere");
    assertEquals(List.of(), mayRun(primitive("a"), source(SENT + entry("start", 15, 60, "1", 150)) + looked), "it was begun there again");
  }

  @Test
  void whatWasMigratedThereDoesNotRunThereWhereALaterPlanOrItsOtherHalfTellsSo() throws XmlException {
    var sent = SENT + entry("stop", 14, 48, "1", 101);
    var from = "<lrm_rsc_op id=\"X_migrate_from_0\" operation=\"migrate_from\" interval=\"0\" call-id=\"7\" rc-code=\"0\" op-status=\"0\" migrate_source=\"node1\" migrate_target=\"far\" transition-key=\"5:47:0:11111111-1111-1111-1111-111111111111\" last-rc-change=\"100\"/>";
    for (var known : List.of(entry("stop", 9, 52, "1", 90), entry("monitor", 9, 52, "1", 90), from + entry("stop", 9, 2, "2", 90), entry("stop", 9, 2, "2", 110))) {
      assertEquals(List.of(), mayRun(primitive("a"), source(sent) + state("left=\"1\"", history("a", known))), known);
      assertTrue(isEmpty(primitive("a"), source(sent) + state("left=\"1\"", history("a", known))), known);
    }
    assertEquals(List.of("a"), mayRun(primitive("a"), source(sent) + state("left=\"1\"", history("a", entry("stop", 9, 2, "2", 90)))));
    assertEquals(List.of("a"), mayRun(primitive("a"), source(sent) + state("left=\"1\"", history("a", from))), "it is there");
    var elsewhere = "<node_state id=\"2\" uname=\"node2\" in_ccm=\"true\"><lrm id=\"2\"><lrm_resources>%s</lrm_resources></lrm></node_state>";
    var looked = state("left=\"1\"", history("a", entry("monitor", 3, 2, "1", 50)));
    assertEquals(List.of(), mayRun(primitive("a"), source(sent) + elsewhere.formatted(history("a", entry("start", 3, 60, "1", 80))) + looked));
    assertEquals(List.of("a"), mayRun(primitive("a"), source(sent) + elsewhere.formatted(history("a", entry("stop", 3, 60, "1", 80))) + looked));
    var fenced = "<node_state id=\"far\" uname=\"far\" remote_node=\"true\" in_ccm=\"0\" node_fenced=\"1700\"/>";
    assertEquals(List.of(), mayRun(primitive("a"), source(sent) + fenced));
  }
}
