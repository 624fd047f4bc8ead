package org.systole.cts.sim;

import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;
import org.systole.controld.client.CtlMessage.HostOrder;

/// What happens to hosts that host HA looks after, and to the members that decide about them.
final class SimHostLife {
  private static final long SECOND = 1_000_000_000L;

  /// The settings that people change.
  static final List<String> CHANGED =
      List.of("ha.enabled", "ha.volumes", "kvm.ha.activity.check.failure.ratio");

  private static final List<String> STATES =
      List.of("SUSPECT", "CHECKING", "CHECKING", "DEGRADED", "RECOVERING", "RECOVERED", "FENCING", "FENCED");

  private final SimCluster cluster;
  private final SimHostHa plan;
  private final RandomGenerator random;
  private final SimHostDeeds people;

  SimHostLife(SimCluster cluster, SimHostHa plan, RandomGenerator random) {
    this.cluster = cluster;
    this.plan = plan;
    this.random = random;
    this.people = new SimHostDeeds(cluster, plan, random, this);
  }

  /// One fault.
  void happen() {
    if (random.nextInt(plan.atATime() == 1 ? 3 : 8) == 0) {
      crowd();
      return;
    }
    switch (random.nextInt(18)) {
      case 0, 1 -> cutOff(host(), 10 + random.nextInt(90));
      case 2 -> cutOffWritingToOne();
      case 3, 4 -> hang(host());
      case 5 -> host().powerOff();
      case 6 -> executor(host());
      case 7 -> power(host());
      case 8 -> neighbours();
      case 9 -> storage();
      case 10 -> storm();
      case 11 -> powerSwitches();
      case 12 -> member(dc());
      case 13 -> whileItIsDecided();
      case 14 -> refused();
      case 15 -> allMembers();
      case 16 -> people.backup();
      default -> people.happen();
    }
  }

  SimNode host() {
    return cluster.hosts().get(random.nextInt(cluster.hosts().size()));
  }

  SimNode anyMember() {
    return cluster.nodes().get(random.nextInt(cluster.nodes().size()));
  }

  SimNode dc() {
    return cluster.nodes().stream().filter(SimNode::isDc).findFirst().orElse(anyMember());
  }

  /// What ends a fault. As long as it has not, the cluster is not at rest.
  void later(long seconds, Runnable what) {
    cluster.busy(1);
    cluster
        .queue()
        .after(
            seconds * SECOND + random.nextLong(SECOND),
            () -> {
              cluster.busy(-1);
              what.run();
            });
  }

  // Hosts

  /// Members do not hear a host, and it not them, for a while. It goes on working.
  private void cutOff(SimNode host, int seconds) {
    cut(cluster, host);
    later(seconds, cluster::heal);
  }

  static void cut(SimCluster cluster, SimNode host) {
    for (var member : cluster.nodes()) {
      cluster.cut(member.name(), host.name());
      cluster.cut(host.name(), member.name());
    }
  }

  private void cutOffWritingToOne() {
    var host = host();
    cluster.outside().volumes().writes(host, SimVolumes.Writes.LAST);
    cutOff(host, 30 + random.nextInt(60));
  }

  /// It stands still, for a while or until its power is cycled.
  void hang(SimNode host) {
    host.pause();
    if (random.nextBoolean()) {
      later(random.nextInt(60), host::resume);
    }
  }

  /// What the members talk to on it is gone; what it writes may be, too.
  private void executor(SimNode host) {
    var volumes = cluster.outside().volumes();
    if (random.nextBoolean()) {
      volumes.writes(host, SimVolumes.Writes.NONE);
      later(60, () -> volumes.writes(host, SimVolumes.Writes.ALL));
    }
    switch (random.nextInt(4)) {
      case 0 -> host.kill("remoted");
      case 1 -> host.hang("remoted", random.nextLong(40 * SECOND));
      case 2 -> host.resetConnections();
      default -> {
        host.shutdown();
        later(40 + random.nextInt(30), host::startClusterSoon);
      }
    }
  }

  /// Its switch says what is not so, or nothing; at times something is the matter with it, too.
  private void power(SimNode host) {
    var volumes = cluster.outside().volumes();
    var says = SimVolumes.Switch.values();
    volumes.power(host, says[1 + random.nextInt(says.length - 1)]);
    later(10 + random.nextInt(50), () -> volumes.power(host, SimVolumes.Switch.RIGHT));
    switch (random.nextInt(3)) {
      case 0 -> hang(host);
      case 1 -> cutOff(host, 40);
      default -> {}
    }
  }

