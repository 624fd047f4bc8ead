package org.systole.attrd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.systole.attrd.client.AttrMessage;
import org.systole.attrd.client.AttrMessage.Done;
import org.systole.attrd.client.AttrMessage.NodeValue;
import org.systole.attrd.client.AttrMessage.Outcome;
import org.systole.attrd.client.AttrMessage.Update;
import org.systole.attrd.client.AttrMessage.Wait;
import org.systole.attrd.client.AttrUpdates;
import org.systole.cibd.client.CibMessage;
import org.systole.common.cluster.StandAlone;
import org.systole.common.layout.Layout;
import org.systole.common.values.NodeName;
import org.systole.common.wire.ClientProtocol.NoEvent;
import org.systole.common.world.Connection.Credentials;
import org.systole.common.world.TestClient;
import org.systole.common.world.TestWorld;

/// An attribute manager without a cluster and without a CIB.
class StandAloneTest {
  private static final NodeName ALPHA = new NodeName("alpha");

  private final TestWorld world = new TestWorld();

  @BeforeEach
  void start() {
    var layout = new Layout(Path.of("/"), Path.of("/usr/share"));
    AttrDaemon.start(world, layout, Map.of(StandAlone.VARIABLE, ALPHA.text()));
    world.settle();
  }

  private TestClient<AttrMessage.Request, AttrMessage.Reply, NoEvent> client(Credentials who) {
    return world.client(AttrMessage.SOCKET, AttrMessage.PROTOCOL, who);
  }

  private static Update value(String name, String value, Wait until) {
    return AttrUpdates.waiting(AttrUpdates.set(name, null, value), until);
  }

  @Test
  void keepsTheValuesOfItsNode() {
    var root = client(TestWorld.ROOT);
    for (var until : Wait.values()) {
      var asked = root.ask(value("ping", until.name(), until));
      world.pass(Duration.ofSeconds(1));
      assertEquals(new Done(Outcome.OK, ""), root.answerTo(asked), until.name());
      assertEquals(
          new AttrMessage.Values(true, List.of(new NodeValue(ALPHA, until.name()))),
          root.answer(new AttrMessage.Query("ping", null)));
    }
    assertTrue(world.logged("Starting Pacemaker node attribute manager in standalone mode"));
  }

  /// There are no access control lists that could limit anybody.
  @Test
  void membersOfTheGroupMayChangeAndReadThem() {
    var member = client(TestWorld.MEMBER);
    var asked = member.ask(value("ping", "7", Wait.LOCAL));
    world.pass(Duration.ofSeconds(1));
    assertEquals(new Done(Outcome.OK, ""), member.answerTo(asked));
    assertEquals(
        new AttrMessage.Values(true, List.of(new NodeValue(ALPHA, "7"))),
        member.answer(new AttrMessage.Query("ping", null)));
  }

  /// Not even to one that happens to be there.
  @Test
  void writesToNoCib() {
    var cib = world.peer(CibMessage.SOCKET, CibMessage.PROTOCOL);
    client(TestWorld.ROOT).answer(value("ping", "7", Wait.LOCAL));
    client(TestWorld.ROOT).answer(new AttrMessage.Refresh());
    world.pass(Duration.ofMinutes(1));
    assertFalse(cib.isConnected());
    assertFalse(world.logged("Writing node attributes"));
  }

  /// In the words in which programs that start it alone look for them.
  @Test
  void saysOfEachAttributeThatItIsDoneWithIt() {
    var root = client(TestWorld.ROOT);
    root.answer(value("ping", "7", Wait.LOCAL));
    world.pass(Duration.ofSeconds(1));
    assertEquals(1, times("INFO: Processed 1 private change for ping (set unspecified)"));

    root.answer(AttrUpdates.set("ping", new NodeName("beta"), "8"));
    world.pass(Duration.ofSeconds(1));
    assertEquals(1, times("INFO: Processed 2 private changes for ping (set unspecified)"));

    root.answer(new AttrMessage.Refresh());
    world.pass(Duration.ofSeconds(1));
    assertEquals(2, times("INFO: Processed 2 private changes for ping (set unspecified)"));
  }

  private long times(String line) {
    return world.lines().stream().filter(it -> it.contains(line)).count();
  }
}
