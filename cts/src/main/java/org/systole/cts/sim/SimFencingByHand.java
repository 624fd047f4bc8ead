package org.systole.cts.sim;

import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeName;
import org.systole.fenced.client.FenceMessage;

/// People with `stonith_admin`: they have nodes fenced that are well and nodes that are not, several
/// of them at once, and say of nodes that are off that they are.
final class SimFencingByHand {
  private static final long SECOND = 1_000_000_000L;
  private static final long TIMEOUT_MILLIS = 50_000;

  private final SimCluster cluster;
  private final RandomGenerator random;

  SimFencingByHand(SimCluster cluster, RandomGenerator random) {
    this.cluster = cluster;
    this.random = random;
  }

  /// One random use of it.
  void happen() {
    var target = cluster.nodes().get(random.nextInt(cluster.nodes().size()));
    switch (random.nextInt(8)) {
      case 0, 1 -> fence(asker(), target, "reboot");
      case 2 -> fence(asker(), target, "off");
      case 3 -> cluster.nodes().forEach(it -> fence(it, target, "reboot"));
      case 4 -> againLater(target);
      case 5 -> afterItStops(target);
      default -> confirmOnceOff(target);
    }
  }

  private SimNode asker() {
    return cluster.nodes().get(random.nextInt(cluster.nodes().size()));
  }

  private void againLater(SimNode target) {
    fence(asker(), target, "reboot");
    cluster
        .queue()
        .after(random.nextLong(20 * SECOND), () -> fence(asker(), target, "reboot"));
  }

  /// A node is stopped for maintenance and then reset; it comes back with nothing of its own.
  private void afterItStops(SimNode target) {
    target.shutdown();
    cluster.queue().after(random.nextLong(15 * SECOND), () -> fence(asker(), target, "reboot"));
  }

  /// People are right when they say so; that it has come back by the time they are heard is another
  /// matter.
  private void confirmOnceOff(SimNode target) {
    target.powerOff();
    var comes = SECOND + random.nextLong(10 * SECOND);
    target.powerOnAfter(comes);
    cluster.queue().after(random.nextLong(comes), () -> confirm(asker(), target));
  }

  private void confirm(SimNode asker, SimNode target) {
    confirm(cluster, asker, target);
  }

  static void confirm(SimCluster cluster, SimNode asker, SimNode target) {
    if (!target.isPowered()) {
      var request = new FenceMessage.Confirm(new NodeName(target.name()), "stonith_admin.1");
      cluster
          .story()
          .deed(
              "confirm %s %s".formatted(asker.name(), target.name()),
              () -> ask(cluster, asker, "confirm " + target, request));
    }
  }

  private void fence(SimNode asker, SimNode target, String action) {
    fence(cluster, asker, target, action);
  }

  static void fence(SimCluster cluster, SimNode asker, SimNode target, String action) {
    var request =
        new FenceMessage.Fence(
            new NodeName(target.name()), action, TIMEOUT_MILLIS, 0, 0, "stonith_admin.1", true, 0);
    cluster
        .story()
        .deed(
            "fence %s %s %s".formatted(asker.name(), target.name(), action),
            () -> {
              if (isBeyondReach(cluster, target)) {
                cluster.note("nobody has %s fenced: nothing there reads its disks or feeds its watchdog".formatted(target));
              } else {
                ask(cluster, asker, action + " " + target, request);
              }
            });
  }

  /// Where nothing but watchdogs fences, people know that a node whose cluster software was stopped, and what it ran left
  /// running, has to be stopped otherwise: the fencing is said to have succeeded after a while, and nothing was done.
  private static boolean isBeyondReach(SimCluster cluster, SimNode target) {
    var byWatchdogs = cluster.checks().roles().gate().areWatchdogsAlone() || cluster.messageDisks().areFencing();
    return byWatchdogs
        && target.isPowered()
        && target.process("pacemakerd") == null
        && !target.activeResources().isEmpty();
  }

  private static void ask(
      SimCluster cluster, SimNode asker, String what, FenceMessage.Request request) {
    cluster.note(asker + ": stonith_admin " + what);
    cluster.busy(1);
    cluster.ask(
        asker.name(),
        FenceMessage.SOCKET,
        FenceMessage.PROTOCOL,
        request,
        answer -> {
          cluster.busy(-1);
          cluster.note(asker + ": stonith_admin " + what + ": " + told(answer));
        });
  }

  private static String told(FenceMessage.@Nullable Reply answer) {
    return answer instanceof FenceMessage.Outcome outcome
        ? outcome.succeeded() ? "done" : outcome.record().exitReason()
        : answer == null ? "no answer" : answer.toString();
  }
}
