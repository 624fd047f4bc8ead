package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.systole.attrd.client.AttrMessage;
import org.systole.common.cib.CibOp;
import org.systole.common.values.NodeName;
import org.systole.common.wire.ClientProtocol.NoEvent;
import org.systole.common.wire.RpcServer;
import org.systole.common.world.World;
import org.systole.common.xml.Element;

/// That what is read of attributes and tickets is judged.
final class SimReadsTest {
  private final SimCluster cluster = RealDaemons.cluster(1, 2);
  private final SimReads reads = new SimReads(cluster);

  private void start() {
    cluster.loadCib(SimCibs.standard(2));
    cluster.powerOnAll();
    cluster.run(Duration.ofSeconds(20));
  }

  private void readSome() {
    for (var times = 0; times < 10; times++) {
      reads.attribute(cluster.node("node1"));
      cluster.run(Duration.ofSeconds(1));
    }
  }

  @Test
  void whatAllManagersHaveIsReadAndNothingIsWrong() {
    start();
    readSome();
    assertEquals(List.of(), cluster.failures());
  }

  @Test
  void aManagerThatSaysItIsDoneAndKnowsAnEarlierValueIsNoticed() {
    cluster.daemon(
        "attrd",
        (_, world, _, _) ->
            RpcServer.serve(
                world,
                AttrMessage.SOCKET,
                World.Access.GROUP,
                AttrMessage.PROTOCOL,
                new Liar("0")));
    start();
    readSome();
    assertEquals(Set.of(SimCheck.STALE_READ), cluster.checksFailed());
    assertTrue(cluster.failures().getFirst().contains("who reads on"));
  }

  @Test
  void whatIsAskedForWhileNoManagerIsThereMayTakeEffectLater() {
    cluster.daemon(
        "attrd",
        (_, world, _, _) ->
            RpcServer.serve(
                world, AttrMessage.SOCKET, World.Access.GROUP, AttrMessage.PROTOCOL, new Liar("1")));
    start();
    var node = cluster.node("node1");
    node.kill("attrd");
    reads.attribute(node);
    assertTrue(cluster.runUntil(() -> node.process("attrd") != null, Duration.ofSeconds(5)));
    reads.attribute(node);
    cluster.run(Duration.ofSeconds(5));
    assertEquals(List.of(), cluster.failures());
    reads.attribute(node); // nothing is under way any more
    cluster.run(Duration.ofSeconds(5));
    assertEquals(Set.of(SimCheck.STALE_READ), cluster.checksFailed());
  }

  /// Says that all is done, and knows one value.
  private record Liar(String value)
      implements RpcServer.Handler<AttrMessage.Request, AttrMessage.Reply, NoEvent> {
    @Override
    public void request(
        RpcServer.Session<NoEvent> session,
        RpcServer.Call<AttrMessage.Reply> call,
        AttrMessage.Request request) {
      call.reply(
          request instanceof AttrMessage.Query
              ? new AttrMessage.Values(
                  true, List.of(new AttrMessage.NodeValue(new NodeName("node1"), value)))
              : new AttrMessage.Done(AttrMessage.Outcome.OK, ""));
    }
  }

  private static CibOp ticket(boolean granted) {
    var state =
        Element.of("ticket_state", "id", SimOptions.TICKET, "granted", String.valueOf(granted));
    return CibOp.put("status", Element.builder("tickets").add(state).build());
  }

  @Test
  void aTicketThatIsNotAsItWasSaidToBeIsNoticed() {
    start();
    var number = reads.ticketAsked();
    cluster.update("node1", List.of(ticket(true)), _ -> {});
    cluster.run(Duration.ofSeconds(2));
    reads.ticketAnswered(cluster.node("node1"), number, ticket(true));
    cluster.run(Duration.ofSeconds(2));
    assertEquals(List.of(), cluster.failures());
    reads.ticketAnswered(cluster.node("node1"), number - 1, ticket(false));
    cluster.run(Duration.ofSeconds(2));
    assertEquals(List.of(), cluster.failures(), "somebody else may have changed it");
    reads.ticketAnswered(cluster.node("node1"), number, ticket(false));
    cluster.run(Duration.ofSeconds(2));
    assertEquals(Set.of(SimCheck.STALE_READ), cluster.checksFailed());
  }
}
