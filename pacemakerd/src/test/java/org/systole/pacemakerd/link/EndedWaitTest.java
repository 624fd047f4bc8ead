package org.systole.pacemakerd.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/// A person ends the wait for all nodes.
final class EndedWaitTest {
  @Test
  void theNodesThatAreThereGoOnAndWhoComesLaterNeedNotWait() throws Exception {
    var cluster = new FakeCluster(3, "wait_for_all: 1");
    var a = cluster.start(1);
    var b = cluster.start(2);
    cluster.view(a, b);
    cluster.run(3000);
    assertFalse(a.quorate(), "two of three have the votes, and wait for the third");
    assertTrue(b.link.waits());

    b.link.endWait(); // not the leader
    cluster.run(2000);
    assertEquals(List.of(1, 2), a.members());
    assertTrue(a.quorate());
    assertTrue(b.quorate());
    assertFalse(a.link.waits());
    var made = a.membership().number();
    cluster.run(5000);
    assertEquals(made, a.membership().number(), "one membership is enough");

    b.kill();
    a.sees(b, true);
    var again = cluster.start(2);
    cluster.view(a, again);
    cluster.run(5000);
    assertEquals(List.of(1, 2), a.members());
    assertTrue(again.quorate(), "started anew it goes by those who wait no more");
  }

  @Test
  void oneOfTwoNodesGoesOnAlone() throws Exception {
    var cluster = new FakeCluster(2, "two_node: 1");
    var a = cluster.start(1);
    cluster.view(a);
    a.link.endWait(); // before its first membership
    cluster.run(3000);
    assertTrue(a.quorate());
  }

  @Test
  void withoutTheVotesThereIsNoQuorum() throws Exception {
    var cluster = new FakeCluster(3, "wait_for_all: 1");
    var a = cluster.start(1);
    cluster.view(a);
    cluster.run(3000);
    a.link.endWait();
    cluster.run(3000);
    assertFalse(a.link.waits());
    assertFalse(a.quorate(), "one of three");
  }

  @Test
  void whoDoesNotWaitHasNothingToEnd() throws Exception {
    var cluster = new FakeCluster(2, "");
    var a = cluster.start(1);
    var b = cluster.start(2);
    cluster.view(a, b);
    cluster.run(3000);
    var made = a.membership().number();
    a.link.endWait();
    cluster.run(3000);
    assertEquals(made, a.membership().number());
  }
}
