package org.systole.common.values;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullAndEmptySource;
import org.junit.jupiter.params.provider.ValueSource;

final class NamesTest {
  @ParameterizedTest
  @ValueSource(strings = {"node1", "a b", "Knoten-ü", "db:0", "x.example.org", "<&\">", "%d", "7"})
  void whatPacemakerPermitsIsAName(String text) {
    assertEquals(text, new NodeName(text).toString());
    assertEquals(new NodeName(text), NodeName.of(text));
    assertEquals(text, new ResourceId(text).toString());
    assertEquals(new ResourceId(text), ResourceId.of(text));
  }

  @ParameterizedTest
  @NullAndEmptySource
  @ValueSource(strings = {"\n", "node\n1", "a\u0000", "\u001b[31m", "a\u0085"})
  void whatWouldMakeALogLieIsNone(String text) {
    assertNull(NodeName.of(text));
    assertThrows(IllegalArgumentException.class, () -> new NodeName(text));
    assertNull(ResourceId.of(text));
    assertThrows(IllegalArgumentException.class, () -> new ResourceId(text));
    assertNull(CibNodeId.of(text));
    assertThrows(IllegalArgumentException.class, () -> new CibNodeId(text));
  }

  @ParameterizedTest
  @NullAndEmptySource
  @ValueSource(strings = {"0", "-1", "01", "+1", "1 ", "node1", "2147483648", "9999999999999"})
  void whatIsNoClusterNodesIdIsNone(String text) {
    assertNull(NodeId.of(text));
  }

  @Test
  void anIdIsAboveZero() {
    assertEquals(new NodeId(1), NodeId.of("1"));
    assertEquals(new NodeId(Integer.MAX_VALUE), NodeId.of("2147483647"));
    assertNull(NodeId.of(0));
    assertNull(NodeId.of(-1));
    assertThrows(IllegalArgumentException.class, () -> new NodeId(0));
  }

  @Test
  void theCibNamesClusterNodesByNumberAndRemoteNodesByName() {
    assertEquals(new CibNodeId("7"), CibNodeId.of(new NodeId(7)));
    assertEquals(new NodeId(7), CibNodeId.of(new NodeId(7)).number());
    assertEquals(new CibNodeId("r1"), CibNodeId.ofRemote(new NodeName("r1")));
    assertNull(CibNodeId.ofRemote(new NodeName("r1")).number());
    assertEquals(new CibNodeId("07"), CibNodeId.of("07"));
    assertNull(new CibNodeId("07").number(), "a remote node may be called that");
  }

  @Test
  void namesAreSortedAsTheirTextsAre() {
    var texts = List.of("node10", "node2", "Node1", "node1", "a", "ü", "node", "\uD83D\uDE00");
    var sorted = new TreeSet<>(texts);
    var names = new TreeSet<>(texts.stream().map(NodeName::new).toList());
    var ids = new TreeSet<>(texts.stream().map(ResourceId::new).toList());
    assertEquals(sorted.toString(), names.toString());
    assertEquals(sorted.toString(), ids.toString());
    var numbers = new TreeSet<>(List.of(new NodeId(10), new NodeId(9), new NodeId(100)));
    assertEquals("[9, 10, 100]", numbers.toString());
  }

  @Test
  void theSameTextIsTheSameOnlyOfItsKind() {
    assertEquals(new NodeName("x"), new NodeName("x"));
    assertEquals(new NodeName("x").hashCode(), new NodeName("x").hashCode());
    assertNotEquals(new NodeName("x"), new NodeName("X"));
    assertNotEquals((Object) new NodeName("x"), new ResourceId("x"));
    assertNotEquals((Object) new NodeName("x"), "x");
    assertNotEquals(new NodeId(1), new NodeId(2));
  }
}
