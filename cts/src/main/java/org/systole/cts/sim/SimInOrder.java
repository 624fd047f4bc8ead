package org.systole.cts.sim;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.systole.cibd.client.CibMessage;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibQuery;
import org.systole.common.cib.CibXPath;
import org.systole.common.output.Rc;
import org.systole.common.wire.RpcClient;
import org.systole.common.xml.Element;

/// Clients that ask for a second change of the CIB while the first one is under way, as the controllers do: first that an
/// operation has begun, then how it ended. The changes are of an entry's attribute of which no daemon knows anything.
final class SimInOrder {
  private static final String ATTRIBUTE = "sim-order";
  private static final Duration EVERY = Duration.ofMillis(700);
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final int APART_MILLIS = 400;

  private final SimCluster cluster;
  private final RandomGenerator random;
  private final List<String> busy = new ArrayList<>();
  private int last;
  private boolean over;

  SimInOrder(SimCluster cluster) {
    this.cluster = cluster;
    this.random = cluster.random("order", "", "", 0);
  }

  /// No more of it: the cluster is to come to rest.
  void end() {
    over = true;
  }

  /// After an end that was longer than it takes until the next are asked for.
  void goOn() {
    over = false;
    begin();
  }

  /// Has it done again and again, until the end.
  void begin() {
    if (over) {
      return;
    }
    for (var node : cluster.nodes()) {
      if (node.isPowered() && node.process("cibd") != null && !busy.contains(node.name())) {
        busy.add(node.name());
        two(node);
      }
    }
    cluster.queue().after(EVERY.toNanos(), this::begin);
  }

  private void two(SimNode node) {
    var process = node.spawn("sim-order");
    var world = new SimWorld(process, cluster.random("order", node.name(), "", process.pid()));
    process.onEnd((_, _) -> busy.remove(node.name()));
    cluster.queue().after(PATIENCE.toNanos(), process, () -> process.end(0, 0));
    var first = ++last;
    var second = ++last;
    var apart = Duration.ofMillis(1 + random.nextInt(APART_MILLIS));
    new Two(node, process, world, first, second, apart).begin();
  }

  /// One such client.
  private final class Two implements RpcClient.Listener<CibMessage.Event> {
    private final SimNode node;
    private final SimProcess process;
    private final SimWorld world;
    private final int first;
    private final int second;
    private final Duration apart;
    private final RpcClient<CibMessage.Request, CibMessage.Reply, CibMessage.Event> client;

    Two(SimNode node, SimProcess process, SimWorld world, int first, int second, Duration apart) {
      this.node = node;
      this.process = process;
      this.world = world;
      this.first = first;
      this.second = second;
      this.apart = apart;
      this.client = new RpcClient<>(world, CibMessage.SOCKET, CibMessage.PROTOCOL, this);
    }

    void begin() {
      client.open();
    }

    @Override
    public void connected() {
      var answered = new ArrayList<Rc>();
      change(first, answered);
      world.after(apart, () -> change(second, answered));
    }

    @Override
    public void disconnected(String why) {
      process.end(0, 0); // whose changes those of a connection that is no more are is another question
    }

    private void change(int value, List<Rc> answered) {
      var state = Element.of("node_state", "id", String.valueOf(node.id()), ATTRIBUTE, String.valueOf(value));
      var change = List.of(CibOp.put("status", state));
      client.call(
          new CibMessage.Update(change, false, "", "sim", (int) PATIENCE.toMillis()),
          PATIENCE,
          answer -> {
            var done = message(answer);
            answered.add(done == null ? Rc.ERROR : done.rc());
            if (answered.equals(List.of(Rc.OK, Rc.OK)) && cluster.order().isQuorate(node)) {
              look();
            } else if (answered.size() == 2) {
              process.end(0, 0);
            }
          });
    }

    private void look() {
      var entry = "/cib/status/node_state[@id=%s]".formatted(CibXPath.literal(String.valueOf(node.id())));
      client.call(
          new CibMessage.Query(new CibQuery(entry, true, false, false), ""),
          PATIENCE,
          answer -> {
            var found = message(answer);
            var xml = found == null ? null : found.xml();
            if (xml != null && xml.contains("%s=\"%d\"".formatted(ATTRIBUTE, first)) && cluster.order().isQuorate(node)) {
              cluster.fail(
                  SimCheck.OUT_OF_ORDER,
                  "a client on %s asked for %d and then for %d, both were made, and it finds the former"
                      .formatted(node.name(), first, second));
            }
            process.end(0, 0);
          });
    }

    private static CibMessage.@Nullable Answer message(RpcClient.Answer<CibMessage.Reply> answer) {
      return answer instanceof RpcClient.Answer.Got<CibMessage.Reply>(var got) && got instanceof CibMessage.Answer it
          ? it
          : null;
    }
  }
}
