package org.systole.execd;

import java.util.List;
import org.systole.common.world.Processes.Exit;
import org.systole.common.world.World;
import org.systole.execd.client.Units;

/// The file that puts a unit under the cluster's control: with it systemd stops the unit only after the cluster, and does not
/// restart it by itself. It is there from before a start until before a stop: then systemd is to stop the unit only once
/// the cluster is down, while the cluster waits for the unit.
///
/// It is under `/run`, so that a boot removes it: after that the unit is not under the cluster's control.
record DropIn(AgentEnvironment environment, String unit) {
  private static final String PLACE = "/run/systemd/system/%s.d/50-systole.conf";

  List<String> install() {
    var file = Units.isService(unit) ? "unit-service.conf" : "unit-other.conf";
    var from = environment.share().resolve("systole").resolve(file).toString();
    return List.of("install", "-D", "-m", "644", "--", from, PLACE.formatted(unit));
  }

  List<String> remove() {
    return List.of("rm", "-f", "--", PLACE.formatted(unit));
  }

  /// Says that a step has failed, where it has. No more than that: a unit that systemd would stop at the wrong time is better
  /// than one that is not started.
  ///
  /// @return whether it has
  static boolean logFailure(World world, String unit, List<String> command, Exit exit) {
    if (exit instanceof Exit.Exited it && it.status() == 0 && it.signal() == 0) {
      return false;
    }
    warn(world, unit, String.join(" ", command) + ": " + exit);
    return true;
  }

  static void warn(World world, String unit, String why) {
    world.log().warning("Cannot change systemd's ordering of %s: %s".formatted(unit, why));
  }
}
