package org.systole.controld.remote;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeName;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.controld.io.Standby;

/// The state in which a remote node says it wants to join: it is written before the node is used.
final class StartStates {
  private StartStates() {}

  /// @param state what the node said, null for nothing
  /// @param then run once the state is written, or cannot be
  static void apply(
      World world, RemoteHost host, NodeName node, @Nullable String state, Runnable then) {
    switch (state == null ? "" : state) {
      case "", "default" -> then.run();
      case "standby" -> set(host, node, true, then);
      case "online" -> set(host, node, false, then);
      default -> {
        world
            .log()
            .warning(
                "Remote node %s wants to start in state \"%s\", which is none of default, online and standby"
                    .formatted(node, state));
        then.run();
      }
    }
  }

  private static void set(RemoteHost host, NodeName node, boolean standby, Runnable then) {
    var entry = Element.of("node", "type", "remote", "id", node.text(), "uname", node.text());
    var value = standby ? "on" : "off";
    host.write(List.of(Standby.set(host.cib(), entry, value)), then);
  }
}
