package org.systole.pacemakerd.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/// A membership is being prepared, and meanwhile a member of it hears its leader of before again, in another view.
class OvertakenAttemptTest {
  /// The attempt of node 2 waits for node 4; nobody has told node 2 yet that node 3 is in another view, where node 1 leads.
  @Test
  void aVoteThatWasPromisedToOneLeaderRenewsNoLeaseOfTheOneBefore() throws Exception {
    var cluster = new FakeCluster(5, "");
    var a = cluster.start(1);
    var b = cluster.start(2);
    var c = cluster.start(3);
    var d = cluster.start(4);
    var e = cluster.start(5);
    cluster.view(a, b, c, d, e);
    cluster.run(2000);
    assertTrue(a.quorate());
    // node 1 stands still, node 5 is away: the others go on without them
    a.paused = true;
    e.paused = true;
    cluster.run(1000);
    cluster.view(b, c, d);
    cluster.run(2); // all have the view, and have said that they are there
    d.paused = true; // its answer to the preparation takes a while
    cluster.run(300);
    assertTrue(b.members().contains(1), "the attempt waits for node 4");
    a.resume();
    e.resume();
    cluster.view(List.of(a, c, e), a, b, c, d, e);
    cluster.run(5);
    d.resume();
    cluster.run(5); // node 2 has made its membership
    assertEquals(List.of(2, 3, 4), c.members());
    cluster.view(b, c, d);
    for (var millis = 0; millis < 3000; millis++) {
      cluster.run(1);
      assertFalse(
          a.quorate() && b.quorate() && b.members().equals(List.of(2, 3, 4)),
          "after %d ms node 1 is quorate in %s, node 2 in %s".formatted(millis, a.members(), b.members()));
    }
    assertTrue(b.quorate());
  }
}
