package org.systole.controld;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.cib.CibOp;
import org.systole.common.cluster.LinkMessage;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.controld.io.CibLink;

/// The state in which the administrator wants this node to start: `PCMK_node_start_state`, or
/// `pacemakerd --standby`. It is written when the node joins for the first time, before the DC may
/// use it.
final class StartState {
  private static final String VARIABLE = "PCMK_node_start_state";

  private final World world;
  private final CibLink cib;
  private final LinkMessage.Joined self;
  private String wanted;

  StartState(World world, Map<String, String> env, CibLink cib, LinkMessage.Joined self) {
    this.world = world;
    this.cib = cib;
    this.self = self;
    this.wanted = env.getOrDefault(VARIABLE, "");
  }

  /// @param then run once the state is written, or cannot be
  void apply(Runnable then) {
    var state = wanted;
    wanted = "";
    switch (state) {
      case "", "default" -> then.run();
      case "standby" -> standby("on", then);
      case "online" -> standby("off", then);
      default -> {
        world
            .log()
            .warning(
                "%s=%s: it can be default, online or standby; nothing is changed"
                    .formatted(VARIABLE, state));
        then.run();
      }
    }
  }

  private void standby(String value, Runnable then) {
    world.log().notice("Starting with standby=%s, as %s says".formatted(value, VARIABLE));
    var id = String.valueOf(self.localId());
    var set = "nodes-" + id;
    var pair = set + "-standby";
    var there = present(id);
    if (there != null) {
      set = there.set();
      pair = there.pair();
    }
    var node =
        Element.builder("node")
            .attr("id", id)
            .attr("uname", self.localName().text())
            .add(
                Element.builder("instance_attributes")
                    .attr("id", set)
                    .add(Element.of("nvpair", "id", pair, "name", "standby", "value", value))
                    .build())
            .build();
    cib.write(List.of(CibOp.put("nodes", node)), _ -> then.run());
  }

  private record Ids(String set, String pair) {}

  /// The ids of the attribute if the CIB has it already.
  private @Nullable Ids present(String id) {
    var now = cib.cib();
    var nodes = now == null ? null : now.path("configuration", "nodes");
    var node = nodes == null ? null : nodes.first("node", id);
    if (node == null) {
      return null;
    }
    for (var set : node.children("instance_attributes")) {
      for (var pair : set.children("nvpair")) {
        if ("standby".equals(pair.get("name"))) {
          return new Ids(set.get("id", ""), pair.get("id", ""));
        }
      }
    }
    return null;
  }
}
