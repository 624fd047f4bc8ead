package org.systole.controld.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.systole.common.cluster.GroupClient;
import org.systole.common.cluster.LinkMessage;
import org.systole.common.cluster.Membership;
import org.systole.common.values.NodeId;
import org.systole.common.wire.Protocol.ProtocolException;
import org.systole.common.world.TestPeer;
import org.systole.common.world.TestWorld;

/// What node 1 says to other controllers and to itself.
final class PeerLinkTest {
  private static final PeerMessage HELLO = new PeerMessage.Heartbeat(7);

  private final TestWorld world = new TestWorld();
  private final TestPeer<LinkMessage.Request, LinkMessage.Reply, LinkMessage.Event> link =
      world.peer(LinkMessage.SOCKET, LinkMessage.PROTOCOL);
  private final List<String> heard = new ArrayList<>();
  private final GroupClient group =
      new GroupClient(
          world,
          PeerMessage.GROUP,
          new GroupClient.Listener() {
            @Override
            public void joined(LinkMessage.Joined welcome) {}

            @Override
            public void membership(Membership membership) {}

            @Override
            public void configured(List<LinkMessage.ConfiguredNode> nodes) {}

            @Override
            public void group(List<NodeId> nodeIds) {}

            @Override
            public void message(NodeId fromId, boolean broadcast, byte[] payload) {
              peers.message(fromId, payload);
            }

            @Override
            public void lost(String why) {}
          });
  private final PeerLink peers =
      new PeerLink(world, group, new NodeId(1), (from, message) -> heard.add(from + " " + message));

  @BeforeEach
  void open() {
    group.open();
    world.settle();
  }

  @Test
  void aMessageToAnotherNodeGoesThereOnly() throws ProtocolException {
    peers.send(new NodeId(2), HELLO);
    world.settle();
    var sent = link.received(LinkMessage.Send.class).getFirst();
    assertEquals(new NodeId(2), sent.toId());
    assertEquals(HELLO, PeerMessage.PROTOCOL.decode(sent.payload()).body());
    assertEquals(List.of(), heard);
  }

  @Test
  void aBroadcastComesBackLikeTheMessagesOfOthers() {
    peers.broadcast(HELLO);
    world.settle();
    var payload = link.received(LinkMessage.Broadcast.class).getFirst().payload();
    assertEquals(List.of(), heard, "it has its place in the order of all messages");
    link.event(new LinkMessage.Delivered(new NodeId(1), true, payload));
    world.settle();
    assertEquals(List.of("1 " + HELLO), heard);
  }

  @Test
  void aMessageToItselfStaysInTheProcessAndComesAfterTheCall() {
    peers.send(new NodeId(1), HELLO);
    assertEquals(List.of(), heard, "never from within the call");
    world.settle();
    assertEquals(List.of("1 " + HELLO), heard);
    assertEquals(List.of(), link.received(LinkMessage.Send.class));
  }

  @Test
  void anInvalidMessageIsIgnoredAndItsSenderLogged() {
    link.event(new LinkMessage.Delivered(new NodeId(3), false, new byte[] {'{'}));
    link.event(
        new LinkMessage.Delivered(
            new NodeId(2), false, PeerMessage.PROTOCOL.encode(0, HELLO)));
    world.settle();
    assertEquals(List.of("2 " + HELLO), heard, "what comes after it is heard");
    assertTrue(world.logged("WARNING: Ignoring a message from node 3: "));
  }
}
