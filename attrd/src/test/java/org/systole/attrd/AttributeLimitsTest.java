package org.systole.attrd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.attrd.client.AttrMessage;
import org.systole.attrd.client.AttrUpdates;
import org.systole.common.cluster.LinkMessage;
import org.systole.common.values.NodeName;

/// How the length of values is counted, and that they never become too long to be sent.
final class AttributeLimitsTest {
  private static final NodeName NODE = new NodeName("node1");
  private static final NodeName OTHER = new NodeName("node2");

  private final AttributeTable table = new AttributeTable(new Unwatched());

  private static AttrMessage.Update set(String name, NodeName node, String value) {
    return AttrUpdates.set(name, node, value);
  }

  private static long encoded(AttrPeerMessage message) {
    return AttrPeerMessage.PROTOCOL.encode(0, message).length;
  }

  private static final List<String> TEXTS =
      List.of(
          "plain".repeat(200),
          "\"\\".repeat(200),
          "\u0001\u001f\n\t".repeat(200),
          "\u007f~ ".repeat(200),
          "\u0080\u07ff".repeat(200),
          "\u0800\uffee".repeat(200),
          "\ud83d\ude00".repeat(200));

  private static AttrMessage.Update delayed(String asked) {
    return new AttrMessage.Update(
        AttrMessage.Change.VALUE_AND_DELAY, "a", "", NODE, "1", Long.MAX_VALUE, AttrMessage.Kind.TRANSIENT, false,
        AttrMessage.Wait.CLUSTER, null, asked);
  }

  @Test
  void anUpdateIsCountedForAtLeastWhatItIsOnTheWireAndLittleMore() {
    for (var text : TEXTS) {
      for (var update :
          List.of(
              set(text, NODE, text),
              set(text, new NodeName("n".repeat(255)), text),
              set(text, NODE, ""),
              AttrdUnderTest.pattern(text, AttrMessage.Change.VALUE, text, 0),
              delayed(text))) {
        var apply = new AttrPeerMessage.Apply(1, update, true);
        var batch = encoded(new AttrPeerMessage.Batch(1, List.of(apply, apply)));
        var one = batch - encoded(new AttrPeerMessage.Batch(1, List.of(apply)));
        var counted = TextLength.of(update);
        assertTrue(counted >= one, () -> counted + " for " + one + " of " + update);
        assertTrue(counted <= 2 * one + 320, () -> counted + " for " + one + " of " + update);
      }
    }
  }

  @Test
  void aValueIsCountedForAtLeastWhatItIsOnTheWireAndLittleMore() {
    for (var text : TEXTS) {
      var attribute = new Attribute(text, AttrMessage.Kind.TRANSIENT, 0);
      var value =
          new AttrPeerMessage.Value(text, AttrMessage.Kind.TRANSIENT, 0, NODE, text, false);
      var none = encoded(new AttrPeerMessage.Tell(false, List.of(), List.of(value)));
      var one =
          encoded(new AttrPeerMessage.Tell(false, List.of(), List.of(value, value))) - none;
      var counted = TextLength.of(attribute, NODE, text, List.of());
      assertTrue(counted >= one, () -> counted + " for " + one + " of " + value);
      assertTrue(counted <= 2 * one + 320, () -> counted + " for " + one + " of " + value);
    }
    var named = new Attribute("a", AttrMessage.Kind.TRANSIENT, 0);
    var longName = new NodeName("n".repeat(100));
    assertEquals(
        6 * 95,
        TextLength.of(named, longName, "", List.of())
            - TextLength.of(named, NODE, "", List.of()));
  }

  @Test
  void whatIsDoneOnceIsCountedToo() {
    var counted = List.of("1f3a-1", "1f3a-2", "1f3a-3", "1f3a-4");
    var attribute = new Attribute("a", AttrMessage.Kind.TRANSIENT, 0);
    var marked =
        new AttrPeerMessage.Value(
            "a", AttrMessage.Kind.TRANSIENT, 0, NODE, "4", false, counted);
    var none = encoded(new AttrPeerMessage.Tell(false, List.of(), List.of(marked)));
    var one = encoded(new AttrPeerMessage.Tell(false, List.of(), List.of(marked, marked))) - none;
    assertTrue(TextLength.of(attribute, NODE, "4", counted) >= one);
    var update = AttrUpdates.once(set("a", NODE, "value++"), "x".repeat(40));
    table.apply(update, _ -> true);
    assertEquals(
        TextLength.of(attribute, NODE, "1", List.of("x".repeat(40))), table.bytes());
    var plain = TextLength.of(set("a", NODE, "value++"));
    assertEquals(plain + 40, TextLength.of(update));
  }

  @Test
  void theTableCountsWhatItHolds() {
    assertEquals(0, table.bytes());
    table.apply(set("a", NODE, "x".repeat(1000)), _ -> true);
    var one = table.bytes();
    var attribute = table.get("a");
    assertTrue(attribute != null && one == TextLength.of(attribute, NODE, "x".repeat(1000), List.of()));
    table.apply(set("a", OTHER, "x".repeat(1000)), _ -> true);
    assertEquals(2 * one, table.bytes());
    table.apply(set("a", NODE, "x".repeat(1500)), _ -> true);
    assertEquals(2 * one + 500, table.bytes());
    table.apply(set("a", NODE, "x"), _ -> true);
    assertEquals(2 * one - 999, table.bytes());
  }

