package org.systole.pacemakerd.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.systole.common.cluster.LinkMessage;
import org.systole.common.cluster.Member;
import org.systole.common.cluster.Membership;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.world.TestClient;
import org.systole.common.world.TestWorld;

/// The daemons of node 1: which group each is in, and what reaches it. The test plays the rest of
/// the link.
final class LocalDaemonsTest {
  private static final NodeId ONE = new NodeId(1);
  private static final NodeId TWO = new NodeId(2);
  private static final LinkMessage.Joined WELCOME =
      new LinkMessage.Joined(ONE, new NodeName("node1"), "test", List.of(), 1000);
  private static final Membership PAIR =
      new Membership(
          10,
          List.of(
              new Member(ONE, new NodeName("node1"), 10),
              new Member(TWO, new NodeName("node2"), 10)),
          true);

  private final TestWorld world = new TestWorld();
  private final LocalDaemons.Requests link = mock(LocalDaemons.Requests.class);
  private final LocalDaemons daemons =
      new LocalDaemons(
          world,
          link,
          () -> WELCOME,
          () -> {
            throw new IllegalStateException("nobody asks for it");
          });

  @BeforeEach
  void start() {
    daemons.serve();
    daemons.membership(PAIR, 2, false, null, null);
  }

  private TestClient<LinkMessage.Request, LinkMessage.Reply, LinkMessage.Event> client() {
    return world.client(LinkMessage.SOCKET, LinkMessage.PROTOCOL, TestWorld.ROOT);
  }

  /// A daemon whose join has been asked for, but has not come back in the order yet.
  private TestClient<LinkMessage.Request, LinkMessage.Reply, LinkMessage.Event> joining(
      String group, long number) {
    when(link.join(group)).thenReturn(number);
    var client = client();
    assertEquals(WELCOME, client.answer(new LinkMessage.Join(group)));
    return client;
  }

  private TestClient<LinkMessage.Request, LinkMessage.Reply, LinkMessage.Event> joined(
      String group) {
    var client = joining(group, 5);
    daemons.joined(ONE, group, 5, true);
    world.settle();
    return client;
  }

  private static List<NodeId> group(LinkMessage.Event event) {
    return ((LinkMessage.GroupChanged) event).nodeIds();
  }

  private void delivers(NodeId from, String group) {
    daemons.deliver(from, group, true, new byte[] {1});
    world.settle();
  }

  @Test
  void onlyADaemonOfAGroupSaysThatWhatWasAcknowledgedIsHere() {
    joined("cib").ask(new LinkMessage.InStep(7));
    world.settle();
    verify(link).inStep(7);
    var stranger = client();
    stranger.ask(new LinkMessage.InStep(8));
    world.settle();
    verify(link, never()).inStep(8);
  }

  @Test
  void aDaemonIsInItsGroupOnceItsJoinComesBackInTheOrder() {
    var cib = joining("cib", 5);
    delivers(ONE, "cib");
    daemons.joined(ONE, "cib", 4, true); // of an earlier daemon
    daemons.joined(TWO, "cib", 5, false); // of another node, with the same number
    world.settle();
    assertEquals(List.of(), cib.events());
    assertEquals(List.of(), daemons.active());

    daemons.joined(ONE, "cib", 5, true);
    world.settle();
    assertEquals(new LinkMessage.MembershipChanged(PAIR, 2), cib.events().getFirst());
    assertEquals(List.of(ONE, TWO), group(cib.events().getLast()));
    assertEquals(List.of("cib"), daemons.active());
  }

  @Test
  void aDaemonHearsOfItsOwnGroupOnly() {
    var cib = joined("cib");
    daemons.joined(TWO, "cib", 9, false);
    daemons.joined(TWO, "attr", 9, false);
    daemons.left(TWO, "attr");
    daemons.left(TWO, "cib");
    world.settle();

    assertEquals(
        List.of(List.of(ONE), List.of(ONE, TWO), List.of(ONE)),
        cib.events().stream().skip(1).map(LocalDaemonsTest::group).toList());
  }

