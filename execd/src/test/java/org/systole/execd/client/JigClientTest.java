package org.systole.execd.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.common.world.TestWorld;

/// What is asked of an executor that is not there.
final class JigClientTest {
  private static final ExecMessage.Request QUESTION = new ExecMessage.InventoryQuery(List.of());
  private static final ExecMessage.Request ORDER = new ExecMessage.AwaitJig("disk@n1", 1);

  private final TestWorld world = new TestWorld();
  private final JigClient client = new JigClient(world);
  private final List<ExecMessage.Reply> answers = new ArrayList<>();

  @Test
  void whatIsAskedWaitsForTheExecutorButNotForEver() {
    client.ask(ORDER, answers::add);
    client.ask(QUESTION, answers::add);
    world.pass(Duration.ofSeconds(29));
    assertEquals(List.of(), answers);
    world.pass(Duration.ofSeconds(2));
    assertEquals(2, answers.size());
    assertTrue(answers.getFirst() instanceof ExecMessage.Refused, answers::toString);

    var executor = world.peer(ExecMessage.SOCKET, ExecMessage.PROTOCOL);
    client.ask(ORDER, answers::add);
    world.pass(Duration.ofSeconds(1));
    assertEquals(List.of(ORDER), executor.received(), "what was refused is not asked later");
  }

  @Test
  void anOrderToRunAJigIsForNow() {
    var run = new ExecMessage.RunJig("disk@n1", 1, "script", "disk", 20_000, "{}", false);
    client.ask(run, answers::add);
    world.pass(Duration.ofSeconds(1));
    assertEquals(List.of(), answers);
    world.pass(Duration.ofSeconds(2));
    assertTrue(JigClient.isNotNow(answers.getFirst()), answers::toString);
    var executor = world.peer(ExecMessage.SOCKET, ExecMessage.PROTOCOL);
    world.pass(Duration.ofSeconds(40));
    assertEquals(List.of(), executor.received());
  }

  @Test
  void whatIsNotWantedAnyMoreWhenTheExecutorIsThereIsNotTold() {
    var run = new ExecMessage.RunJig("disk@n1", 1, "script", "disk", 20_000, "{}", false);
    client.ask(run, () -> false, answers::add);
    var executor = world.peer(ExecMessage.SOCKET, ExecMessage.PROTOCOL);
    world.pass(Duration.ofSeconds(1));
    assertTrue(JigClient.isNotNow(answers.getFirst()), answers::toString);
    assertEquals(List.of(), executor.received());
  }

  @Test
  void questionsDoNotTakeThePlacesOfOrders() {
    for (var at = 0; at < 200; at++) {
      client.ask(QUESTION, answers::add);
    }
    assertEquals(192, answers.size());
    client.ask(ORDER, answers::add);
    assertEquals(192, answers.size());
    var executor = world.peer(ExecMessage.SOCKET, ExecMessage.PROTOCOL);
    world.pass(Duration.ofSeconds(1));
    assertEquals(1, executor.received(ExecMessage.AwaitJig.class).size());
    assertEquals(8, executor.received(ExecMessage.InventoryQuery.class).size());
  }

  @Test
  void aQuestionThatIsNotAnsweredEnds() {
    var executor = world.peer(ExecMessage.SOCKET, ExecMessage.PROTOCOL);
    client.ask(QUESTION, answers::add);
    client.ask(ORDER, answers::add);
    world.pass(Duration.ofSeconds(40));
    assertEquals(2, executor.received().size());
    assertEquals(List.of(new ExecMessage.Refused("the executor was lost")), answers);
  }
}
