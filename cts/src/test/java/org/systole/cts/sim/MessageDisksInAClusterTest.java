package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.common.sbd.DiskFormat;
import org.systole.common.sbd.DiskMessage;

/// A node without quorum whose disks are told that it is to be gone is gone when whoever told it
/// counts on that, whatever becomes of its guardian and of its disks meanwhile.
final class MessageDisksInAClusterTest {
  private static final String NODE = "node1";
  private static final Duration MSGWAIT = Duration.ofSeconds(DiskFormat.Times.USUAL.msgwait());

  private SimCluster cluster;

  private void form(String disks) {
    cluster = RealDaemons.cluster(7, 3);
    cluster.variable("SBD_DEVICE", disks);
    cluster.loadCib(SimCibs.standard(3));
    cluster.powerOnAll();
    assertTrue(
        cluster.settle(Duration.ofMinutes(3)), () -> cluster.trace().lines().toString());
    cluster.nodes().forEach(it -> it.agentFault("fence_sim", "*", List.of("fails")));
  }

  private void isGoneInTime() {
    cluster.partition(List.of(List.of(NODE), List.of("node2", "node3")));
    assertTrue(cluster.messageDisks().write(NODE, DiskMessage.RESET, "node2"));
  }

  private void afterwards() {
    cluster.run(MSGWAIT);
    assertEquals(
        1,
        cluster.trace().lines().stream()
            .filter(it -> it.contains(NODE + ": reset by"))
            .count(),
        () -> String.join("\n", cluster.trace().lines()));
  }

  @Test
  void alsoIfItsGuardianIsStartedAnewJustThen() {
    form("/dev/one");
    isGoneInTime();
    cluster.node(NODE).kill("guardian");
    afterwards();
  }

  @Test
  void alsoIfItSeesADiskForTheFirstTimeJustThen() {
    form("/dev/one;/dev/two");
    cluster.messageDisks().hang(NODE, "/dev/two", true);
    cluster.node(NODE).shutdown();
    cluster.run(Duration.ofSeconds(30));
    cluster.node(NODE).startClusterSoon();
    assertTrue(cluster.settle(Duration.ofMinutes(3)), () -> cluster.trace().lines().toString());
    isGoneInTime();
    cluster.messageDisks().hang(NODE, "/dev/one", true);
    cluster.messageDisks().hang(NODE, "/dev/two", false);
    afterwards();
  }

  @Test
  void alsoIfADiskAnswersLate() {
    form("/dev/one");
    cluster.messageDisks().answersOnceMoreAfter(NODE, "/dev/one", Duration.ofSeconds(6));
    cluster.run(Duration.ofMillis(1_100));
    isGoneInTime();
    afterwards();
  }

  /// The messages by which it was fenced are on all disks; it takes them for new on none.
  @Test
  void aNodeThatWasResetStartsOnceMore() {
    form("/dev/one;/dev/two;/dev/three");
    isGoneInTime();
    afterwards();
    cluster.heal();
    assertTrue(cluster.settle(Duration.ofMinutes(5)), () -> cluster.unsettled().toString());
    afterwards();
  }
}
