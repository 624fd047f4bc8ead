package org.systole.common.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.systole.common.values.NodeId;
import org.systole.common.world.TestWorld;

/// The group of a daemon that was asked to stand alone.
class LoneGroupTest {
  private final TestWorld world = new TestWorld();
  private final List<String> heard = new ArrayList<>();

  private final class Hears implements Group.Listener {
    @Override
    public void joined(LinkMessage.Joined welcome) {
      heard.add("joined as " + welcome.localName() + " of " + welcome.configured().size());
    }

    @Override
    public void membership(Membership membership) {
      heard.add("members " + membership.members().size() + " quorate " + membership.quorate());
    }

    @Override
    public void configured(List<LinkMessage.ConfiguredNode> nodes) {
      heard.add("configured");
    }

    @Override
    public void group(List<NodeId> nodeIds) {
      heard.add("group " + nodeIds);
    }

    @Override
    public void message(NodeId fromId, boolean broadcast, byte[] payload) {
      heard.add("%s %s %s".formatted(fromId, broadcast, new String(payload, StandardCharsets.UTF_8)));
    }

    @Override
    public void lost(String why) {
      heard.add("lost");
    }
  }

  private Group group(Map<String, String> environment) {
    return Group.of(world, environment, "test", new Hears());
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void isThereOnlyWhereTheDaemonWasAskedToStandAlone() {
    assertFalse(group(Map.of()).isAlone());
    assertTrue(group(Map.of(StandAlone.VARIABLE, "alpha")).isAlone());
  }

  /// Nothing is called back from within a call, and what is said comes back in the order it was said.
  @Test
  void hasThisNodeAsItsOnlyMemberAndTellsItWhatItSays() {
    var group = group(Map.of(StandAlone.VARIABLE, "alpha"));
    group.broadcast(bytes("too early"));
    group.open();
    assertEquals(List.of(), heard);
    world.settle();
    assertEquals(List.of("joined as alpha of 1", "members 1 quorate false", "group [1]"), heard);
    heard.clear();
    group.broadcast(bytes("one"));
    group.send(new NodeId(2), bytes("nobody's"));
    group.send(new NodeId(1), bytes("two"));
    assertEquals(List.of(), heard);
    world.settle();
    assertEquals(List.of("1 true one", "1 false two"), heard);
    assertTrue(group.speaks(Levels.own().newest()));
  }
}
