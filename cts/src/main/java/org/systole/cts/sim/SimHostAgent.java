package org.systole.cts.sim;

import java.util.Map;

/// A provider of host HA (`ha-...`), as it runs on a host: it says that the host is well, or what it sees
/// of another one's volumes.
final class SimHostAgent {
  private static final long NANOS = 1_000_000_000;
  private static final long HOUR = 3_600 * NANOS;

  private SimHostAgent() {}

  static boolean isOne(String type) {
    return type.startsWith("ha-");
  }

  /// @return the exit status
  static int run(
      SimNode on, String action, Map<String, String> environment, SimAgents.Output output) {
    switch (action) {
      case "health", "eligible" -> {
        on.cluster().hostChecks().answers(on);
        return SimAgents.OK;
      }
      case "activity" -> {
        var host = on.cluster().nodeOrNull(environment.getOrDefault("OCF_RESKEY_host", ""));
        if (host == null) {
          return SimAgents.ERROR;
        }
        var volumes = environment.getOrDefault("OCF_RESKEY_volumes", "").split(",");
        output.is(seen(on, host, volumes), "");
        on.cluster().hostChecks().looked(on, host);
        return SimAgents.OK;
      }
      default -> {
        return SimAgents.UNIMPLEMENTED;
      }
    }
  }

  /// A line for each volume; of a host that looks wrong, that nothing was written for an hour.
  private static String seen(SimNode on, SimNode host, String[] names) {
    var volumes = on.cluster().outside().volumes();
    var now = on.cluster().queue().now();
    var text = new StringBuilder();
    for (var at = 0; at < names.length; at++) {
      var last =
          volumes.isWrong(on)
              ? now - HOUR
              : volumes.lastWrite(host, at == names.length - 1);
      var stamp = volumes.isWrong(on) ? 0 : last;
      text.append(
          "volume=%s stamp=%d age=%d\n".formatted(names[at], stamp, (now - last) / NANOS));
    }
    return text.toString();
  }
}
