package org.systole.pacemakerd.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.systole.common.cluster.LinkMessage;
import org.systole.common.cluster.Member;
import org.systole.common.cluster.Membership;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.world.Channels.Address;
import org.systole.common.world.TestClient;
import org.systole.common.world.TestWorld;
import org.systole.pacemakerd.link.LinkPeerMessage.Direct;
import org.systole.pacemakerd.link.LinkPeerMessage.Item;
import org.systole.pacemakerd.link.LinkPeerMessage.Kind;
import org.systole.pacemakerd.link.LinkPeerMessage.Ordered;
import org.systole.pacemakerd.link.LinkPeerMessage.Pair;
import org.systole.pacemakerd.link.LinkPeerMessage.Place;
import org.systole.pacemakerd.link.LinkPeerMessage.Submit;

/// The order of node 2 in a membership that node 1 leads, with a daemon in group cib.
class LinkOrderTest {
  private static final NodeId ONE = new NodeId(1);
  private static final NodeId TWO = new NodeId(2);
  private static final NodeId THREE = new NodeId(3);
  private static final Address A = new Address("a");
  private static final Address B = new Address("b");
  private static final Address C = new Address("c");
  private static final LinkTiming TIMING = LinkTiming.ofToken(1000);
  private static final Map<NodeId, List<String>> ALL_IN_CIB =
      Map.of(ONE, List.of("cib"), TWO, List.of("cib"), THREE, List.of("cib"));

  private final TestWorld world = new TestWorld();
  private final SaidOnChannel channel = new SaidOnChannel();
  private final LinkWire wire = new LinkWire();
  private Phase phase = new Phase.Inside(epoch(10, A, 1, 2, 3), false);
  private final LinkOrder.Stay stay =
      new LinkOrder.Stay() {
        @Override
        public Phase phase() {
          return phase;
        }

        @Override
        public void goAstray() {
          if (phase instanceof Phase.Inside(var epoch, var _)) {
            phase = new Phase.Inside(epoch, true);
          }
        }
      };
  private final LocalDaemons daemons =
      new LocalDaemons(
          world,
          new LocalDaemons.Requests() {
            @Override
            public long join(String group) {
              return order().submit(Kind.JOIN, group, new byte[0]);
            }

            @Override
            public void leave(String group) {
              order().submit(Kind.LEAVE, group, new byte[0]);
            }

            @Override
            public void inStep(long membership) {}

            @Override
            public void broadcast(String group, byte[] payload) {
              order().submit(Kind.MESSAGE, group, payload);
            }

            @Override
            public void send(String group, NodeId toId, byte[] payload) {
              order().send(group, toId, payload);
            }
          },
          () -> new LinkMessage.Joined(TWO, new NodeName("node2"), "test", List.of(), 1000),
          () -> {
            throw new IllegalStateException("nobody asks for it");
          });
  private final LinkOrder order = new LinkOrder(world, TWO, TIMING, wire, daemons, stay);
  private TestClient<LinkMessage.Request, LinkMessage.Reply, LinkMessage.Event> cib;

  private LinkOrder order() {
    return order;
  }

  private static Address address(int id) {
    return List.of(A, B, C).get(id - 1);
  }

  private static Epoch epoch(long number, Address leader, int... ids) {
    var places =
        java.util.Arrays.stream(ids)
            .mapToObj(id -> new Place(new NodeId(id), address(id), number))
            .toList();
    var named =
        places.stream()
            .map(it -> new Member(it.nodeId(), new NodeName("node" + it.nodeId()), number))
            .toList();
    var quorum = new QuorumState(3, 3, 2, 3, false, true);
    return new Epoch(number, leader, places, quorum, named, 1, TIMING);
  }

  @BeforeEach
  void join() {
    wire.opening(channel);
    wire.opened(B);
    daemons.serve();
    daemons.membership(new Membership(10, List.of(), true), 1, false, null, null);
    cib = world.client(LinkMessage.SOCKET, LinkMessage.PROTOCOL, TestWorld.ROOT);
    cib.ask(new LinkMessage.Join("cib"));
    ordered(1, TWO, channel.said(Submit.class).getLast().item());
    daemons.groups(TWO, ALL_IN_CIB);
    channel.forget();
  }

