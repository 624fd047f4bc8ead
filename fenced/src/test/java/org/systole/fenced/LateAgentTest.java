package org.systole.fenced;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.systole.common.cluster.LinkMessage;
import org.systole.common.cluster.Member;
import org.systole.common.cluster.Membership;
import org.systole.common.layout.Layout;
import org.systole.common.operation.ExecStatus;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.world.Processes.Exit;
import org.systole.common.world.TestWorld;

/// An agent that is not where it is looked for first.
final class LateAgentTest {
  private static final NodeName THREE = new NodeName("node3");

  private final TestWorld world = new TestWorld();
  private final Targets targets = new Targets();

  private void membership(long number, long sinceOfThree) {
    targets.membership(
        new Membership(
            number,
            List.of(
                new Member(new NodeId(1), new NodeName("node1"), 10),
                new Member(new NodeId(3), THREE, sinceOfThree)),
            true));
  }

  @Test
  void itDoesNotRunWhereTheTargetCameBackMeanwhile() {
    targets.joined(
        new LinkMessage.Joined(new NodeId(1), new NodeName("node1"), "test", List.of(), 1000));
    membership(10, 10);
    var layout = new Layout(Path.of("/"), Path.of("/opt/systole/share"));
    var agents = new FenceAgents(world, layout, Map.of());
    var described = new Exit.Exited(0, 0, FencerUnderTest.METADATA, "", Duration.ZERO);
    var devices = new Device[1];
    world
        .programs()
        .script(
            program -> {
              var elsewhere = program.command().getFirst().startsWith("/opt/");
              if (elsewhere && program.input().contains("action=off")) {
                world.post(
                    () -> {
                      membership(12, 12);
                      devices[0].targetIsBack();
                    });
              }
              return elsewhere
                  ? new Exit.NotStarted("fence_test: No such file or directory")
                  : program.input().contains("action=metadata") ? described : null;
            });
    devices[0] =
        new Device(
            world, agents, targets, "power", "fence_test", new DeviceParameters(Map.of()), false);
    world.settle();

    var outcomes = new ArrayList<ExecStatus>();
    devices[0].add(
        "off", THREE, Duration.ofSeconds(20), 0, 10, outcome -> outcomes.add(outcome.status()));
    world.settle();

    assertEquals(List.of(), world.programs().running());
    assertEquals(List.of(ExecStatus.CANCELLED), outcomes);
  }
}
