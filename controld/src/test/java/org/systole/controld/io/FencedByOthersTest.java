package org.systole.controld.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.systole.controld.TestNodes.named;

import org.junit.jupiter.api.Test;
import org.systole.common.operation.ExecStatus;
import org.systole.fenced.client.FenceMessage;

/// Fencings that this node has not asked for, or that were carried out under another DC.
final class FencedByOthersTest extends FencerLinkUnderTest {
  @Test
  void aFencingByAnotherClientIsRecordedAndPlannedFor() {
    fenced("node2", "stonith_admin.1", true, 12);
    assertEquals(planned("alert", "down node2", "restart"), host.deeds());
    assertEquals(1, host.byOthers.size());
    assertTrue(host.byOthers.getFirst().startsWith("node2: it was fenced (reboot) for stonith_admin.1@"), host.byOthers::toString);
  }

  @Test
  void itsOwnFencingIsRecordedOnce() {
    fence(7, "node2");
    fenced("node2", requests.getFirst().client(), true, 12);
    succeeds(0);
    assertEquals(planned("alert", "down node2", "ended 4:7 true"), host.deeds());
  }

  @Test
  void aFencingOfAnEarlierStayIsOnlyReported() {
    fenced("node2", "stonith_admin.1", true, 9);
    assertEquals(planned("alert"), host.deeds());
    host.dc = false;
    fenced("node2", "stonith_admin.1", true, 9);
    host.dc = true;
    host.deeds();
    link.tookOver();
    assertEquals(planned(), host.deeds());
  }

  @Test
  void aFailureOfAnotherClientsFencingIsOnlyReported() {
    fenced("node2", "stonith_admin.1", false, 12);
    assertEquals(planned("alert"), host.deeds());
  }

  @Test
  void aNodeThatWasFencedItselfEndsWhetherItIsDcOrNot() {
    fenced("node1", "stonith_admin.1", true, 12);
    assertEquals(planned("alert", "fenced ourselves"), host.deeds());
    host.dc = false;
    fenced("node1", "stonith_admin.1", true, 5);
    assertEquals(planned("alert", "fenced ourselves"), host.deeds());
    fenced("node1", "stonith_admin.1", false, 12);
    assertEquals(planned("alert"), host.deeds(), "a failure has no effect");
    fenced("node1", "stonith_admin.1", true, 4);
    assertEquals(planned("alert"), host.deeds(), "it has been back since");
  }

  @Test
  void aNodeUnfencedByHandIsNotDown() {
    fencer.event(
        new FenceMessage.Fenced(record("on", "node2", "x.1", 12), 0, ExecStatus.DONE));
    assertEquals(planned("alert"), host.deeds());
  }

  @Test
  void theAlertOfOneThatFailedSaysWhatHasFailed() {
    var silent = record("off", "node2", "x.1", 12);
    fencer.event(new FenceMessage.Fenced(silent, 1, ExecStatus.DONE));
    fencer.event(new FenceMessage.Fenced(silent, 1, ExecStatus.TIMEOUT));
    world.settle();

    var alerts = String.join("\n", host.alerts);
    assertTrue(alerts.contains(": the fence agent failed with exit status 1 (ref="), alerts);
    assertTrue(alerts.contains(": Timed out (ref="), alerts);
  }

  @Test
  void theNextDcRecordsNodesFencedWhileThereWasNone() {
    host.dc = false;
    fenced("node2", "stonith_admin.1", true, 12);
    fenced("node3", "stonith_admin.1", true, 12);
    assertEquals(planned("alert", "alert"), host.deeds());
    host.down.add("node3");
    host.dc = true;

    link.tookOver();

    assertEquals(planned("down node2"), host.deeds());
    host.down.add("node2");
    link.cibChanged();
    host.down.clear();
    link.tookOver();
    assertEquals(planned(), host.deeds(), "once it was written down that is over");
  }

  @Test
  void theNextDcDoesNotRecordAFencingOfANodeThatHasComeBack() {
    host.dc = false;
    fenced("node2", "stonith_admin.1", true, 12);
    fenced("node3", "stonith_admin.1", true, 12);
    host.deeds();
    host.stays.put("node2", 13L);
    link.appeared(named("node3"));
    host.dc = true;

    link.tookOver();

    assertEquals(planned(), host.deeds());
  }

  @Test
  void aRecordThatWasLostWithItsDcIsWrittenByTheNext() {
    fence(7, "node2");
    succeeds(0);
    host.deeds();
    link.tookOver(); // this node was DC, lost it, and is again
    assertEquals(planned("down node2"), host.deeds());
  }

  @Test
  void aFencingIsLoggedForTheAdministrator() {
    fenced("node2", "stonith_admin.1", true, 12);
    assertTrue(world.logged("Node node2 was fenced (reboot) by node3 for stonith_admin.1@node3"));
    fenced("node2", "stonith_admin.1", false, 12);
    assertTrue(world.logged("Node node2 was not fenced (reboot)"));
    fenced("node2", "stonith_admin.1", true, 9);
    assertTrue(world.logged("Ignoring a fencing of node2"));
  }
}
