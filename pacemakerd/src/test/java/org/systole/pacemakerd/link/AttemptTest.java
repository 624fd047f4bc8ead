package org.systole.pacemakerd.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.systole.common.cluster.ClusterConfig;
import org.systole.common.cluster.Levels;
import org.systole.common.values.NodeId;
import org.systole.common.world.Channels.Address;
import org.systole.common.world.Channels.ViewId;
import org.systole.pacemakerd.link.LinkPeerMessage.Inclusion;
import org.systole.pacemakerd.link.LinkPeerMessage.Item;
import org.systole.pacemakerd.link.LinkPeerMessage.Kind;
import org.systole.pacemakerd.link.LinkPeerMessage.Ordered;
import org.systole.pacemakerd.link.LinkPeerMessage.Place;
import org.systole.pacemakerd.link.LinkPeerMessage.Standing;

class AttemptTest {
  private static final Address A = new Address("a");
  private static final Address B = new Address("b");
  private static final Address C = new Address("c");
  private static final Place PLACE_A = new Place(new NodeId(1), A, 5);
  private static final Place PLACE_B = new Place(new NodeId(2), B, 5);
  private static final Place PLACE_C = new Place(new NodeId(3), C, 5);
  private static final ViewId VIEW = new ViewId(A, 1);

  private final Attempt attempt =
      new Attempt(
          9, new TreeMap<>(Map.of(new NodeId(1), A, new NodeId(2), B, new NodeId(3), C)), 0);

  private static QuorumState quorum(boolean quorate) {
    return new QuorumState(3, 3, 2, 3, false, quorate);
  }

  private static NodeConfig file(int id, long token) throws Exception {
    ClusterConfig config = QuorumRulesTest.config(token, "", 1, 2, 3);
    return NodeConfig.of(config, Objects.requireNonNull(config.node(new NodeId(id))));
  }

  /// The position that a member reports.
  private static Standing standing(int id, long number, boolean quorate, Place... members)
      throws Exception {
    return new Standing(
        number,
        List.of(members),
        0,
        List.of(),
        List.of("cib" + id),
        quorum(quorate),
        List.of(),
        List.of(),
        file(id, 1000L * id),
        null,
        null,
        null, null);
  }

  private static Standing with(Standing it, List<Inclusion> inclusions, List<Address> ended) {
    return new Standing(
        it.number(),
        it.members(),
        it.delivered(),
        it.tail(),
        it.groups(),
        it.quorum(),
        inclusions,
        ended,
        it.config(),
        it.tieBreak(),
        it.taken(),
        it.electorate(), null);
  }

  private static Standing with(Standing it, Ordered... tail) {
    return new Standing(
        it.number(),
        it.members(),
        it.delivered(),
        List.of(tail),
        it.groups(),
        it.quorum(),
        it.inclusions(),
        it.ended(),
        it.config(),
        it.tieBreak(),
        it.taken(),
        it.electorate(), null);
  }

  private static Standing delivered(int id, long number, long delivered, Ordered... tail) throws Exception {
    var it = standing(id, number, true, PLACE_A, PLACE_B, PLACE_C);
    return new Standing(
        it.number(),
        it.members(),
        delivered,
        List.of(tail),
        it.groups(),
        it.quorum(),
        List.of(),
        List.of(),
        it.config(),
        null,
        null,
        null, null);
  }

  private boolean prepared(int id, Address from, Standing standing) {
    return attempt.prepared(from, new LinkPeerMessage.Prepared(VIEW, 9, new NodeId(id), standing, null));
  }

  private static Ordered ordered(long number, long sequence) {
    return new Ordered(
        number, sequence, new NodeId(1), Item.of(sequence, Kind.MESSAGE, "cib", new byte[0]));
  }

  @Test
  void anAttemptIsCompleteOnceAllHaveAnswered() throws Exception {
    var nothing = standing(1, 0, false);
    assertTrue(prepared(1, A, nothing));
    assertFalse(prepared(1, A, nothing), "twice");
    assertFalse(prepared(2, C, nothing), "from another process");
    assertFalse(prepared(4, C, nothing), "of a node that was not asked");
    assertFalse(
        attempt.prepared(B, new LinkPeerMessage.Prepared(VIEW, 8, new NodeId(2), nothing, null)),
        "of an earlier attempt");
    assertEquals(List.of(B, C), attempt.silent());
    assertFalse(attempt.isComplete());
    assertTrue(prepared(2, B, nothing));
    assertTrue(prepared(3, C, nothing));
    assertTrue(attempt.isComplete());
    assertEquals(List.of(), attempt.silent());
  }

  // ---- long tails

