package org.systole.controld.dc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.systole.common.cluster.LinkMessage.ConfiguredNode;
import org.systole.common.cluster.Member;
import org.systole.common.cluster.Membership;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.xml.Element;

final class NodeBookTest {
  private static final Element ATTRIBUTES_ONLY =
      Element.of("node_state", "id", "1", "uname", "node1");

  private final NodeBook book = new NodeBook();

  private void members(int... ids) {
    var members =
        IntStream.of(ids)
            .mapToObj(it -> new Member(new NodeId(it), new NodeName("node" + it), 1))
            .toList();
    book.membership(new Membership(1, members, true), 1000);
  }

  private void configured(int... ids) {
    book.configured(
        IntStream.of(ids)
            .mapToObj(it -> new ConfiguredNode(new NodeId(it), new NodeName("node" + it), 1))
            .toList());
  }

  private @Nullable Element state(@Nullable Element known) {
    return book.state(1, false, "test", known);
  }

  @Test
  void aMemberThatLeftUnexpectedlyIsPutDownAsExpectedWhenTheCibDoesNotTellOfIt() {
    members(1, 2);
    members(2);

    for (var known : new Element[] {null, ATTRIBUTES_ONLY}) {
      var state = state(known);
      assertNotNull(state);
      assertEquals("0", state.get("in_ccm"));
      assertEquals("0", state.get("crmd"));
      assertEquals("member", state.get("expected"));
    }
  }

  @Test
  void aNodeNobodyHasSeenStaysUnseenEvenIfItHasAttributes() {
    configured(1, 2);
    members(2);

    assertNull(state(null));
    assertNull(state(ATTRIBUTES_ONLY));
  }

  @Test
  void aNodeThatLeftInGoodOrderIsNotExpected() {
    members(1, 2);
    members(2);
    book.leftInGoodOrder(1);

    assertNull(state(ATTRIBUTES_ONLY));
    var state = state(ATTRIBUTES_ONLY.with("expected", "down"));
    assertNotNull(state);
    assertNull(state.get("expected"));
  }

  @Test
  void nothingIsExpectedOfANodeThatComesBackUntilItHasJoined() {
    members(1, 2);
    book.expect(1, "down");
    members(2);
    assertTrue(book.isExpectedDown(1));

    members(1, 2);
    assertFalse(book.isExpectedDown(1), "that it was to end is over, whoever was DC when it came");
  }
}
