package org.systole.tools.fencing;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.controld.client.CtlMessage;

/// Which members are asked whether a fence device answers there.
final class FencePathsTest {
  private static String others(String own, String target, String... members) {
    var nodes = new ArrayList<CtlMessage.Node>();
    for (var at = 0; at < members.length; at++) {
      var gone = members[at].startsWith("-");
      var name = new NodeName(gone ? members[at].substring(1) : members[at]);
      nodes.add(new CtlMessage.Node(new NodeId(at + 1), name, !gone, !gone));
    }
    var told = new CtlMessage.Nodes(new NodeName(own), List.copyOf(nodes), true, 7);
    var found = FencePaths.others(told, new NodeName(target));
    return String.join(" ", found.stream().map(NodeName::text).toList());
  }

  @Test
  void theMembersThatFollowByNameAreAskedFirst() {
    assertEquals("c d a", others("b", "e", "a", "b", "c", "d", "e"));
    assertEquals("a", others("c", "b", "a", "b", "c"));
  }

  @Test
  void neitherTheTargetNorWhoIsNotThereIsAsked() {
    assertEquals("", others("a", "b", "a", "b"));
    assertEquals("", others("a", "b", "a", "b", "-c"));
  }
}
