package org.systole.attrd;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.systole.attrd.client.AttrMessage;
import org.systole.attrd.client.AttrMessage.Change;
import org.systole.attrd.client.AttrMessage.Done;
import org.systole.attrd.client.AttrMessage.Kind;
import org.systole.attrd.client.AttrMessage.Outcome;
import org.systole.attrd.client.AttrMessage.Update;
import org.systole.attrd.client.AttrMessage.Wait;
import org.systole.attrd.client.AttrUpdates;
import org.systole.common.cluster.LinkMessage;
import org.systole.common.cluster.Member;
import org.systole.common.cluster.Membership;
import org.systole.common.layout.Layout;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.wire.ClientProtocol.NoEvent;
import org.systole.common.wire.Protocol.ProtocolException;
import org.systole.common.world.TestClient;
import org.systole.common.world.TestPeer;
import org.systole.common.world.TestWorld;

/// The attribute manager of node1 (of three): the test is the link, the managers of the other nodes,
/// and the clients.
abstract class AttrdUnderTest {
  final TestWorld world = new TestWorld();
  final TestPeer<LinkMessage.Request, LinkMessage.Reply, LinkMessage.Event> link =
      world.peer(LinkMessage.SOCKET, LinkMessage.PROTOCOL);
  final List<AttrPeerMessage> broadcasts = new ArrayList<>();
  final List<String> confirmations = new ArrayList<>();
  final Map<Integer, Long> members = new LinkedHashMap<>();
  TestClient<AttrMessage.Request, AttrMessage.Reply, NoEvent> client;
  private long number = 10;
  boolean echoes = true;

  /// Whether the managers of the other nodes have just been started and know nothing.
  boolean othersAreFresh() {
    return false;
  }

  /// Whether they have told what they know.
  boolean othersTell() {
    return true;
  }

  @BeforeEach
  void start() {
    link.script(this::asked);
    AttrDaemon.start(world, new Layout(Path.of("/"), Path.of("/usr/share")), Map.of());
    world.settle();
    comes(1, 2, 3);
    if (othersTell()) {
      says(2, new AttrPeerMessage.Tell(othersAreFresh(), List.of(), List.of()));
      says(3, new AttrPeerMessage.Tell(othersAreFresh(), List.of(), List.of()));
    }
    client = world.client(AttrMessage.SOCKET, AttrMessage.PROTOCOL, TestWorld.ROOT);
    world.pass(Duration.ofSeconds(1));
    broadcasts.clear();
  }

  private void asked(long id, LinkMessage.Request message) {
    switch (message) {
      case LinkMessage.Join _ -> {
        var nodes =
            IntStream.rangeClosed(1, 3)
                .mapToObj(
                    it ->
                        new LinkMessage.ConfiguredNode(
                            new NodeId(it), new NodeName("node" + it), 1))
                .toList();
        link.reply(
            id, new LinkMessage.Joined(new NodeId(1), new NodeName("node1"), "test", nodes, 1000));
      }
      case LinkMessage.Broadcast(var payload) -> {
        broadcasts.add(decoded(payload));
        if (echoes) {
          link.event(new LinkMessage.Delivered(new NodeId(1), true, payload));
        }
      }
      case LinkMessage.Send(var to, var payload) -> confirmations.add(to + " " + decoded(payload));
      case LinkMessage.InStep _, LinkMessage.StatusQuery _, LinkMessage.DeviceQuery _ -> throw new IllegalStateException("unexpected: " + message);
    }
  }

  private static AttrPeerMessage decoded(byte[] payload) {
    try {
      return AttrPeerMessage.PROTOCOL.decode(payload).body();
    } catch (ProtocolException e) {
      throw new IllegalStateException(e);
    }
  }

  void comes(int... nodes) {
    number++;
    for (var node : nodes) {
      members.put(node, number);
    }
    tellMembership();
  }

  void goes(int node) {
    number++;
    members.remove(node);
    tellMembership();
  }

  private void tellMembership() {
    var list = new ArrayList<Member>();
    members.forEach(
        (id, since) -> list.add(new Member(new NodeId(id), new NodeName("node" + id), since)));
    link.event(new LinkMessage.MembershipChanged(new Membership(number, list, true)));
    link.event(
        new LinkMessage.GroupChanged(members.keySet().stream().sorted().map(NodeId::new).toList()));
    world.settle();
  }

  void says(int node, AttrPeerMessage message) {
    link.event(
        new LinkMessage.Delivered(
            new NodeId(node), true, AttrPeerMessage.PROTOCOL.encode(0, message)));
    world.settle();
  }

  void pass(long millis) {
    world.pass(Duration.ofMillis(millis));
  }

  String value(String name, String node) {
    var values = (AttrMessage.Values) client.answer(new AttrMessage.Query(name, NodeName.of(node)));
    return values.exists() ? String.valueOf(values.values().getFirst().value()) : "unknown";
  }

  Done ask(AttrMessage.Request request) {
    var id = client.ask(request);
    pass(50);
    return (Done) client.answerTo(id);
  }

  static Update set(String name, String value) {
    return AttrUpdates.set(name, null, value);
  }

  static Update pattern(String pattern, Change change, String value, long delay) {
    return new Update(change, "", pattern, null, value, delay, Kind.TRANSIENT, false, Wait.NO);
  }

  static Done ok() {
    return new Done(Outcome.OK, "");
  }

  List<AttrPeerMessage.Batch> batches() {
    return broadcasts.stream()
        .filter(AttrPeerMessage.Batch.class::isInstance)
        .map(AttrPeerMessage.Batch.class::cast)
        .toList();
  }

  static AttrPeerMessage.Value known(String name, String node, String value) {
    return new AttrPeerMessage.Value(name, Kind.TRANSIENT, 0, new NodeName(node), value, false);
  }
}
