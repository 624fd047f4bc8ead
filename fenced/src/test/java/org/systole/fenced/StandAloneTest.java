package org.systole.fenced;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.systole.cibd.client.CibMessage;
import org.systole.common.cluster.StandAlone;
import org.systole.common.layout.Layout;
import org.systole.common.operation.ExecStatus;
import org.systole.common.values.NodeName;
import org.systole.common.world.Processes.Exit;
import org.systole.common.world.TestClient;
import org.systole.common.world.TestPeer;
import org.systole.common.world.TestWorld;
import org.systole.fenced.client.FenceMessage;

/// A fencer without a cluster: what clients register is all that it has.
class StandAloneTest {
  private final TestWorld world = new TestWorld();
  private TestPeer<CibMessage.Request, CibMessage.Reply, CibMessage.Event> cib;
  private TestClient<FenceMessage.Request, FenceMessage.Reply, FenceMessage.Event> root;

  @BeforeEach
  void start() {
    cib = world.peer(CibMessage.SOCKET, CibMessage.PROTOCOL);
    world
        .programs()
        .script(
            program ->
                new Exit.Exited(
                    0,
                    0,
                    program.input().contains("action=metadata") ? FencerUnderTest.METADATA : "",
                    "",
                    Duration.ofMillis(10)));
    FenceDaemon.start(
        world,
        new Layout(Path.of("/"), Path.of("/usr/share")),
        Map.of("PATH", "/usr/bin", StandAlone.VARIABLE, "alpha"));
    world.settle();
    root = world.client(FenceMessage.SOCKET, FenceMessage.PROTOCOL, TestWorld.ROOT);
  }

  private FenceMessage.Outcome fence(String target) {
    var id = root.ask(FencerUnderTest.fence(target, "reboot"));
    world.pass(Duration.ofSeconds(1));
    return assertInstanceOf(FenceMessage.Outcome.class, root.answerTo(id));
  }

  @Test
  void fencesByTheDevicesOfItsClients() {
    var parameters = Map.of("pcmk_host_list", "node1 node2");
    assertEquals(new FenceMessage.Ok(), root.answer(new FenceMessage.RegisterDevice("d", "fence_test", parameters)));
    var outcome = fence("node1");
    assertTrue(outcome.succeeded(), outcome.toString());
    assertEquals(new NodeName("alpha"), outcome.record().origin());
    assertTrue(world.logged("Operation 'reboot' targeting node1 using d returned 0"));
    assertEquals(1, world.programs().all().stream().filter(it -> "reboot".equals(it.input("action"))).count());
  }

  /// Nobody else is asked, and no CIB is waited for, which takes a fencer of a cluster seconds.
  @Test
  void saysAtOnceThatThereIsNoDevice() {
    var outcome = fence("node1");
    assertEquals(ExecStatus.NO_FENCE_DEVICE, outcome.status());
  }

  /// Neither the CIB of a cluster that runs here, nor its devices.
  @Test
  void readsNoCib() {
    world.pass(Duration.ofMinutes(1));
    assertFalse(cib.isConnected());
  }

  @Test
  void agentsAreNotToldOfIt() {
    root.answer(new FenceMessage.RegisterDevice("d", "fence_test", Map.of("pcmk_host_list", "node1")));
    fence("node1");
    for (var run : world.programs().all()) {
      assertFalse(run.program().environment().containsKey(StandAlone.VARIABLE), run.program().toString());
    }
  }
}
