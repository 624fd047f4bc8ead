package org.systole.hostha;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.systole.common.values.NodeName;
import org.systole.hostha.config.Configuration;

/// What has to survive of a host is written, and written again where it was lost.
final class RecordsTest {
  private static final NodeName H1 = new NodeName("h1");

  private final Decider decider = decider();

  @Test
  void aRecordThatSomebodyRemovesIsWrittenAgain() {
    var first = writes(new Input.Hold(H1, "looked at"));
    assertEquals(1, first.size());
    assertEquals(List.of(), writes(new Input.Written(H1, first.getFirst().revision(), true, "")));

    var again = writes(new Input.Altered(H1));

    assertEquals(1, again.size());
    var kept = again.getFirst().kept();
    assertNotNull(kept);
    assertEquals("looked at", kept.held());
  }

  /// It may be what ours replaces, or what was put over ours before its answer came.
  @Test
  void aRecordThatIsAnotherWhileOursIsWrittenIsWrittenOnceMore() {
    var first = writes(new Input.Hold(H1, "looked at"));
    assertEquals(List.of(), writes(new Input.Altered(H1)), "its answer is waited for");

    var again = writes(new Input.Written(H1, first.getFirst().revision(), true, ""));
    assertEquals(first.getFirst().kept(), again.getFirst().kept());
    assertEquals(List.of(), writes(new Input.Written(H1, again.getFirst().revision(), true, "")), "once");
  }

  @Test
  void aRecordThatWasTakenBackAndThatSomebodyPutsThereIsTakenBackAgain() {
    var held = writes(new Input.Hold(H1, ""));
    decider.step(2, new Input.Written(H1, held.getFirst().revision(), true, ""));
    var released = writes(new Input.Release(H1));
    decider.step(2, new Input.Written(H1, released.getFirst().revision(), true, ""));

    var again = writes(new Input.Altered(H1));
    assertEquals(1, again.size());
    assertNull(again.getFirst().kept());
    assertEquals(List.of(), writes(new Input.Altered(new NodeName("nobody"))));
  }

  private List<Order.Write> writes(Input input) {
    return decider.step(2, input).stream()
        .filter(Order.Write.class::isInstance)
        .map(Order.Write.class::cast)
        .toList();
  }

  private static Decider decider() {
    var builder = new Configuration.Builder();
    builder.set("ha.enabled", "true", null);
    builder.host(H1, null, List.of("disk"));
    builder.host(new NodeName("h2"), null, List.of("disk"));
    var made =
        new Decider(1, builder.build(), HostRecords.EMPTY.claimedBy(1), Set.of(), 0, 0);
    made.step(1, new Input.Tick());
    return made;
  }
}
