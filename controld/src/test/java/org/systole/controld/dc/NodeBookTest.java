package org.systole.controld.dc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.systole.controld.TestNodes.id;
import static org.systole.controld.TestNodes.ids;
import static org.systole.controld.TestNodes.named;

import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.systole.common.cluster.LinkMessage.ConfiguredNode;
import org.systole.common.cluster.Member;
import org.systole.common.cluster.Membership;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.xml.Element;
import org.systole.controld.TestCib;

final class NodeBookTest {
  private static final Element ATTRIBUTES_ONLY =
      Element.of("node_state", "id", "1", "uname", "node1");

  private final NodeBook book = new NodeBook();

  private void members(int... ids) {
    var members =
        IntStream.of(ids)
            .mapToObj(it -> new Member(new NodeId(it), new NodeName("node" + it), 1))
            .toList();
    book.membership(new Membership(1, members, true), 1000);
  }

  private void configured(int... ids) {
    book.configured(
        IntStream.of(ids)
            .mapToObj(it -> new ConfiguredNode(new NodeId(it), new NodeName("node" + it), 1))
            .toList());
  }

  private @Nullable Element state(@Nullable Element known) {
    return book.state(id(1), false, "test", known);
  }

  @Test
  void whoLeftInGoodOrderIsKnownToBeDownUntilItIsBackOrOutOfTheList() {
    configured(1, 2);
    members(1, 2);
    assertFalse(book.isKnownDown(id(1)));
    members(2);
    assertFalse(book.isKnownDown(id(1)), "it was lost");
    book.leftInGoodOrder(id(1));
    assertTrue(book.isKnownDown(id(1)));
    members(1, 2);
    assertFalse(book.isKnownDown(id(1)));
    book.expect(id(1), "down");
    members(2);
    assertTrue(book.isKnownDown(id(1)));
    book.changed(List.of(new ConfiguredNode(id(2), new NodeName("node2"), 1)));
    assertFalse(book.isKnownDown(id(1)));
  }

  @Test
  void aMemberThatLeftUnexpectedlyIsPutDownAsExpectedWhenTheCibDoesNotTellOfIt() {
    members(1, 2);
    members(2);

    for (var known : new Element[] {null, ATTRIBUTES_ONLY}) {
      var state = state(known);
      assertNotNull(state);
      assertEquals("0", state.get("in_ccm"));
      assertEquals("0", state.get("crmd"));
      assertEquals("member", state.get("expected"));
    }
  }

  @Test
  void aNodeNobodyHasSeenStaysUnseenEvenIfItHasAttributes() {
    configured(1, 2);
    members(2);

    assertNull(state(null));
    assertNull(state(ATTRIBUTES_ONLY));
  }

  @Test
  void aNodeThatLeftInGoodOrderIsNotExpected() {
    members(1, 2);
    members(2);
    book.leftInGoodOrder(id(1));

    assertNull(state(ATTRIBUTES_ONLY));
    var state = state(ATTRIBUTES_ONLY.with("expected", "down"));
    assertNotNull(state);
    assertNull(state.get("expected"));
  }

  @Test
  void nothingIsExpectedOfANodeThatComesBackUntilItHasJoined() {
    members(1, 2);
    book.expect(id(1), "down");
    members(2);
    assertTrue(book.isExpectedDown(id(1)));

    members(1, 2);
    assertFalse(
        book.isExpectedDown(id(1)), "that it was to end is over, whoever was DC when it came");
  }

  @Test
  void whatWasExpectedInAnEarlierTermIsNotWrittenInTheNext() {
    members(1, 2);
    book.expect(id(1), "member");
    book.newTerm();
    members(2);

    var state = state(Element.of("node_state", "id", "1", "in_ccm", "1", "expected", "down"));
    assertNotNull(state);
    assertNull(state.get("expected"), "the DC that was there meanwhile has let it go");
  }

  @Test
  void thatANodeIsToGoStandsInTheNextTerm() {
    members(1, 2);
    book.expect(id(1), "down");
    book.newTerm();
    assertTrue(book.isExpectedDown(id(1)));
  }

  private static Member member(int id, long since) {
    return new Member(new NodeId(id), new NodeName("node" + id), since);
  }

  private void since(long number, int... ids) {
    var members = IntStream.of(ids).mapToObj(it -> member(it, number)).toList();
    book.membership(new Membership(number, members, true), 1000 + number);
  }

  @Test
  void aNodeIsOnlineWhenItIsAMemberAndItsControllerIsThere() {
    configured(1, 2);
    assertFalse(book.allConfiguredOnline());
    since(5, 1, 2, 3);
    assertEquals(List.of(), book.online());
    assertEquals(ids(1, 2, 3), book.missing(), "their controllers may come");
    assertEquals(List.of(), book.group(ids(1, 9), 1010));
    assertEquals(ids(1), book.online());
    assertTrue(book.isMember(id(2)));
    assertFalse(book.isOnline(id(2)));
    assertFalse(book.allConfiguredOnline());
    book.group(ids(1, 2), 1011);
    assertTrue(book.allConfiguredOnline(), "node3 is not configured");
    assertFalse(book.isMember(id(9)), "who is no member is not known");
  }

