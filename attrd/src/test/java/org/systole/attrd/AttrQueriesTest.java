package org.systole.attrd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.attrd.client.AttrMessage;
import org.systole.attrd.client.AttrMessage.NodeValue;
import org.systole.common.values.NodeName;

/// Questions that come while a manager was just started, and was not told yet what the others know.
final class AttrQueriesTest extends AttrdUnderTest {
  private static final NodeName NODE2 = new NodeName("node2");

  @Override
  boolean othersTell() {
    return false;
  }

  @Test
  void aQuestionWaitsUntilAllOthersHaveTold() {
    var id = client.ask(new AttrMessage.Query("color", NODE2));
    pass(1_000);
    assertNull(client.answerTo(id), "node2 may have told a client that all know its color");
    says(2, new AttrPeerMessage.Tell(false, List.of(known("color", "node2", "blue")), List.of()));
    assertNull(client.answerTo(id), "node3 may know more");
    says(3, new AttrPeerMessage.Tell(false, List.of(), List.of()));
    assertEquals(blue(), client.answerTo(id));
    assertEquals("blue", value("color", "node2"), "the next one is answered at once");
  }

  @Test
  void whoTellsNothingKeepsNobodyWaitingForLongerThanThreeSeconds() {
    says(2, new AttrPeerMessage.Tell(false, List.of(known("color", "node2", "blue")), List.of()));
    var id = client.ask(new AttrMessage.Query("color", NODE2));
    pass(2_999);
    assertNull(client.answerTo(id));
    pass(2);
    assertEquals(blue(), client.answerTo(id));
  }

  @Test
  void whoLeavesKeepsNobodyWaiting() {
    says(2, new AttrPeerMessage.Tell(false, List.of(known("color", "node2", "blue")), List.of()));
    var id = client.ask(new AttrMessage.Query("color", NODE2));
    pass(20);
    assertNull(client.answerTo(id));
    goes(3);
    assertEquals(blue(), client.answerTo(id));
  }

  private static AttrMessage.Values blue() {
    return new AttrMessage.Values(true, List.of(new NodeValue(NODE2, "blue")));
  }
}
