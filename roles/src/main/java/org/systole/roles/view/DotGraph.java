package org.systole.roles.view;

import org.systole.roles.model.NodeRole;
import org.systole.roles.model.NodeRoleState;
import org.systole.roles.model.Snapshot;

/// The noderoles' graph for Graphviz: a box for each node, colours for states, arrows from what is
/// done first to what rests on it.
public final class DotGraph {
  private DotGraph() {}

  /// The graph of the committed snapshots.
  public static String of(LiveRoles roles) {
    return write(roles.all().values());
  }

  /// The graph of one snapshot; what it rests on above stands outside of the boxes.
  public static String of(Snapshot snapshot) {
    return write(snapshot.nodeRoles().values());
  }

  private static String write(Iterable<NodeRole> noderoles) {
    var boxes = new StringBuilder();
    var arrows = new StringBuilder();
    var node = "";
    var number = 0;
    for (var noderole : noderoles) {
      var name = noderole.id().node().text();
      if (!name.equals(node)) {
        boxes.append(node.isEmpty() ? "" : "  }\n");
        boxes.append("  subgraph \"cluster_").append(number++).append("\" {\n    label=");
        boxes.append(quoted(name)).append(";\n");
        node = name;
      }
      var id = quoted(noderole.id().toString());
      boxes
          .append("    ")
          .append(id)
          .append(" [label=")
          .append(quoted(noderole.id().role() + "\\n" + noderole.state().word()))
          .append(", style=filled, fillcolor=\"")
          .append(colour(noderole.state()))
          .append("\"];\n");
      for (var parent : noderole.parents()) {
        arrows.append("  ").append(quoted(parent.toString())).append(" -> ").append(id);
        arrows.append(";\n");
      }
    }
    boxes.append(node.isEmpty() ? "" : "  }\n");
    return "digraph roles {\n  node [shape=box];\n" + boxes + arrows + "}\n";
  }

  /// A line break stays one: it is the only use of a backslash.
  private static String quoted(String text) {
    return '"' + text.replace("\"", "\\\"") + '"';
  }

  static String colour(NodeRoleState state) {
    return switch (state) {
      case PROPOSED -> "white";
      case TODO -> "lightyellow";
      case BLOCKED -> "lightgrey";
      case TRANSITION -> "lightblue";
      case ACTIVE -> "palegreen";
      case ERROR -> "salmon";
    };
  }
}
