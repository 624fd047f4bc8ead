package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.common.cib.CibOp;
import org.systole.common.output.Rc;
import org.systole.common.world.Connection;
import org.systole.common.world.ConnectionHandler;
import org.systole.common.xml.Element;
import org.systole.cts.Protocols;

/// What a member of the cluster's group may say to the daemons of a running node to do harm.
final class HostileRequestsTest {
  private static final Duration LIMIT = Duration.ofMinutes(3);

  /// Says one thing and waits for what comes of it.
  private static final class Stranger implements ConnectionHandler {
    private final byte[] frame;
    private boolean closed;
    private boolean answered;

    Stranger(byte[] frame) {
      this.frame = frame;
    }

    @Override
    public void opened(Connection connection) {
      connection.send(frame);
    }

    @Override
    public void received(Connection connection, byte[] answer) {
      answered = true;
    }

    @Override
    public void closed(Connection connection, String why) {
      closed = true;
    }
  }

  private static List<Long> daemons(SimNode node) {
    return node.processes().stream().map(SimProcess::pid).toList();
  }

  private static SimCluster running(int nodes) {
    var cluster = RealDaemons.cluster(1, nodes);
    cluster.loadCib(SimCibs.standard(nodes));
    cluster.powerOnAll();
    assertTrue(cluster.settle(LIMIT), () -> cluster.unsettled().toString());
    return cluster;
  }

  @Test
  void messagesThatLackWhatBelongsInThemAreRefusedAndEndNothing() {
    var cluster = running(1);
    var node = cluster.node("node1");
    var before = daemons(node);
    var strangers = new ArrayList<Stranger>();

    for (var spoken : Protocols.all()) {
      for (var type : spoken.types()) {
        if (!spoken.socket().isEmpty() && type.getRecordComponents().length > 0) {
          var text =
              "{\"v\":%d,\"id\":1,\"type\":\"%s\",\"body\":{}}"
                  .formatted(spoken.protocol().version(), type.getSimpleName());
          strangers.add(new Stranger(text.getBytes(StandardCharsets.UTF_8)));
          var process = node.spawn("stranger");
          new SimWorld(process, cluster.random("stranger", "node1", "", process.pid()))
              .connect(spoken.socket(), strangers.getLast());
          cluster.run(Duration.ofMillis(10));
          process.end(0, 0);
        }
      }
    }
    cluster.run(Duration.ofSeconds(10));

    assertEquals(List.of(), cluster.failures());
    assertEquals(before, daemons(node), "the daemons are those of before");
    // a name that is missing is like an empty one, which is refused in an answer
    assertTrue(
        strangers.stream().allMatch(it -> it.closed || it.answered),
        "each was cut off or answered");
    assertTrue(strangers.stream().anyMatch(it -> it.closed), "some were cut off");
    assertTrue(strangers.size() > 50, "of all protocols");
  }

  @Test
  void anXPathThatIsNestedOrNeverEndsIsAnsweredAndEndsNothing() {
    var cluster = running(3);
    var before = cluster.nodes().stream().map(HostileRequestsTest::daemons).toList();
    var answers = new ArrayList<Rc>();
    for (var xpath :
        List.of(
            "(".repeat(30_000) + "1" + ")".repeat(30_000),
            "//*[count(//*[count(//*[count(//*)>0])>0])>0]",
            "//*[preceding::*[preceding::*[preceding::*]]]")) {
      for (var node : cluster.nodes()) {
        var change = CibOp.modifyXPath(xpath, Element.of("nvpair", "id", "x"));
        cluster.update(
            node.name(),
            List.of(change),
            answer -> answers.add(answer == null ? null : answer.rc()));
      }
    }
    cluster.run(Duration.ofSeconds(10));

    assertEquals(Collections.nCopies(9, Rc.E2BIG), answers);
    assertEquals(List.of(), cluster.failures());
    assertEquals(before, cluster.nodes().stream().map(HostileRequestsTest::daemons).toList());
  }
}
