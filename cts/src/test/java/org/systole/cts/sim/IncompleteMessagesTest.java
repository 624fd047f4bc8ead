package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.common.world.Connection;
import org.systole.common.world.ConnectionHandler;
import org.systole.cts.Protocols;

/// Messages of every type without what belongs in them, said to every daemon of a running node.
final class IncompleteMessagesTest {
  private static final Duration LIMIT = Duration.ofMinutes(3);

  /// Says one thing and waits for what comes of it.
  private static final class Stranger implements ConnectionHandler {
    private final byte[] frame;
    private boolean closed;

    Stranger(byte[] frame) {
      this.frame = frame;
    }

    @Override
    public void opened(Connection connection) {
      connection.send(frame);
    }

    @Override
    public void received(Connection connection, byte[] answer) {}

    @Override
    public void closed(Connection connection, String why) {
      closed = true;
    }
  }

  private static List<Long> daemons(SimNode node) {
    return node.processes().stream().map(SimProcess::pid).toList();
  }

  @Test
  void theyEndTheConnectionAndNothingElse() {
    var cluster = RealDaemons.cluster(1, 1);
    cluster.loadCib(SimCibs.standard(1));
    cluster.powerOnAll();
    assertTrue(cluster.settle(LIMIT), () -> cluster.unsettled().toString());
    var node = cluster.node("node1");
    var before = daemons(node);
    var strangers = new ArrayList<Stranger>();

    for (var spoken : Protocols.all()) {
      for (var type : spoken.types()) {
        if (!spoken.socket().isEmpty() && type.getRecordComponents().length > 0) {
          var text = "{\"v\":1,\"id\":1,\"type\":\"%s\",\"body\":{}}".formatted(type.getSimpleName());
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
    assertTrue(strangers.stream().allMatch(it -> it.closed), "each was cut off");
    assertTrue(strangers.size() > 50, "of all protocols");
  }
}
