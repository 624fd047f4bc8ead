package org.systole.cts.sim;

import java.util.List;
import java.util.random.RandomGenerator;

/// One random fault of a guest, of what runs it, or of the connection to it.
final class SimGuestFault {
  private static final long SECOND = 1_000_000_000L;

  private final SimCluster cluster;
  private final RandomGenerator random;
  private final SimChanges changes;
  private final SimNode guest;

  /// For a cluster with guests.
  SimGuestFault(SimCluster cluster, RandomGenerator random, SimChanges changes) {
    this.cluster = cluster;
    this.random = random;
    this.changes = changes;
    var guests = cluster.outside().guests();
    this.guest = guests.get(random.nextInt(guests.size())).machine();
  }

  void happen() {
    var carrier = guest.machine();
    switch (random.nextInt(17)) {
      case 0, 1 -> guest.powerOff();
      case 2 -> guest.kill("remoted");
      case 3 -> guest.hang("remoted", random.nextLong(40 * SECOND));
      case 4 -> guest.resetConnections();
      case 5 -> lost(carrier);
      case 6 -> ofCarrier(carrier).kill("controld");
      case 7 -> ofCarrier(carrier).kill("execd");
      case 8 -> failsToStop();
      case 9 -> cutOff();
      case 10 -> whileItComes();
      case 11, 12 -> whileForgotten();
      case 13 -> whileItMoves();
      case 14, 15 -> whileInStandby();
      default -> {
        guest.pause();
        cluster.queue().after(random.nextLong(60 * SECOND), guest::resume);
      }
    }
  }

  /// A guest that is off has no carrier: then it is any member.
  private SimNode ofCarrier(SimNode carrier) {
    return carrier == guest
        ? cluster.nodes().get(random.nextInt(cluster.nodes().size()))
        : carrier;
  }

  private void lost(SimNode carrier) {
    var member = ofCarrier(carrier);
    if (random.nextBoolean()) {
      member.powerOff();
    } else {
      member.pause();
      cluster.queue().after(random.nextLong(30 * SECOND), member::resume);
    }
  }

  private void failsToStop() {
    guest.agentFault("*", "stop", List.of(random.nextBoolean() ? "fails" : "hangs"));
    cluster
        .queue()
        .after(
            random.nextLong(30 * SECOND),
            () -> guest.agentFault("*", "stop", List.of("well")));
  }

  /// The members do not hear the guest for a while, also that on which it is.
  private void cutOff() {
    for (var each : cluster.nodes()) {
      cluster.cut(each.name(), guest.name());
      cluster.cut(guest.name(), each.name());
    }
    cluster.queue().after(random.nextLong(60 * SECOND), cluster::heal);
  }

  /// It is stopped, and struck again just when it has been connected.
  private void whileItComes() {
    var after = random.nextLong(SECOND / 10);
    var how = random.nextInt(3);
    cluster
        .trace()
        .once(
            "Connected to remote node",
            name -> cluster.queue().after(after, () -> strike(cluster.node(name), how)));
    guest.powerOff();
  }

  /// Everything is refreshed, and something happens just before or after.
  private void whileForgotten() {
    var carrier = ofCarrier(guest.machine());
    var apart = random.nextLong(SECOND) / (random.nextBoolean() ? 1 : 20);
    var how = random.nextInt(6);
    if (random.nextBoolean()) {
      strike(carrier, how);
      cluster.queue().after(apart, this::refresh);
    } else {
      refresh();
      cluster.queue().after(apart, () -> strike(carrier, how));
    }
  }

  private void refresh() {
    var up = cluster.nodes().stream().filter(it -> it.isPowered() && it.isRunning()).toList();
    if (!up.isEmpty()) {
      changes.cleanUp(up.getFirst(), _ -> {});
    }
  }

  /// Its carrier is to be left by all, and something happens meanwhile.
  private void whileItMoves() {
    var carrier = ofCarrier(guest.machine());
    var after = random.nextLong(2 * SECOND);
    var how = random.nextInt(7);
    changes.ask(carrier, SimChanges.nodeAttribute(carrier, "standby", "on"));
    cluster
        .queue()
        .after(
            after,
            () -> {
              if (how == 6) {
                refresh();
              } else {
                strike(carrier, how);
              }
            });
  }

  /// It is in standby, and must be made anew: nothing is to be started there.
  private void whileInStandby() {
    var container = cluster.outside().endsWithItsDaemon(guest);
    if (!container) {
      changes.ask(ofCarrier(guest.machine()), SimChanges.nodeAttribute(guest, "standby", "on"));
    }
    var how = random.nextBoolean() || container; // what is promoted in a container has no monitor that would tell
    cluster
        .queue()
        .strike(
            50 * SECOND + random.nextLong(10 * SECOND),
            () -> {
              if (how) {
                guest.powerOff();
              } else {
                guest.activeResources().forEach(it -> guest.force(it, "stopped"));
              }
            });
  }

  private void strike(SimNode member, int how) {
    cluster.note("something happens to " + guest + " or " + member);
    switch (how) {
      case 3 -> member.kill("execd");
      case 4 -> guest.kill("remoted");
      case 5 -> guest.resetConnections();
      case 0 -> member.powerOff();
      case 1 -> member.kill("controld");
      default -> guest.powerOff();
    }
  }
}
