package org.systole.pacemakerd.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.systole.common.cluster.Levels;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.world.Channels;
import org.systole.common.world.Channels.Address;
import org.systole.common.world.Channels.View;
import org.systole.common.world.Channels.ViewId;
import org.systole.common.world.TestWorld;
import org.systole.pacemakerd.link.LinkPeerMessage.Item;
import org.systole.pacemakerd.link.LinkPeerMessage.Kept;
import org.systole.pacemakerd.link.LinkPeerMessage.Kind;
import org.systole.pacemakerd.link.LinkPeerMessage.Leaving;
import org.systole.pacemakerd.link.LinkPeerMessage.Ordered;
import org.systole.pacemakerd.link.LinkPeerMessage.Ping;
import org.systole.pacemakerd.link.LinkPeerMessage.Place;
import org.systole.pacemakerd.link.LinkPeerMessage.Pong;
import org.systole.pacemakerd.link.LinkPeerMessage.Prepare;
import org.systole.pacemakerd.link.LinkPeerMessage.Prepared;
import org.systole.pacemakerd.link.LinkPeerMessage.Propose;
import org.systole.pacemakerd.link.LinkPeerMessage.Reached;
import org.systole.pacemakerd.link.LinkPeerMessage.Settled;
import org.systole.pacemakerd.link.LinkPeerMessage.Side;
import org.systole.pacemakerd.link.LinkPeerMessage.Tell;
import org.systole.pacemakerd.link.LinkPeerMessage.Told;

/// The link of node 2. The test plays its channel, and the link of node 1, which leads.
final class LinkOnChannelTest {
  private static final Address A = new Address("a");
  private static final Address B = new Address("b");
  private static final Address C = new Address("c");
  private static final Duration TOKEN = LinkTiming.ofToken(1_000).token();

  private final TestWorld world = new TestWorld();
  private final SaidOnChannel channel = new SaidOnChannel();
  private final AtomicInteger left = new AtomicInteger();
  private Channels.@Nullable Listener listener;
  private LinkCore link;
  private long rounds;

  @BeforeEach
  void start() throws Exception {
    var config = QuorumRulesTest.config(3, "");
    link =
        new LinkCore(
            world, config, Objects.requireNonNull(config.node(new NodeId(2))), Levels.own());
    link.start(
        new Channels() {
          @Override
          public Channel open(Listener it) {
            listener = it;
            return channel;
          }

          @Override
          public void configuration(Consumer<Configuration> done) {
            done.accept(new Configuration("corosync.conf", null, "not there", null));
          }

          @Override
          public @Nullable String key() {
            return null;
          }

          @Override
          public boolean acceptKey(String key) {
            return false;
          }

          @Override
          public void useKey(String key) {}
        });
    world.settle();
    listener().opened(B);
    view(1, A, B, C);
  }

  private Channels.Listener listener() {
    return Objects.requireNonNull(listener);
  }

  private void view(long number, Address... members) {
    listener().view(new View(new ViewId(members[0], number), List.of(members)));
    world.settle();
  }

  private void says(Address from, LinkPeerMessage message) {
    listener().message(from, LinkPeerMessage.PROTOCOL.encode(0, message));
    world.settle();
  }

  private void ping(long view) {
    says(A, new Ping(new ViewId(A, view), 0, ++rounds, 0));
  }

  /// The first of the view may hold another one, of the same name, without this node: it is well, and the transport keeps it.
  @Test
  void itDoesNotWaitForEverForALeaderThatIsWellAndDoesNotLeadItsView() {
    for (var round = 0; round < 40; round++) {
      ping(1);
      world.pass(Duration.ofMillis(500));
    }
    assertEquals(List.of(), channel.doubted, "it leads");
    ping(7);
    world.stall(Duration.ofMinutes(1));
    world.pass(Duration.ofMillis(1));
    assertEquals(List.of(), channel.doubted, "this node itself stood still");
    world.pass(TOKEN.multipliedBy(5));
    assertEquals(List.of(A), channel.doubted);
    world.pass(TOKEN.multipliedBy(8));
    assertEquals(List.of(A, A, A), channel.doubted, "the transport may have had no use for it");
    channel.doubted.clear();
    view(2, B, C);
    world.pass(TOKEN.multipliedBy(20));
    assertEquals(List.of(), channel.doubted, "it leads itself");
  }

