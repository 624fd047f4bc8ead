package org.systole.controld.remote;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.cib.CibOp;
import org.systole.common.values.NodeName;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.controld.io.Standby;

/// The state in which a remote node says it wants to join: it is written before the node is used.
final class StartStates {
  private StartStates() {}

  /// What is to be written, one after the other.
  ///
  /// @param state what the node said, null for nothing
  static List<List<CibOp>> changes(
      World world, RemoteHost host, NodeName node, @Nullable String state) {
    return switch (state == null ? "" : state) {
      case "", "default" -> List.of();
      case "standby" -> set(host, node, true);
      case "online" -> set(host, node, false);
      default -> {
        world
            .log()
            .warning(
                "Remote node %s wants to start in state \"%s\", which is none of default, online and standby"
                    .formatted(node, state));
        yield List.of();
      }
    };
  }

  private static List<List<CibOp>> set(RemoteHost host, NodeName node, boolean standby) {
    var entry = Element.of("node", "type", "remote", "id", node.text(), "uname", node.text());
    var value = standby ? "on" : "off";
    return List.of(List.of(Standby.set(host.cib(), entry, value)));
  }
}
