package org.systole.controld;

import java.util.List;
import java.util.Map;
import org.systole.common.cluster.LinkMessage;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.controld.io.CibLink;
import org.systole.controld.io.Standby;

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
    var node =
        Element.of(
            "node", "id", String.valueOf(self.localId()), "uname", self.localName().text());
    cib.write(List.of(Standby.set(cib.cib(), node, value)), _ -> then.run());
  }
}