  /// The next one may have the leader's view, and be well there: it will never lead this one.
  @Test
  void itGoesOnWithoutTheNextOneTooWhereThatDoesNotLeadEither() {
    view(2, A, C, B);
    world.pass(TOKEN.multipliedBy(4));
    assertEquals(List.of(A), channel.doubted);
    world.pass(TOKEN.multipliedBy(4));
    assertEquals(List.of(A, A, C), channel.doubted);
    ping(2);
    channel.doubted.clear();
    world.pass(TOKEN.multipliedBy(5));
    assertEquals(List.of(A), channel.doubted, "it has led in between");
  }

  private List<Pong> pongs() {
    return channel.saidTo(A, Pong.class);
  }

  private void prepare(long number) {
    var side = new Side(new NodeName("node1"), Levels.own(), false);
    says(A, new Prepare(new ViewId(A, 1), number, side, null, null));
  }

  private List<Prepared> prepared() {
    return channel.saidTo(A, Prepared.class);
  }

  private void close() {
    link.close(left::incrementAndGet);
    world.settle();
  }

  private void install(long number, long view, Place... places) {
    prepare(number);
    says(A, made(number, view, places));
  }

  private static LinkPeerMessage.Install made(long number, long view, Place... places) {
    return new LinkPeerMessage.Install(
        new ViewId(A, view),
        number,
        0,
        List.of(places),
        List.of(),
        Map.of(),
        Map.of(),
        1000,
        new QuorumState(3, 3, 2, places.length, false, true),
        Levels.COUNTED_BY_NAME,
        null,
        Electorate.ALL, null, null);
  }

  /// One member that says so had all others end, which take the shortest token time of any.
  @Test
  void aTokenTimeThatNoFileCanHaveIsNotUnderstood() {
    var number = 9L;
    for (var token : List.of("1", "0", "-1", "199", "600000001", "9223372036854775807")) {
      prepare(++number);
      var places = new Place[] {new Place(new NodeId(1), A, 5), new Place(new NodeId(2), B, 5)};
      var whole = new String(LinkPeerMessage.PROTOCOL.encode(0, made(number, 1, places)), StandardCharsets.UTF_8);
      assertTrue(whole.contains("\"tokenMillis\":1000"), whole);
      var wrong = whole.replace("\"tokenMillis\":1000", "\"tokenMillis\":" + token).getBytes(StandardCharsets.UTF_8);
      listener().message(A, wrong);
      world.settle();
      ping(1);
      assertEquals(0, pongs().getLast().number(), "it installed that");
    }
    install(++number, 1, new Place(new NodeId(1), A, 5), new Place(new NodeId(2), B, 5));
    ping(1);
    assertEquals(number, pongs().getLast().number());
  }

  /// The new leader makes a membership without knowing of it, and the one before would take it for settled.
  @Test
  void whoHasToldANewLeaderWhereItStandsKeepsNoProposalOfTheOneBefore() {
    install(9, 1, new Place(new NodeId(1), A, 5), new Place(new NodeId(2), B, 5));
    var nodes = List.of(new NodeId(1), new NodeId(2));
    says(A, new Propose(9, new Counted(600, nodes)));
    assertEquals(List.of(new Kept(9, 600)), channel.saidTo(A, Kept.class));
    says(A, new Settled(9, 600));

    view(2, C, B);
    var side = new Side(new NodeName("node3"), Levels.own(), false);
    says(C, new Prepare(new ViewId(C, 2), 20, side, null, null));
    var told = channel.saidTo(C, Prepared.class).getLast().standing().electorate();
    assertEquals(new Electorate(new Counted(600, nodes), List.of()), told);
    says(A, new Propose(9, new Counted(601, List.of(new NodeId(1)))));
    assertEquals(List.of(new Kept(9, 600)), channel.saidTo(A, Kept.class));
  }

