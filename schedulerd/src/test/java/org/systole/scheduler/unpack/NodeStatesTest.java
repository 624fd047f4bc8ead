package org.systole.scheduler.unpack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.systole.common.values.Score;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.NodeFlag;
import org.systole.scheduler.model.WorkingSet;

class NodeStatesTest {
  private final TestCib cib = new TestCib().node("a").node("b").fenceDevice();

  private static Node node(WorkingSet ws, String name) {
    var node = ws.node(name);
    if (node == null) {
      throw new AssertionError("no node " + name);
    }
    return node;
  }

  private Node b(String state) {
    return node(cib.online("a").state("b", state).read(), "b");
  }

  @Test
  void aMemberIsOnlineAndClean() {
    var a = node(cib.online("a").read(), "a");
    assertTrue(a.online());
    assertFalse(a.unclean());
    assertEquals("true", a.attributes().get("#is_dc"));
  }

  @Test
  void aNodeWithoutAStateEntryIsUncleanUntilItIsSeen() {
    assertTrue(node(cib.online("a").read(), "b").unclean());
    assertFalse(node(cib.option("startup-fencing", "false").read(), "b").unclean());
  }

  @Test
  void aNodeThatLeftWithoutShuttingDownIsFenced() {
    var b = b("in_ccm='false' crmd='offline' join='down' expected='member'");
    assertTrue(b.unclean());
    assertFalse(b.online());
    assertEquals(-Score.INFINITY, b.score());
  }

  @Test
  void aNodeThatWasExpectedToGoIsJustOffline() {
    var b = b("in_ccm='false' crmd='offline' join='down' expected='down'");
    assertFalse(b.unclean());
    assertFalse(b.online());
  }

  @Test
  void aNodeThatIsStillJoiningIsPendingAndRunsNothing() {
    var b = b("in_ccm='1699999990' crmd='1699999991' join='pending' expected='member'");
    assertTrue(b.pending());
    assertTrue(b.online());
    assertTrue(b.is(NodeFlag.STANDBY));
  }

  @Test
  void aNodeThatStaysPendingForTooLongIsFenced() {
    cib.option("node-pending-timeout", "1min");
    var b = b("in_ccm='" + (TestCib.NOW - 61) + "' crmd='0' join='down' expected='down'");
    assertTrue(b.unclean());
  }

  @Test
  void aPendingNodeWithTimeLeftAsksForAnotherLook() {
    cib.option("node-pending-timeout", "1min");
    var joined = TestCib.NOW - 10;
    var ws =
        cib.online("a")
            .state("b", "in_ccm='" + joined + "' crmd='0' join='down' expected='down'")
            .read();
    assertFalse(node(ws, "b").unclean());
    assertEquals(joined + 60, ws.recheckBy());
  }

  @Test
  void withoutFencingALostNodeIsUncleanOnlyIfItsControllerVanished() {
    cib.option("fencing-enabled", "false");
    var ws =
        cib.online("a")
            .state("b", "in_ccm='true' crmd='offline' join='down' expected='member'")
            .read();
    assertTrue(node(ws, "b").unclean());
    var other =
        new TestCib()
            .node("b")
            .option("fencing-enabled", "false")
            .state("b", "in_ccm='false' crmd='offline' join='down' expected='member'")
            .read();
    assertFalse(node(other, "b").unclean());
  }

  @Test
  void anOldOptionNameCountsAndIsWarnedOf() {
    var ws = new TestCib().option("stonith-enabled", "false").read();
    assertEquals("false", ws.options().get("fencing-enabled"));
    assertTrue(
        ws.messages().stream().anyMatch(message -> message.text().contains("stonith-enabled")));
  }

  @Test
  void anInvalidOptionFallsBackToItsDefault() {
    var ws = new TestCib().option("symmetric-cluster", "perhaps").read();
    assertEquals("true", ws.options().get("symmetric-cluster"));
  }
}
