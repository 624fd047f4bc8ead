package org.systole.cts.sim;

import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;
import org.systole.controld.client.CtlMessage.HostOrder;

/// What people do at random about hosts, and about what is recorded of them.
final class SimHostDeeds {
  private static final long SECOND = 1_000_000_000L;

  /// How long a device is busy with a question for each host, all in all: longer than a power cycle may wait.
  private static final Duration QUESTIONS_TAKE = Duration.ofMillis(15_500);

  /// What may stand in the CIB as a host's record, though nobody who decides has written it.
  private static final List<String> RECORDS =
      List.of(
          "FENCED since=5 attempts=1 begun=true reason=A_PERSON",
          "FENCED since=5 attempts=1 begun=true",
          "FENCED",
          " ",
          "FENCED attempts=1 uname=h1",
          "RECOVERED since=99999999999999999999 attempts=1000000 begun=x");

  private final SimCluster cluster;
  private final SimHostHa plan;
  private final RandomGenerator random;
  private final SimHostLife life;

  SimHostDeeds(SimCluster cluster, SimHostHa plan, RandomGenerator random, SimHostLife life) {
    this.cluster = cluster;
    this.plan = plan;
    this.random = random;
    this.life = life;
  }

  /// Somebody puts a record of hosts from some other time into the CIB, or what is none; at times just before
  /// the DC is lost, or all members are.
  void backup() {
    var node = random.nextInt(5) == 0 ? life.anyMember() : life.host();
    SimHostPeople.record(cluster, life.anyMember(), node, RECORDS.get(random.nextInt(RECORDS.size())));
    switch (random.nextInt(3)) {
      case 0 -> cluster.queue().after(random.nextLong(SECOND), () -> life.member(life.dc()));
      case 1 -> life.allMembers();
      default -> life.hang(life.host());
    }
  }

  /// One of the things that people do with the means that they have.
  void happen() {
    var asker = life.anyMember();
    var host = life.host();
    switch (random.nextInt(9)) {
      case 0, 1 -> {
        SimHostPeople.order(cluster, asker, host, HostOrder.HOLD);
        life.hang(host);
        life.later(
            20 + random.nextInt(40),
            () -> SimHostPeople.order(cluster, life.anyMember(), host, HostOrder.RELEASE));
      }
      case 2 -> SimHostPeople.order(cluster, asker, host, HostOrder.CHECK);
      case 3 -> SimHostPeople.order(cluster, asker, host, HostOrder.RECOVER);
      case 4 -> SimHostPeople.order(cluster, asker, host, HostOrder.FENCE);
      case 5 -> SimHostPeople.order(cluster, asker, host, HostOrder.CLEAR);
      case 6 -> {
        setForAWhile("ha.enabled", "false", "true");
        if (random.nextBoolean()) {
          life.hang(host);
        }
      }
      case 7 -> {
        setForAWhile("ha.volumes", "", "/srv/one,/srv/two");
        life.hang(host);
      }
      default -> {
        if (random.nextBoolean()) {
          setForAWhile("kvm.ha.activity.check.failure.ratio", "nonsense", Double.toString(plan.ratio()));
        } else {
          setForAWhile("ha.healthcheck.interval", "5", ""); // there is none of that name
        }
        life.hang(host);
      }
    }
  }

  private void setForAWhile(String name, String value, String before) {
    SimHostPeople.set(cluster, life.anyMember(), name, value);
    life.later(5 + random.nextInt(30), () -> SimHostPeople.set(cluster, life.anyMember(), name, before));
  }

  /// A host is cut off and works, as others have seen; then the management board of its power fails, and the DC is lost. (Where
  /// the board fails before the host is suspect, it is not eligible.)
  void takeBoardFrom(SimNode host) {
    staysAsItIs(
        host,
        "it is cut off and works, and nobody can tell its power",
        Duration.ofSeconds(100),
        () -> {
          cluster.outside().volumes().power(host, SimVolumes.Switch.UNKNOWN);
          cluster.run(Duration.ofSeconds(20)); // its power is read every 15 s
          life.dc().kill("controld");
        });
    cluster.outside().volumes().power(host, SimVolumes.Switch.RIGHT);
  }

  /// A host is cut off and works, as others have seen, and people put all of these into maintenance, or they lose their power: nobody can look any
  /// more, and nobody is to take it for dead because of that, the next DC no more than this one. Hosts of another zone
  /// do not look, but count where it may be the last one.
  void takeNeighboursFrom(SimNode host) {
    var off = random.nextInt(3) == 0;
    staysAsItIs(
        host,
        "it is cut off and works, and there is nobody left who could look",
        Duration.ofMinutes(3),
        () -> {
          for (var each : cluster.hosts()) {
            if (each != host && plan.zone(each.name()).equals(plan.zone(host.name()))) {
              if (off) {
                each.powerOff();
              } else {
                SimHostPeople.maintain(cluster, life.anyMember(), each);
              }
            }
          }
          if (random.nextBoolean()) {
            cluster.run(Duration.ofSeconds(random.nextInt(40)));
            life.dc().kill("controld");
          }
        });
  }

