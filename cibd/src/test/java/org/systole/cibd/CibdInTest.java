package org.systole.cibd;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.systole.cibd.client.CibMessage;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibVersion;
import org.systole.common.cluster.Levels;
import org.systole.common.cluster.LinkMessage;
import org.systole.common.cluster.Member;
import org.systole.common.cluster.Membership;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.wire.Protocol.ProtocolException;
import org.systole.common.world.Connection;
import org.systole.common.world.TestClient;
import org.systole.common.world.TestPeer;
import org.systole.common.world.TestWorld;
import org.systole.common.xml.Element;

/// The CIB manager of node 1 of three; the test plays the link, the other nodes and the clients.
final class CibdInTest {
  /// A message that it sent to a node; 0 stands for all nodes.
  record Sent(int to, CibPeerMessage message) {}

  /// A client of node 1.
  final class Client {
    private final TestClient<CibMessage.Request, CibMessage.Reply, CibMessage.Event> line;
    private int seen;

    private Client(Connection.Credentials who) {
      line = world.client(CibMessage.SOCKET, CibMessage.PROTOCOL, who);
    }

    Client ask(CibMessage.Request request) {
      line.ask(request);
      return this;
    }

    /// Asks, together with what others ask before time passes.
    Client askLater(CibMessage.Request request) {
      line.askLater(request);
      return this;
    }

    Client update(CibOp... operations) {
      return ask(new CibMessage.Update(List.of(operations), false, "", "test", 60_000));
    }

    /// The answers since the last call, in their order.
    List<CibMessage.Answer> answers() {
      return replies().stream()
          .filter(CibMessage.Answer.class::isInstance)
          .map(CibMessage.Answer.class::cast)
          .toList();
    }

    /// As [#answers], with answers of any kind.
    List<CibMessage.Reply> replies() {
      var all = line.answers();
      var since = all.subList(seen, all.size());
      seen = all.size();
      return since;
    }

    List<CibMessage.Event> events() {
      return line.events();
    }

    void leave() {
      line.close();
    }
  }

  final TestWorld world = new TestWorld();
  private final TestPeer<LinkMessage.Request, LinkMessage.Reply, LinkMessage.Event> link =
      world.peer(LinkMessage.SOCKET, LinkMessage.PROTOCOL);
  private final List<Integer> votes;
  final Cibd cibd;
  private int read; // how many of its messages to the link

  CibdInTest() {
    this(3, Map.of());
  }

  /// @param nodes how many nodes are configured
  /// @param files what it finds on its disk
  CibdInTest(int nodes, Map<String, byte[]> files) {
    this(Collections.nCopies(nodes, 1), files);
  }

  /// @param votes of the nodes
  CibdInTest(List<Integer> votes) {
    this(votes, Map.of());
  }

  private CibdInTest(List<Integer> votes, Map<String, byte[]> files) {
    this.votes = votes;
    world.disk().files().putAll(files);
    cibd = new Cibd(world, Map.of());
    var configured =
        IntStream.rangeClosed(1, votes.size())
            .mapToObj(
                id ->
                    new LinkMessage.ConfiguredNode(
                        new NodeId(id), new NodeName("node" + id), votes.get(id - 1)))
            .toList();
    link.script(
        (id, request) -> {
          switch (request) {
            case LinkMessage.Join _ ->
                link.reply(
                    id,
                    new LinkMessage.Joined(
                        new NodeId(1), new NodeName("node1"), "test", configured, 1000));
            case LinkMessage.Broadcast(var payload) ->
                link.event(new LinkMessage.Delivered(new NodeId(1), true, payload));
            case LinkMessage.Send _, LinkMessage.InStep _, LinkMessage.StatusQuery _, LinkMessage.DeviceQuery _ -> {}
          }
        });
    cibd.start();
    world.settle();
  }

  private void event(LinkMessage.Event event) {
    link.event(event);
    world.settle();
  }

  /// The same node with a new CIB manager, which finds the disk as it is now.
  CibdInTest again() {
    return new CibdInTest(votes, world.disk().files());
  }

  /// Makes these nodes members of the cluster and of the group.
  CibdInTest here(boolean quorate, Integer... ids) {
    return here(1, quorate, ids);
  }

  /// As [#here], with members of which one speaks no later level.
  CibdInTest atLevel(int level, boolean quorate, Integer... ids) {
    event(new LinkMessage.MembershipChanged(membership(1, quorate, ids), level));
    return groupIs(ids);
  }

  /// As [#here], where of each of some lists it takes most to have quorum.
  CibdInTest counting(List<List<Integer>> lists, Integer... ids) {
    var counted = lists.stream().map(it -> it.stream().map(NodeId::new).toList()).toList();
    event(new LinkMessage.MembershipChanged(membership(1, true, ids), Levels.own().newest(), false, counted, null));
    return groupIs(ids);
  }

  /// As [#here], where a list of these nodes is to come in force, in which each has so many votes.
  CibdInTest coming(List<List<Integer>> votes, Integer... ids) {
    var lists = votes.stream().map(CibdInTest::list).toList();
    event(new LinkMessage.MembershipChanged(membership(1, true, ids), Levels.own().newest(), false, null, lists));
    return groupIs(ids);
  }

  private static List<LinkMessage.ConfiguredNode> list(List<Integer> votes) {
    return IntStream.rangeClosed(1, votes.size())
        .mapToObj(id -> new LinkMessage.ConfiguredNode(new NodeId(id), new NodeName("node" + id), votes.get(id - 1)))
        .toList();
  }

