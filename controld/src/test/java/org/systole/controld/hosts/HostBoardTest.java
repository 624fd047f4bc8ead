package org.systole.controld.hosts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.systole.common.cib.CibOp;
import org.systole.common.hosts.HostStatus;
import org.systole.common.values.NodeName;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.hostha.HostView;
import org.systole.hostha.Order;
import org.systole.hostha.fsm.HostEvent;
import org.systole.hostha.fsm.HostState;

/// What plans are told of hosts.
final class HostBoardTest {
  private static final NodeName H1 = new NodeName("h1");
  private static final NodeName H2 = new NodeName("h2");

  private HostBoard board =
      new HostBoard(new HostEntries(Element.of("cib"), false), Set.of(H1, H2));

  @Test
  void whatIsToBeSaidOfAnotherHostIsNotForgotten() {
    board.check(H1);
    board.check(H2);

    assertEquals(List.of("FENCED"), said(H1, HostState.FENCED, true, false));

    assertEquals(Set.of(H2), board.changes());
    assertEquals(List.of("SUSPECT"), said(H2, HostState.SUSPECT, false, false));
    assertFalse(board.hasChanges());
  }

  @Test
  void whatHasToWaitForASettledDeciderIsNotForgotten() throws XmlException {
    var cib =
        XmlReader.parse(
            """
            <cib><configuration><resources>
              <primitive id="h2" class="ocf" provider="pacemaker" type="remote"/>
            </resources></configuration>
            <status><node_state id="h2" uname="h2" host_ha="SUSPECT"/></status></cib>
            """);
    board = new HostBoard(new HostEntries(cib, false), Set.of(H1, H2));
    board.check(H2);
    assertEquals(List.of(), said(H2, HostState.INELIGIBLE, false, true));
    board.check(H1);
    said(H1, HostState.FENCED, true, true);

    assertEquals(List.of("INELIGIBLE"), said(H2, HostState.INELIGIBLE, false, false));
  }

  @Test
  void fencedIsSaidOnceTheRecordSaysIt() {
    board.check(H1);
    assertEquals(List.of(), said(H1, HostState.FENCED, false, false));
    assertTrue(board.hasChanges());
    assertEquals(List.of("FENCED"), said(H1, HostState.FENCED, true, false));
  }

  /// A cluster that is started anew then would take a host for fenced on which things have been started
  /// meanwhile.
  @Test
  void thatItIsFencedNoMoreIsSaidOnceTheRecordIsGone() {
    board.check(H1);
    said(H1, HostState.FENCED, true, false);
    board.check(H1);
    assertEquals(List.of(), said(H1, HostState.INELIGIBLE, true, false));
    assertTrue(board.hasChanges());
    assertEquals(List.of("INELIGIBLE"), said(H1, HostState.INELIGIBLE, false, false));
  }

  @Test
  void ofAHostThatIsNoneItIsKnownWhetherSomethingIsSaid() {
    assertFalse(board.forget(H1));
    board.check(H1);
    said(H1, HostState.SUSPECT, false, false);
    assertTrue(board.forget(H1));
  }

  /// One investigation, and the cycle and the fencing that follow.
  @Test
  void aHistoryHasTheWholeOfTheLastStory() {
    for (var move = 0; move < 100; move++) {
      board.moved(
          new Order.Moved(H1, HostState.SUSPECT, HostState.CHECKING, HostEvent.PERFORM_ACTIVITY_CHECK, ""), move);
    }

    var history = board.history(H1);
    assertEquals(40, history.size());
    assertEquals(99, history.getLast().at());
  }

  private List<String> said(NodeName host, HostState state, boolean recorded, boolean settling) {
    var view = new HostView(host, state, 0, "", 0, 0, 0, 0, null, 0, false, null);
    return board
        .publish(Map.of(host, view), recorded ? Set.of(host) : Set.of(), 0, _ -> settling)
        .stream()
        .map(HostBoardTest::state)
        .toList();
  }

  private static String state(CibOp change) {
    return change
        .toString()
        .replaceAll("(?s).*" + HostStatus.STATE + "=\\W*(\\w*).*", "$1");
  }
}
