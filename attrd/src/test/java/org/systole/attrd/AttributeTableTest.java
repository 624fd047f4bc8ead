package org.systole.attrd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.systole.attrd.client.AttrMessage;
import org.systole.attrd.client.AttrMessage.Change;
import org.systole.attrd.client.AttrMessage.Kind;
import org.systole.attrd.client.AttrMessage.Update;
import org.systole.attrd.client.AttrMessage.Wait;
import org.systole.attrd.client.AttrUpdates;
import org.systole.common.cluster.Levels;
import org.systole.common.values.Interval;
import org.systole.common.values.NodeName;

class AttributeTableTest {
  private final AttributeTable table = new AttributeTable(new Unwatched());

  private Set<String> apply(Change change, String name, String value, long delay) {
    return table.apply(
        new Update(
            change, name, "", new NodeName("n1"), value, delay, Kind.TRANSIENT, false, Wait.NO),
        _ -> true);
  }

  private Set<String> delay(Change change, String value, long delay) {
    var update =
        new Update(change, "a", "", new NodeName("n1"), value, delay, Kind.TRANSIENT, false, Wait.NO);
    return table.delay(update).stream().map(Attribute::name).collect(Collectors.toSet());
  }

  private Set<String> set(String name, String value) {
    return apply(Change.VALUE, name, value, -1);
  }

  @Test
  void onlyANewValueCountsAsAChange() {
    assertEquals(Set.of("a"), set("a", "1"));
    assertEquals(Set.of(), set("a", "1"));
    assertEquals(Set.of(), set("a", "1".toUpperCase()));
    assertEquals(Set.of("a"), set("a", "2"));
    assertEquals(Set.of("a"), set("a", null));
    assertEquals(Set.of(), set("a", null));
  }

  @Test
  void aDelayOfAnAttributeThatExistsChangesOnlyOnDemand() {
    apply(Change.VALUE, "a", "1", 5000);
    assertEquals(5000, table.get("a").delayMillis());
    assertEquals(Set.of(), apply(Change.VALUE, "a", "1", 9000));
    assertEquals(5000, table.get("a").delayMillis());
    assertEquals(Set.of(), delay(Change.VALUE, "1", 9000));
    assertEquals(5000, table.get("a").delayMillis());
    assertEquals(Set.of("a"), delay(Change.DELAY, "7", 9000));
    assertEquals(Set.of(), apply(Change.DELAY, "a", "7", 9000));
    assertEquals(9000, table.get("a").delayMillis());
    assertEquals("1", table.get("a").valueOf(new NodeName("n1")), "a delay is no value");
    assertEquals(Set.of("a"), delay(Change.VALUE_AND_DELAY, "7", 1000));
    assertEquals("1", table.get("a").valueOf(new NodeName("n1")), "the value comes after");
    assertEquals(Set.of("a"), apply(Change.VALUE_AND_DELAY, "a", "7", 1000));
    assertEquals("7", table.get("a").valueOf(new NodeName("n1")));
    assertEquals(1000, table.get("a").delayMillis());
    assertEquals(Set.of(), delay(Change.VALUE_AND_DELAY, "7", -1));
    assertEquals(1000, table.get("a").delayMillis(), "-1 says nothing of it");
  }

  @Test
  void aDelayIsNoLongerThanAnIntervalMayBe() {
    apply(Change.VALUE, "a", "1", Long.MAX_VALUE);
    assertEquals(Interval.MAX_MS, table.get("a").delayMillis());
    delay(Change.DELAY, null, 1000);
    delay(Change.DELAY, null, Long.MAX_VALUE);
    assertEquals(Interval.MAX_MS, table.get("a").delayMillis());
  }

  @Test
  void aDelayAloneMakesNoAttribute() {
    assertEquals(Set.of(), delay(Change.DELAY, null, 9000));
    assertEquals(Set.of(), apply(Change.DELAY, "a", null, 9000));
    assertNull(table.get("a"));
  }

  @Test
  void countingUpStartsAtNothingAndEndsAtInfinity() {
    assertEquals("1", expanded("value++", null));
    assertEquals("8", expanded("value++", "7"));
    assertEquals("10", expanded("value+=3", "7"));
    assertEquals("4", expanded("value+=-3", "7"));
    assertEquals("1000000", expanded("value+=INFINITY", "7"));
    assertEquals("1000000", expanded("value++", "INFINITY"));
    assertEquals("999990", expanded("value+=-10", "INFINITY"));
    assertEquals("-999999", expanded("value++", "-INFINITY"));
    assertEquals("7", expanded("value+=", "7"));
    assertEquals("7", expanded("value+=three", "7"));
    assertEquals("10", expanded("value+=3x", "7y"));
    assertEquals("0", expanded("value++", "no number"));
    assertEquals("0", expanded("value+=5", ""));
    assertEquals("5", expanded("value+=5", "Green"), "a word of health");
    assertEquals("value-1", expanded("value-1", "7"));
    assertNull(expanded(null, "7"));
  }

  private String expanded(String asked, String present) {
    return expanded(asked, present, Integer.MAX_VALUE);
  }

  private String expanded(String asked, String present, int level) {
    set("counted", present);
    return table.expanded("counted", new NodeName("n1"), asked, it -> it <= level);
  }