  private void staysAsItIs(SimNode host, String truth, Duration time, Runnable what) {
    var boot = host.boot();
    var active = host.activeResources();
    SimHostLife.cut(cluster, host);
    cluster.runUntil(() -> state(host).equals("DEGRADED"), Duration.ofMinutes(4));
    cluster.hostChecks().state(host, List.of("DEGRADED"), truth);
    what.run();
    cluster.run(time);
    cluster.hostChecks().state(host, List.of("SUSPECT", "CHECKING", "DEGRADED"), truth);
    if (!host.boot().equals(boot) || !host.isPowered() || !host.activeResources().containsAll(active)) {
      cluster.fail(SimCheck.HOST_STATE, host + " was not left alone: " + truth);
    }
  }

  /// The DC is lost while a setting makes no sense, so that the next one has never seen one that does: it asks a suspect host
  /// how it is all the same, and does nothing to it.
  void isAskedWhateverIsSet(SimNode host) {
    var boot = host.boot();
    var ratio = "kvm.ha.activity.check.failure.ratio";
    host.pause();
    cluster.runUntil(() -> state(host).equals("SUSPECT"), Duration.ofMinutes(2));
    SimHostPeople.set(cluster, life.anyMember(), ratio, "nonsense");
    cluster.run(Duration.ofSeconds(1));
    life.dc().kill("controld");
    cluster.run(Duration.ofSeconds(90));
    if (!host.boot().equals(boot) || !host.isPowered()) {
      cluster.fail(SimCheck.HOST_STATE, host + " was not left alone: the settings make no sense");
    }
    host.resume();
    cluster.runUntil(() -> state(host).equals("AVAILABLE"), Duration.ofMinutes(3));
    cluster.hostChecks().state(host, List.of("AVAILABLE"), "it is well, whatever the settings say");
    SimHostPeople.set(cluster, life.anyMember(), ratio, plan.settings().getOrDefault(ratio, ""));
  }

  /// It shows no life, and its fencing waits for a person; meanwhile it works again, and nobody hears it. By what was seen
  /// so long ago it is not fenced when the person is done.
  void worksAgainWhileItsFencingWaits(SimNode host) {
    var boot = host.boot();
    var active = host.activeResources();
    var truth = "it works again, as can be seen, though its fencing was decided long ago";
    cluster.outside().volumes().writes(host, SimVolumes.Writes.NONE);
    life.power("reboot", List.of("fails", "1"));
    life.power("off", List.of("fails", "1"));
    SimHostLife.cut(cluster, host);
    cluster.runUntil(() -> state(host).equals("FENCING"), Duration.ofMinutes(6));
    cluster.hostChecks().state(host, List.of("FENCING"), truth);
    SimHostPeople.order(cluster, life.anyMember(), host, HostOrder.HOLD);
    var old = Integer.parseInt(plan.more().getOrDefault("kvm.ha.degraded.max.period", "300"));
    cluster.run(Duration.ofSeconds(old + 25));
    cluster.outside().volumes().writes(host, SimVolumes.Writes.ALL);
    cluster.run(Duration.ofSeconds(10));
    if (random.nextInt(3) == 0) {
      life.dc().kill("controld");
      cluster.run(Duration.ofSeconds(20));
    }
    life.power("off", List.of("well"));
    SimHostPeople.order(cluster, life.anyMember(), host, HostOrder.RELEASE);
    cluster.run(Duration.ofSeconds(60));
    cluster.hostChecks().state(host, List.of("SUSPECT", "CHECKING", "DEGRADED"), truth);
    if (!host.boot().equals(boot) || !host.isPowered() || !host.activeResources().containsAll(active)) {
      cluster.fail(SimCheck.HOST_STATE, host + " was not left alone: " + truth);
    }
  }

  /// Its power can be cycled, and the one device of all hosts, which does one thing at a time, is asked for the power of
  /// hosts again and again: a power cycle does not wait behind all of these questions.
  void isRecoveredThoughItsDeviceIsAskedMuch(SimNode host) {
    var asker = life.anyMember();
    SimHostPeople.set(cluster, asker, "ha.power.check.timeout", "60");
    SimHostPeople.set(cluster, asker, "ha.power.check.interval", "1");
    var takes = QUESTIONS_TAKE.dividedBy(cluster.hosts().size());
    life.power("status", List.of("takes", takes.toString()));
    cluster.run(Duration.ofSeconds(40));
    host.pause();
    life.comesBack(host, "it stood still, and its power can be cycled, though its device is asked much");
    life.power("status", List.of("well"));
  }

  /// A host is off, as was proved, and a person clears it before it is switched on: what runs elsewhere by now is not stopped
  /// for that.
  void clearWhileItIsOff(SimNode host, List<String> active) {
    var before = active.stream().map(cluster::resourceOn).toList();
    SimHostPeople.order(cluster, life.anyMember(), host, HostOrder.CLEAR);
    for (var at = 0; at < 60; at++) {
      cluster.run(Duration.ofSeconds(1));
      if (!active.stream().map(cluster::resourceOn).toList().equals(before)) {
        cluster.fail(SimCheck.HOST_STATE, "%s was stopped in vain as %s, which is off, was cleared".formatted(active, host));
        return;
      }
    }
  }

  private String state(SimNode host) {
    return cluster.hostChecks().stateOf(host);
  }
}