  /// Hosts look wrong, or slowly, or cannot look, while one of them is looked at.
  private void neighbours() {
    var victim = host();
    for (var each : cluster.hosts()) {
      if (each != victim && random.nextBoolean()) {
        look(each);
      }
    }
    if (random.nextBoolean()) {
      hang(victim);
    } else {
      cutOff(victim, 60);
    }
  }

  private void look(SimNode host) {
    switch (random.nextInt(4)) {
      case 0 -> {
        cluster.outside().volumes().looks(host, true);
        later(60, () -> cluster.outside().volumes().looks(host, false));
      }
      case 1 -> looking(host, List.of("takes", "PT%dS".formatted(1 + random.nextInt(10))));
      case 2 -> looking(host, List.of("hangs"));
      default -> looking(host, List.of("fails", "1"));
    }
  }

  private void looking(SimNode host, List<String> how) {
    host.agentFault("*", "activity", how);
    later(60, () -> host.agentFault("*", "activity", List.of("well")));
  }

  /// Nobody can read the volumes, while hosts hang or are cut off.
  private void storage() {
    cluster.note("the storage is gone");
    cluster.hosts().forEach(it -> looking(it, List.of("fails", "1")));
    cutOff(host(), 50);
    if (random.nextBoolean()) {
      hang(host());
    }
  }

  /// Something happens to half of the hosts at once.
  private void storm() {
    var hang = random.nextBoolean();
    var seconds = 20 + random.nextInt(60);
    for (var at = 0; at <= cluster.hosts().size() / 2; at++) {
      var host = cluster.hosts().get(at);
      if (hang) {
        host.pause();
        later(seconds, host::resume);
      } else {
        cut(cluster, host);
      }
    }
    later(seconds, cluster::heal);
  }

  /// As many hosts as may be sick hang at once, and a power cycle takes long: they have to wait for each
  /// other, here or at the device, and may be well again by then.
  private void crowd() {
    var takes = "PT%dS".formatted(5 + random.nextInt(20));
    for (var member : cluster.nodes()) {
      member.agentFault("fence_sim", "reboot", List.of("takes", takes));
      later(100, () -> member.agentFault("fence_sim", "reboot", List.of("well")));
    }
    var hosts = cluster.hosts();
    var many = Math.max(1, (int) (plan.sickRatio() * hosts.size()));
    hosts.subList(0, many).forEach(SimNode::pause);
    if (plan.atATime() > 1) {
      hosts.subList(0, many).forEach(it -> later(20 + random.nextInt(50), it::resume));
    }
  }

  /// Power operations do not work as they should for a while, and a host needs one.
  private void powerSwitches() {
    var how =
        switch (random.nextInt(5)) {
          case 0 -> List.of("fails", "1");
          case 1 -> List.of("hangs");
          case 2 -> List.of("takes", "PT%dS".formatted(1 + random.nextInt(40)));
          case 3 -> List.of("acts", "PT1S", "takes", "PT%dS".formatted(2 + random.nextInt(40)));
          default -> List.of("acts", "PT1S", "fails");
        };
    var action = random.nextInt(3) == 0 ? "*" : "reboot";
    if (how.equals(List.of("hangs")) && random.nextBoolean()) {
      fencersStandStill();
      return;
    }
    cluster.note("fencing " + action + " " + how);
    for (var each : cluster.nodes()) {
      each.agentFault("fence_sim", action, how);
      later(
          20 + random.nextInt(50), () -> each.agentFault("fence_sim", action, List.of("well")));
    }
    hang(host());
  }

  /// The DC's fencer does nothing as a host needs its power, and hears of it when nobody waits any more.
  private void fencersStandStill() {
    var victim = host();
    cluster
        .trace()
        .once(
            " -> RECOVERING (",
            name -> cluster.node(name).hang("fenced", 13 * SECOND + random.nextLong(6 * SECOND)));
    victim.pause();
    later(30, victim::resume);
  }

  // Members