  private static List<Long> sequences(List<Ordered> tail) {
    return tail.stream().map(Ordered::sequence).toList();
  }

  @Test
  void nothingIsAskedForWhereAllHaveTheSameOrTheAnswersHaveWhatSomebodyLacks() throws Exception {
    prepared(1, A, delivered(1, 5, 40));
    prepared(2, B, delivered(2, 5, 40));
    prepared(3, C, delivered(3, 4, 70));
    assertNull(attempt.lack(A), "nobody goes on from the membership of node 3");

    var answered = new Attempt(9, attempt.targets(), 0);
    answered.prepared(A, new LinkPeerMessage.Prepared(VIEW, 9, new NodeId(1), delivered(1, 5, 42, ordered(5, 42)), null));
    assertNull(answered.lack(A));
    answered.prepared(B, new LinkPeerMessage.Prepared(VIEW, 9, new NodeId(2), delivered(2, 5, 41), null));
    assertNull(answered.lack(A));
    assertEquals(List.of(42L), sequences(answered.tail(B)));
    assertEquals(List.of(), answered.tail(A));
    answered.prepared(C, new LinkPeerMessage.Prepared(VIEW, 9, new NodeId(3), delivered(3, 5, 40), null));
    assertEquals(new Attempt.Lack(A, 40, 42), answered.lack(A), "a part of it");
  }

  @Test
  void whoHasDeliveredMostIsAskedOnceForWhatAnotherOneLacks() throws Exception {
    prepared(1, A, delivered(1, 5, 40));
    prepared(2, B, delivered(2, 5, 42));
    prepared(3, C, delivered(3, 5, 42));
    assertEquals(new Attempt.Lack(C, 40, 42), attempt.lack(C), "what this link has is not fetched");
    var lack = Objects.requireNonNull(attempt.lack(A));
    assertEquals(new Attempt.Lack(B, 40, 42), lack);
    assertFalse(attempt.told(B, new LinkPeerMessage.Told(9, ordered(5, 42)), 6), "nobody was asked");

    assertTrue(attempt.ask(lack, 5));
    assertFalse(attempt.ask(lack, 6));
    assertEquals(List.of(B), attempt.silent());
    assertFalse(attempt.told(C, new LinkPeerMessage.Told(9, ordered(5, 42)), 6), "it was not asked");
    assertFalse(attempt.told(B, new LinkPeerMessage.Told(8, ordered(5, 42)), 6), "for an attempt before");
    assertFalse(attempt.told(B, new LinkPeerMessage.Told(9, ordered(5, 41)), 7), "not yet all");
    assertTrue(attempt.told(B, new LinkPeerMessage.Told(9, ordered(5, 42)), 8));
    assertFalse(attempt.told(B, new LinkPeerMessage.Told(9, ordered(5, 42)), 9), "it is complete already");
    assertNull(attempt.lack(A));
    assertEquals(List.of(41L, 42L), sequences(attempt.tail(A)));
    assertEquals(List.of(), attempt.tail(B));
  }

  /// Half a token time for the answers; then a token time for each item, and three for all of them.
  @Test
  void whatIsAskedForMayTakeLongerThanAnAnswerButNotForEver() throws Exception {
    assertFalse(isOver(499));
    assertTrue(isOver(500));
    prepared(1, A, delivered(1, 5, 40));
    prepared(2, B, delivered(2, 5, 80));
    prepared(3, C, delivered(3, 5, 40));
    assertTrue(attempt.ask(Objects.requireNonNull(attempt.lack(A)), millis(400)));
    assertFalse(isOver(1399));
    assertTrue(isOver(1400));
    for (var count = 1; count < 30; count++) {
      assertFalse(attempt.told(B, new LinkPeerMessage.Told(9, ordered(5, 40 + count)), millis(400 + 100 * count)));
    }
    assertFalse(isOver(3399));
    assertTrue(isOver(3400));
    assertEquals(List.of(B), attempt.silent());
    assertTrue(attempt.told(B, new LinkPeerMessage.Told(9, ordered(5, 80)), millis(3399)));
    assertFalse(isOver(3898), "what is to come now takes no longer than an answer");
    assertTrue(isOver(3899));
    assertEquals(List.of(), attempt.silent());
  }

  private static long millis(long count) {
    return Duration.ofMillis(count).toNanos();
  }

  private boolean isOver(long millis) {
    return attempt.isOver(millis(millis), LinkTiming.ofToken(1000));
  }

