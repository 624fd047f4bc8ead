package org.systole.cts.lab;

import java.io.IOException;
import java.util.List;
import org.systole.cts.local.LocalNode;

/// A guest node: a machine that a resource runs on a member, and a resource inside it.
final class GuestScenarios {
  private static final String GUEST = FarHost.NAME;
  private static final String RESOURCE = FarHost.RESOURCE;
  private static final String MACHINE = "machine";

  /// A guest's connection is looked after each half minute, for half a minute: that alone is as long as the lab waits for anything.
  private static final long SILENCE_MILLIS = 40_000;

  private GuestScenarios() {}

  /// What happens while the resource runs inside.
  private interface Fault {
    void tell(Run run, LocalNode guest) throws IOException;
  }

  static List<Scenario> all() {
    return List.of(
        of("guest-machine-dies", "the machine of a guest node ends", GuestScenarios::machineDies),
        of("guest-executor-dies", "its executor is killed", GuestScenarios::executorDies),
        of("guest-cut-off", "its cable is cut", GuestScenarios::cutOff),
        of("guest-host-dies", "the member that it runs on dies", GuestScenarios::hostDies),
        of("guest-moves", "its machine is moved, and moved back", GuestScenarios::moves));
  }

  private static Scenario of(String name, String about, Fault fault) {
    return Scenario.of(name, about, run -> story(run, fault));
  }

  private static void story(Run run, Fault fault) throws IOException {
    var lab = run.lab();
    var guest = lab.addHost(GUEST);
    try {
      guest.prepareRemote();
      FarHost.giveKey(lab, guest);
      FarHost.configure(lab, guest, "guest.xml");
      fault.tell(run, guest);
      lab.await(
          RESOURCE + " on " + GUEST,
          it -> it.activeOn(RESOURCE).equals(List.of(GUEST)) && it.online().contains(GUEST));
      var overlaps = lab.evidence().overlaps(List.of(MACHINE, RESOURCE));
      LabFailure.unless(overlaps.isEmpty(), "active twice: " + overlaps);
      FarHost.remove(lab, MACHINE);
      Lab.succeed(lab.nodes().getFirst(), "crm_resource", "--cleanup");
    } finally {
      guest.kill();
      lab.evidence().dead(GUEST);
      lab.removeHost(GUEST);
    }
  }

  private static LocalNode carrier(Lab lab) {
    return lab.node(
        lab.await("the machine of " + GUEST, it -> it.activeOn(MACHINE).size() == 1)
            .activeOn(MACHINE)
            .getFirst());
  }

  /// The process that keeps the machine: all that is in it ends with it.
  private static ProcessHandle keeper(LocalNode carrier) {
    return carrier.processes().stream()
        .filter(it -> it.info().command().orElse("").endsWith("/unshare"))
        .findFirst()
        .orElseThrow(() -> new LabFailure("nothing keeps a machine on " + carrier.name()));
  }

  private static void machineDies(Run run, LocalNode guest) throws IOException {
    var keeper = keeper(carrier(run.lab()));
    run.fault(keeper::destroyForcibly);
    run.await("machine gone", "the end of " + GUEST, () -> !guest.isRunning());
    run.lab().evidence().dead(GUEST);
    isRestarted(run);
  }

  private static void executorDies(Run run, LocalNode guest) throws IOException {
    run.fault(() -> LabProcesses.only(guest, "remoted").destroyForcibly());
    isRestarted(run);
  }

  private static void cutOff(Run run, LocalNode guest) throws IOException {
    run.fault(() -> run.lab().hostCable(GUEST, false));
    var silent = run.patience(SILENCE_MILLIS);
    Lab.awaitProcess(
        "nothing is heard of " + GUEST, () -> silent.getAsBoolean() || FarHost.deeds(run, MACHINE, "stopped") > 0);
    run.await(
        "machine stopped",
        "a stop of " + MACHINE,
        () -> FarHost.deeds(run, MACHINE, "stopped") > 0);
    run.lab().hostCable(GUEST, true);
    isRestarted(run);
  }

  /// The machine is started again, and what ran inside runs inside. That no member is fenced for it is
  /// seen at the end of every run.
  private static void isRestarted(Run run) {
    run.await(
        "machine recovery",
        MACHINE + " started again",
        () -> FarHost.deeds(run, MACHINE, "started") > 0);
    awaitStarted(run);
  }

  private static void awaitStarted(Run run) {
    run.await(
        "guest recovery",
        RESOURCE + " started again",
        () -> FarHost.deeds(run, RESOURCE, "started") > 0);
  }

  private static void hostDies(Run run, LocalNode guest) throws IOException {
    var lab = run.lab();
    var victim = carrier(lab);
    run.mustFence(victim);
    var processes = LabProcesses.freeze(victim);
    run.fault(() -> NodeScenarios.powerOff(run, victim, processes));
    lab.evidence().dead(GUEST);
    run.await(
        "machine elsewhere",
        run.others(victim).getFirst(),
        MACHINE + " on another member",
        it ->
            it.activeOn(MACHINE).size() == 1
                && !it.activeOn(MACHINE).contains(victim.name())
                && it.online().contains(GUEST));
    awaitStarted(run);
  }

  private static void moves(Run run, LocalNode guest) throws IOException {
    var lab = run.lab();
    var from = carrier(lab).name();
    var to = lab.otherThan(from).name();
    run.fault(() -> move(lab, to));
    run.reached("moved");
    move(lab, from);
    run.reached("moved back");
    var stops = FarHost.deeds(run, RESOURCE, "stopped");
    LabFailure.unless(stops == 2, RESOURCE + " was stopped %d times, not twice".formatted(stops));
  }

  private static void move(Lab lab, String to) throws IOException {
    var first = lab.nodes().getFirst();
    Lab.succeed(first, "crm_resource", "-r", MACHINE, "--move", "-N", to, "-f");
    lab.await(
        MACHINE + " on " + to,
        it ->
            it.activeOn(MACHINE).equals(List.of(to))
                && it.activeOn(RESOURCE).equals(List.of(GUEST))
                && !it.isPending());
    Lab.succeed(first, "crm_resource", "-r", MACHINE, "--clear");
  }
}