  /// While managers of an earlier build are there all count as those do.
  @Test
  void countingIsTheSameOnNodesOfTwoBuilds() {
    var earlier = Levels.COUNTED_AS_SCORES - 1;
    assertEquals("1", expanded("value++", "no number", earlier));
    assertEquals("1000000", expanded("value+=-10", "INFINITY", earlier));
    assertEquals("8", expanded("value++", "7", earlier));
  }

  @Test
  void aRunawayAgentMakesNoMoreThanAHundredThousandAttributes() {
    for (var i = 0; i < AttributeTable.ATTRIBUTES_MAX; i++) {
      set("a" + i, "1");
    }
    assertEquals(Set.of(), set("one more", "1"));
    assertEquals(Set.of("a0"), set("a0", "2"), "those that are there go on");
    var failures = "fail-count-web#monitor_10000";
    assertEquals(Set.of(failures), set(failures, "1"), "and failures are counted");
  }

  @Test
  void onlyMissingValuesAreTakenFromTheCib() {
    set("a", "here");
    table.takeMissing(
        List.of(
            new AttrPeerMessage.Value("a", Kind.TRANSIENT, 0, new NodeName("n1"), "cib", false),
            new AttrPeerMessage.Value("a", Kind.TRANSIENT, 0, new NodeName("n2"), "cib", false),
            new AttrPeerMessage.Value("b", Kind.TRANSIENT, 0, new NodeName("n1"), "cib", false)));
    assertEquals("here", table.get("a").valueOf(new NodeName("n1")));
    assertEquals("cib", table.get("a").valueOf(new NodeName("n2")));
    assertEquals("cib", table.get("b").valueOf(new NodeName("n1")));
  }

  @Test
  void onceRemoteAValueStaysRemote() {
    table.take(
        List.of(new AttrPeerMessage.Value("a", Kind.TRANSIENT, 0, new NodeName("r1"), "1", true)));
    table.take(
        List.of(new AttrPeerMessage.Value("a", Kind.TRANSIENT, 0, new NodeName("r1"), "2", false)));
    assertEquals(
        List.of(new AttrPeerMessage.Value("a", Kind.TRANSIENT, 0, new NodeName("r1"), "2", true)),
        table.remoteValues());
  }

  @Test
  void aPrivateAttributeIsNeverToBeWritten() {
    var hidden = new Attribute("a", new Kind("", false, true), 0);
    hidden.set(new NodeName("n1"), "1", false);
    assertFalse(hidden.hasUnwritten());
    var shown = new Attribute("a", Kind.TRANSIENT, -5);
    shown.set(new NodeName("n1"), "1", false);
    assertTrue(shown.hasUnwritten());
    assertEquals(0, shown.delayMillis());
    shown.values().get(new NodeName("n1")).written(true);
    assertFalse(shown.hasUnwritten());
    shown.set(new NodeName("n1"), "1", false);
    assertFalse(shown.hasUnwritten(), "the CIB has that");
  }

  @Test
  void aChangeIsNewsOnce() {
    set("a", "1");
    var value = table.get("a").values().get(new NodeName("n1"));
    assertTrue(value.takeUnalerted());
    assertFalse(value.takeUnalerted());
    set("a", "1");
    assertFalse(value.takeUnalerted());
    set("a", "2");
    assertTrue(value.takeUnalerted());
  }

  private void fails(String once, boolean countsOnce) {
    var update = AttrUpdates.set("fail-count-a", new NodeName("n1"), "value++");
    table.apply(AttrUpdates.once(update, once), _ -> countsOnce);
  }

  private @Nullable String failures() {
    return table.get("fail-count-a").valueOf(new NodeName("n1"));
  }

  @Test
  void anUpdateThatIsDoneOnceCountsOnceWhereverItIsAskedForAgain() {
    fails("x-1", true);
    fails("x-1", true);
    assertEquals("1", failures());
    fails("x-2", true);
    fails("y-1", true);
    fails("x-1", true);
    assertEquals("3", failures(), "others count, and what was before them does not again");

    var other = new AttributeTable(new Unwatched());
    other.take(table.valuesOf(_ -> true));
    assertEquals(table.valuesOf(_ -> true), other.valuesOf(_ -> true));
    var again = AttrUpdates.set("fail-count-a", new NodeName("n1"), "value++");
    other.apply(AttrUpdates.once(again, "x-2"), _ -> true);
    assertEquals("3", other.get("fail-count-a").valueOf(new NodeName("n1")), "a joiner knows too");
    assertEquals(table.bytes(), other.bytes());

    table.clear(new AttrMessage.ClearFailures(null, "", 0, null));
    fails("y-1", true);
    assertNull(failures(), "it was before the cleanup");
    fails("x-1", false);
    assertEquals("1", failures(), "a member of an older build would count it");
  }

  @Test
  void manyFailuresThatAreAskedForAgainCountOnceEach() {
    for (var round = 0; round < 2; round++) {
      for (var number = 1; number <= 15; number++) {
        var plain = AttrUpdates.set("fail-count-r", new NodeName("node1"), "value++");
        table.apply(AttrUpdates.once(plain, "sender-" + number), _ -> true);
      }
      var attribute = table.get("fail-count-r");
      assertEquals("15", attribute == null ? "none" : attribute.valueOf(new NodeName("node1")));
    }
  }
}
