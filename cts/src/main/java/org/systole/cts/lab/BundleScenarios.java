package org.systole.cts.lab;

import java.io.IOException;
import java.util.List;
import org.systole.cts.local.ClusterView.Snapshot;
import org.systole.cts.local.LocalNode;

/// A bundle of two real containers, run by Debian's podman on members of the lab, with a resource
/// inside each.
final class BundleScenarios {
  private static final List<String> REPLICAS = List.of("box-0", "box-1");
  private static final String RESOURCE = "boxed";

  private BundleScenarios() {}

  private interface Fault {
    void tell(Run run) throws IOException;
  }

  static List<Scenario> all() {
    return List.of(
        of("bundle-replica-dies", "a container of a bundle ends", BundleScenarios::replicaDies),
        of("bundle-host-dies", "the member that a container runs on dies", BundleScenarios::hostDies));
  }

  private static Scenario of(String name, String about, Fault fault) {
    return Scenario.of(name, about, run -> story(run, fault));
  }

  private static void story(Run run, Fault fault) throws IOException {
    var lab = run.lab();
    begin(lab);
    fault.tell(run);
    lab.await("all containers", BundleScenarios::isWhole);
    end(lab);
  }

  private static void begin(Lab lab) throws IOException {
    FarHost.giveKey(lab);
    LabContainers.prepare(lab, lab.nodes());
    var loaded = lab.nodes().getFirst().configure(LabContainers.bundle(lab));
    LabFailure.unless(loaded.ok(), "cibadmin: " + loaded.output().strip());
    lab.await("all containers", BundleScenarios::isWhole);
  }

  private static boolean isWhole(Snapshot seen) {
    return seen.online().containsAll(REPLICAS)
        && seen.activeOn("box-clone").equals(REPLICAS)
        && !seen.isPending();
  }

  private static void end(Lab lab) throws IOException {
    var members = Run.names(lab.nodes());
    lab.await("all members back", it -> it.online().containsAll(members));
    var first = lab.nodes().getFirst();
    // once it is removed nobody knows what belonged together
    Lab.succeed(first, "crm_resource", "-r", "box", "--meta", "-p", "target-role", "-v", "Stopped");
    lab.await("no container", it -> it.activeOn("box").isEmpty() && !it.isPending());
    FarHost.delete(first, "//bundle[@id='box']");
    for (var replica : REPLICAS) {
      Lab.succeed(first, "crm_node", "--force", "-R", replica);
    }
    Lab.succeed(first, "crm_resource", "--cleanup");
  }

  private static String container(int replica) {
    return "box-podman-" + replica;
  }

  private static LocalNode carrier(Lab lab) {
    var on = lab.await("a container", it -> it.activeOn(container(0)).size() == 1);
    return lab.node(on.activeOn(container(0)).getFirst());
  }

  private static void replicaDies(Run run) throws IOException {
    var lab = run.lab();
    var carrier = carrier(lab);
    run.fault(() -> LabProcesses.only(carrier, "remoted").destroyForcibly());
    lab.evidence().dead(REPLICAS.getFirst());
    run.await("replica recovery", RESOURCE + " started again", () -> hasStarted(run));
  }

  private static void hostDies(Run run) throws IOException {
    var lab = run.lab();
    var victim = carrier(lab);
    run.mustFence(victim);
    var processes = LabProcesses.freeze(victim);
    run.fault(
        () -> {
          NodeScenarios.powerOff(run, victim, processes);
          lab.network().forgetAddresses(Run.id(victim));
        });
    lab.evidence().dead(REPLICAS.getFirst());
    run.await(
        "container elsewhere",
        run.others(victim).getFirst(),
        "a container on another member",
        it ->
            it.activeOn(container(0)).size() == 1
                && !it.activeOn(container(0)).contains(victim.name()));
    run.await("replica recovery", RESOURCE + " started again", () -> hasStarted(run));
  }

  private static boolean hasStarted(Run run) {
    try {
      return run.lab().evidence().deeds(run.since()).stream()
          .anyMatch(
              it ->
                  it.node().equals(REPLICAS.getFirst())
                      && it.resource().equals(RESOURCE)
                      && it.deed().equals("started"));
    } catch (IOException e) {
      return false; // the next look tells
    }
  }
}