  @Test
  void aLinkThatLeavesAnnouncesItAndAnswersNoMore() {
    close();
    assertEquals(List.of(new Leaving(new NodeId(2))), channel.said(Leaving.class));

    ping(1);
    prepare(9);
    assertEquals(List.of(), pongs(), "it gives no vote any more");
    assertEquals(List.of(), prepared());
  }

  @Test
  void aLinkThatLeavesLeadsNobodyIntoANewMembership() {
    close();
    view(2, B, C);
    world.pass(Duration.ofSeconds(2));

    assertEquals(List.of(), channel.said(Ping.class));
  }

  @Test
  void aLeaderThatLeavesStopsItsRounds() {
    view(2, B, C);
    world.pass(Duration.ofSeconds(1));
    assertFalse(channel.said(Ping.class).isEmpty());
    close();
    assertFalse(channel.isClosed(), "node3 may not have the view, and would stay in it alone");
    world.pass(Duration.ofSeconds(3)); // longer than who leads waits
    assertTrue(channel.isClosed(), "node3 does not answer");
    channel.forget();
    world.pass(Duration.ofSeconds(2));

    assertEquals(List.of(), channel.said(Ping.class));
  }

  @Test
  void aLeaderLeavesOnceAllHaveItsView() {
    view(2, B, C);
    close();
    says(B, pong(2));
    assertEquals(List.of(), channel.said(Leaving.class));

    says(C, pong(3));
    assertEquals(List.of(new Leaving(new NodeId(2))), channel.said(Leaving.class));
    assertTrue(channel.isClosed());
    world.pass(Duration.ofSeconds(4));
    assertEquals(1, channel.said(Leaving.class).size());
  }

  /// Who gives way leads no more, and leaves at once. It would be taken for one that is there by the new leader, whose ping may come before the view.
  @Test
  void aLeaderThatGivesWayAsItLeavesAnswersNoMore() {
    view(2, B, C);
    close();
    says(C, new Ping(new ViewId(C, 3), 0, 1, 0));
    view(3, C, B);
    assertEquals(1, channel.said(Leaving.class).size());
    assertEquals(List.of(), channel.saidTo(C, Pong.class));
  }

  private static Pong pong(int node) {
    return new Pong(new ViewId(B, 2), 1, new NodeId(node), 0, 0, 0, false, List.of(), false, 3);
  }

  @Test
  void aLinkHasLeftOnceItsChannelIsClosed() {
    close();
    assertTrue(channel.isClosed());
    assertEquals(0, left.get());

    listener().closed("as told");
    world.settle();
    assertEquals(1, left.get());
    assertNull(world.exitStatus());
  }

  @Test
  void aChannelThatIsLostEndsTheProcess() {
    listener().closed("no route");
    world.settle();

    assertEquals(1, world.exitStatus());
    assertTrue(world.logged("the cluster's channel is lost: no route"));
    assertEquals(0, left.get());
  }

  @Test
  void theNextLeaderIsToldWhichProcessesEndedOrAnnouncedTheirLeaving() {
    prepare(9);
    assertEquals(List.of(), prepared().getLast().standing().ended());

    says(C, new Leaving(new NodeId(3)));
    prepare(10);
    assertEquals(List.of(C), prepared().getLast().standing().ended());
  }

  @Test
  void theNextLeaderIsToldOfAProcessWhoseEndWasReported() {
    listener().ended(C);
    prepare(9);

    assertEquals(List.of(C), prepared().getLast().standing().ended());
  }

  @Test
  void aPingThatComesBeforeItsViewIsAnsweredWhenTheViewIsThere() {
    ping(2);
    assertEquals(List.of(), pongs());

    view(2, A, B);
    assertEquals(List.of(rounds), pongs().stream().map(Pong::round).toList());

    view(3, A, B, C);
    assertEquals(1, pongs().size(), "one answer");
  }

  @Test
  void aPingOfAViewThatNeverCameIsNotAnswered() {
    ping(7);
    view(2, A, B);

    assertEquals(List.of(), pongs());
  }

