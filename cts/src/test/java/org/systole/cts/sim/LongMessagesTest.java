package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.systole.cibd.client.CibMessage;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibQuery;
import org.systole.common.world.Connection;
import org.systole.common.world.ConnectionHandler;
import org.systole.common.xml.Element;

/// Requests of a member of the cluster's group that are too long, or have too long an answer: they
/// are answered, and end no daemon.
final class LongMessagesTest {
  private static final Duration LIMIT = Duration.ofMinutes(3);

  private final SimCluster cluster = RealDaemons.cluster(1, 3);
  private SimNode node;
  private List<Long> before;

  private static final class Guest implements ConnectionHandler {
    private final CibMessage.Request request;
    private boolean answered;

    Guest(CibMessage.Request request) {
      this.request = request;
    }

    @Override
    public void opened(Connection connection) {
      connection.send(CibMessage.PROTOCOL.request(7, request));
    }

    @Override
    public void received(Connection connection, byte[] frame) {
      answered = true;
    }

    @Override
    public void closed(Connection connection, String why) {}
  }

  @BeforeEach
  void start() {
    cluster.loadCib(SimCibs.standard(3));
    cluster.powerOnAll();
    assertTrue(cluster.settle(LIMIT), () -> cluster.unsettled().toString());
    node = cluster.nodes().stream().filter(it -> !it.isDc()).findFirst().orElseThrow();
    before = daemons();
  }

  private List<Long> daemons() {
    return cluster.nodes().stream()
        .flatMap(it -> it.processes().stream())
        .filter(it -> !it.name().startsWith(SimNode.GUEST))
        .map(SimProcess::pid)
        .toList();
  }

  private void isAnswered(CibMessage.Request request) {
    var guest = new Guest(request);
    var process = node.spawn(SimNode.GUEST + "alice");
    new SimWorld(process, cluster.random("guest", node.name(), "", process.pid()))
        .connect(CibMessage.SOCKET, guest);
    cluster.run(Duration.ofSeconds(30));
    assertEquals(List.of(), cluster.failures());
    assertEquals(before, daemons(), "the daemons are those of before");
    assertTrue(guest.answered);
  }

  @Test
  void aProgramsNameThatFillsAFrameIsRefused() {
    var state = CibOp.put("status", Element.of("node_state", "id", "x"));
    var name = "c".repeat((64 << 20) - 80);
    isAnswered(new CibMessage.Update(List.of(state), false, "", name, 600_000));
  }

  @Test
  void allElementsOfALargeCibAreTooLongAnAnswer() {
    var op = Element.of("lrm_rsc_op", "id", "x", "long", "y".repeat(10 << 20));
    for (var around : List.of("lrm_resource", "lrm_resources", "lrm", "node_state")) {
      op = Element.builder(around).attr("id", "away").add(op).build();
    }
    cluster.update("node1", List.of(CibOp.put("status", op)), _ -> {});
    cluster.run(Duration.ofSeconds(30));
    isAnswered(new CibMessage.Query(new CibQuery("//*", true, false, false), ""));
  }

  @Test
  void aLongChangeIsPassedOnToThePrimaryAndRefusedThere() {
    var xml = "<primitive id='x' foo='" + "y".repeat(36 << 20) + "'/>";
    var op = new CibOp(CibOp.Kind.CREATE, "resources", false, xml, false, false, false, "");
    isAnswered(new CibMessage.Update(List.of(op), false, "", "test", 600_000));
  }

  @Test
  void aRefusedChangeThatIsLongWhenWrittenAnewIsAnswered() {
    var xml = "<primitive id='x' foo='" + "\"".repeat(12 << 20) + "'/>";
    var op = new CibOp(CibOp.Kind.CREATE, "resources", false, xml, false, false, false, "");
    isAnswered(new CibMessage.Update(List.of(op), false, "", "test", 600_000));
  }
}
