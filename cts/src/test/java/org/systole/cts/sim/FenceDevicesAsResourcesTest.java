package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.systole.common.operation.AgentName;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.OperationRequest;
import org.systole.common.operation.OperationResult;
import org.systole.common.values.OperationName;
import org.systole.common.values.ResourceId;
import org.systole.common.wire.ClientProtocol;
import org.systole.execd.ExecDaemon;
import org.systole.execd.client.ExecMessage;
import org.systole.fenced.FenceDaemon;
import org.systole.fenced.client.FenceMessage;

/// The executor "runs" fence devices by way of the fencer.
final class FenceDevicesAsResourcesTest {
  private static final Duration LIMIT = Duration.ofSeconds(120);

  private static SimCluster cluster(long seed) {
    var cluster = new SimCluster(seed, 1);
    var link = new SimPerfectLink(cluster);
    cluster.daemon("pacemakerd", link::start);
    cluster.daemon("fenced", (_, world, layout, env) -> FenceDaemon.start(world, layout, env));
    cluster.daemon("execd", (_, world, layout, env) -> ExecDaemon.start(world, layout, env));
    cluster.powerOnAll();
    cluster.run(Duration.ofSeconds(10));
    return cluster;
  }

  private static <Q, R> R ask(
      SimCluster cluster, String socket, ClientProtocol<Q, R, ?> protocol, Q request) {
    var answers = new ArrayList<R>();
    new SimCommand(cluster.node("node1")).ask(socket, protocol, request, answers::add);
    assertTrue(cluster.runUntil(() -> !answers.isEmpty(), LIMIT), cluster.trace()::toString);
    return answers.getFirst();
  }

  private static OperationResult run(SimCluster cluster, String operation) {
    var request =
        new ExecMessage.Execute(
            OperationRequest.of(
                new ResourceId("power"),
                new AgentName(AgentName.FENCING, "", "fence_sim"),
                new OperationName(operation),
                0,
                Map.of("ip", "10.0.0.1", "CRM_meta_timeout", "20000"),
                ""),
            false);
    assertInstanceOf(
        ExecMessage.Accepted.class,
        ask(cluster, ExecMessage.SOCKET, ExecMessage.PROTOCOL, request));
    cluster.run(Duration.ofSeconds(30));
    var state =
        (ExecMessage.State)
            ask(
                cluster,
                ExecMessage.SOCKET,
                ExecMessage.PROTOCOL,
                new ExecMessage.StateQuery("power"));
    return state.resources().getFirst().lastResults().getLast();
  }

  private static List<FenceMessage.Device> devices(SimCluster cluster) {
    var answer =
        ask(
            cluster,
            FenceMessage.SOCKET,
            FenceMessage.PROTOCOL,
            new FenceMessage.DeviceQuery(null, 20_000));
    return ((FenceMessage.Devices) answer).devices();
  }

  @Test
  void aDeviceIsStartedMonitoredAndStopped() {
    var cluster = cluster(1);
    assertEquals(7, run(cluster, "monitor").rc());

    assertEquals(0, run(cluster, "start").rc(), cluster.trace()::toString);

    assertEquals(List.of(new FenceMessage.Device("power", "fence_sim", true)), devices(cluster));
    assertEquals(0, run(cluster, "monitor").rc());
    assertEquals(0, run(cluster, "stop").rc());
    assertEquals(List.of(), devices(cluster));
    assertEquals(7, run(cluster, "monitor").rc());
  }

  @Test
  void aDeviceThatDoesNotAnswerDoesNotStart() {
    var cluster = cluster(2);
    cluster.node("node1").agentFault("fence_sim", "monitor", List.of("fails"));

    var result = run(cluster, "start");

    assertEquals(1, result.rc(), cluster.trace()::toString);
    assertEquals(ExecStatus.DONE, result.status());
    assertEquals(7, run(cluster, "monitor").rc());
  }

  @Test
  void aFencerThatDiedGetsItsDevicesBack() {
    var cluster = cluster(3);
    assertEquals(0, run(cluster, "start").rc());

    cluster.node("node1").kill("fenced");
    cluster.run(Duration.ofSeconds(30));

    assertEquals("power", devices(cluster).getFirst().name());
    assertTrue(devices(cluster).getFirst().verified(), "it was before the fencer died");
    assertEquals(0, run(cluster, "monitor").rc());
    assertEquals(0, run(cluster, "stop").rc());
    assertEquals(7, run(cluster, "monitor").rc());
  }
}
