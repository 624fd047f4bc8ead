package org.systole.cts.lab;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.systole.cts.local.LocalNode;

/// One daemon of a node is killed: its supervisor restores it, and the resources never notice.
final class DaemonScenarios {
  /// A node attribute that is set to see whether it can be.
  static final String ATTRIBUTE = "lab-run";

  private static final List<String> DAEMONS =
      List.of("cibd", "fenced", "schedulerd", "execd", "attrd", "controld");

  private DaemonScenarios() {}

  static List<Scenario> all() {
    var all = new ArrayList<Scenario>();
    for (var daemon : DAEMONS) {
      all.add(
          Scenario.of(
              "kill-" + daemon + "-on-dc",
              daemon + " of the DC is killed, resources run on",
              it -> kill(it, daemon, true)));
      all.add(
          Scenario.of(
              "kill-" + daemon + "-elsewhere",
              daemon + " of another node is killed, resources run on",
              it -> kill(it, daemon, false)));
    }
    return all;
  }

  private static void kill(Run run, String daemon, boolean dc) throws IOException {
    var node = run.victim(dc);
    var old = LabProcesses.only(node, daemon);
    run.touch(node, daemon);
    run.fault(old::destroyForcibly);
    run.await(
        "detection",
        daemon + " of " + node.name() + " started again",
        () -> LabProcesses.isAnother(node, daemon, old));
    var back = Evidence.now();
    run.await(
        "recovery",
        "%s of %s does its work again".formatted(daemon, node.name()),
        () -> works(run, node, daemon, back));
    Health.await(run.lab());
    run.nothingHappened();
  }

  private static boolean works(Run run, LocalNode node, String daemon, long since) {
    try {
      return switch (daemon) {
        case "cibd" -> node.run("cibadmin", "--query", "-o", "crm_config").ok();
        case "fenced" -> node.run("stonith_admin", "--list-registered").ok();
        case "schedulerd" ->
            node.run("crm_attribute", "-n", ATTRIBUTE, "-v", "" + since).ok()
                && node.run("crm_resource", "--wait", "-T", "30").ok();
        case "execd" -> isMonitored(run, node, since);
        case "attrd" -> node.run("attrd_updater", "-n", ATTRIBUTE, "-U", "" + since).ok();
        default -> takesPart(node);
      };
    } catch (IOException e) {
      return false;
    }
  }

  /// Whether the node's recurring monitors go on.
  static boolean isMonitored(Run run, LocalNode node, long since) throws IOException {
    return run.lab().evidence().deeds(since).stream()
        .anyMatch(
            it ->
                it.node().equals(node.name())
                    && it.resource().equals("everywhere")
                    && it.deed().equals("runs"));
  }

  private static boolean takesPart(LocalNode node) throws IOException {
    var state = node.run("crmadmin", "-S", node.name());
    return state.ok() && state.output().matches("(?s).*S_(NOT_DC|IDLE)\\b.*");
  }
}