  private void ordered(long sequence, NodeId origin, Item item) {
    order.ordered(A, new Ordered(10, sequence, origin, item));
    world.settle();
  }

  private void ordered(long sequence, String text) {
    ordered(sequence, ONE, Item.of(sequence, Kind.MESSAGE, "cib", bytes(text)));
  }

  private void direct(long number, long sequence, long id, String text) {
    order.direct(C, new Direct(number, sequence, THREE, id, "cib", bytes(text)));
    world.settle();
  }

  private void say(String text) {
    cib.ask(new LinkMessage.Broadcast(bytes(text)));
  }

  private void tell(NodeId to, String text) {
    cib.ask(new LinkMessage.Send(to, bytes(text)));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private boolean isAstray() {
    return phase instanceof Phase.Inside(var _, var astray) && astray;
  }

  private void enter(Epoch epoch) {
    order.begin(Set.of(A, B, C));
    phase = new Phase.Inside(epoch, false);
    daemons.groups(TWO, ALL_IN_CIB);
  }

  /// What the daemon received; messages to it alone are marked.
  private List<String> heard() {
    return cib.events().stream()
        .filter(LinkMessage.Delivered.class::isInstance)
        .map(LinkMessage.Delivered.class::cast)
        .map(
            it ->
                (it.broadcast() ? "" : ">")
                    + it.fromId()
                    + ":"
                    + new String(it.payload(), StandardCharsets.UTF_8))
        .toList();
  }

  // ---- the one order

  @Test
  void onlyTheLeadersOrderOfThePresentMembershipIsFollowed() {
    var item = Item.of(9, Kind.MESSAGE, "cib", bytes("x"));
    order.ordered(C, new Ordered(10, 2, THREE, item));
    order.ordered(A, new Ordered(9, 2, THREE, item));
    order.ordered(A, new Ordered(11, 2, THREE, item));
    world.settle();
    assertEquals(List.of(), heard());
    assertFalse(isAstray());

    ordered(2, "x");
    ordered(2, "x"); // twice
    assertEquals(List.of("1:x"), heard());
    assertEquals(2, order.delivered());
    assertFalse(isAstray());
  }

  @Test
  void nothingIsDeliveredAfterAGap() {
    ordered(2, "x");
    ordered(4, "z");
    assertTrue(isAstray());
    ordered(3, "y");
    ordered(5, "!");
    assertEquals(List.of("1:x"), heard());
    assertEquals(2, order.delivered());
  }

  @Test
  void nothingIsDeliveredOnceTheNextMembershipIsPrepared() {
    phase = new Phase.Prepared(epoch(10, A, 1, 2, 3), 11, A);
    ordered(2, "late");
    assertEquals(List.of(), heard());
    assertEquals(1, order.delivered());
  }

  @Test
  void messagesThatAllHaveAreNotKept() {
    ordered(2, "x");
    ordered(3, "y");
    ordered(4, "z");
    order.stable(3);
    assertEquals(List.of(4L), order.tail(0).stream().map(Ordered::sequence).toList());
    order.stable(2); // an older ping
    assertEquals(1, order.tail(0).size());
    order.stable(4);
    assertEquals(List.of(), order.tail(0));
  }

  @Test
  void aLinkThatWouldHaveToKeepTooMuchNeedsANewMembership() {
    var item = Item.of(1, Kind.MESSAGE, "nobody", new byte[0]);
    for (var sequence = 2; sequence <= 100_000; sequence++) {
      order.ordered(A, new Ordered(10, sequence, ONE, item));
    }
    assertFalse(isAstray());
    order.ordered(A, new Ordered(10, 100_001, ONE, item));
    assertTrue(isAstray());
    assertEquals(100_000, order.tail(0).size());
  }

  @Test
  void aLinkThatWouldHaveToKeepTooManyBytesNeedsANewMembership() {
    var item = Item.of(1, Kind.MESSAGE, "nobody", new byte[40 << 20]);
    ordered(2, ONE, item);
    order.stable(2);
    ordered(3, ONE, item);
    assertFalse(isAstray(), "messages that all members have are not counted");
    ordered(4, ONE, item);
    assertTrue(isAstray());
    assertEquals(3, order.delivered());

    enter(epoch(11, A, 1, 2, 3));
    order.ordered(A, new Ordered(11, 1, ONE, item));
    assertFalse(isAstray(), "messages of another membership are not counted either");
  }

  @Test
  void aMessageThatIsLongerThanAllThatIsKeptIsDelivered() {
    ordered(2, ONE, Item.of(1, Kind.MESSAGE, "nobody", new byte[61 << 20]));
    order.stable(1);
    assertFalse(isAstray());
    assertEquals(2, order.delivered());
  }

  @Test
  void messagesOthersHadDeliveredAreDeliveredBeforeTheMembershipEnds() {
    ordered(2, "x");
    direct(10, 4, 1, "after y and z");
    order.catchUp(
        10,
        List.of(
            new Ordered(10, 2, ONE, Item.of(2, Kind.MESSAGE, "cib", bytes("x"))),
            new Ordered(10, 3, ONE, Item.of(3, Kind.MESSAGE, "cib", bytes("y"))),
            new Ordered(9, 4, ONE, Item.of(4, Kind.MESSAGE, "cib", bytes("of another one"))),
            new Ordered(10, 4, ONE, Item.of(4, Kind.MESSAGE, "cib", bytes("z"))),
            new Ordered(10, 6, ONE, Item.of(6, Kind.MESSAGE, "cib", bytes("after a gap")))));
    world.settle();
    assertEquals(List.of("1:x", "1:y", "1:z", ">3:after y and z"), heard());
    assertEquals(4, order.delivered());
  }

  // ---- as the leader

  @Test
  void theLeaderGivesEachItemOfAMemberTheNextPlace() {
    phase = new Phase.Inside(epoch(10, B, 1, 2, 3), false);
    var item = Item.of(7, Kind.MESSAGE, "cib", bytes("x"));
    order.order(C, new Submit(10, item));
    order.order(A, new Submit(10, item));
    order.order(C, new Submit(9, item)); // of the previous membership
    order.order(new Address("stranger"), new Submit(10, item));
    var ordered = channel.said(Ordered.class);
    assertEquals(List.of(1L, 2L), ordered.stream().map(Ordered::sequence).toList());
    assertEquals(List.of(THREE, ONE), ordered.stream().map(Ordered::origin).toList());

    enter(epoch(11, B, 1, 2, 3));
    order.order(C, new Submit(11, item));
    assertEquals(1, channel.said(Ordered.class).getLast().sequence());
  }

  @Test
  void anItemThatWasLostHoldsUpTheLaterOnesOfItsSender() {
    enter(epoch(10, B, 1, 2, 3));
    for (var id : List.of(7L, 9L, 7L)) {
      order.order(C, new Submit(10, Item.of(id, Kind.MESSAGE, "cib", bytes("" + id))));
    }
    order.order(A, new Submit(10, Item.of(30, Kind.MESSAGE, "cib", bytes("30"))));
    assertEquals(
        List.of(7L, 30L), channel.said(Ordered.class).stream().map(it -> it.item().id()).toList());
    assertTrue(isAstray(), "a new membership, in which 8 and 9 are submitted again");

    phase = new Phase.Inside(epoch(10, B, 1, 2, 3), false);
    channel.said(Ordered.class).forEach(it -> order.ordered(B, it));
    order.begin(Set.of(A, B, C));
    phase = new Phase.Inside(epoch(11, B, 1, 2, 3), false);
    order.order(C, new Submit(11, Item.of(9, Kind.MESSAGE, "cib", bytes("9"))));
    assertTrue(isAstray(), "also where the first one is missing");

    order.begin(Set.of(A, B));
    phase = new Phase.Inside(epoch(12, B, 1, 2, 3), false);
    order.order(C, new Submit(12, Item.of(9, Kind.MESSAGE, "cib", bytes("9"))));
    assertFalse(isAstray(), "who was away may have sent more elsewhere");
  }

  @Test
  void onlyTheLeaderOrders() {
    var item = Item.of(7, Kind.MESSAGE, "cib", bytes("x"));
    order.order(C, new Submit(10, item));
    phase = new Phase.Prepared(epoch(10, B, 1, 2, 3), 11, B);
    order.order(C, new Submit(10, item));
    assertEquals(List.of(), channel.said(Ordered.class));
  }

  // ---- own items

  @Test
  void onlyUndeliveredItemsAreSubmittedAgainInOrder() {
    say("x");
    say("y");
    say("z");
    ordered(2, TWO, channel.said(Submit.class).getFirst().item());
    enter(epoch(11, C, 1, 2, 3));
    channel.forget();
    order.submitAgain();
    assertEquals(
        List.of("y", "z"),
        channel.saidTo(C, Submit.class).stream()
            .map(it -> new String(it.item().payload(), StandardCharsets.UTF_8))
            .toList());
    assertTrue(channel.said(Submit.class).stream().allMatch(it -> it.number() == 11));
  }

  /// Were the first one lost on the way, the leader would take the second for the first, and the first for one that is done.
  @Test
  void aLeaderThatDoesNotKnowWhichOwnItemIsNextGetsThemOnceItHasTheFirst() {
    order.begin(Set.of());
    enter(epoch(11, C, 2, 3));
    say("x");
    say("y");
    assertEquals(List.of("x"), submittedTo(C));
    order.ordered(C, new Ordered(11, 1, TWO, channel.said(Submit.class).getFirst().item()));
    assertEquals(List.of("x", "y"), submittedTo(C));
    say("z");
    assertEquals(List.of("x", "y", "z"), submittedTo(C));

    order.begin(Set.of(B, C));
    channel.forget();
    phase = new Phase.Inside(epoch(12, A, 1, 2, 3), false);
    order.submitAgain();
    assertEquals(List.of("y"), submittedTo(A), "the leader has come only now");
    order.begin(Set.of(A, B, C));
    phase = new Phase.Inside(epoch(13, C, 1, 2, 3), false);
    order.submitAgain();
    assertEquals(List.of("y", "z"), submittedTo(C), "it has heard the first one");
  }

  private List<String> submittedTo(Address leader) {
    return channel.saidTo(leader, Submit.class).stream()
        .map(it -> new String(it.item().payload(), StandardCharsets.UTF_8))
        .toList();
  }

  @Test
  void anItemOfAnotherNodeWithTheSameNumberIsNotTakenForTheOwnOne() {
    say("mine");
    var own = channel.said(Submit.class).getLast().item();
    ordered(2, THREE, Item.of(own.id(), Kind.MESSAGE, "cib", bytes("theirs")));
    channel.forget();
    order.submitAgain();
    assertEquals(own.id(), channel.said(Submit.class).getLast().item().id());
  }

  @Test
  void anOwnItemThatIsNotDeliveredForThreeTokensAsksForANewMembership() {
    order.noticeLoss();
    say("x");
    order.noticeLoss();
    world.pass(Duration.ofMillis(3000));
    order.noticeLoss();
    assertFalse(isAstray());
    world.pass(Duration.ofMillis(1));
    order.noticeLoss();
    assertTrue(isAstray());
  }

  @Test
  void aLinkWhoseItemsAreDeliveredOneByOneStaysInItsMembership() {
    for (var sequence = 2; sequence < 8; sequence++) {
      say("x" + sequence);
      order.noticeLoss();
      world.pass(Duration.ofMillis(2000));
      order.noticeLoss();
      ordered(sequence, TWO, channel.said(Submit.class).getLast().item());
    }
    world.pass(Duration.ofMillis(4000));
    order.noticeLoss();
    assertFalse(isAstray());
  }

  @Test
  void aNewMembershipStartsTheWaitForOwnItemsAnew() {
    say("x");
    order.noticeLoss();
    world.pass(Duration.ofMillis(3001));
    order.noticeLoss();
    assertTrue(isAstray());
    enter(epoch(11, A, 1, 2, 3));
    world.pass(Duration.ofMillis(3000));
    order.noticeLoss();
    assertFalse(isAstray());
  }

  /// It takes long on a narrow line. What is submitted again with the membership is not lost yet.
  @Test
  void theTimeInWhichAMembershipIsPreparedIsNoLoss() {
    say("x");
    order.noticeLoss();
    world.pass(Duration.ofMillis(1000));
    phase = new Phase.Prepared(epoch(10, A, 1, 2, 3), 11, A);
    world.pass(Duration.ofMillis(2500));
    order.noticeLoss();
    assertFalse(world.logged("is not delivered"));
    enter(epoch(11, A, 1, 2, 3));
    order.submitAgain();
    order.noticeLoss();
    assertFalse(isAstray());
    world.pass(Duration.ofMillis(3001));
    order.noticeLoss();
    assertTrue(isAstray());
  }

  @Test
  void aLinkWithMoreThan160MebibytesToBeOrderedEnds() {
    phase = new Phase.Outside(); // no leader orders anything
    var part = new byte[40 << 20];
    for (var count = 0; count < 4; count++) {
      order.submit(Kind.MESSAGE, "cib", part);
    }
    assertNull(world.exitStatus());
    order.submit(Kind.MESSAGE, "cib", new byte[1]);
    assertEquals(1, world.exitStatus());
    assertTrue(world.logged("167772161 bytes wait to be ordered"));
  }

  @Test
  void aDeliveredItemNoLongerWaits() {
    phase = new Phase.Outside();
    var part = new byte[40 << 20];
    for (var count = 0; count < 4; count++) {
      order.submit(Kind.MESSAGE, "nobody", part);
    }
    phase = new Phase.Inside(epoch(10, A, 1, 2, 3), false);
    // the join of this test was the first
    ordered(2, TWO, new Item(2, Kind.MESSAGE, "nobody", part, new Address(""), 0));
    phase = new Phase.Outside();
    order.submit(Kind.MESSAGE, "nobody", part);
    assertNull(world.exitStatus());
  }

  // ---- from daemon to daemon

  @Test
  void messagesThatWaitAreDeliveredInTheirOrderRightAfterWhatTheyWaitFor() {
    direct(10, 2, 1, "first");
    direct(10, 2, 2, "second");
    direct(10, 3, 3, "third");
    assertEquals(List.of(), heard());
    ordered(2, "x");
    assertEquals(List.of("1:x", ">3:first", ">3:second"), heard());
    ordered(3, "y");
    assertEquals(List.of("1:x", ">3:first", ">3:second", "1:y", ">3:third"), heard());
  }

  @Test
  void aMessageOfTheNextMembershipWaitsForIt() {
    direct(11, 0, 1, "early");
    ordered(2, "x");
    assertEquals(List.of("1:x"), heard());
    enter(epoch(11, C, 1, 2, 3));
    order.releaseHeld();
    world.settle();
    assertEquals(List.of("1:x", ">3:early"), heard());
  }

  @Test
  void aWaitingMessageIsDroppedIfItsSenderIsNoMemberByThen() {
    direct(11, 0, 1, "from the outside");
    enter(epoch(11, A, 1, 2));
    order.releaseHeld();
    enter(epoch(12, A, 1, 2, 3));
    order.releaseHeld();
    world.settle();
    assertEquals(List.of(), heard());
  }

  /// A node was left out and taken in again before it knew of either: what it had sent first was lost, and what it sent next
  /// came, so that of two changes of the CIB the latter was made before the former.
  @Test
  void messagesOfAnEarlierStayOfTheirSenderAreIgnored() {
    enter(epoch(12, A, 1, 2, 3));
    direct(10, 1, 2, "stale");
    assertEquals(List.of(), heard());
    direct(12, 0, 3, "of this stay");
    assertEquals(List.of(">3:of this stay"), heard());
  }

  @Test
  void messagesOfTheMembershipBeforeAreDeliveredIfBothHaveStayed() {
    var next = epoch(12, A, 1, 2, 3);
    var places = next.members().stream().map(it -> new Place(it.nodeId(), it.address(), 10)).toList();
    enter(new Epoch(12, A, places, next.quorum(), next.named(), 1, TIMING));
    direct(10, 1, 2, "of the membership before");
    assertEquals(List.of(">3:of the membership before"), heard());
  }

  @Test
  void messagesOfAFormerProcessOfANodeAreIgnored() {
    order.direct(new Address("c before"), new Direct(10, 0, THREE, 1, "cib", bytes("stale")));
    world.settle();
    assertEquals(List.of(), heard());
  }

  @Test
  void moreThanTenThousandWaitingMessagesNeedANewMembership() {
    for (var id = 1; id <= 10_000; id++) {
      order.direct(C, new Direct(10, 5, THREE, id, "cib", new byte[0]));
    }
    assertFalse(isAstray());
    order.direct(C, new Direct(10, 5, THREE, 10_001, "cib", new byte[0]));
    assertTrue(isAstray());
  }

  @Test
  void moreThan60MebibytesOfWaitingMessagesNeedANewMembership() {
    var payload = new byte[40 << 20];
    order.direct(C, new Direct(10, 2, THREE, 1, "nobody", payload));
    ordered(2, "x");
    order.direct(C, new Direct(10, 5, THREE, 2, "nobody", payload));
    assertFalse(isAstray(), "the first message no longer waits");
    order.direct(C, new Direct(10, 5, THREE, 3, "nobody", payload));
    assertTrue(isAstray());
  }

  @Test
  void aMessageToAMemberCarriesThePositionOfThisNode() {
    ordered(2, "x");
    tell(THREE, "hello");
    tell(ONE, "you too");
    var first = channel.saidTo(C, Direct.class).getFirst();
    assertEquals(10, first.number());
    assertEquals(2, first.sequence());
    assertEquals(TWO, first.origin());
    assertTrue(channel.saidTo(A, Direct.class).getFirst().id() > first.id());
    enter(epoch(11, A, 1, 2));
    channel.forget();
    tell(THREE, "nobody is there");
    assertEquals(List.of(), channel.said(Direct.class));
    assertEquals(List.of(), channel.said(Submit.class));
  }

  @Test
  void aMessageToAMemberThatIsNotHeardGoesThroughTheLeader() {
    tell(THREE, "perhaps lost");
    assertTrue(order.silent(C, true));
    assertFalse(order.silent(C, true));
    assertEquals(List.of(THREE), order.unheard());
    order.detour();
    tell(THREE, "second");
    var relayed = channel.saidTo(A, Submit.class).stream().map(Submit::item).toList();
    assertEquals(
        List.of("perhaps lost", "second"),
        relayed.stream().map(it -> new String(it.payload(), StandardCharsets.UTF_8)).toList());
    assertTrue(relayed.stream().allMatch(it -> it.kind() == Kind.RELAYED && it.to().equals(C)));
    assertTrue(relayed.getLast().id() > relayed.getFirst().id());
    assertTrue(relayed.getLast().direct() > relayed.getFirst().direct());

    // it is heard again, but messages still under way through the leader must not be overtaken
    order.silent(C, false);
    order.detour();
    tell(THREE, "third");
    assertEquals(3, channel.saidTo(A, Submit.class).size());
    var all = channel.saidTo(A, Submit.class);
    for (var count = 0; count < 3; count++) {
      ordered(2 + count, TWO, all.get(count).item());
    }
    order.detour();
    channel.forget();
    tell(THREE, "fourth");
    assertEquals(1, channel.saidTo(C, Direct.class).size());
    assertEquals(List.of(), channel.said(Submit.class));
  }

  /// It was for a process that has left the membership since, or for all before this node was cut off: the daemons start anew with
  /// each other. It may be a whole CIB.
  @Test
  void whatWasToBeRelayedIsNotSubmittedAgainToWhoWasAwayOrByWhoWas() {
    order.silent(C, true);
    order.detour();
    tell(THREE, "to who was away");
    say("to all");
    order.begin(Set.of(A, B));
    phase = new Phase.Inside(epoch(11, A, 1, 2, 3), false);
    channel.forget();
    order.submitAgain();
    assertEquals(List.of("", "to all"), submittedTo(A), "the place is kept");
    assertEquals(List.of(Kind.RELAYED, Kind.MESSAGE), submittedKinds());

    tell(THREE, "to who stays");
    order.begin(Set.of(A, B, C));
    phase = new Phase.Inside(epoch(12, A, 1, 2, 3), false);
    channel.forget();
    order.submitAgain();
    assertEquals(List.of("", "to all", "to who stays"), submittedTo(A));

    order.begin(Set.of());
    phase = new Phase.Inside(epoch(13, C, 1, 2, 3), false);
    order.submitAgain();
    channel.saidTo(C, Submit.class).forEach(it -> ordered(C, 13, 1, it.item()));
    assertEquals(List.of("", "to all", ""), submittedTo(C), "this node was away");
  }

  private void ordered(Address leader, long number, long sequence, Item item) {
    order.ordered(leader, new Ordered(number, sequence, TWO, item));
  }

  private List<Kind> submittedKinds() {
    return channel.said(Submit.class).stream().map(it -> it.item().kind()).toList();
  }

  @Test
  void whatWasSentToWhoWasAwayIsNotRelayedAfterThat() {
    tell(THREE, "before");
    order.begin(Set.of(A, B));
    phase = new Phase.Inside(epoch(11, A, 1, 2, 3), false);
    tell(THREE, "after");
    channel.forget();
    order.silent(C, true);
    order.detour();
    assertEquals(List.of("after"), submittedTo(A));
  }

  @Test
  void theLeaderTellsWhichNodeDoesNotHearThisOne() {
    order.apart(List.of(new Pair(THREE, TWO)));
    order.detour();
    tell(THREE, "round about");
    assertEquals(Kind.RELAYED, channel.saidTo(A, Submit.class).getFirst().item().kind());
  }

  @Test
  void aRelayedMessageArrivesOnceAndAtItsReceiverOnly() {
    ordered(2, THREE, new Item(7, Kind.RELAYED, "cib", bytes("to a"), A, 1));
    assertEquals(List.of(), heard());
    direct(10, 2, 2, "straight");
    ordered(3, THREE, new Item(8, Kind.RELAYED, "cib", bytes("straight"), B, 2));
    ordered(4, THREE, new Item(9, Kind.RELAYED, "cib", bytes("relayed"), B, 3));
    direct(10, 2, 3, "relayed");
    assertEquals(List.of(">3:straight", ">3:relayed"), heard());
  }

  @Test
  void whatAProcessSaidIsNotHeardAgainWhenItIsOutOfTheViewOrBack() {
    direct(10, 0, 5, "before");
    order.present(List.of(A, B));
    ordered(2, THREE, new Item(1, Kind.RELAYED, "cib", bytes("before"), B, 5));
    order.present(List.of(A, B, C));
    direct(10, 0, 5, "before");
    direct(10, 0, 6, "after");
    assertEquals(List.of(">3:before", ">3:after"), heard());
  }

  @Test
  void aDaemonThatLeavesItsGroupIsNotHeardInIt() {
    ordered(2, THREE, Item.of(2, Kind.LEAVE, "cib", new byte[0]));
    ordered(3, THREE, Item.of(3, Kind.MESSAGE, "cib", bytes("after all")));
    assertEquals(List.of(), heard());
    assertEquals(new LinkMessage.GroupChanged(List.of(ONE, TWO)), cib.events().getLast());
  }
}
