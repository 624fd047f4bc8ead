package org.systole.pacemakerd.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.systole.common.cluster.ClusterConfig;
import org.systole.common.cluster.Levels;
import org.systole.common.cluster.Member;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.world.Channels.Address;
import org.systole.common.world.Channels.View;
import org.systole.common.world.Channels.ViewId;
import org.systole.common.world.TestWorld;
import org.systole.pacemakerd.link.LinkPeerMessage.Inclusion;
import org.systole.pacemakerd.link.LinkPeerMessage.Install;
import org.systole.pacemakerd.link.LinkPeerMessage.Ping;
import org.systole.pacemakerd.link.LinkPeerMessage.Place;
import org.systole.pacemakerd.link.LinkPeerMessage.Pong;
import org.systole.pacemakerd.link.LinkPeerMessage.Prepare;
import org.systole.pacemakerd.link.LinkPeerMessage.Prepared;
import org.systole.pacemakerd.link.LinkPeerMessage.Standing;

/// Node 1 leads. The test answers for all nodes, node 1 included. The token time is a second, so a
/// round takes 250 ms and an attempt at most 500.
abstract class LeaderUnderTest {
  static final Address A = new Address("a");
  static final Address B = new Address("b");
  static final Address C = new Address("c");
  static final List<Address> ALL = List.of(A, B, C);
  static final Duration ROUND = Duration.ofMillis(250);

  final TestWorld world = new TestWorld();
  final SaidOnChannel channel = new SaidOnChannel();
  final LinkWire wire = new LinkWire();
  final View view = new View(new ViewId(A, 1), ALL);
  @Nullable Epoch epoch;
  @Nullable Levels levels; // that the members tell
  final MembershipCounter counter = new MembershipCounter(world, new NodeId(1));
  final ClusterConfig config = config("");
  final InStep inStep = new InStep();
  LinkLeader leader;

  LeaderUnderTest() {
    leader = leader(config);
    wire.opening(channel);
    wire.opened(A);
    counter.start();
  }

  LinkLeader leader(ClusterConfig config) {
    var counting = new LinkConfig(config, config.nodes().getFirst());
    return new LinkLeader(
        world,
        counter,
        wire,
        new LinkLeader.Own() {
          @Override
          public Electorate electorate() {
            return Electorate.ALL;
          }

          @Override
          public InStep inStep() {
            return inStep;
          }

          @Override
          public @Nullable Epoch epoch() {
            return epoch;
          }

          @Override
          public @org.jspecify.annotations.Nullable DeviceVote device() {
            return null;
          }

          @Override
          public int expectedVotes() {
            return 3;
          }

          @Override
          public LinkConfig config() {
            return counting;
          }
        },
        new Misfits(world, world::exit, wire, new NodeName("node1"), Levels.own()));
  }

  /// With other options for the quorum.
  void leadsWith(String quorum) {
    leader = leader(config(quorum));
  }

  private static ClusterConfig config(String quorum) {
    try {
      return QuorumRulesTest.config(3, quorum);
    } catch (Exception e) {
      throw new IllegalArgumentException(quorum, e);
    }
  }

  // ---- answers

  long round() {
    return channel.said(Ping.class).getLast().round();
  }

  long number() {
    return epoch == null ? 0 : epoch.number();
  }

  void pong(int id, long round, long number, long delivered) {
    pong(id, round, number, delivered, false);
  }

  void pong(int id, long round, long number, long delivered, boolean young) {
    leader.pong(
        ALL.get(id - 1),
        new Pong(
            view.id(), round, new NodeId(id), number, 0, delivered, false, List.of(), young, 3));
    world.settle();
  }

  /// Has these nodes answer the latest ping.
  void answer(int... ids) {
    var round = round();
    for (var id : ids) {
      pong(id, round, number(), 0);
    }
  }

  static Inclusion claim(int id, long millis) {
    return new Inclusion(new NodeId(id), ALL.get(id - 1), millis);
  }

  Standing standing(int id, Inclusion... claims) throws Exception {
    var before = epoch;
    return new Standing(
        number(),
        before == null ? List.of() : before.members(),
        0,
        List.of(),
        List.of("cib"),
        before == null ? rules(config).initial() : before.quorum(),
        List.of(claims),
        List.of(),
        NodeConfig.of(config, Objects.requireNonNull(config.node(new NodeId(id)))),
        null,
        null,
        null, null);
  }

  private static QuorumRules rules(ClusterConfig config) {
    return new LinkConfig(config, config.nodes().getFirst()).rules();
  }

  void prepared(int id, Inclusion... claims) throws Exception {
    var number = channel.said(Prepare.class).getLast().number();
    leader.prepared(
        ALL.get(id - 1), new Prepared(view.id(), number, new NodeId(id), standing(id, claims), levels));
    world.settle();
  }

  /// Has the members install the membership that the leader made.
  Install installed() {
    var it = channel.said(Install.class).getLast();
    var named =
        it.members().stream()
            .map(at -> new Member(at.nodeId(), new NodeName("node" + at.nodeId()), at.since()))
            .toList();
    epoch =
        new Epoch(
            it.number(),
            A,
            it.members(),
            it.quorum(),
            named,
            it.level() == null ? 1 : it.level(),
            LinkTiming.ofToken(it.tokenMillis()));
    leader.installed();
    return it;
  }

  /// Makes all three members with quorum; the first round of the membership has begun.
  void formThree() throws Exception {
    leader.view(view);
    answer(1, 2, 3);
    for (var id = 1; id <= 3; id++) {
      prepared(id);
    }
    assertTrue(installed().quorum().quorate());
  }

  /// Has node 3 be silent for a token time; the others have just been asked to go on without it.
  void loseThree() throws Exception {
    formThree();
    round(1, 2, 3);
    for (var count = 0; count < 6; count++) {
      round(1, 2);
      if (!channel.said(Prepare.class).isEmpty()) {
        break;
      }
    }
    assertEquals(1, channel.saidTo(B, Prepare.class).size());
    assertEquals(0, channel.saidTo(C, Prepare.class).size());
  }

  /// A whole round, which these nodes answer. The channel keeps only what came of it.
  void round(int... ids) {
    var round = round();
    channel.forget();
    for (var id : ids) {
      pong(id, round, number(), 0);
    }
    world.pass(ROUND);
  }

  static List<Integer> ids(Install it) {
    return it.members().stream().map(Place::nodeId).map(NodeId::number).toList();
  }
}