  @Test
  void nodesThatWereInNoMembershipBeginTheirStayWithThisOne() throws Exception {
    prepared(1, A, standing(1, 0, false));
    prepared(2, B, standing(2, 0, false));
    prepared(3, C, standing(3, 0, false));
    assertNull(attempt.continued());
    assertEquals(
        List.of(
            new Place(new NodeId(1), A, 9),
            new Place(new NodeId(2), B, 9),
            new Place(new NodeId(3), C, 9)),
        attempt.places());
    assertEquals(0, attempt.install(VIEW, attempt.places(), quorum(true), Electorate.ALL, null, NewFiles.NONE).continues());
  }

  @Test
  void aQuorateMembershipIsContinuedBeforeANewerOneWithout() throws Exception {
    prepared(1, A, standing(1, 7, false, PLACE_A));
    prepared(2, B, standing(2, 6, true, PLACE_B, PLACE_C));
    prepared(3, C, standing(3, 6, true, PLACE_B, PLACE_C));
    assertEquals(6, Objects.requireNonNull(attempt.continued()).number());
    assertEquals(List.of(new Place(new NodeId(1), A, 9), PLACE_B, PLACE_C), attempt.places());
    assertEquals(quorum(true), attempt.quorumStates().getFirst());
    assertEquals(4, attempt.quorumStates().size());
  }

  @Test
  void ofTwoWithoutQuorumTheNewerIsContinued() throws Exception {
    prepared(1, A, standing(1, 7, false, PLACE_A));
    prepared(2, B, standing(2, 6, false, PLACE_B));
    prepared(3, C, standing(3, 0, true));
    assertEquals(7, Objects.requireNonNull(attempt.continued()).number());
  }

  @Test
  void aNodeWhoseFormerProcessWasAMemberIsLeftOutThisTime() throws Exception {
    var former = new Place(new NodeId(3), new Address("c before"), 5);
    prepared(1, A, standing(1, 6, true, PLACE_A, PLACE_B, former));
    prepared(2, B, standing(2, 6, true, PLACE_A, PLACE_B, former));
    prepared(3, C, standing(3, 0, false));
    assertEquals(List.of(PLACE_A, PLACE_B), attempt.places());
  }

  @Test
  void aMemberThatWasCutOffMeanwhileIsLeftOutThisTime() throws Exception {
    prepared(1, A, standing(1, 6, true, PLACE_A, PLACE_B, PLACE_C));
    prepared(2, B, standing(2, 6, true, PLACE_A, PLACE_B, PLACE_C));
    prepared(3, C, standing(3, 4, false, PLACE_C));
    assertEquals(List.of(PLACE_A, PLACE_B), attempt.places());
  }

  @Test
  void whatAnyContinuingMemberDeliveredIsDeliveredByAllInOrder() throws Exception {
    var one = standing(1, 6, true, PLACE_A, PLACE_B);
    prepared(1, A, with(one, ordered(6, 4), ordered(6, 5)));
    prepared(2, B, with(one, ordered(6, 2), ordered(6, 4)));
    prepared(3, C, with(standing(3, 4, false, PLACE_C), ordered(4, 3)));
    assertEquals(List.of(2L, 4L, 5L), attempt.tail().stream().map(Ordered::sequence).toList());
  }

  @Test
  void theLeaseOfANodeLeftOutIsWaitedForAsLongAsTheLongestReportSays() throws Exception {
    var d = new Address("d");
    var one = standing(1, 6, true, PLACE_A, PLACE_B);
    prepared(
        1,
        A,
        with(
            one,
            List.of(new Inclusion(new NodeId(4), d, 300), new Inclusion(new NodeId(1), A, 900)),
            List.of()));
    prepared(2, B, with(one, List.of(new Inclusion(new NodeId(4), d, 500)), List.of()));
    prepared(3, C, standing(3, 0, false));
    assertEquals(Duration.ofMillis(500), attempt.hold());
  }

  @Test
  void anEndedOrReplacedProcessIsNotWaitedFor() throws Exception {
    var d = new Address("d");
    var former = new Address("c before");
    var one = standing(1, 6, true, PLACE_A, PLACE_B);
    prepared(
        1,
        A,
        with(
            one,
            List.of(
                new Inclusion(new NodeId(4), d, 300), new Inclusion(new NodeId(3), former, 700)),
            List.of()));
    prepared(2, B, with(one, List.of(), List.of(d)));
    prepared(3, C, standing(3, 0, false));
    assertEquals(Duration.ZERO, attempt.hold());
  }

  @Test
  void theLeaseOfAPreparedNodeThatIsLeftOutIsWaitedFor() throws Exception {
    var all = standing(1, 6, true, PLACE_A, PLACE_B, PLACE_C);
    prepared(1, A, with(all, List.of(new Inclusion(new NodeId(3), C, 400)), List.of()));
    prepared(2, B, all);
    prepared(3, C, standing(3, 4, false, PLACE_C));
    assertEquals(Duration.ofMillis(400), attempt.hold());
  }

