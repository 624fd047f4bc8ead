package org.systole.attrd;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.systole.common.output.Rc;
import org.systole.common.values.CibNodeId;
import org.systole.common.values.NodeName;
import org.systole.common.world.World;

/// Tells the log what is written to the CIB and what came of it, in the words of Pacemaker's
/// attribute manager.
final class WriteLog {
  private final World world;
  private Set<Unwritable> unwritable = Set.of();
  private Set<Unwritable> found = new HashSet<>();

  /// A value of a node whose id in the CIB is not known.
  private record Unwritable(String name, NodeName node, @Nullable String text) {}

  /// A value that is in a request.
  record Sent(String name, NodeName node, @Nullable String text) {}

  WriteLog(World world) {
    this.world = world;
  }

  void delaying(String name) {
    world.log().info("Delaying write of '%s'".formatted(name));
  }

  void waiting(String name, int request) {
    world.log().info("Write out of '%s' delayed: update %d in progress".formatted(name, request));
  }

  void overriding(String name) {
    world.log().debug(() -> "Overriding '%s' write delay".formatted(name));
  }

  void writingAll() {
    world.log().debug("Writing out all attributes");
  }

  void goesOn(String name) {
    world.log().debug(() -> "Pending update for %s can be written now".formatted(name));
  }

  void adding(Attribute attribute, NodeName node, @Nullable String text, CibNodeId id) {
    world
        .log()
        .debug(
            () ->
                "Added %s[%s]=%s to CIB transaction (node XML ID %s)"
                    .formatted(attribute.name(), node, AttrLog.shown(text), id));
  }

  /// Said once, not with each write that has to leave the value out again.
  void unknown(Attribute attribute, NodeName node, @Nullable String text) {
    var it = new Unwritable(attribute.name(), node, text);
    found.add(it);
    if (!unwritable.contains(it)) {
      world
          .log()
          .notice(
              "Cannot write %s[%s]='%s' to CIB because node's XML ID is unknown (will retry if learned)"
                  .formatted(attribute.name(), node, AttrLog.shown(text)));
    }
  }

  /// All values were looked at.
  void looked() {
    unwritable = found;
    found = new HashSet<>();
  }

  void sent(int request, List<Sent> values, AttributeTable table) {
    var counts = new LinkedHashMap<String, Integer>();
    values.forEach(it -> counts.merge(it.name(), 1, Integer::sum));
    counts.forEach(
        (name, count) ->
            world
                .log()
                .info(
                    "Sent CIB request %d with %d change%s for %s (set %s)"
                        .formatted(request, count, plural(count), name, set(table.get(name)))));
  }

  void kept(Attribute attribute, int count) {
    world
        .log()
        .info(
            "Processed %d private change%s for %s (set %s)"
                .formatted(count, plural(count), attribute.name(), set(attribute)));
  }

  private static String plural(int count) {
    return count == 1 ? "" : "s";
  }

  private static String set(@Nullable Attribute attribute) {
    var set = attribute == null ? "" : attribute.kind().set();
    return set.isEmpty() ? "unspecified" : set;
  }

  void clearing(NodeName node, String xpath) {
    world
        .log()
        .debug("Clearing transient node attributes for %s from CIB using %s".formatted(node, xpath));
  }

  /// @param cleared the nodes of which the request left nothing
  void written(int request, List<Sent> values, List<NodeName> cleared) {
    for (var node : cleared) {
      world.log().info("Cleared transient node attributes for %s from CIB".formatted(node));
    }
    byName(values)
        .forEach(
            (name, all) -> {
              world.log().info(result(request, name, Rc.OK));
              all.forEach(it -> world.log().info("* Wrote " + text(it)));
            });
  }

  void failed(int request, List<Sent> values, List<NodeName> cleared, Rc rc) {
    for (var node : cleared) {
      world
          .log()
          .warning(
              "Unable to clear transient node attributes for %s from CIB: %s"
                  .formatted(node, rc.text()));
    }
    byName(values)
        .forEach(
            (name, all) -> {
              world.log().warning(result(request, name, rc));
              all.forEach(it -> world.log().warning("* Could not write " + text(it)));
            });
  }

  private static Map<String, List<Sent>> byName(List<Sent> values) {
    var byName = new LinkedHashMap<String, List<Sent>>();
    values.forEach(it -> byName.computeIfAbsent(it.name(), _ -> new ArrayList<>()).add(it));
    return byName;
  }

  private static String result(int request, String name, Rc rc) {
    return "CIB update %d result for %s: %s | rc=%d"
        .formatted(request, name, rc.text(), -rc.legacy());
  }

  private static String text(Sent it) {
    return "%s[%s]=%s".formatted(it.name(), it.node(), AttrLog.shown(it.text()));
  }
}
