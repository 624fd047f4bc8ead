package org.systole.controld;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.systole.attrd.client.AttrMessage;
import org.systole.common.cib.CibOp;
import org.systole.common.cluster.GroupClient;
import org.systole.common.cluster.LinkMessage;
import org.systole.common.cluster.Member;
import org.systole.common.cluster.Membership;
import org.systole.common.output.Product;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.wire.ClientProtocol.NoEvent;
import org.systole.common.wire.Protocol.ProtocolException;
import org.systole.common.world.TestPeer;
import org.systole.common.world.SecureStreams;
import org.systole.common.world.TestWorld;
import org.systole.controld.fsm.Input;
import org.systole.controld.fsm.State;
import org.systole.controld.io.PeerMessage;

/// What the controller of node 1 of three makes of the words of others. At first it is in
/// the state STARTING.
final class InboxTest {
  private final TestWorld world = new TestWorld();
  private final TestPeer<LinkMessage.Request, LinkMessage.Reply, LinkMessage.Event> link =
      world.peer(LinkMessage.SOCKET, LinkMessage.PROTOCOL);
  private final TestPeer<AttrMessage.Request, AttrMessage.Reply, NoEvent> attributes =
      world.peer(AttrMessage.SOCKET, AttrMessage.PROTOCOL);
  private final GroupClient group = new GroupClient(world, PeerMessage.GROUP, new Listener());
  private Controller controller;
  private int told;

  private final class Listener implements GroupClient.Listener {
    @Override
    public void joined(LinkMessage.Joined welcome) {
      controller = new Controller(world, Map.of(), welcome, group, InboxTest::noNetwork, InboxTest::noNetwork);
    }

    @Override
    public void membership(Membership membership) {}

    @Override
    public void configured(List<LinkMessage.ConfiguredNode> nodes) {}

    @Override
    public void group(List<NodeId> nodeIds) {}

    @Override
    public void message(NodeId fromId, boolean broadcast, byte[] payload) {}

    @Override
    public void lost(String why) {}
  }

  @BeforeEach
  void makeIt() {
    var configured =
        IntStream.rangeClosed(1, 3)
            .mapToObj(
                id -> new LinkMessage.ConfiguredNode(new NodeId(id), new NodeName("node" + id), 1))
            .toList();
    link.script(
        (id, request) -> {
          if (request instanceof LinkMessage.Join) {
            link.reply(
                id,
                new LinkMessage.Joined(
                    new NodeId(1), new NodeName("node1"), "test", configured, 1000));
          }
        });
    group.open();
    world.settle();
    var members =
        configured.stream().map(it -> new Member(it.id(), it.name(), 10)).toList();
    controller.members.membership(new Membership(10, members, true));
    controller.members.group(TestNodes.ids(1, 2, 3));
    world.settle();
    sent();
  }

  private void hears(int from, PeerMessage message) {
    controller.inbox.received(new NodeId(from), message);
    world.settle();
  }

  /// What was sent to single nodes since this was asked last.
  private List<String> sent() {
    var all = link.received(LinkMessage.Send.class);
    var now = new ArrayList<String>();
    try {
      for (; told < all.size(); told++) {
        var one = all.get(told);
        now.add(one.toId() + " " + PeerMessage.PROTOCOL.decode(one.payload()).body());
      }
    } catch (ProtocolException e) {
      throw new IllegalStateException(e);
    }
    return now;
  }

  private boolean warned(String what) {
    return world.lines().stream().anyMatch(it -> it.startsWith("WARNING") && it.contains(what));
  }

  // Orders

  private static final String SHUTDOWN =
      "<crm_event id='1' operation='do_shutdown' operation_key='do_shutdown-node1'"
          + " on_node='node1' on_node_uuid='1'/>";

  @Test
  void anOrderOfANodeThatIsNotTheDcIsNotCarriedOut() {
    controller.watch.follow(new NodeId(2), 1025);
    hears(3, new PeerMessage.Cluster(SHUTDOWN, "1:1:0:x"));
    hears(3, new PeerMessage.Execute("<rsc_op id='2'/>", "1:1:0:x"));
    assertTrue(warned("Ignoring an order of node 3, which is not DC"));
    assertFalse(world.logged("lets this node go"));
    assertFalse(world.logged("Ignoring an order that is no valid action"));
  }

  @Test
  void withoutADcNoOrderIsCarriedOut() {
    hears(2, new PeerMessage.Cluster(SHUTDOWN, "1:1:0:x"));
    assertTrue(warned("Ignoring an order of node 2, which is not DC"));
    assertFalse(world.logged("lets this node go"));
  }

  @Test
  void anOrderOfTheDcIsCarriedOut() {
    controller.watch.follow(new NodeId(2), 1025);
    hears(2, new PeerMessage.Cluster(SHUTDOWN, "1:1:0:x"));
    assertTrue(warned("The cluster lets this node go without having been asked"));
  }

