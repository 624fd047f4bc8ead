package org.systole.controld.dc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.systole.controld.TestNodes.inCib;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.systole.common.xml.Element;
import org.systole.controld.operations.HistoryXml;

final class LostHistoryTest {
  private static final Element NOTHING = lrm();

  private static Element lrm(String... resources) {
    return HistoryXml.lrm(
        inCib("3"), Stream.of(resources).map(it -> Element.of("lrm_resource", "id", it)).toList());
  }

  private static Element state(String expected, Element lrm) {
    return Element.of("node_state", "id", "3", "expected", expected).plus(lrm);
  }

  @Test
  void aMemberThatDoesNotReportAKnownResourceHasLostItsHistory() {
    assertTrue(LostHistory.isLost(state("member", lrm("web")), NOTHING, false));
    assertTrue(LostHistory.isLost(state("member", lrm("web", "db")), lrm("db"), false));
  }

  @Test
  void aMemberThatReportsAllKnownResourcesHasItsHistory() {
    assertFalse(LostHistory.isLost(state("member", lrm("web")), lrm("web", "db"), true));
    assertFalse(LostHistory.isLost(state("member", NOTHING), NOTHING, false));
    assertFalse(LostHistory.isLost(null, NOTHING, false));
  }

  @Test
  void aNodeThatWasFencedOrLeftInGoodOrderNeedNotKnowItsHistory() {
    assertFalse(LostHistory.isLost(state("down", lrm("web")), NOTHING, false));
  }

  @Test
  void aRestartedControllerWithoutAHistoryHasLostIt() {
    assertTrue(LostHistory.isLost(null, NOTHING, true));
    assertTrue(LostHistory.isLost(state("down", NOTHING), NOTHING, true));
  }

  @Test
  void theMarkStaysWhileTheNodeStays() {
    var marked = HistoryXml.lost(lrm("web"));

    assertEquals("true", marked.get("history-lost"));
    assertTrue(LostHistory.isLost(state("member", marked), lrm("web"), false));
    assertFalse(LostHistory.isLost(state("down", marked), lrm("web"), false));
  }

  @Test
  void aNodeThatReportsALostHistoryHasLostIt() {
    var marked = HistoryXml.lost(NOTHING);

    assertTrue(LostHistory.isLost(null, marked, false));
    assertTrue(LostHistory.isLost(state("down", NOTHING), marked, false));
  }

  @Test
  void aShutdownLockIsNotPartOfANodesHistory() {
    var locked = Element.of("lrm_resource", "id", "web", "shutdown-lock", "1700000000");
    var lrm = HistoryXml.lrm(inCib("3"), List.of(locked));

    assertFalse(LostHistory.isLost(state("member", lrm), NOTHING, false));
  }

  @Test
  void aResourceWhoseLockIsOverIsPartOfItsHistory() {
    var freed = Element.of("lrm_resource", "id", "web", "shutdown-lock", "0");

    assertTrue(
        LostHistory.isLost(
            state("member", HistoryXml.lrm(inCib("3"), List.of(freed))), NOTHING, false));
  }
}
