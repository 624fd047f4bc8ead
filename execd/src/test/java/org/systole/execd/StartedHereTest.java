package org.systole.execd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.systole.common.operation.AgentName;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.OperationRequest;
import org.systole.common.operation.OperationResult;
import org.systole.common.operation.Task;
import org.systole.common.values.NodeName;
import org.systole.common.values.ResourceId;
import org.systole.common.world.TestWorld;
import org.systole.common.xml.Element;
import org.systole.execd.client.remote.StartedResource;

final class StartedHereTest {
  private static final String FILE = "started.xml";
  private static final ResourceId DB = new ResourceId("db");
  private static final AgentName DUMMY = new AgentName("ocf", "heartbeat", "Dummy");
  private static final List<StartedResource> STARTED =
      List.of(new StartedResource(DB, DUMMY, Map.of("ip", "10.0.0.1 \"odd\" <value>")));

  private final TestWorld world = new TestWorld();

  private StartedHere come() {
    var it = new StartedHere(world);
    world.settle();
    return it;
  }

  private static OperationRequest request(Task task) {
    var parameters = Map.of("ip", "10.0.0.1 \"odd\" <value>", "CRM_meta_timeout", "20000");
    return OperationRequest.of(DB, DUMMY, task.operation(), 0, parameters, "key");
  }

  @Test
  void whoComesAfterAnExecutorThatWasKilledKnowsWhatItHasStarted() {
    come().asked(request(Task.START));
    world.settle();
    var next = come();
    assertEquals(STARTED, next.all());

    next.ended(new OperationResult(request(Task.STOP), 7, 0, ExecStatus.DONE, "", "", 5, 0, 1, 1, false));
    world.settle();

    assertEquals(List.of(), come().all());
    assertTrue(world.disk().files().isEmpty(), "nothing is left to be known");
  }

  /// As the member that was told of it may be connected no more once it is to be taken in, looked for or stopped.
  @Test
  void whatIsMovedHereLiveIsKnownWithWhatItIsSentWith() {
    var it = STARTED.getFirst();
    var sent = new StartedResource(it.resource(), it.agent(), it.parameters(), new NodeName("node2"));
    come().arrives(sent);
    world.settle();
    assertEquals(List.of(sent), come().all(), "it may not have come yet");
    var told = StartedResource.of(StartedResource.in(Element.of("reply"), List.of(sent)));
    assertEquals(List.of(sent), told);
    come().asked(request(Task.MIGRATE_FROM));
    world.settle();
    assertEquals(STARTED, come().all());
  }

  @Test
  void whatMayHaveComeAndIsStoppedIsGone() {
    var it = STARTED.getFirst();
    come().arrives(new StartedResource(it.resource(), it.agent(), it.parameters(), new NodeName("node2")));
    world.settle();
    come().ended(new OperationResult(request(Task.STOP), 7, 0, ExecStatus.DONE, "", "", 5, 0, 1, 1, false));
    world.settle();
    assertEquals(List.of(), come().all());
  }

  @Test
  void whatWasStartedBeforeTheMachineWasIsGone() {
    come().asked(request(Task.START));
    world.settle();
    var before = new String(world.disk().files().get(FILE), StandardCharsets.UTF_8);
    var other = before.replace(world.boot(), "another-boot").getBytes(StandardCharsets.UTF_8);
    world.disk().files().put(FILE, other);
    assertEquals(List.of(), come().all());
    assertTrue(world.disk().files().isEmpty());
  }

  @Test
  void aFileThatMakesNoSenseIsSaidAndDropped() {
    world.disk().files().put(FILE, "<started".getBytes(StandardCharsets.UTF_8));
    assertEquals(List.of(), come().all());
    assertTrue(world.logged("Cannot read what was started here"));
    assertTrue(world.disk().files().isEmpty());
  }

  @Test
  void whatADiskDidNotTakeIsWrittenWithTheNextChange() {
    var here = come();
    world.disk().fails("no space");
    here.asked(request(Task.START));
    world.settle();
    assertTrue(world.logged("Cannot save what was started here: no space"));
    world.disk().works();
    here.ended(new OperationResult(request(Task.MONITOR), 8, 0, ExecStatus.DONE, "", "", 5, 0, 1, 1, false));
    world.settle();
    assertEquals(STARTED, come().all());
  }
}