  void member(SimNode member) {
    switch (random.nextInt(7)) {
      case 0 -> member.kill("controld");
      case 1 -> member.kill("fenced");
      case 2 -> member.kill("cibd");
      case 3 -> member.kill("execd");
      case 4 -> {
        member.powerOff();
        member.powerOnAfter(random.nextLong(20 * SECOND));
      }
      case 5 -> {
        member.pause();
        later(random.nextInt(15), member::resume);
      }
      default -> {
        var rest =
            cluster.machines().stream().filter(it -> it != member).map(SimNode::name).toList();
        cluster.partition(List.of(rest));
        later(random.nextInt(20), cluster::heal);
      }
    }
  }

  /// The DC is lost just when a host has come into a state.
  private void whileItIsDecided() {
    var state = STATES.get(random.nextInt(STATES.size()));
    var after = random.nextLong(random.nextBoolean() ? 4 * SECOND : SECOND / 10);
    cluster
        .trace()
        .once(
            " -> " + state + " (",
            name ->
                cluster
                    .queue()
                    .after(
                        after,
                        () -> {
                          cluster.note("while a host is " + state);
                          member(cluster.node(name));
                        }));
    if (random.nextInt(3) == 0) {
      cutOff(host(), 60);
    } else {
      host().pause();
    }
  }

  /// All members lose their power, at times just when a host that stands still or is cut off has come into a state: what
  /// is known of hosts then is what survived.
  void allMembers() {
    Runnable restart = this::restartMembers;
    if (random.nextInt(3) == 0) {
      cutOff(host(), 60 + random.nextInt(120));
    } else {
      hang(host());
    }
    if (random.nextBoolean()) {
      later(random.nextInt(100), restart);
      return;
    }
    var state = STATES.get(random.nextInt(STATES.size()));
    cluster
        .trace()
        .once(" -> " + state + " (", _ -> cluster.queue().after(random.nextLong(2 * SECOND), restart));
  }

  private void restartMembers() {
    cluster.note("all members lose their power");
    for (var member : cluster.nodes()) {
      member.powerOff();
      member.powerOnAfter(5 * SECOND + random.nextLong(30 * SECOND));
    }
  }

  /// Nothing can be written to the CIB's files.
  private void refused() {
    for (var each : cluster.nodes()) {
      each.failDisk(true);
      later(3 + random.nextInt(20), () -> each.failDisk(false));
    }
    hang(host());
  }

  // In the end

  /// One thing that is the matter with a host, and nothing else is: what has to become of it is known.
  void probe() {
    var host = host();
    var how = plan.zones() && random.nextInt(3) == 0 ? 4 : random.nextInt(14); // neighbours are few in a zone
    cluster.note("probe " + how + " of " + host);
    switch (how) {
      case 0, 1 -> {
        host.pause();
        comesBack(host, "it stood still, and its power can be cycled");
      }
      case 2 -> {
        host.pause();
        later(random.nextInt(40), () -> dc().kill("controld"));
        comesBack(host, "it stood still, its power can be cycled, and the DC was lost meanwhile");
      }
      case 3 -> staysUp(host, SimVolumes.Writes.ALL);
      case 4 -> people.takeNeighboursFrom(host);
      case 5 -> {
        if (random.nextBoolean()) {
          staysUp(host, SimVolumes.Writes.LAST);
        } else {
          people.takeBoardFrom(host);
        }
      }
      case 6 -> {
        cluster.hosts().forEach(it -> it.agentFault("*", "activity", List.of("fails", "1")));
        staysUp(host, SimVolumes.Writes.NONE);
      }
      case 7 -> {
        power("reboot", List.of("fails", "1"));
        host.pause();
        isFenced(host, host.activeResources());
      }
      case 8 -> stopsInOrder(host);
      case 9 -> isCycledOnce(host);
      case 10 -> people.isAskedWhateverIsSet(host);
      case 11 -> people.worksAgainWhileItsFencingWaits(host);
      case 12 -> people.isRecoveredThoughItsDeviceIsAskedMuch(host);
      default -> isFencedOnceItCanBe(host);
    }
  }

  void power(String action, List<String> how) {
    cluster.nodes().forEach(it -> it.agentFault("fence_sim", action, how));
  }

