package org.systole.cts.sim;

import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;
import org.systole.controld.client.CtlMessage.HostOrder;

/// What people do at random about hosts, and about what is recorded of them.
final class SimHostDeeds {
  private static final long SECOND = 1_000_000_000L;

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

  private String state(SimNode host) {
    return cluster.hostChecks().stateOf(host);
  }
}
