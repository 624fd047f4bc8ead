package org.systole.cts.sim;

import java.util.List;
import java.util.random.RandomGenerator;

/// One random fault of a remote host, or of the connection to it.
final class SimHostFault {
  private static final long SECOND = 1_000_000_000L;

  private final SimCluster cluster;
  private final RandomGenerator random;
  private final SimNode host;

  /// For a cluster with hosts.
  SimHostFault(SimCluster cluster, RandomGenerator random) {
    this.cluster = cluster;
    this.random = random;
    this.host = cluster.hosts().get(random.nextInt(cluster.hosts().size()));
  }

  void happen() {
    switch (random.nextInt(12)) {
      case 0, 1 -> host.powerOff();
      case 2 -> come();
      case 3, 4 -> host.resetConnections();
      case 5 -> host.kill("remoted");
      case 6 -> host.hang("remoted", random.nextLong(20 * SECOND));
      case 7 -> cutOff(cluster.nodes());
      case 8 -> cutOff(List.of(member()));
      case 9 -> host.shutdown();
      case 10 -> memberWhileItConnects();
      default -> {
        host.pause();
        cluster.queue().after(random.nextLong(30 * SECOND), host::resume);
      }
    }
  }

  private SimNode member() {
    return cluster.nodes().get(random.nextInt(cluster.nodes().size()));
  }

  private void come() {
    if (!host.isPowered()) {
      host.powerOn();
    } else if (!host.isRunning()) {
      host.startClusterSoon();
    }
  }

  /// Members and the host do not hear each other for a while.
  private void cutOff(List<SimNode> members) {
    for (var each : members) {
      cluster.cut(each.name(), host.name());
      cluster.cut(host.name(), each.name());
    }
    cluster.queue().after(random.nextLong(40 * SECOND), cluster::heal);
  }

  /// A member is lost just when it has connected to a remote node.
  private void memberWhileItConnects() {
    var after = random.nextLong(SECOND / 10);
    var how = random.nextInt(5);
    cluster
        .trace()
        .once(
            "Connected to remote node",
            name -> cluster.queue().after(after, () -> strike(cluster.node(name), how)));
    host.resetConnections();
  }

  private void strike(SimNode member, int how) {
    cluster.note("while " + member + " connects");
    switch (how) {
      case 0 -> member.powerOff();
      case 1 -> member.kill("controld");
      case 2, 3 -> {
        var rest = cluster.nodes().stream().filter(it -> it != member).map(SimNode::name).toList();
        cluster.partition(List.of(List.of(member.name()), rest));
        cluster.queue().after(2 * SECOND + random.nextLong(30 * SECOND), cluster::heal);
      }
      default -> {
        member.pause();
        cluster.queue().after(random.nextLong(10 * SECOND), member::resume);
      }
    }
  }
}