  /// It stands still, and its power cannot be switched at all for a while: nobody can tell that it is off.
  private void isFencedOnceItCanBe(SimNode host) {
    var active = host.activeResources();
    power("reboot", List.of("fails", "1"));
    power("off", List.of("fails", "1"));
    host.pause();
    cluster.runUntil(() -> state(host).equals("FENCING"), Duration.ofMinutes(6));
    cluster.run(Duration.ofSeconds(40));
    cluster.hostChecks().state(host, List.of("FENCING"), "its power cannot be switched off");
    if (!host.activeResources().containsAll(active)) {
      cluster.fail(SimCheck.HOST_STATE, host + " was not left alone: its power is on");
    }
    power("off", List.of("well"));
    isFenced(host, active);
  }

  /// It is stopped by a person, and writes nothing any more.
  private void stopsInOrder(SimNode host) {
    var boot = host.boot();
    cluster.outside().volumes().writes(host, SimVolumes.Writes.NONE);
    host.shutdown();
    cluster.run(Duration.ofSeconds(55)); // then the cluster tries to connect again
    var truth = "it was stopped in order";
    cluster.hostChecks().state(host, List.of("INELIGIBLE", "DISABLED"), truth);
    if (!host.boot().equals(boot) || !host.isPowered()) {
      cluster.fail(SimCheck.HOST_STATE, host + " was not left alone: " + truth);
    }
  }

  /// The DC is lost while it has its power cycled: what was begun was tried, whoever is DC then.
  private void isCycledOnce(SimNode host) {
    power("reboot", List.of("takes", "PT20S"));
    host.pause();
    cluster.runUntil(() -> state(host).equals("RECOVERING"), Duration.ofMinutes(4));
    cluster.run(Duration.ofMillis(random.nextInt(5_000)));
    if (random.nextBoolean()) {
      dc().kill("controld");
    } else {
      dc().powerOff();
    }
    cluster.run(Duration.ofSeconds(5));
    var ends = List.of("AVAILABLE", "FENCED");
    cluster.runUntil(() -> ends.contains(state(host)), Duration.ofMinutes(6));
    cluster.hostChecks().state(host, ends, "it stood still, and the DC was lost as its power was cycled");
  }

  void comesBack(SimNode host, String truth) {
    var boot = host.boot();
    cluster.runUntil(
        () -> !host.boot().equals(boot) && state(host).equals("AVAILABLE"), Duration.ofMinutes(6));
    cluster.hostChecks().state(host, List.of("AVAILABLE"), truth);
    if (host.boot().equals(boot)) {
      cluster.fail(SimCheck.HOST_STATE, host + " was not power-cycled: " + truth);
    }
  }

  private String state(SimNode host) {
    return cluster.hostChecks().stateOf(host);
  }

  /// Cut off, it shows life, or nobody can see whether it does.
  private void staysUp(SimNode host, SimVolumes.Writes writes) {
    var boot = host.boot();
    var active = host.activeResources();
    cluster.outside().volumes().writes(host, writes);
    cut(cluster, host);
    if (random.nextInt(3) == 0) {
      cluster.runUntil(() -> state(host).equals("SUSPECT"), Duration.ofMinutes(2));
      cluster.run(Duration.ofSeconds(2 + random.nextInt(60)));
      restartMembers();
    }
    cluster.run(Duration.ofSeconds(100));
    var truth =
        writes == SimVolumes.Writes.NONE ? "nobody could look" : "it is cut off and works";
    cluster.hostChecks().state(host, List.of("SUSPECT", "CHECKING", "DEGRADED"), truth);
    if (!host.boot().equals(boot)
        || !host.isPowered()
        || !host.activeResources().containsAll(active)) {
      cluster.fail(SimCheck.HOST_STATE, host + " was not left alone: " + truth);
    }
  }

  /// It stands still, and its power can be switched off, but not cycled.
  private void isFenced(SimNode host, List<String> active) {
    cluster.runUntil(
        () ->
            state(host).equals("FENCED")
                && active.stream().allMatch(it -> cluster.resourceOn(it).size() == 1),
        Duration.ofMinutes(6));
    var truth = "it stood still, and its power could only be switched off";
    cluster.hostChecks().state(host, List.of("FENCED"), truth);
    for (var resource : active) {
      if (cluster.resourceOn(resource).size() != 1) {
        cluster.fail(SimCheck.HOST_STATE, "%s runs nowhere: %s was fenced".formatted(resource, host));
      }
    }
    people.clearWhileItIsOff(host, active);
  }
}
