package org.systole.fenced;

import java.time.Duration;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.AgentMetadata;
import org.systole.common.values.NodeName;
import org.systole.common.world.World;

/// Tells the log what becomes of a device and of the actions with it, in the words administrators
/// know from Pacemaker's fencer and search logs for.
final class DeviceLog {
  private final World world;
  private final String name;
  private final String agent;

  DeviceLog(World world, String name, String agent) {
    this.world = world;
    this.name = name;
    this.agent = agent;
  }

  void described(AgentMetadata metadata) {
    var onTarget =
        metadata.actions().stream()
            .filter(AgentMetadata.Action::onTarget)
            .map(AgentMetadata.Action::name)
            .collect(Collectors.joining(" "));
    if (!onTarget.isEmpty()) {
      world
          .log()
          .info(
              "Fencing device '%s' requires actions (%s) to be executed on target"
                  .formatted(name, onTarget));
    }
  }

  /// An action begins later.
  ///
  /// @param asked the seconds of that for which the cluster asked
  void delaying(
      String action, NodeName target, Duration delay, Duration timeout, int asked, DeviceParameters by) {
    var most = by.delayMaxMillis();
    var base = most > 0 ? Math.min(by.delayBaseMillis(target), most) : by.delayBaseMillis(target);
    var max = most > 0 ? most : base;
    world
        .log()
        .notice(
            "Delaying '%s' action targeting %s using %s for %ds | timeout=%ds requested_delay=%ds base=%ds max=%ds"
                .formatted(
                    action,
                    target,
                    name,
                    delay.toSeconds(),
                    timeout.toSeconds(),
                    asked,
                    base / 1000,
                    max / 1000));
  }

  void baseIsLonger() {
    world.log().warning(name + ": pcmk_delay_base is longer than pcmk_delay_max, which is used");
  }

  void cannotReboot(@Nullable NodeName target) {
    world
        .log()
        .notice("Switching %s off with %s: its agent '%s' does not support reboot".formatted(target, name, agent));
  }

  /// An action begins, the first time or once more.
  void trying(String action, int times, Duration left) {
    if (times > 1) {
      world
          .log()
          .info(
              "Attempt %d to execute agent %s (%s) for %s, which has %ds left"
                  .formatted(times, agent, action, name, left.toSeconds()));
    }
  }

  /// An action has failed, and is not tried again.
  void triedOut(String action, int tries) {
    world
        .log()
        .info(
            "Attempted to execute agent %s (%s) the maximum number of times (%d) allowed"
                .formatted(agent, action, tries));
  }

  /// An action has waited behind others for longer than who asked for it.
  void unwanted(String action, @Nullable NodeName target) {
    world
        .log()
        .notice(
            "%s does not begin %s%s: it waited for its turn until nobody waited for it"
                .formatted(name, action, target == null ? "" : " of " + target));
  }
}
