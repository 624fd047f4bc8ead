package org.systole.cts.lab;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.systole.cts.local.LocalNode;

/// Nodes of two builds in one cluster: an older one, which `SYSTOLE_PREVIOUS` names, and the one
/// that is tested. There are none of these scenarios without an older one.
final class UpgradeScenarios {
  private static final List<String> DAEMONS =
      List.of("cibd", "fenced", "schedulerd", "execd", "attrd", "controld");

  private final Path previous;

  private UpgradeScenarios(Path previous) {
    this.previous = previous;
  }

  static List<Scenario> all() {
    var previous = LabHome.previous();
    if (previous == null) {
      return List.of();
    }
    var all = new UpgradeScenarios(previous);
    var scenarios = new ArrayList<Scenario>();
    for (var shape : List.of(Shape.THREE, Shape.FIVE)) {
      scenarios.add(
          new Scenario(
              "upgrade-in-place-" + shape.nodes(),
              "forwards and back, node by node, the resources run on, under load",
              shape,
              true,
              all::inPlace));
      scenarios.add(
          new Scenario(
              "upgrade-rolling-" + shape.nodes(),
              "forwards and back, node by node, the resources move away, under load",
              shape,
              true,
              all::rolling));
    }
    scenarios.add(
        new Scenario(
            "upgrade-daemons",
            "the daemons of each node, one by one and all at once, under the old supervisor",
            Shape.THREE,
            true,
            all::daemons));
    return scenarios;
  }

  /// A cluster of the previous build at work.
  private void begin(Run run) throws IOException {
    var lab = run.lab();
    for (var node : lab.nodes()) {
      lab.install(node, previous);
    }
    Health.begin(lab);
    Health.await(lab);
    lab.nodes().forEach(run::touch);
  }

  private void inPlace(Run run) throws IOException {
    begin(run);
    var lab = run.lab();
    var first = lab.nodes().getFirst();
    Lab.succeed(first, "crm_attribute", "-n", "maintenance-mode", "-v", "true");
    Lab.succeed(first, "crm_resource", "--wait", "-T", "60");
    try (var writers = new Writers()) {
      writers.steadily(lab.nodes());
      run.fault(() -> {});
      replaceAll(run, lab.distribution(), "forwards");
      replaceAll(run, previous, "back");
      writers.stop();
      Lab.succeed(first, "crm_attribute", "-n", "maintenance-mode", "-D");
      var back = Evidence.now();
      Health.await(lab);
      run.nothingHappened();
      isWatched(run, back);
      run.note(writers.told());
      writers.verify(lab);
    }
  }

  private void rolling(Run run) throws IOException {
    begin(run);
    var lab = run.lab();
    try (var writers = new Writers()) {
      writers.steadily(lab.nodes());
      run.fault(() -> {});
      replaceAll(run, lab.distribution(), "forwards");
      replaceAll(run, previous, "back");
      run.awaitRecovery(lab.nodes());
      writers.stop();
      run.note(writers.told());
      writers.verify(lab);
    }
  }

  private static void replaceAll(Run run, Path build, String direction) throws IOException {
    var lab = run.lab();
    for (var node : lab.nodes()) {
      LabFailure.unless(node.shutDown(Lab.LIMIT), node.name() + " did not stop in time");
      lab.install(node, build);
      node.startSoftware();
      lab.await(node, "all nodes online again", it -> Health.isComplete(lab, it));
    }
    run.reached(direction);
  }

  private void daemons(Run run) throws IOException {
    begin(run);
    var lab = run.lab();
    run.fault(() -> {});
    for (var node : lab.nodes()) {
      lab.install(node, lab.distribution());
      for (var daemon : DAEMONS) {
        restart(node, List.of(daemon));
        Health.await(lab);
      }
      restart(node, DAEMONS);
      Health.await(lab);
      run.reached(node.name());
    }
    run.nothingHappened();
    isWatched(run, Evidence.now());
  }

  private static void restart(LocalNode node, List<String> daemons) {
    var old = daemons.stream().map(it -> LabProcesses.only(node, it)).toList();
    old.forEach(ProcessHandle::destroyForcibly);
    for (var at = 0; at < daemons.size(); at++) {
      var daemon = daemons.get(at);
      var former = old.get(at);
      Lab.awaitProcess(
          daemon + " of " + node.name() + " started again",
          () -> LabProcesses.isAnother(node, daemon, former));
    }
  }

  /// Every node's recurring monitors go on.
  private static void isWatched(Run run, long since) {
    for (var node : run.lab().nodes()) {
      Lab.awaitProcess(
          "monitors on " + node.name(),
          () -> {
            try {
              return DaemonScenarios.isMonitored(run, node, since);
            } catch (IOException e) {
              return false;
            }
          });
    }
  }
}
