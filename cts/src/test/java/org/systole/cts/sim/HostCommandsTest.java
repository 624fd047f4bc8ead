package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.systole.common.values.NodeName;
import org.systole.common.xml.XmlReader;
import org.systole.controld.client.CtlMessage;
import org.systole.controld.client.CtlMessage.HaHost;
import org.systole.controld.client.CtlMessage.HostOrder;

/// What `crm_hostha` asks for, in a cluster of real daemons with three hosts.
final class HostCommandsTest {
  private static final Path SCENARIO = Path.of("src/test/resources/scenarios/host-is-fenced");
  private static final NodeName H1 = new NodeName("h1");

  private SimCluster cluster = RealDaemons.cluster(11, 3);

  @BeforeEach
  void begin() throws Exception {
    for (var host : List.of("h1", "h2", "h3")) {
      cluster.addHost(host);
    }
    cluster.loadCib(XmlReader.parse(Files.readString(SCENARIO.resolve("cib.xml"))));
    cluster.powerOnAll();
    settle();
    cluster.run(Duration.ofMinutes(2));
    assertEquals("AVAILABLE", host().state());
  }

  private void settle() {
    var settled = cluster.settle(Duration.ofMinutes(5));
    assertTrue(settled, () -> "not settled: " + cluster.unsettled() + "\n" + cluster.trace());
    assertEquals(List.of(), cluster.failures(), cluster.trace()::toString);
  }

  private CtlMessage.Reply ask(CtlMessage.Request request) {
    var notDc = cluster.dcs().contains("node1") ? "node2" : "node1";
    var answers = new ArrayList<CtlMessage.Reply>();
    new SimCommand(cluster.node(notDc))
        .ask(CtlMessage.SOCKET, CtlMessage.PROTOCOL, request, answers::add);
    cluster.runUntil(() -> !answers.isEmpty(), Duration.ofSeconds(90));
    return answers.getFirst();
  }

  private CtlMessage.Reply order(HostOrder what, String why) {
    return ask(new CtlMessage.OrderHost(H1, what, why));
  }

  private HaHost host() {
    return assertInstanceOf(CtlMessage.Hosts.class, ask(new CtlMessage.HostsQuery(null, false)))
        .hosts()
        .getFirst();
  }

  @Test
  void aHostIsHeldAndLetGo() {
    assertEquals(new CtlMessage.Done(), order(HostOrder.HOLD, "being moved"));
    assertEquals("being moved", host().held());
    cluster.node("h1").pause();
    cluster.run(Duration.ofMinutes(3));
    assertTrue(
        List.of("SUSPECT", "CHECKING", "DEGRADED").contains(host().state()), host()::toString);
    assertEquals(0, host().recoveries());

    assertEquals(new CtlMessage.Done(), order(HostOrder.RELEASE, ""));
    cluster.run(Duration.ofMinutes(5));
    settle();
    assertEquals("AVAILABLE", host().state());
  }

  @Test
  void aHostIsFencedBecauseAPersonWantsItAndClearedAgain() {
    assertEquals(new CtlMessage.Done(), order(HostOrder.FENCE, ""));
    cluster.run(Duration.ofMinutes(1));
    assertEquals("FENCED", host().state());
    assertTrue(host().maintenance());
    assertEquals(List.of("h2"), cluster.resourceOn("a"));

    cluster.node("h1").powerOn();
    cluster.run(Duration.ofSeconds(30));
    assertEquals(new CtlMessage.Done(), order(HostOrder.CLEAR, ""));
    cluster.run(Duration.ofMinutes(2));
    settle();
    assertEquals("AVAILABLE", host().state(), host()::toString);
  }

  @Test
  void whatMakesNoSenseNowIsRefusedWithTheReason() {
    var whys = Map.of(HostOrder.CONFIRM, "may not be off", HostOrder.CLEAR, "nothing is done");
    whys.forEach(
        (what, why) -> {
          var refused = assertInstanceOf(CtlMessage.Refused.class, order(what, ""));
          assertEquals(CtlMessage.Reason.NOT_NOW, refused.reason());
          assertTrue(refused.why().contains(why), refused::why);
        });
    var unknown =
        assertInstanceOf(
            CtlMessage.Refused.class,
            ask(new CtlMessage.OrderHost(new NodeName("h9"), HostOrder.CHECK, "")));
    assertEquals(CtlMessage.Reason.UNKNOWN, unknown.reason());
  }

  @Test
  void aTrialAsksTheHostANeighbourAndTheFenceDevice() {
    var before = host();

    var tried =
        assertInstanceOf(CtlMessage.Tried.class, ask(new CtlMessage.TryHost(H1))).checks();

    assertEquals(
        List.of("eligible", "health", "activity", "power"),
        tried.stream().map(CtlMessage.HaTry::check).toList());
    assertTrue(tried.stream().allMatch(CtlMessage.HaTry::well), tried::toString);
    assertEquals("h2", tried.get(2).by());
    assertEquals("ON", tried.get(3).said());
    assertEquals(before, host());
  }
}
