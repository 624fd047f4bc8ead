package org.systole.cts.sim;

import java.util.Map;

/// A provider of host HA (`ha-...`), as it runs on a host: it says that the host is well, or what it sees
/// of another one's volumes.
///
/// A machine writes to its volumes as long as it has power and does not stand still; being cut off does
/// not keep it from that.
final class SimHostAgent {
  private static final long NANOS = 1_000_000_000;

  private SimHostAgent() {}

  static boolean isOne(String type) {
    return type.startsWith("ha-");
  }

  /// @return the exit status
  static int run(
      SimNode on, String action, Map<String, String> environment, SimAgents.Output output) {
    var hosts = on.cluster().outside();
    switch (action) {
      case "health", "eligible" -> {
        hosts.writes(on);
        return SimAgents.OK;
      }
      case "activity" -> {
        var host = on.cluster().nodeOrNull(environment.getOrDefault("OCF_RESKEY_host", ""));
        if (host == null) {
          return SimAgents.ERROR;
        }
        if (host.isPowered() && !host.isPaused()) {
          hosts.writes(host);
        }
        var last = hosts.lastWrite(host);
        var age = (on.cluster().queue().now() - last) / NANOS;
        var text = new StringBuilder();
        for (var volume : environment.getOrDefault("OCF_RESKEY_volumes", "").split(",")) {
          text.append("volume=%s stamp=%d age=%d\n".formatted(volume, last, age));
        }
        output.is(text.toString(), "");
        return SimAgents.OK;
      }
      default -> {
        return SimAgents.UNIMPLEMENTED;
      }
    }
  }
}