  @Test
  void theMembershipCarriesGroupsFilesAndTheShortestToken() throws Exception {
    prepared(1, A, standing(1, 6, true, PLACE_A, PLACE_B, PLACE_C));
    prepared(2, B, standing(2, 6, true, PLACE_A, PLACE_B, PLACE_C));
    prepared(3, C, standing(3, 4, false, PLACE_C));
    var install = attempt.install(VIEW, attempt.places(), quorum(true), Electorate.ALL, null, NewFiles.NONE);
    assertEquals(9, install.number());
    assertEquals(6, install.continues());
    assertEquals(
        Map.of(new NodeId(1), List.of("cib1"), new NodeId(2), List.of("cib2")), install.groups());
    assertEquals(
        Map.of(new NodeId(1), file(1, 1000), new NodeId(2), file(2, 2000)), install.configs());
    assertEquals(1000, install.tokenMillis());
  }

  @Test
  void theNewestThatAnyOfThemKnowsOfWhoseVotesCountIsTold() throws Exception {
    var newer = new Electorate(new Counted(700, List.of(new NodeId(1))), List.of());
    prepared(1, A, standing(1, 6, true, PLACE_A, PLACE_B));
    prepared(2, B, with(standing(2, 6, true, PLACE_A, PLACE_B), newer));
    prepared(3, C, standing(3, 4, false, PLACE_C));
    assertEquals(newer, attempt.electorate());
  }

  private static Standing with(Standing it, Electorate electorate) {
    return with(it, it.tieBreak(), electorate);
  }

  private static Standing with(Standing it, LinkPeerMessage.TieBreak tieBreak) {
    return with(it, tieBreak, it.electorate());
  }

  private static Standing with(
      Standing it, LinkPeerMessage.@Nullable TieBreak tieBreak, @Nullable Electorate electorate) {
    return new Standing(
        it.number(),
        it.members(),
        it.delivered(),
        it.tail(),
        it.groups(),
        it.quorum(),
        it.inclusions(),
        it.ended(),
        it.config(),
        tieBreak,
        it.taken(),
        electorate, null);
  }

  private void prepared(int id, Address from, Standing standing, Levels levels) {
    attempt.prepared(
        from, new LinkPeerMessage.Prepared(VIEW, 9, new NodeId(id), standing, levels));
  }

  private static final Levels NOW = new Levels(1, 3);

  @Test
  void theTieBreakerIsThatOfTheLatestQuorateMembershipAnyNodeKnows()
      throws Exception {
    var list = List.of(new NodeId(1), new NodeId(3));
    var nothing = standing(1, 0, false);
    assertEquals(
        new NodeId(1), attempt.tieBreaker(list), "the first of the list if no node knows of one");
    prepared(1, A, with(nothing, new LinkPeerMessage.TieBreak(5, new NodeId(1))), NOW);
    prepared(2, B, with(nothing, new LinkPeerMessage.TieBreak(7, new NodeId(3))), NOW);
    assertEquals(new NodeId(3), attempt.tieBreaker(list));
    prepared(3, C, with(nothing, new LinkPeerMessage.TieBreak(8, null)), NOW);
    assertNull(attempt.tieBreaker(list));
    assertNull(attempt.tieBreaker(List.of()));
  }

  @Test
  void withAnOlderBuildTheFirstNodeOfTheListDecides() throws Exception {
    var list = List.of(new NodeId(1), new NodeId(3));
    var known = new LinkPeerMessage.TieBreak(7, new NodeId(3));
    prepared(1, A, with(standing(1, 0, false), known), NOW);
    prepared(2, B, standing(2, 0, false), new Levels(1, 2));
    assertEquals(new NodeId(1), attempt.tieBreaker(list));
  }

  @Test
  void aNewLeaderOfQuorateMembersCountsAsContinuingThem() throws Exception {
    prepared(1, A, standing(1, 0, false), new Levels(1, 3));
    prepared(2, B, standing(2, 5, true, PLACE_B, PLACE_C), new Levels(1, 2));
    assertTrue(attempt.continuesQuorate(A));
    prepared(3, C, standing(3, 5, true, PLACE_B, PLACE_C), new Levels(4, 4));
    assertFalse(
        attempt.continuesQuorate(A), "one of these members does not fit the leader's levels");
  }

  @Test
  void aLeaderOfNoQuorateMembersContinuesNone() throws Exception {
    prepared(1, A, standing(1, 0, false), NOW);
    assertFalse(attempt.continuesQuorate(A));
    prepared(2, B, standing(2, 5, false, PLACE_B), NOW);
    assertFalse(attempt.continuesQuorate(A));
  }
}