  @Test
  void onlyMessagesOfItsGroupsMembersReachADaemon() {
    var cib = joined("cib");
    var before = cib.events().size();
    delivers(TWO, "cib"); // which is not in the group
    delivers(ONE, "attr");
    assertEquals(before, cib.events().size());

    daemons.joined(TWO, "cib", 9, false);
    delivers(TWO, "cib");
    var delivered = (LinkMessage.Delivered) cib.events().getLast();
    assertEquals(TWO, delivered.fromId());
    assertTrue(delivered.broadcast());
  }

  @Test
  void aMembershipIsSentToDaemonsInAGroup() {
    var cib = joined("cib");
    var attr = joining("attr", 7);
    daemons.membership(
        new Membership(11, List.of(new Member(ONE, new NodeName("node1"), 10)), false), 1, false, null, null);
    world.settle();

    assertEquals(
        11, ((LinkMessage.MembershipChanged) cib.events().getLast()).membership().number());
    assertEquals(List.of(), attr.events());
  }

  @Test
  void aDaemonMissingInTheNewTableOfGroupsJoinsAgain() {
    var cib = joined("cib");
    var attr = joined("attr");
    when(link.join("cib")).thenReturn(20L);
    daemons.groups(ONE, Map.of(ONE, List.of("attr"), TWO, List.of("attr", "cib")));
    world.settle();
    assertEquals(List.of("attr"), daemons.active());
    assertEquals(List.of(ONE, TWO), group(attr.events().getLast()));

    daemons.joined(ONE, "cib", 5, true); // the earlier join does not count
    assertEquals(List.of("attr"), daemons.active());
    daemons.joined(ONE, "cib", 20, true);
    world.settle();
    assertEquals(List.of(ONE, TWO), group(cib.events().getLast()));
  }

  @Test
  void aDaemonIsNotToldOfATableThatChangesNothingForIt() {
    var cib = joined("cib");
    var before = cib.events().size();
    daemons.groups(ONE, Map.of(ONE, List.of("cib")));
    world.settle();

    assertEquals(before, cib.events().size());
  }

  @Test
  void aDaemonThatGoesLeavesItsGroup() {
    var cib = joined("cib");
    cib.close();

    verify(link).leave("cib");
    assertEquals(List.of(), daemons.active());
    delivers(ONE, "cib");
  }

  @Test
  void aRestartedDaemonReplacesItsPredecessor() {
    var before = joined("cib");
    var after = joining("cib", 6);

    verify(link).leave("cib");
    assertTrue(before.isCutOff());
    assertEquals(List.of(), daemons.active());
    daemons.joined(ONE, "cib", 6, true);
    world.settle();
    assertEquals(List.of("cib"), daemons.active());
    assertFalse(after.isCutOff());
    assertEquals(2, after.events().size());
  }

  @Test
  void theEndOfTheOldDaemonDoesNotTakeItsSuccessorOutOfTheGroup() {
    var before = joined("cib");
    joined("cib");
    before.close();

    verify(link).leave("cib"); // once
    assertEquals(List.of("cib"), daemons.active());
  }

  @Test
  void aDaemonsMessagesGoToItsOwnGroup() {
    var cib = joined("cib");
    cib.ask(new LinkMessage.Broadcast(new byte[] {7}));
    cib.ask(new LinkMessage.Send(TWO, new byte[] {8}));

    verify(link).broadcast("cib", new byte[] {7});
    verify(link).send("cib", TWO, new byte[] {8});
  }

  @Test
  void aClientThatSendsWithoutAGroupIsDisconnected() {
    for (var request :
        List.of(new LinkMessage.Broadcast(new byte[1]), new LinkMessage.Send(TWO, new byte[1]))) {
      var stranger = client();
      stranger.ask(request);
      world.settle();
      assertTrue(stranger.isCutOff(), request::toString);
    }
    assertTrue(world.logged("A client sends to a group it has not joined"));
    verify(link, never()).broadcast(anyString(), any());
    verify(link, never()).send(anyString(), any(), any());
  }

  @Test
  void aClientThatSendsTooLongAMessageIsDisconnected() {
    var cib = joined("cib");
    cib.ask(new LinkMessage.Broadcast(new byte[(48 << 20) + 1]));
    world.settle();

    assertTrue(cib.isCutOff());
    assertTrue(world.logged("A message of 50331649 bytes in group cib is too long"));
    verify(link, never()).broadcast(anyString(), any());
  }
}
