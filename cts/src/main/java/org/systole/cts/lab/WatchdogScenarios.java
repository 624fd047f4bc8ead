package org.systole.cts.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.systole.cts.local.LocalNode;

/// Nodes that reset themselves, and are counted as fenced for it. The power switch fences nobody
/// there.
final class WatchdogScenarios {
  /// On a machine with little to spare a node may stand still for a while.
  private static final Duration TIMEOUT = Duration.ofSeconds(Long.getLong("lab.watchdog", 8));

  private static final Duration STOP = Duration.ofSeconds(90);

  private WatchdogScenarios() {}

  static List<Scenario> all() {
    return List.of(
        Scenario.of(
            "watchdog-partition",
            "a node cut off is reset by its watchdog, and counted as fenced",
            it -> selfFencing(it, WatchdogScenarios::partition)),
        Scenario.of(
            "watchdog-hang",
            "a node whose supervisor stands still is",
            it -> selfFencing(it, WatchdogScenarios::hang)),
        Scenario.of(
            "watchdog-kill",
            "a node whose supervisor is killed is",
            it -> selfFencing(it, WatchdogScenarios::kill)),
        Scenario.of(
            "sbd-message", "a node is told by a disk to be gone", WatchdogScenarios::message));
  }

  /// What is done to the node.
  private interface Harm {
    void to(Run run, LocalNode victim) throws IOException;
  }

  private static void partition(Run run, LocalNode victim) throws IOException {
    run.lab().network().partition(List.of(Run.id(victim)));
  }

  private static void hang(Run run, LocalNode victim) throws IOException {
    new ProcessBuilder("kill", "-STOP", pid(victim)).start();
  }

  private static void kill(Run run, LocalNode victim) throws IOException {
    new ProcessBuilder("kill", "-KILL", pid(victim)).start();
  }

  private static String pid(LocalNode victim) {
    return Long.toString(LabProcesses.only(victim, "pacemakerd").pid());
  }

  private static void selfFencing(Run run, Harm harm) throws IOException {
    var lab = run.lab();
    begin(run);
    try (var keeper = new WatchdogKeeper(lab, TIMEOUT)) {
      restart(lab, keeper, "");
      var admin = lab.nodes().getFirst();
      Lab.succeed(admin, "crm_attribute", "-n", "fencing-watchdog-timeout", "-v", "-1");
      Lab.succeed(admin, "crm_resource", "-r", "power", "-p", "pcmk_host_list", "-v", "nobody");
      Health.await(lab);
      var victim = run.victim(false);
      var others = run.others(victim);
      run.fault(() -> harm.to(run, victim));
      run.await("reset", victim.name() + " is reset", () -> keeper.hasCut(victim));
      run.awaitRecovery(others);
      lab.network().heal();
      victim.start();
      Health.await(lab);
      LabFailure.unless(
          others.stream().noneMatch(keeper::hasCut), "a node was reset that was well");
      end(lab);
    }
  }

  private static void message(Run run) throws IOException {
    var lab = run.lab();
    begin(run);
    var disk = lab.dir().resolve("disk");
    try (var keeper = new WatchdogKeeper(lab, TIMEOUT)) {
      Files.write(disk, new byte[1 << 20]);
      var admin = lab.nodes().getFirst();
      var seconds = Long.toString(TIMEOUT.toSeconds());
      var wait = Long.toString(TIMEOUT.toSeconds() + 10);
      Lab.succeed(
          admin, "sbd", "-d", disk.toString(), "-1", seconds, "-4", wait, "create");
      restart(lab, keeper, "SBD_DEVICE=\"" + disk + "\"\n");
      Health.await(lab);
      var victim = run.victim(false);
      var others = run.others(victim);
      var teller = others.getFirst();
      Lab.succeed(teller, "sbd", "-d", disk.toString(), "ping", victim.name());
      run.fault(
          () ->
              Lab.succeed(
                  teller, "sbd", "-d", disk.toString(), "message", victim.name(), "reset"));
      run.await("reset", victim.name() + " is reset", () -> keeper.hasCut(victim));
      run.awaitRecovery(others);
      Health.await(lab);
      LabFailure.unless(
          others.stream().noneMatch(keeper::hasCut), "a node was reset that was well");
      end(lab);
    }
  }

  /// All daemons are started anew, with a watchdog and without.
  private static void begin(Run run) {
    run.lab().nodes().forEach(run::touch);
    run.anyFencing();
  }

  private static void restart(Lab lab, WatchdogKeeper keeper, String more) throws IOException {
    stop(lab);
    for (var node : lab.nodes()) {
      var text =
          "SBD_WATCHDOG_DEV=%s\nSBD_WATCHDOG_TIMEOUT=%d\n%s"
              .formatted(WatchdogKeeper.device(node), TIMEOUT.toSeconds(), more);
      Files.createDirectories(settings(node).getParent());
      Files.writeString(settings(node), text);
    }
    for (var node : lab.nodes()) {
      node.start();
    }
    Health.await(lab);
    for (var node : lab.nodes()) {
      LabFailure.unless(keeper.isArmed(node), node.name() + " has not armed its watchdog");
    }
  }

  private static void end(Lab lab) throws IOException {
    var admin = lab.nodes().getFirst();
    Lab.succeed(admin, "crm_attribute", "-n", "fencing-watchdog-timeout", "-D");
    Lab.succeed(
        admin,
        "crm_resource",
        "-r",
        "power",
        "-p",
        "pcmk_host_list",
        "-v",
        String.join(" ", Run.names(lab.nodes())));
    stop(lab);
    for (var node : lab.nodes()) {
      LabFailure.unless(!node.isRunning(), node.name() + " still runs");
      Files.deleteIfExists(settings(node));
      node.start();
    }
    Health.await(lab);
  }

  private static Path settings(LocalNode node) {
    return node.dir().resolve("etc/default/sbd");
  }

  /// All at once, as a whole cluster is stopped: nobody may be reset over it.
  private static void stop(Lab lab) throws IOException {
    AllAtOnce.to(lab.nodes(), it -> it.shutDown(STOP));
    for (var node : lab.nodes()) {
      LabFailure.unless(!node.isRunning(), node.name() + " does not stop");
    }
  }
}