  @Test
  void anInvalidOrderDoesNotEndTheController() {
    controller.watch.follow(new NodeId(2), 1025);
    hears(2, new PeerMessage.Cluster("<crm_event", "1:1:0:x"));
    hears(2, new PeerMessage.Execute("what?", "1:1:0:x"));
    assertEquals(
        2,
        world.lines().stream()
            .filter(it -> it.contains("Ignoring an order that is no valid action"))
            .count());
    assertNull(world.exitStatus());
  }

  @Test
  void anAcknowledgementIsForTheDcAlone() {
    hears(2, new PeerMessage.Ack("<lrm_rsc_op"));
    assertFalse(world.logged("Ignoring an acknowledgement that is not XML"));
    controller.watch.takeOver();
    hears(2, new PeerMessage.Ack("<lrm_rsc_op"));
    assertTrue(world.logged("Ignoring an acknowledgement that is not XML"));
    assertNull(world.exitStatus());
  }

  @Test
  void aNodeThatWantsToLeaveIsMarkedByTheDcAlone() {
    controller.attributes.open();
    world.settle();
    hears(3, new PeerMessage.LeaveRequest());
    assertEquals(List.of(), attributes.received(AttrMessage.Update.class));
    controller.watch.takeOver();
    hears(3, new PeerMessage.LeaveRequest());
    var update = attributes.received(AttrMessage.Update.class).getFirst();
    assertEquals("shutdown", update.name());
    assertEquals(new NodeName("node3"), update.node());
    assertEquals(String.valueOf(world.now().getEpochSecond()), update.value());
  }

  private static CibOp shutdown(String value) {
    return CibOp.put(
        "status",
        TestCib.xml(
            """
            <node_state id="3"><transient_attributes id="3"><instance_attributes id="status-3">
              <nvpair id="status-3-shutdown" name="shutdown" value="%s"/>
            </instance_attributes></transient_attributes></node_state>"""
                .formatted(value)));
  }

  private List<String> plans() {
    var made = new ArrayList<String>();
    controller.cib.whenSettled(() -> made.add("plan"));
    world.settle();
    return made;
  }

  @Test
  void noPlanIsMadeUntilTheCibSaysThatANodeWantsToLeave() {
    var cib = new TestCib(world);
    controller.cib.open();
    controller.watch.takeOver();
    cib.change(shutdown("0"));
    hears(3, new PeerMessage.LeaveRequest());
    var plans = plans();
    assertEquals(List.of(), plans);
    cib.change(shutdown("1767225827"));
    assertEquals(List.of("plan"), plans);

    hears(3, new PeerMessage.LeaveRequest());
    assertEquals(List.of("plan"), plans(), "it is reminded of what the CIB says");

    hears(2, new PeerMessage.LeaveRequest());
    plans = plans();
    world.pass(Duration.ofMillis(900));
    assertEquals(List.of(), plans);
    world.pass(Duration.ofMillis(200));
    assertEquals(List.of("plan"), plans, "the attribute manager does not do it");
  }

  // Elections

  private static PeerMessage.Vote vote(long epoch) {
    return new PeerMessage.Vote(4, "3.20.0", 1, false, epoch);
  }

  @Test
  void aNodeNotReadyToBeDcGivesWayAtOnce() {
    hears(2, vote(2050));
    assertEquals(List.of("2 " + new PeerMessage.NoVote(4)), sent());
    assertEquals(2050, controller.watch.highestEpoch(), "but it remembers what it has heard");
  }

  @Test
  void anOwnVoteIsNotAnswered() {
    hears(1, vote(2050));
    assertEquals(List.of(), sent());
  }

  // Joining

  private void looksForADc() {
    controller.machine.offer(new Input.Ready());
    world.settle();
    assertEquals(State.PENDING, controller.machine.state());
    sent();
  }

  @Test
  void anOfferOfItsOwnFromBeforeAnElectionInvitesNobody() {
    looksForADc();
    hears(1, new PeerMessage.Offer(1025, 3));
    assertFalse(controller.watch.is(new NodeId(1)));
    assertEquals(State.PENDING, controller.machine.state());
  }

  @Test
  void anOfferOfTheDcIsAnswered() {
    looksForADc();
    hears(2, new PeerMessage.Offer(1025, 3));
    assertTrue(controller.watch.is(new NodeId(2)));
    var names = new TreeMap<NodeId, NodeName>();
    IntStream.rangeClosed(1, 3).forEach(it -> names.put(new NodeId(it), new NodeName("node" + it)));
    assertEquals(
        List.of("2 " + new PeerMessage.Request(3, Product.FEATURE_SET, names)), sent());
  }

  @Test
  void aNodeThatIsTurnedDownLogsWhyAndEnds() {
    looksForADc();
    hears(2, new PeerMessage.Offer(1025, 3));
    hears(3, new PeerMessage.Result(3, false, "it is of another cluster"));
    assertFalse(world.logged("turned this node down"), "that was not the DC");
    hears(2, new PeerMessage.Result(3, false, "it is too old"));
    assertTrue(world.logged("the DC turned this node down: it is too old"));
  }

  private static SecureStreams noNetwork() {
    throw new AssertionError("no remote node is configured");
  }
}
