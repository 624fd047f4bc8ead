package org.systole.controld.roles;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.common.world.TestWorld;
import org.systole.controld.io.PeerMessage;
import org.systole.execd.client.ExecMessage;

/// A node's part in roles where its executor comes and goes.
final class RoleRunnerTest {
  private static final String DISK = "disk@n1";

  private final TestWorld world = new TestWorld();
  private final List<PeerMessage> told = new ArrayList<>();
  private boolean maintenance;
  private final RoleRunner runner = new RoleRunner(world, told::add, () -> maintenance);

  private static PeerMessage.RunJig order(int run) {
    return new PeerMessage.RunJig(1, DISK, run, "script", "disk", 20_000, "{}", true, List.of());
  }

  private void pass(int seconds) {
    world.pass(Duration.ofSeconds(seconds));
  }

  @Test
  void whatIsOrderedWhileTheExecutorIsThereIsTold() {
    var executor = world.peer(ExecMessage.SOCKET, ExecMessage.PROTOCOL);
    runner.run(order(1));
    pass(1);
    assertEquals(1, executor.received(ExecMessage.RunJig.class).size());
  }

  /// Its node may have been held for lost meanwhile, and a person have answered the question what it did.
  @Test
  void whatIsOrderedWhileTheExecutorIsAwayDoesNotBeginByItself() {
    runner.run(order(1));
    pass(5);
    var executor = world.peer(ExecMessage.SOCKET, ExecMessage.PROTOCOL);
    pass(60);
    assertEquals(List.of(), executor.received());
    assertTrue(world.logged("Run 1 of disk@n1 waits: the executor is not there"), world.lines()::toString);
  }

  /// The order was under way when the node came into maintenance, and its executor away.
  @Test
  void nothingIsBegunInMaintenanceThatCameBeforeTheExecutorHeard() {
    runner.run(order(1));
    pass(1);
    maintenance = true;
    var executor = world.peer(ExecMessage.SOCKET, ExecMessage.PROTOCOL);
    pass(5);
    runner.ask(new PeerMessage.AskJig(1, DISK, 1));
    pass(5);
    assertEquals(List.of(), executor.received());
    assertTrue(world.logged("Run 1 of disk@n1 waits: nothing is to be begun on this node now: it is in maintenance"));
    maintenance = false;
    runner.ask(new PeerMessage.AskJig(1, DISK, 1));
    pass(1);
    assertEquals(1, executor.received(ExecMessage.RunJig.class).size());
  }

  /// The DC has heard that before this node.
  @Test
  void whatIsOrderedInTheMomentInWhichMaintenanceEndsBeginsThen() {
    var executor = world.peer(ExecMessage.SOCKET, ExecMessage.PROTOCOL);
    maintenance = true;
    runner.run(order(1));
    pass(1);
    runner.cibChanged();
    assertEquals(List.of(), executor.received());
    maintenance = false;
    runner.cibChanged();
    runner.cibChanged();
    pass(1);
    assertEquals(1, executor.received(ExecMessage.RunJig.class).size());
  }

  @Test
  void whatCameLongBeforeMaintenanceEndsIsNotBegunByItself() {
    var executor = world.peer(ExecMessage.SOCKET, ExecMessage.PROTOCOL);
    maintenance = true;
    runner.run(order(1));
    pass(3);
    maintenance = false;
    runner.cibChanged();
    pass(60);
    assertEquals(List.of(), executor.received());
  }

  @Test
  void whatRunsInMaintenanceIsToldOf() {
    maintenance = true;
    var executor = world.peer(ExecMessage.SOCKET, ExecMessage.PROTOCOL);
    runner.ask(new PeerMessage.AskJig(1, DISK, 1));
    pass(1);
    assertEquals(1, executor.received(ExecMessage.AwaitJig.class).size());
  }

