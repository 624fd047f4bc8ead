package org.systole.cts.lab;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.systole.cts.lab.LabHosts.Settings;
import org.systole.cts.local.LocalNode;

/// Host HA: hosts that crash, are cut off or lose what they share.
final class HostScenarios {
  private static final String HOST = "host1";
  private static final String TENANT = LabHosts.tenant(HOST);
  private static final int SLOW_POWER_SECONDS = 8;
  private static final int SLOW_LOOK_SECONDS = 4;
  private static final long LOOKED_MILLIS = 40_000;

  private HostScenarios() {}

  /// What happens while all hosts are well.
  private interface Fault {
    void tell(Run run, LabHosts hosts) throws IOException;
  }

  static List<Scenario> all() {
    var quick = new Settings("activity-file", 12, 1);
    var looking = new Settings("generic", 60, 1);
    var twice = new Settings("activity-file", 15, 2);
    return List.of(
        of("host-crash", "a host stands still", Settings.USUAL, HostScenarios::crash),
        of("host-broken", "it does, and comes back no more", quick, HostScenarios::broken),
        of("host-no-power", "its power is gone", Settings.USUAL, HostScenarios::noPower),
        of("host-cut-off", "its cable is cut, its guests write", Settings.USUAL, HostScenarios::cut),
        of("host-storage", "nobody can read what all share", Settings.USUAL, HostScenarios::storage),
        of("host-storm", "two of three hosts stand still", Settings.USUAL, HostScenarios::storm),
        of(
            "host-member-dies",
            "the member that is connected to a host dies",
            Settings.USUAL,
            HostScenarios::member),
        of(
            "host-dc-checking",
            "the DC dies while neighbours look at a host that stands still",
            looking,
            HostScenarios::dcInChecking),
        of(
            "host-dc-recovering",
            "the DC dies while the host's power is being cycled",
            twice,
            HostScenarios::dcInRecovering),
        of(
            "host-dc-fencing",
            "the DC dies while the host's power is being switched off",
            quick,
            HostScenarios::dcInFencing));
  }

  private static Scenario of(String name, String about, Settings settings, Fault fault) {
    return Scenario.of(name, "host HA: " + about, run -> story(run, settings, fault));
  }

  private static void story(Run run, Settings settings, Fault fault) throws IOException {
    var lab = run.lab();
    var hosts = LabHosts.begin(lab, settings);
    try {
      fault.tell(run, hosts);
      run.reached("host end");
      hosts.end();
      var overlaps = lab.evidence().overlaps(hosts.tenants());
      LabFailure.unless(overlaps.isEmpty(), "active on two hosts: " + overlaps);
    } finally {
      lab.evidence().delayFencing(0);
      hosts.close();
    }
  }

  // What is done

  private static void crash(Run run, LabHosts hosts) throws IOException {
    run.fault(() -> hosts.crash(HOST));
    run.awaitHost("suspect", HOST, "SUSPECT");
    run.awaitHost("recovering", HOST, "RECOVERING", "RECOVERED");
    cameBack(run, hosts);
    fenced(run, 1);
  }

  private static void broken(Run run, LabHosts hosts) throws IOException {
    hosts.breakDown(HOST, true);
    run.fault(() -> hosts.crash(HOST));
    run.awaitHost("suspect", HOST, "SUSPECT");
    run.awaitHost("recovered", HOST, "RECOVERED");
    run.awaitHost("fencing", HOST, "FENCING", "FENCED");
    isElsewhere(run, hosts);
    run.awaitHost("fenced", HOST, "FENCED");
    fenced(run, 2);
    repair(run, hosts, run.lab().nodes().getFirst());
  }

  private static void noPower(Run run, LabHosts hosts) throws IOException {
    run.fault(() -> hosts.unplug(HOST));
    isElsewhere(run, hosts);
    othersAreUntouched(run, hosts);
  }

