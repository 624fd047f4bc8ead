package org.systole.cts.sim;

import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;
import org.systole.common.cib.CibOp;

/// The connection of a remote node is moved while something is under way there: each operation that was asked for has to
/// come to an end that the DC hears of, whichever member has the connection by then.
final class SimMoveFault extends SimOddDeeds {
  private static final String IN_VAIN = "No result of ";
  private static final Duration REST = Duration.ofMinutes(2);

  SimMoveFault(SimCluster cluster, RandomGenerator random, SimChanges changes, SimBites bites) {
    super(cluster, random, changes, bites);
  }

  void happen() {
    cluster.settle(REST);
    cluster.trace().once(IN_VAIN, dc -> cluster.fail(SimCheck.IN_VAIN, dc + " has waited in vain for the end of an operation"));
    var host = one(cluster.hosts());
    slow(host);
    if (random.nextInt(3) > 0) {
      cluster.delay(Duration.ofMillis(20 + random.nextInt(150)));
    }
    var moves = 1 + random.nextInt(3);
    var at = random.nextLong(2 * SECOND);
    for (var count = 0; count < moves; count++) {
      after(Math.max(0, at + random.nextLong(SECOND) - SECOND / 5), () -> work(host));
      after(at, () -> move(host));
      at += 500 * MILLI + random.nextLong(one(List.of(SECOND, 8 * SECOND)));
    }
    if (random.nextInt(4) == 0) {
      after(upTo(5), this::cleanUp);
    }
    cluster.run(Duration.ofNanos(at).plusSeconds(2 + random.nextInt(10)));
    host.agentsWell();
    cluster.heal();
    bites.judge();
  }

  /// Operations there take about as long as it takes to move the connection, at times.
  private void slow(SimNode host) {
    for (var action : List.of("start", "stop", "monitor", "migrate_to", "migrate_from")) {
      var takes = one(List.of(20 * MILLI, 200 * MILLI, 3 * SECOND));
      host.agentFault("*", action, List.of("takes", Duration.ofNanos(1 + random.nextLong(takes)).toString()));
    }
  }

  /// A resource is brought there, or taken away.
  private void work(SimNode host) {
    var resource = one(List.of("a", "b"));
    var away = host.activeResources().contains(resource);
    ask(CibOp.put("constraints", location(resource, away ? any() : host)));
  }

  private void move(SimNode host) {
    var from = connectedTo(host);
    var to = one(cluster.nodes().stream().filter(it -> it != from).toList());
    ask(CibOp.put("constraints", location(host.name(), to)));
    var end = " on " + host.name() + ":";
    bites.await(
        "moved, the other member tells of an end",
        (member, text) -> member.equals(to.name()) && text.contains("Result of ") && text.contains(end));
  }
}