  /// Another membership, of the same members, who are all in the group.
  CibdInTest another(long number, Integer... ids) {
    event(new LinkMessage.MembershipChanged(new Membership(number, membership(1, true, ids).members(), true)));
    return this;
  }

  /// As [#here]; that the group has changed is not told yet.
  CibdInTest members(boolean quorate, Integer... ids) {
    event(new LinkMessage.MembershipChanged(membership(1, quorate, ids)));
    return this;
  }

  /// These are the members, which have no quorum and are about to have it.
  CibdInTest quorumDue(Integer... ids) {
    event(new LinkMessage.MembershipChanged(membership(1, false, ids), Levels.own().newest(), true, null, null));
    return this;
  }

  /// These nodes' CIB managers are in the group; the members are the same.
  CibdInTest groupIs(Integer... ids) {
    event(new LinkMessage.GroupChanged(Stream.of(ids).map(NodeId::new).toList()));
    return this;
  }

  private static Membership membership(long since, boolean quorate, Integer... ids) {
    var members =
        Stream.of(ids)
            .map(id -> new Member(new NodeId(id), new NodeName("node" + id), id == 1 ? since : 1))
            .toList();
    return new Membership(ids.length, members, quorate);
  }

  /// @param since the number of the membership this node's stay began with
  CibdInTest here(long since, boolean quorate, Integer... ids) {
    event(new LinkMessage.MembershipChanged(membership(since, quorate, ids)));
    return groupIs(ids);
  }

  /// This node is the only member, with quorum. Its stay has begun with another membership.
  CibdInTest alone(long number) {
    event(new LinkMessage.MembershipChanged(new Membership(number, membership(1, true, 1).members(), true)));
    return groupIs(1);
  }

  /// The link ends. A moment later it is back, and knows nothing of this node's group.
  CibdInTest linkLost() {
    link.drop("the link died");
    return this;
  }

  /// Another node's CIB manager sends a message to this one.
  CibdInTest says(int from, CibPeerMessage message) {
    event(
        new LinkMessage.Delivered(
            new NodeId(from), false, CibPeerMessage.PROTOCOL.encode(0, message)));
    return this;
  }

  /// What this node has sent since the last call. Its broadcasts reach it too.
  List<Sent> sent() {
    var all = link.received();
    var sent = new ArrayList<Sent>();
    try {
      for (; read < all.size(); read++) {
        switch (all.get(read)) {
          case LinkMessage.Broadcast(var payload) ->
              sent.add(new Sent(0, CibPeerMessage.PROTOCOL.decode(payload).body()));
          case LinkMessage.Send(var to, var payload) ->
              sent.add(new Sent(to.number(), CibPeerMessage.PROTOCOL.decode(payload).body()));
          case LinkMessage.Join _, LinkMessage.InStep _, LinkMessage.StatusQuery _, LinkMessage.DeviceQuery _ -> {}
        }
      }
    } catch (ProtocolException e) {
      throw new IllegalStateException(e);
    }
    return sent;
  }

  /// The memberships of which it has told the link that what was acknowledged is on this node.
  List<Long> inStep() {
    return link.received().stream()
        .filter(LinkMessage.InStep.class::isInstance)
        .map(it -> ((LinkMessage.InStep) it).membership())
        .toList();
  }

  /// The messages of one kind that it has sent since the last call.
  <T extends CibPeerMessage> List<T> sent(Class<T> kind) {
    return sent().stream().map(Sent::message).filter(kind::isInstance).map(kind::cast).toList();
  }

  /// A daemon or command of the cluster's own.
  Client client() {
    return new Client(TestWorld.ROOT);
  }

  /// A command of a user who is only a member of the cluster's group.
  Client guest() {
    return new Client(TestWorld.MEMBER);
  }

  /// The position of a node whose copy is the same as this node's.
  CibPeerMessage.Position asHere(long term) {
    var copy = cibd.copy();
    return new CibPeerMessage.Position(
        term,
        copy.line(),
        copy.history(),
        false,
        CibVersion.of(copy.cib()),
        copy.hash());
  }

  /// Makes this node the primary; all three nodes are members.
  CibdInTest primary() {
    here(true, 1, 2, 3);
    var controller = client().ask(new CibMessage.SetPrimary(5));
    var term = sent(CibPeerMessage.Collect.class).getLast().term();
    says(2, asHere(term)).says(3, asHere(term));
    sent();
    assertEquals(1, controller.answers().size());
    return this;
  }

  /// Makes another node the primary, with the same copy as this node's.
  CibdInTest follow(int primary, long term) {
    var copy = cibd.copy();
    var line = copy.line().taken(true, term);
    says(primary, new CibPeerMessage.Announce(term, 5, true, 0, line, copy.hash()));
    return this;
  }

  void pass(Duration duration) {
    world.pass(duration);
  }

  static CibOp option(String name) {
    return CibOp.put(
        "crm_config",
        Element.builder("cluster_property_set")
            .attr("id", "o")
            .add(Element.of("nvpair", "id", "o-" + name, "name", name, "value", "1"))
            .build());
  }

  static Element none(String id) {
    return Element.of("primitive", "id", id);
  }

  static CibOp status(String node) {
    return CibOp.put("status", Element.of("node_state", "id", node, "uname", "node" + node));
  }
}
