package org.systole.controld;

import java.util.Arrays;
import java.util.List;
import org.systole.common.values.CibNodeId;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;

/// Short ways to say which nodes a test is about.
public final class TestNodes {
  private TestNodes() {}

  public static NodeId id(int number) {
    return new NodeId(number);
  }

  /// A node as the CIB names it.
  public static CibNodeId inCib(String id) {
    return new CibNodeId(id);
  }

  public static NodeName named(String name) {
    return new NodeName(name);
  }

  public static List<NodeId> ids(int... numbers) {
    return Arrays.stream(numbers).mapToObj(NodeId::new).toList();
  }
}