  @Test
  void theGrowthOfAnUpdateIsKnownBeforeItIsApplied() {
    var first = set("a", NODE, "x".repeat(1000));
    var growth = table.growth(first, NODE);
    table.apply(first, _ -> true);
    assertEquals(table.bytes(), growth);
    var before = table.bytes();
    var longer = set("a", NODE, "x".repeat(1700));
    assertEquals(700, table.growth(longer, NODE));
    table.apply(longer, _ -> true);
    assertEquals(before + 700, table.bytes());
    assertEquals(-1600, table.growth(set("a", NODE, "x".repeat(100)), NODE));
    var delay = AttrdUnderTest.pattern("a", AttrMessage.Change.DELAY, null, 5);
    assertEquals(0, table.growth(delay, NODE));
    table.apply(set("ab", NODE, "x".repeat(1700)), _ -> true);
    var both = AttrdUnderTest.pattern("a", AttrMessage.Change.VALUE, "x".repeat(1800), -1);
    assertEquals(200, table.growth(both, NODE), "both grow by a hundred");
  }

  @Test
  void valuesThatWouldExceedTheLimitAreLeftAsTheyAre() {
    var part = "x".repeat(1 << 20);
    var count = 0;
    while (!table.apply(set("a" + count, NODE, part), _ -> true).isEmpty()) {
      count++;
    }
    assertEquals(31, count, "of 32 MiB");
    assertTrue(table.bytes() <= AttributeTable.BYTES_MAX);
    var left = AttributeTable.BYTES_MAX - table.bytes();
    assertEquals(List.of(), new ArrayList<>(table.apply(set("a0", OTHER, part), _ -> true)));
    var present = table.get("a0");
    assertTrue(present != null && !present.values().containsKey(OTHER));

    // to the last byte
    var room = "x".repeat((int) left);
    assertFalse(table.apply(set("a0", NODE, part + room), _ -> true).isEmpty());
    assertEquals(AttributeTable.BYTES_MAX, table.bytes());
    assertTrue(table.apply(set("a0", NODE, part + room + "x"), _ -> true).isEmpty());
    assertFalse(table.apply(set("a1", NODE, "less"), _ -> true).isEmpty(), "less is always taken");
    assertFalse(table.apply(set("a0", NODE, part + room + "x"), _ -> true).isEmpty());
  }

  private static AttrPeerMessage.Value told(String name, NodeName node, String value) {
    return new AttrPeerMessage.Value(name, AttrMessage.Kind.TRANSIENT, 0, node, value, false);
  }

  @Test
  void whatPeersTellIsTakenUpToTheLimitAndWhoJoinsCanBeTold() {
    var part = "x".repeat(1 << 20);
    for (var at = 0; at < 20; at++) {
      table.apply(set("a" + at, NODE, part), _ -> true);
    }
    var theirs = new ArrayList<AttrPeerMessage.Value>();
    for (var at = 0; at < 20; at++) {
      theirs.add(told("b" + at, OTHER, part));
    }
    theirs.add(told("small", OTHER, "x"));
    table.take(theirs);
    assertTrue(table.bytes() <= AttributeTable.BYTES_MAX);
    assertEquals(9, table.takeLeftOut(), "31 of 40 fit");
    assertEquals(0, table.takeLeftOut());
    assertTrue(table.get("small") != null, "what fits is taken");
    assertEquals(null, table.get("b19"), "nothing of it is left");

    var joiner = new AttributeTable(new Unwatched());
    var tell = new AttrPeerMessage.Tell(false, table.valuesOf(_ -> true), List.of());
    assertTrue(encoded(tell) <= LinkMessage.PAYLOAD_MAX);
    joiner.take(tell.own());
    assertEquals(0, joiner.takeLeftOut());
    assertEquals(table.bytes(), joiner.bytes());
    joiner.take(List.of(told("a0", NODE, "short")));
    assertEquals(0, joiner.takeLeftOut(), "shorter is always taken");
  }

  @Test
  void allHaveTheSameRoomForNamesWhoeverJoinedLater() {
    for (var at = 0; at < AttributeTable.ATTRIBUTES_MAX; at++) {
      table.apply(set("a" + at, at < 2 ? NODE : OTHER, "1"), _ -> true);
    }
    assertTrue(table.apply(set("more", NODE, "1"), _ -> true).isEmpty());
    table.forget(OTHER);
    var joiner = new AttributeTable(new Unwatched());
    joiner.take(table.valuesOf(_ -> true));
    assertEquals(2, joiner.attributes().size());
    assertFalse(table.apply(set("more", NODE, "1"), _ -> true).isEmpty());

    table.apply(set("none", NODE, "x".repeat(33 << 20)), _ -> true);
    assertEquals(null, table.get("none"), "what is not taken leaves no name behind");
  }
}
