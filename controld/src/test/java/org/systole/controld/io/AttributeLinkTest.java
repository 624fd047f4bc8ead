package org.systole.controld.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.systole.controld.TestNodes.named;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.attrd.client.AttrMessage;
import org.systole.common.values.NodeName;
import org.systole.common.values.ResourceId;
import org.systole.common.wire.ClientProtocol.NoEvent;
import org.systole.common.world.TestPeer;
import org.systole.common.world.TestWorld;

final class AttributeLinkTest {
  private final TestWorld world = new TestWorld();
  private final TestPeer<AttrMessage.Request, AttrMessage.Reply, NoEvent> manager =
      world.peer(AttrMessage.SOCKET, AttrMessage.PROTOCOL);
  private final List<String> asked = new ArrayList<>();
  private final AttributeLink link = new AttributeLink(world);
  private AttrMessage.Outcome outcome = AttrMessage.Outcome.OK;
  private boolean answers = true;

  AttributeLinkTest() {
    manager.script(
        (id, request) -> {
          asked.add(
              request instanceof AttrMessage.Update update
                  ? update.name() + "=" + update.value()
                  : request.getClass().getSimpleName());
          if (answers) {
            manager.reply(id, new AttrMessage.Done(outcome, "so it is"));
          }
        });
    link.open();
    world.settle();
  }

  private void set(String name) {
    link.set(name, named("node2"), "1", false);
    world.settle();
  }

  private List<String> asked() {
    var now = List.copyOf(asked);
    asked.clear();
    return now;
  }

  private void back() {
    manager.comes();
    world.pass(Duration.ofSeconds(2));
  }

  @Test
  void aChangeIsRequestedOnceAndAwaitedOnThisNode() {
    set("a");
    link.clearFailures(new AttrMessage.ClearFailures(new ResourceId("web"), "", 0, new NodeName("node2")));
    link.removeNode(named("node3"), false);
    world.settle();
    assertEquals(List.of("a=1", "ClearFailures", "RemoveNode"), asked());
    var update = manager.received(AttrMessage.Update.class).getFirst();
    assertEquals(AttrMessage.Wait.LOCAL, update.until());
    assertEquals(new NodeName("node2"), update.node());
    manager.drop("killed");
    back();
    assertEquals(List.of(), asked());
  }

  @Test
  void changesWhileTheManagerIsAwayAreMadeInOrderWhenItIsBack() {
    answers = false;
    set("a");
    manager.goes("killed");
    set("b");
    link.removeNode(named("node3"), false);
    asked();
    answers = true;
    back();
    assertEquals(List.of("a=1", "b=1", "RemoveNode"), asked());
    set("c");
    assertEquals(List.of("c=1"), asked());
  }

  @Test
  void aFailureThatMayHaveBeenCountedBearsTheSameMarkWhenItIsAskedForAgain() {
    answers = false;
    link.set("fail-count-a", named("node2"), "value++", false);
    link.set("fail-count-a", named("node2"), "value++", false);
    link.set("last-failure-a", named("node2"), "1", false);
    world.settle();
    manager.goes("killed");
    answers = true;
    back();
    var marks =
        manager.received(AttrMessage.Update.class).stream().map(AttrMessage.Update::once).toList();
    assertEquals(6, marks.size());
    assertEquals(marks.subList(0, 3), marks.subList(3, 6));
    assertNotNull(marks.get(0));
    assertNotEquals(marks.get(0), marks.get(1));
    assertNull(marks.get(2), "it may be set twice");
  }

  @Test
  void aRefusedChangeIsNotRequestedAgain() {
    outcome = AttrMessage.Outcome.REFUSED;
    set("a");
    assertTrue(world.logged("Cannot set a of node2: so it is"));
    outcome = AttrMessage.Outcome.FAILED;
    set("b");
    assertTrue(world.logged("Cannot set b of node2"));
    asked();
    manager.drop("killed");
    back();
    assertEquals(List.of(), asked());
  }

  @Test
  void aChangeThatIsTooOldIsReportedAsFailed() {
    manager.goes("killed");
    set("a");
    world.pass(Duration.ofSeconds(30));
    set("b");
    world.pass(Duration.ofSeconds(30));
    back();
    assertEquals(List.of("b=1"), asked());
    assertTrue(world.logged("Cannot set a of node2: the attribute manager was away too long"));
  }

  @Test
  void onlySoManyAreKeptTheLatestOnes() {
    manager.goes("killed");
    for (var i = 0; i <= 1000; i++) {
      set("a" + i);
    }
    assertTrue(world.logged("Cannot set a0 of node2: the attribute manager is away"));
    back();
    var sent = asked();
    assertEquals(1000, sent.size());
    assertEquals("a1=1", sent.getFirst());
  }
}