  private static void cut(Run run, LabHosts hosts) throws IOException {
    run.fault(() -> hosts.cable(HOST, false));
    run.awaitHost("suspect", HOST, "SUSPECT");
    run.awaitHost("degraded", HOST, "DEGRADED");
    // it is looked at again, and held to be what it was
    run.awaitHost("looked at again", HOST, "SUSPECT", "CHECKING");
    run.awaitHost("degraded again", HOST, "DEGRADED");
    hosts.cable(HOST, true);
    run.awaitHost("available", HOST, "AVAILABLE");
    runsThere(run);
    nothingWasDone(run, hosts);
  }

  /// One that is cut off at the same moment shows no sign of life; but nobody could see one.
  private static void storage(Run run, LabHosts hosts) throws IOException {
    run.fault(
        () -> {
          hosts.storage(false);
          hosts.cable(HOST, false);
        });
    run.awaitHost("suspect", HOST, "SUSPECT");
    run.awaitHost("degraded", HOST, "DEGRADED");
    run.await("looked at", "what comes of it", run.patience(LOOKED_MILLIS));
    hosts.storage(true);
    hosts.cable(HOST, true);
    for (var host : hosts.names()) {
      run.awaitHost(host + " available", host, "AVAILABLE");
    }
    runsThere(run);
    nothingWasDone(run, hosts);
  }

  /// So many at once are a common cause rather than crashes: nobody is fenced.
  private static void storm(Run run, LabHosts hosts) throws IOException {
    var other = hosts.names().get(1);
    run.fault(
        () -> {
          hosts.crash(HOST);
          hosts.crash(other);
        });
    run.awaitHost("suspect", HOST, "SUSPECT");
    run.awaitHost("other suspect", other, "SUSPECT", "CHECKING");
    run.await("looked at", "what comes of it", run.patience(LOOKED_MILLIS));
    hosts.goOn(HOST);
    hosts.goOn(other);
    for (var host : hosts.names()) {
      run.awaitHost(host + " available", host, "AVAILABLE");
    }
    runsThere(run);
    nothingWasDone(run, hosts);
  }

  private static void member(Run run, LabHosts hosts) throws IOException {
    var lab = run.lab();
    var holder = lab.await("a connection", it -> it.activeOn(HOST).size() == 1).activeOn(HOST);
    var victim = lab.node(holder.getFirst());
    run.mustFence(victim);
    run.fault(() -> NodeScenarios.powerOff(run, victim, LabProcesses.freeze(victim)));
    run.await(
        "connected again",
        run.others(victim).getFirst(),
        HOST + " connected to another member",
        it -> it.activeOn(HOST).size() == 1 && !it.activeOn(HOST).equals(holder));
    for (var host : hosts.names()) {
      run.awaitHost(host + " available", host, "AVAILABLE");
    }
    runsThere(run);
    fenced(run, 0);
    untouched(run, hosts.names());
  }

  private static void dcInChecking(Run run, LabHosts hosts) throws IOException {
    hosts.slowLooks(SLOW_LOOK_SECONDS);
    run.fault(() -> hosts.crash(HOST));
    run.awaitHost("suspect", HOST, "SUSPECT");
    run.awaitHost("checking", HOST, "CHECKING");
    killDc(run);
    run.awaitHost("recovering", HOST, "RECOVERING", "RECOVERED");
    cameBack(run, hosts);
    fenced(run, 1);
  }

  private static void dcInRecovering(Run run, LabHosts hosts) throws IOException {
    run.lab().evidence().delayFencing(SLOW_POWER_SECONDS);
    run.fault(() -> hosts.crash(HOST));
    run.await("power", "a power cycle of " + HOST, () -> begun(run) > 0);
    killDc(run);
    run.lab().evidence().delayFencing(0);
    cameBack(run, hosts);
    // nothing that was under way is begun again before the host has had its time
    LabFailure.unless(begun(run) <= 2, "its power was cycled %d times".formatted(begun(run)));
  }

  private static void dcInFencing(Run run, LabHosts hosts) throws IOException {
    hosts.breakDown(HOST, true);
    run.fault(() -> hosts.crash(HOST));
    run.awaitHost("recovered", HOST, "RECOVERED");
    run.lab().evidence().delayFencing(SLOW_POWER_SECONDS);
    run.awaitHost("fencing", HOST, "FENCING");
    run.await("power", "a fencing of " + HOST, () -> begun(run) > 1);
    var member = killDc(run);
    run.lab().evidence().delayFencing(0);
    run.awaitHost("fenced", HOST, "FENCED");
    isElsewhere(run, hosts);
    repair(run, hosts, member);
  }

