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

  /// A member from where something was migrated.
  private static String source(String entries) {
    return "<node_state id=\"1\" uname=\"node1\" in_ccm=\"true\"><lrm id=\"1\"><lrm_resources>%s</lrm_resources></lrm></node_state>"
        .formatted(history("a", entries));
  }

  @Test
  void whatWasMigratedThereMayRunThereUntilItsSourceHasDoneMore() throws XmlException {
    var stopped = state("left=\"1\"", history("a", STOPPED));
    var begun =
        "<lrm_rsc_op id=\"X_migrate_to_0\" operation=\"migrate_to\" interval=\"0\" call-id=\"-1\" rc-code=\"193\" op-status=\"-1\" migrate_target=\"far\"/>";
    var ended = begun.replace("\"-1\" rc-code=\"193\" op-status=\"-1\"", "\"12\" rc-code=\"0\" op-status=\"0\"");
    for (var entry : List.of(begun, ended)) {
      assertEquals(List.of("a"), mayRun(primitive("a"), source(entry) + stopped), entry);
      assertEquals(List.of("a"), mayRun(primitive("a"), source(entry)), entry);
      assertFalse(isEmpty(primitive("a"), source(entry) + stopped), entry);
    }
    var since = ended + "<lrm_rsc_op id=\"X_last_0\" operation=\"stop\" interval=\"0\" call-id=\"14\" rc-code=\"0\" op-status=\"0\"/>";
    for (var entry : List.of(since, ended.replace("\"far\"", "\"far2\""), ended.replace("rc-code=\"0\"", "rc-code=\"1\""))) {
      assertEquals(List.of(), mayRun(primitive("a"), source(entry) + stopped), entry);
      assertTrue(isEmpty(primitive("a"), source(entry) + stopped), entry);
    }
  }
}
