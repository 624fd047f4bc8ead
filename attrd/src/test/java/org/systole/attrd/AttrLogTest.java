package org.systole.attrd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.systole.attrd.client.AttrMessage;
import org.systole.attrd.client.AttrMessage.Change;
import org.systole.attrd.client.AttrMessage.Kind;
import org.systole.attrd.client.AttrMessage.Update;
import org.systole.attrd.client.AttrMessage.Wait;
import org.systole.attrd.client.AttrUpdates;
import org.systole.common.values.NodeName;

/// Changes as the log tells them.
final class AttrLogTest extends AttrdUnderTest {
  private static final NodeName NODE2 = new NodeName("node2");

  private void says(@Nullable String value, Change change, long delay, Kind kind) {
    var update = new Update(change, "color", "", NODE2, value, delay, kind, false, Wait.NO);
    says(2, new AttrPeerMessage.Batch(1, List.of(new AttrPeerMessage.Apply(0, update, false))));
  }

  private void assertSaid(String line) {
    assertTrue(world.logged(line), () -> line + " in " + world.lines());
  }

  @Test
  void aChangeIsToldWithWhatWasThereAndWhoAsked() {
    says("blue", Change.VALUE, -1, Kind.TRANSIENT);
    assertSaid(
        "NOTICE: Setting color[node2] in instance_attributes: (unset) -> blue"
            + " | from node2 with no write delay and node XML ID 2");
    says("BLUE", Change.VALUE, -1, Kind.TRANSIENT);
    says("7", Change.VALUE, -1, Kind.TRANSIENT);
    says("value+=3", Change.VALUE, -1, Kind.TRANSIENT);
    says(null, Change.VALUE, -1, Kind.TRANSIENT);
    assertSaid("Setting color[node2] in instance_attributes: blue -> 7 | ");
    assertSaid("Setting color[node2] in instance_attributes: 7 -> 10 | ");
    assertSaid("INFO: Expanded color=value+=3 to 10");
    assertSaid("Setting color[node2] in instance_attributes: 10 -> (unset) | ");
    var told = world.lines().stream().filter(it -> it.contains("Setting color[")).count();
    assertEquals(4, told, "what does not change is not told");
  }

  @Test
  void aDelayIsToldWhenItChanges() {
    says("10", Change.VALUE, 90_000, new Kind("", true, false));
    assertSaid(
        "Setting color[node2] in utilization: (unset) -> 10 | from node2 with 1m30s write delay");
    says(null, Change.DELAY, 5000, new Kind("", true, false));
    assertSaid("INFO: Update attribute color delay to 5000ms (5s)");
    says(null, Change.DELAY, 0, new Kind("", true, false));
    assertSaid("INFO: Update attribute color to remove delay");
  }

  @Test
  void privateValuesAreProcessedAndFailuresThatAreForgottenAreTold() {
    says("x", Change.VALUE, -1, new Kind("", false, true));
    pass(1000);
    assertSaid("INFO: Processed 1 private change for color (set unspecified)");
    ask(AttrUpdates.set("fail-count-a#start_0", NODE2, "1"));
    ask(new AttrMessage.ClearFailures(null, "", 0, null));
    assertSaid("Setting fail-count-a#start_0[node2] in instance_attributes: 1 -> (unset) | from node1");
  }

  @Test
  void theAttributesOfARemovedNodeAreToldToBeRemoved() {
    ask(AttrUpdates.set("color", NODE2, "blue"));
    ask(new AttrMessage.RemoveNode(NODE2, false));
    assertSaid("is requesting all values for node2 be removed");
    assertSaid("NOTICE: Removing all node2 attributes for node node1 | and reaping node from cache");
  }

  @Test
  void whoWritesIsToldWhenItChanges() {
    assertSaid("NOTICE: Recorded local node as attribute writer (was unset)");
    assertSaid("INFO: Processing sync-response from node2");
    var told = world.lines().stream().filter(it -> it.contains("as attribute writer")).count();
    goes(2);
    assertSaid("NOTICE: Removing all node2 attributes for node loss | without reaping node from cache");
    assertEquals(
        told, world.lines().stream().filter(it -> it.contains("as attribute writer")).count());
  }

  @Test
  void aClientThatWaitedIsSaidToBeAlerted() {
    ask(AttrUpdates.waiting(AttrUpdates.set("color", NODE2, "blue"), Wait.LOCAL));
    assertSaid("for reached local sync point");
    assertSaid("NOTICE: Alerting client ");
  }

  @Test
  void whoConfirmsIsToldOfThisNodeToo() {
    world.keepDebugging();
    client.ask(AttrUpdates.waiting(AttrUpdates.set("color", NODE2, "blue"), Wait.CLUSTER));
    pass(50);
    assertSaid("DEBUG: Sending node1 a confirmation");
    assertSaid("DEBUG: Received confirmation from node1");
  }

  @Test
  void eachRequestIsToldToBeProcessed() {
    world.keepDebugging();
    ask(AttrUpdates.set("color", null, "7"));
    assertSaid("DEBUG: Broadcasting color[node1]=7 (writer)");
    assertSaid("DEBUG: Processed update request from client root: Done");
    assertSaid("DEBUG: Processed update request from peer node1: Done");
    ask(AttrUpdates.set("color", null, "value++"));
    assertSaid("DEBUG: Broadcasting color[node1]=8 (writer)");
    ask(AttrUpdates.set("color", null, null));
    assertSaid("DEBUG: Broadcasting color[node1]=(null) (writer)");
    client.ask(new AttrMessage.Query("color", null));
    ask(new AttrMessage.Refresh());
    ask(new AttrMessage.ClearFailures(null, "", 0, null));
    ask(new AttrMessage.RemoveNode(NODE2, false));
    for (var task : List.of("query", "refresh", "clear-failure", "peer-remove")) {
      assertSaid("DEBUG: Processed " + task + " request from client root: Done");
    }
    assertSaid("DEBUG: Processed peer-remove request from peer node1: Done");
    says(2, new AttrPeerMessage.Tell(false, List.of(), List.of()));
    assertSaid("DEBUG: Processed sync-response request from peer node2: Done");
  }
}