  @Test
  void whatHasToWaitForAnotherRunIsOfferedAgainOnceTheDcAsks() {
    var executor = world.peer(ExecMessage.SOCKET, ExecMessage.PROTOCOL);
    var ids = new ArrayList<Long>();
    executor.script((id, _) -> ids.add(id));
    runner.run(order(1));
    pass(1);
    executor.reply(ids.getLast(), ExecMessage.NOT_NOW);
    pass(60);
    assertEquals(1, executor.received().size());
    runner.ask(new PeerMessage.AskJig(1, DISK, 1));
    pass(1);
    assertEquals(2, executor.received(ExecMessage.RunJig.class).size());
    executor.reply(ids.getLast(), new ExecMessage.JigEnded(DISK, 1, ExecMessage.JigResult.OK, "{}", "{}"));
    pass(1);
    assertEquals(List.of(new PeerMessage.JigNews(DISK, 1, "OK", "{}", "{}")), told);
    runner.ask(new PeerMessage.AskJig(1, DISK, 1));
    pass(1);
    assertEquals(1, executor.received(ExecMessage.AwaitJig.class).size());
  }

  @Test
  void itBeginsOnceTheDcAsksAboutIt() {
    runner.run(order(1));
    pass(5);
    runner.ask(new PeerMessage.AskJig(1, DISK, 1));
    pass(5);
    var executor = world.peer(ExecMessage.SOCKET, ExecMessage.PROTOCOL);
    pass(1);
    runner.ask(new PeerMessage.AskJig(1, DISK, 1));
    pass(1);
    assertEquals(1, executor.received(ExecMessage.RunJig.class).size());
    runner.ask(new PeerMessage.AskJig(1, DISK, 1));
    pass(1);
    assertEquals(1, executor.received().size(), "its end is told");
  }

  @Test
  void whatIsAskedAboutAnotherRunIsNoOrder() {
    runner.run(order(1));
    pass(5);
    var executor = world.peer(ExecMessage.SOCKET, ExecMessage.PROTOCOL);
    pass(1);
    runner.ask(new PeerMessage.AskJig(1, DISK, 2));
    pass(1);
    assertEquals(List.of(new ExecMessage.AwaitJig(DISK, 2)), executor.received());
  }

  /// Lives with roles 2024, 2030 and 2033: the order waited for the executor a moment longer, was held then, and begun when
  /// the DC asked about it.
  @Test
  void whatIsEndedWhileItWaitsForTheExecutorDoesNotBegin() {
    runner.run(order(1));
    pass(1);
    runner.end(new PeerMessage.EndJig(1, DISK, 1));
    pass(5);
    runner.ask(new PeerMessage.AskJig(1, DISK, 1));
    var executor = world.peer(ExecMessage.SOCKET, ExecMessage.PROTOCOL);
    pass(60);
    assertEquals(List.of(), executor.received(ExecMessage.RunJig.class));
    assertEquals(1, executor.received(ExecMessage.AwaitJig.class).size());
    runner.run(order(2));
    pass(1);
    assertEquals(1, executor.received(ExecMessage.RunJig.class).size());
  }

  @Test
  void whatIsEndedBeforeTheExecutorIsBackIsNotTold() {
    runner.run(order(1));
    pass(1);
    runner.end(new PeerMessage.EndJig(1, DISK, 1));
    var executor = world.peer(ExecMessage.SOCKET, ExecMessage.PROTOCOL);
    pass(5);
    assertEquals(List.of(), executor.received(ExecMessage.RunJig.class));
  }

  @Test
  void whatIsEndedBeforeItWasToldDoesNotBegin() {
    runner.run(order(1));
    pass(5);
    runner.end(new PeerMessage.EndJig(1, DISK, 1));
    var executor = world.peer(ExecMessage.SOCKET, ExecMessage.PROTOCOL);
    pass(1);
    runner.ask(new PeerMessage.AskJig(1, DISK, 1));
    pass(1);
    assertEquals(List.of(), executor.received(ExecMessage.RunJig.class));
    assertEquals(1, executor.received(ExecMessage.AwaitJig.class).size());
  }
}