  @Test
  void aNodeThatLeavesTheMembershipIsReportedOnce() {
    since(5, 1, 2, 3);
    book.group(ids(1, 2), 1010);
    var members = List.of(member(1, 5));
    assertEquals(
        List.of(new NodeBook.Lost(id(2), true), new NodeBook.Lost(id(3), false)),
        book.membership(new Membership(6, members, true), 1020));
    assertEquals(List.of(), book.membership(new Membership(7, members, true), 1030));
    assertEquals(ids(1), book.missing().stream().filter(id(1)::equals).toList());
    assertFalse(book.isMissing(id(2)), "who is no member is not waited for");
  }

  @Test
  void aControllerThatIsLostIsMissedAndRestartsItsNode() {
    since(5, 1, 2);
    book.group(ids(1, 2), 1010);
    assertFalse(book.isRestarted(id(2)));
    assertEquals(ids(2), book.group(ids(1), 1020));
    assertTrue(book.isMissing(id(2)));
    assertTrue(book.isRestarted(id(2)));
    assertEquals(List.of(), book.group(ids(1), 1021), "it is told once");
    book.giveUp(id(2));
    assertFalse(book.isMissing(id(2)));
    book.group(ids(1, 2), 1030);
    assertTrue(book.isRestarted(id(2)), "as long as the stay lasts");
    since(6, 1);
    since(7, 1, 2);
    assertFalse(book.isRestarted(id(2)));
  }

  @Test
  void aStateHasTheTimesOfMembershipAndController() {
    since(5, 1, 2);
    book.group(ids(1), 1010);
    book.expect(id(1), "member");
    var joined = book.state(id(1), true, "test", null);
    assertNotNull(joined);
    assertEquals("1005", joined.get("in_ccm"));
    assertEquals("1010", joined.get("crmd"));
    assertEquals("member", joined.get("join"));
    assertEquals("member", joined.get("expected"));
    assertEquals("test", joined.get("crm-debug-origin"));
    var out = book.state(id(1), false, "test", null);
    assertEquals("down", out == null ? null : out.get("join"));
    var offline = book.state(id(2), true, "test", null);
    assertEquals("down", offline == null ? null : offline.get("join"), "its controller is away");
    assertNull(book.state(id(9), true, "test", null));
  }

  @Test
  void aNodeExpectedToGoDownIsNotLost() {
    since(5, 1, 2);
    book.expect(id(1), "down");
    since(6, 2);
    assertNull(state(ATTRIBUTES_ONLY), "nobody has to fence it");

    since(7, 1, 2);
    since(8, 2);
    assertNotNull(state(ATTRIBUTES_ONLY));
    book.expect(id(1), "member");
    assertNotNull(state(ATTRIBUTES_ONLY));
    book.expect(id(1), "down"); // it was fenced
    assertNull(state(ATTRIBUTES_ONLY));
  }

  @Test
  void namesAndIdsAreThoseOfTheConfigurationAndOfMembers() {
    configured(1);
    since(5, 2);
    assertEquals(ids(1, 2), book.ids());
    assertEquals(named("node2"), book.name(id(2)));
    assertEquals(named("node 9"), book.name(id(9)));
    assertEquals(id(2), book.id(named("node2")));
    assertNull(book.id(named("node9")));
    book.forget(id(1));
    book.forget(id(2));
    assertEquals(ids(1), book.ids(), "what is configured is not forgotten");
    book.expect(id(2), "down");
    book.leftInGoodOrder(id(2));
    book.giveUp(id(2));
    assertFalse(book.isExpectedDown(id(2)) || book.isMissing(id(2)) || book.isRestarted(id(2)));
  }

  @Test
  void aStayIsNamedByTheMembershipItBeganWith() {
    since(5, 1, 2);
    var members = List.of(member(1, 5), member(2, 5), member(3, 6));
    book.membership(new Membership(6, members, true), 1020);
    assertEquals(5, book.stay(id(2)));
    assertEquals(6, book.stay(id(3)));
  }

  /// The scheduler takes them for one node.
  @Test
  void aNewMemberThatIsCalledLikeARemoteNodeInAnyCaseOfLettersIsTurnedDown() {
    var cib =
        """
        <cib><configuration><nodes>%s</nodes><resources>
          <group id="g"><primitive id="NODE1" class="ocf" provider="pacemaker" type="remote"/></group>
          <primitive id="vm"><meta_attributes id="m"><nvpair id="v" name="remote-node" value="Node2"/></meta_attributes></primitive>
          <bundle id="NodeX"><docker image="i" replicas="8"/></bundle></resources></configuration>
          <status><node_state id="nodE3" uname="nodE3" remote_node="true"/><node_state id="node4" uname="node4"/></status></cib>
        """;
    members(1, 2, 3, 4);
    book.cib(() -> TestCib.xml(cib.formatted("")));
    assertEquals(List.of(true, true, true, false), ids(1, 2, 3, 4).stream().map(book::isTaken).toList());
    book.cib(() -> TestCib.xml(cib.formatted("<node id=\"1\" uname=\"node1\"/>")));
    assertFalse(book.isTaken(id(1)), "it was there first");
    assertTrue(book.isTaken(id(2)));
    book.changed(List.of(new ConfiguredNode(id(5), new NodeName("nodex-7"), 1), new ConfiguredNode(id(6), new NodeName("nodex-7b"), 1), new ConfiguredNode(id(7), new NodeName("nodex-8"), 1)));
    assertTrue(book.isTaken(id(5)));
    assertFalse(book.isTaken(id(6)));
    assertFalse(book.isTaken(id(7)), "it has no replica of that number");
  }
}
