package org.systole.roles.view;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.systole.common.values.NodeName;
import org.systole.roles.graph.RoleGraph;
import org.systole.roles.model.NodeRole;
import org.systole.roles.model.NodeRoleId;

/// The live noderoles' graph as a picture: a frame for each node, columns by what comes before what,
/// colours for states, lines from what is done first to what rests on it. No other program is needed
/// to draw it.
public final class SvgGraph {
  private static final int WIDE = 170;
  private static final int HIGH = 40;
  private static final int GAP = 14;
  private static final int COLUMN = WIDE + 70;
  private static final int HEAD = 26;

  private record Place(int x, int y) {}

  private final Map<NodeRoleId, Place> places = new HashMap<>();
  private final StringBuilder frames = new StringBuilder();
  private final StringBuilder boxes = new StringBuilder();
  private final StringBuilder lines = new StringBuilder();
  private int width = COLUMN;
  private int height = GAP;

  private SvgGraph() {}

  /// The picture of the committed snapshots.
  public static String of(LiveRoles roles) {
    return new SvgGraph().draw(roles);
  }

  private String draw(LiveRoles roles) {
    var graph = new RoleGraph(roles.document().roles());
    var byNode = new TreeMap<NodeName, TreeMap<NodeRoleId, NodeRole>>();
    roles.all()
        .forEach(
            (id, it) -> byNode.computeIfAbsent(id.node(), _ -> new TreeMap<>()).put(id, it));
    byNode.forEach(
        (node, all) -> {
          var top = height;
          var filled = new TreeMap<Integer, Integer>(); // how many are in a column
          for (var it : all.values()) {
            var column = graph.cohort(it.id().role());
            var row = filled.merge(column, 1, Integer::sum) - 1;
            var place =
                new Place(2 * GAP + column * COLUMN, top + HEAD + row * (HIGH + GAP));
            places.put(it.id(), place);
            width = Math.max(width, place.x() + WIDE + 2 * GAP);
            box(it, place);
          }
          var rows = filled.values().stream().mapToInt(Integer::intValue).max().orElse(0);
          height = top + HEAD + rows * (HIGH + GAP) + GAP;
          frames.append(
              "<rect class=\"node\" x=\"%d\" y=\"%d\" width=\"@\" height=\"%d\"/>%n"
                  .formatted(GAP, top, height - top - GAP / 2));
          frames.append(text(2 * GAP, top + 18, "name", node.text()));
        });
    roles.all().values().forEach(this::lines);
    return """
        <svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="12">
        <style>.node{fill:none;stroke:#888}.name{font-weight:bold}.line{stroke:#666;fill:none}.role{stroke:#444}</style>
        %s%s%s</svg>
        """
        .formatted(width, height, frames.toString().replace("@", "" + (width - 2 * GAP)), lines, boxes);
  }

  private void box(NodeRole it, Place at) {
    boxes.append("<g>");
    if (!it.cause().isEmpty()) {
      boxes.append("<title>").append(escaped(it.cause())).append("</title>");
    }
    boxes.append(
        "<rect class=\"role\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"4\" fill=\"%s\"/>"
            .formatted(at.x(), at.y(), WIDE, HIGH, DotGraph.colour(it.state())));
    boxes.append(text(at.x() + 8, at.y() + 17, "role-name", it.id().role().text()).strip());
    boxes.append(text(at.x() + 8, at.y() + 33, "state", it.state().word()).strip());
    boxes.append("</g>\n");
  }

  private void lines(NodeRole it) {
    var to = places.get(it.id());
    for (var parent : it.parents()) {
      var from = places.get(parent);
      if (from != null && to != null) {
        lines.append(
            "<path class=\"line\" d=\"M%d %d C%d %d %d %d %d %d\"/>%n"
                .formatted(
                    from.x() + WIDE,
                    from.y() + HIGH / 2,
                    from.x() + WIDE + 30,
                    from.y() + HIGH / 2,
                    to.x() - 30,
                    to.y() + HIGH / 2,
                    to.x(),
                    to.y() + HIGH / 2));
      }
    }
  }

  private static String text(int x, int y, String kind, String text) {
    return "<text class=\"%s\" x=\"%d\" y=\"%d\">%s</text>%n".formatted(kind, x, y, escaped(text));
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
