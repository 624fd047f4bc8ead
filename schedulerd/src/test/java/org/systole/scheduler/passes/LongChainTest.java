package org.systole.scheduler.passes;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.systole.common.real.DeepStack;

/// Chains of constraints far deeper than the stack of a daemon's thread.
final class LongChainTest {
  private static final int LINKS = 1500;
  private static final long SMALL_STACK = 256 * 1024;

  @Test
  void aLongChainOfOrdersStartsEverything() throws InterruptedException {
    var cluster = cluster();
    for (var at = 1; at < LINKS; at++) {
      cluster.constraint("<rsc_order id='o%d' first='r%d' then='r%d'/>".formatted(at, at - 1, at));
    }
    assertEquals(LINKS, starts(cluster));
  }

  @Test
  void aLongChainOfColocationsStartsEverything() throws InterruptedException {
    var cluster = cluster();
    for (var at = 1; at < LINKS; at++) {
      cluster.constraint(
          "<rsc_colocation id='c%d' rsc='r%d' with-rsc='r%d' score='INFINITY'/>"
              .formatted(at, at, at - 1));
    }
    assertEquals(LINKS, starts(cluster));
  }

  @Test
  void aGroupOfManyMembersStartsEverything() throws InterruptedException {
    var members = new ArrayList<String>();
    for (var at = 0; at < LINKS; at++) {
      members.add(TestCluster.dummyXml("r" + at));
    }
    var cluster =
        TestCluster.ofTwo()
            .option("fencing-enabled", "false")
            .resource("<group id='g'>" + String.join("", members) + "</group>")
            .online("a")
            .online("b");
    assertEquals(LINKS, starts(cluster));
  }

  /// Each with all that come after it: there are more ways through them than there is time for.
  @Test
  @Timeout(60)
  void colocationsOfManyWithManyAreDecided() throws InterruptedException {
    var many = 32;
    var cluster = TestCluster.ofTwo().option("fencing-enabled", "false").online("a").online("b");
    for (var at = 0; at < many; at++) {
      cluster.dummy("r" + at);
    }
    for (var at = 1; at < many; at++) {
      for (var with = 0; with < at; with++) {
        cluster.constraint(
            "<rsc_colocation id='c%1$d-%2$d' rsc='r%1$d' with-rsc='r%2$d' score='10'/>"
                .formatted(at, with));
      }
    }
    assertEquals(many, starts(cluster));
  }

  private static TestCluster cluster() {
    var cluster = TestCluster.ofTwo().option("fencing-enabled", "false").online("a").online("b");
    for (var at = 0; at < LINKS; at++) {
      cluster.dummy("r" + at);
    }
    return cluster;
  }

  private static long starts(TestCluster cluster) throws InterruptedException {
    var plan = new AtomicReference<TestCluster.Planned>();
    var caller = new Thread(null, () -> plan.set(DeepStack.call(cluster::plan)), "caller", SMALL_STACK);
    caller.start();
    caller.join();
    return plan.get().actions().stream().filter(key -> key.matches("r\\d+_start_0.*")).count();
  }
}
