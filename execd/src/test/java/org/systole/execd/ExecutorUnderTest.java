package org.systole.execd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.systole.common.layout.Layout;
import org.systole.common.operation.AgentName;
import org.systole.common.operation.OperationRequest;
import org.systole.common.operation.OperationResult;
import org.systole.common.values.OperationName;
import org.systole.common.values.ResourceId;
import org.systole.common.world.TestClient;
import org.systole.common.world.TestPrograms;
import org.systole.common.world.TestWorld;
import org.systole.execd.client.ExecMessage;

/// An executor in a world of its own with one client, which is root. Programs end when the test says
/// so.
final class ExecutorUnderTest {
  static final Layout LAYOUT = new Layout(Path.of("/"), Path.of("/usr/share"));

  final TestWorld world;
  final TestClient<ExecMessage.Request, ExecMessage.Reply, ExecMessage.Event> client;

  /// @param world what the executor is to find in it, such as a fencer, is there already
  ExecutorUnderTest(TestWorld world) {
    this.world = world;
    ExecDaemon.start(world, LAYOUT, Map.of("PATH", "/bin"));
    world.settle();
    world.programs().all().getFirst().exits(0, ""); // mkdir
    client = world.client(ExecMessage.SOCKET, ExecMessage.PROTOCOL, TestWorld.ROOT);
    client.ask(new ExecMessage.Subscribe());
  }

  static OperationRequest request(
      String resource, AgentName agent, String operation, long intervalMillis, long timeoutMillis) {
    return new OperationRequest(
        new ResourceId(resource),
        agent,
        new OperationName(operation),
        intervalMillis,
        timeoutMillis,
        0,
        Map.of("ip", "10.0.0.1"),
        "k");
  }

  void ask(OperationRequest request) {
    var reply = client.answer(new ExecMessage.Execute(request, request.intervalMillis() > 0));
    assertInstanceOf(ExecMessage.Accepted.class, reply);
  }

  void ask(String resource, AgentName agent, String operation) {
    ask(request(resource, agent, operation, 0, 20_000));
  }

  List<OperationResult> results() {
    return client.events().stream().map(it -> ((ExecMessage.Result) it).result()).toList();
  }

  OperationResult last() {
    return results().getLast();
  }

  /// The one program that runs, which has this command line.
  TestPrograms.Run runs(String command) {
    var running = world.programs().running();
    assertEquals(
        List.of(command),
        running.stream().map(it -> String.join(" ", it.program().command())).toList());
    return running.getFirst();
  }

  void pass(long millis) {
    world.pass(Duration.ofMillis(millis));
  }
}
