package org.systole.common.xml;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.Random;
import org.junit.jupiter.api.Test;

/// Children are found by their ids alike, however many there are and however often it was asked.
final class WideElementTest {
  @Test
  void findsWhatLookingThroughAllOfThemFinds() {
    for (var count = 0; count < 3 * WideElement.CHILDREN; count++) {
      var random = new Random(count);
      var builder = Element.builder("status");
      for (var at = 0; at < count; at++) {
        var name = random.nextInt(4) == 0 ? "ticket" : "node_state";
        builder.add(
            random.nextInt(5) == 0
                ? Element.of(name, "uname", "n" + at)
                : Element.of(name, "id", "n" + random.nextInt(count)));
      }
      var status = builder.add(Element.comment("n1")).build();
      for (var again = 0; again < 2; again++) {
        for (var id = 0; id <= count; id++) {
          assertSame(lookedThrough(status, "node_state", "n" + id), status.first("node_state", "n" + id));
          assertSame(lookedThrough(status, "ticket", "n" + id), status.first("ticket", "n" + id));
        }
      }
    }
  }

  private static Element lookedThrough(Element all, String name, String id) {
    return all.children(name).stream().filter(it -> id.equals(it.id())).findFirst().orElse(null);
  }

  @Test
  void aChangedOneKnowsItsOwnChildren() {
    var builder = Element.builder("status");
    for (var at = 0; at < 2 * WideElement.CHILDREN; at++) {
      builder.add(Element.of("node_state", "id", "n" + at));
    }
    var before = builder.build();
    askAll(before);

    var other = Element.of("node_state", "id", "n7", "in_ccm", "0");
    var replaced = before.replace(7, other);
    askAll(replaced);
    assertSame(other, replaced.first("node_state", "n7"));
    assertSame(before.child(7), before.first("node_state", "n7"));

    var removed = replaced.remove(7);
    askAll(removed);
    assertNull(removed.first("node_state", "n7"));
    assertEquals(before, removed.insert(7, before.child(7)));
    assertSame(other, removed.with("x", "1").plus(other).first("node_state", "n7"));
  }

  private static void askAll(Element status) {
    for (var child : status.children()) {
      status.first("node_state", child.get("id", ""));
    }
  }
}
