package org.systole.execd;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.common.world.TestClient;
import org.systole.common.world.TestWorld;
import org.systole.execd.client.ExecMessage;

/// What a node tells of its agents.
final class InventoriesTest {
  private static final String LOOK = "/usr/share/systole/jig/agents inventory";

  private final ExecutorUnderTest executor = new ExecutorUnderTest(new TestWorld());

  private TestClient<ExecMessage.Request, ExecMessage.Reply, ExecMessage.Event> asks(String... wanted) {
    var client =
        executor.world.client(ExecMessage.SOCKET, ExecMessage.PROTOCOL, TestWorld.MEMBER);
    client.ask(new ExecMessage.InventoryQuery(List.of(wanted)));
    return client;
  }

  @Test
  void membersOfTheClustersGroupMayAsk() {
    var asker = asks("ocf:heartbeat:pgsql", "stonith:fence_x");
    var look = executor.runs(LOOK);
    assertEquals("ocf:heartbeat:pgsql\nstonith:fence_x\n", look.program().input());
    look.exits(0, "{\"inventory\":{},\n\"packages\":{}}\n");
    assertEquals(
        List.of(new ExecMessage.Inventory("{\"inventory\":{},\"packages\":{}}")), asker.answers());
  }

  @Test
  void nothingOfItIsKept() {
    for (var at = 0; at < 2; at++) {
      var asker = asks();
      executor.runs(LOOK).exits(0, "{}");
      assertEquals(List.of(new ExecMessage.Inventory("{}")), asker.answers());
    }
  }

  @Test
  void whatGoesWrongIsToldInWords() {
    var garbage = asks();
    executor.runs(LOOK).exits(0, "[1");
    assertEquals(
        "what it has was not understood",
        ((ExecMessage.Refused) garbage.answers().getFirst()).why().split(":")[0]);
    var failed = asks();
    executor.runs(LOOK).exits(1, "");
    assertEquals(
        List.of(
            new ExecMessage.Refused(
                "its agents could not be looked for: the program ended with 1")),
        failed.answers());
    var hangs = asks();
    executor.pass(25_001);
    assertEquals(
        List.of(new ExecMessage.Refused("to look for its agents took longer than 25 s")),
        hangs.answers());
    assertEquals(
        List.of(new ExecMessage.Refused("what is looked for is no list of agents")),
        asks("ocf:a:b\nocf:c:d").answers());
  }

  @Test
  void onlySomeLookAtATime() {
    for (var at = 0; at < Inventories.AT_ONCE; at++) {
      assertEquals(List.of(), asks().answers());
    }
    var busy = new ExecMessage.Refused("too many ask for this node's agents; try again in a moment");
    assertEquals(List.of(busy), asks().answers());
    executor.world.programs().running().getFirst().exits(0, "{}");
    assertEquals(List.of(), asks().answers(), "there is room again");
  }
}