  /// @return a member that lives on
  private static LocalNode killDc(Run run) throws IOException {
    var dc = run.lab().node(run.dc());
    run.mustFence(dc);
    NodeScenarios.powerOff(run, dc, LabProcesses.freeze(dc));
    run.reached("DC killed");
    return run.others(dc).getFirst();
  }

  /// Whoever looks after a fenced host says so.
  private static void repair(Run run, LabHosts hosts, LocalNode member) throws IOException {
    hosts.breakDown(HOST, false);
    hosts.host(HOST).start();
    Lab.succeed(member, "crm_hostha", "--clear", HOST);
    run.awaitHost("available", HOST, "AVAILABLE");
    runsThere(run);
  }

  // What must come of it

  /// The host is well again, and what ran there was started there and nowhere else.
  private static void cameBack(Run run, LabHosts hosts) throws IOException {
    run.awaitHost("available", HOST, "AVAILABLE");
    runsThere(run);
    var elsewhere =
        deeds(run).stream()
            .filter(it -> it.resource().equals(TENANT) && it.changes() && !it.node().equals(HOST))
            .toList();
    LabFailure.unless(elsewhere.isEmpty(), TENANT + " was taken elsewhere: " + elsewhere);
    othersAreUntouched(run, hosts);
  }

  private static void runsThere(Run run) {
    run.await(
        "tenant",
        "%s on %s by its agent".formatted(TENANT, HOST),
        () -> Health.runsOnOneOf(run.lab(), TENANT, List.of(HOST)));
    run.lab().await(TENANT + " on " + HOST, it -> LabHosts.runs(it, HOST, HOST));
  }

  private static void isElsewhere(Run run, LabHosts hosts) {
    var others = new ArrayList<>(Run.names(run.lab().nodes()));
    hosts.names().stream().filter(it -> !it.equals(HOST)).forEach(others::add);
    run.await(
        "elsewhere",
        "%s on one of %s by its agent".formatted(TENANT, others),
        () -> Health.runsOnOneOf(run.lab(), TENANT, others));
  }

  private static void nothingWasDone(Run run, LabHosts hosts) throws IOException {
    fenced(run, 0);
    var deeds = deeds(run).stream().filter(Evidence.Deed::changes).toList();
    LabFailure.unless(deeds.isEmpty(), "resources were started or stopped: " + deeds);
    othersAreUntouched(run, hosts);
  }

  /// Nothing happened on, or to, the other hosts.
  private static void othersAreUntouched(Run run, LabHosts hosts) throws IOException {
    untouched(run, hosts.names().stream().filter(it -> !it.equals(HOST)).toList());
  }

  private static void untouched(Run run, List<String> hosts) throws IOException {
    for (var host : hosts) {
      var deeds =
          deeds(run).stream()
              .filter(it -> it.resource().equals(LabHosts.tenant(host)) && it.changes())
              .toList();
      LabFailure.unless(deeds.isEmpty(), "%s was not left alone: %s".formatted(host, deeds));
      var fenced = run.lab().evidence().fenced(run.since()).getOrDefault(host, 0);
      LabFailure.unless(fenced == 0, host + " was fenced");
    }
  }

  private static List<Evidence.Deed> deeds(Run run) throws IOException {
    return run.lab().evidence().deeds(run.since());
  }

  /// How many power operations on the host have begun.
  private static long begun(Run run) {
    try {
      return run.lab().evidence().fencings(run.since()).stream()
          .filter(it -> it.target().equals(HOST) && it.progress().equals("begins"))
          .count();
    } catch (IOException _) {
      return 0; // the next look tells
    }
  }

  private static void fenced(Run run, int times) throws IOException {
    int seen = run.lab().evidence().fenced(run.since()).getOrDefault(HOST, 0);
    LabFailure.unless(
        seen == times,
        "%s's power was switched %d times, not %d: %s"
            .formatted(HOST, seen, times, run.lab().evidence().fencings(run.since())));
  }
}