  @Test
  void aLinkThatIsPreparedAsksForItsMembershipAndAgreesToNoEarlierOne() {
    ping(1);
    assertFalse(pongs().getLast().astray());
    prepare(9);
    ping(1);
    assertTrue(pongs().getLast().astray());

    prepare(9);
    prepare(8);
    assertEquals(1, prepared().size());
    prepare(10);
    assertEquals(2, prepared().size());
  }

  @Test
  void whatTheOtherFutureMembersAreKnownToHaveIsNotToldAgain() {
    install(8, 1, place(1, A), place(2, B), place(3, C));
    for (var sequence = 1; sequence <= 3; sequence++) {
      var item = Item.of(sequence, Kind.MESSAGE, "cib", new byte[] {1});
      says(A, new Ordered(8, sequence, new NodeId(1), item));
    }

    assertEquals(List.of(1L, 2L, 3L), tailFor(9, null));
    assertEquals(List.of(2L, 3L), tailFor(10, List.of(new Reached(A, 8, 3), new Reached(B, 8, 0), new Reached(C, 8, 1))));
    assertEquals(List.of(), tailFor(11, List.of(new Reached(B, 8, 2))));
    // C may be in that membership since it was heard last
    assertEquals(List.of(1L, 2L, 3L), tailFor(12, List.of(new Reached(A, 8, 3), new Reached(C, 7, 30))));
    // one that is no member of it has no use for it
    assertEquals(List.of(), tailFor(13, List.of(new Reached(A, 8, 3), new Reached(new Address("d"), 12, 0))));
  }

  private static Place place(int node, Address address) {
    return new Place(new NodeId(node), address, 8);
  }

  /// A whole CIB, told by all, takes longer on a narrow line than may be waited for.
  @Test
  void aLongTailIsToldToALeaderThatAsksForIt() {
    install(8, 1, place(1, A), place(2, B), place(3, C));
    for (var sequence = 1; sequence <= 3; sequence++) {
      var item = Item.of(sequence, Kind.MESSAGE, "cib", new byte[sequence == 2 ? 5000 : 1]);
      says(A, new Ordered(8, sequence, new NodeId(1), item));
    }

    assertEquals(List.of(), tailFor(9, null, true));
    assertEquals(3, prepared().getLast().standing().delivered());
    assertEquals(List.of(1L, 2L, 3L), tailFor(10, null, null), "a leader of an older build");
    assertEquals(List.of(3L), tailFor(11, List.of(new Reached(A, 8, 2)), true), "what is short comes at once");

    says(A, new Tell(new ViewId(A, 1), 10, 0));
    says(C, new Tell(new ViewId(A, 1), 11, 0));
    assertEquals(List.of(), channel.said(Told.class), "of an attempt before, or from somebody else");
    says(A, new Tell(new ViewId(A, 1), 11, 1));
    assertEquals(
        List.of(2L, 3L), channel.saidTo(A, Told.class).stream().map(it -> it.item().sequence()).toList());
    assertTrue(channel.said(Told.class).stream().allMatch(it -> it.number() == 11));
  }

  private List<Long> tailFor(long number, @Nullable List<Reached> reached) {
    return tailFor(number, reached, null);
  }

  private List<Long> tailFor(long number, @Nullable List<Reached> reached, @Nullable Boolean brief) {
    var side = new Side(new NodeName("node1"), Levels.own(), false);
    says(A, new Prepare(new ViewId(A, 1), number, side, reached, brief));
    return prepared().getLast().standing().tail().stream().map(Ordered::sequence).toList();
  }

  @Test
  void onlyTheFirstOfTheViewPrepares() {
    var side = new Side(new NodeName("node3"), Levels.own(), false);
    says(C, new Prepare(new ViewId(A, 1), 9, side, null, null));

    assertEquals(List.of(), channel.said(Prepared.class));
  }

  @Test
  void garbageIsIgnoredAndTheLinkGoesOn() {
    listener().message(C, new byte[] {1, 2, 3});
    world.settle();
    assertTrue(world.logged("Ignoring a message of c"));

    ping(1);
    assertEquals(1, pongs().size());
  }
}
