package org.systole.hostha;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.systole.common.values.NodeName;
import org.systole.hostha.config.Configuration;
import org.systole.hostha.fsm.HostState;

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

  /// All members lose their power while a host's power is cycled: the next DC does not cycle it again.
  @Test
  void aPowerCycleThatOnlyARecordTellsOfIsNotBegunAgain() {
    var view = liveBy(new HostRecord(H1, HostState.RECOVERING, 0, 1, true, null, null, false));
    assertEquals(HostState.RECOVERED, view.state(), "it has its time to come back");
    assertEquals(1, view.attempts());
  }

  /// Who knows when they looked, by whose clock.
  @Test
  void aPowerCycleThatOnlyARecordCallsForIsNotMadeBeforeNeighboursHaveLooked() {
    for (var since : new long[] {-100_000, 0, 100_000}) {
      var view = liveBy(new HostRecord(H1, HostState.RECOVERING, since, 1, false, null, null, false));
      assertTrue(Set.of(HostState.SUSPECT, HostState.CHECKING, HostState.DEGRADED).contains(view.state()));
    }
  }

  /// The states that a plan leaves alone survive, whichever of them it is, in one record.
  @Test
  void thatAHostDoesNotAnswerIsRecordedOnce() {
    var health = decider.step(2, new Input.CheckNow(H1)).stream().filter(Order.CheckHealth.class::isInstance).findFirst();
    var all = new ArrayList<Order>();
    decider.step(3, new Input.Eligible(1, true, ""));
    if (health.orElse(null) instanceof Order.CheckHealth it) {
      all.addAll(decider.step(4, new Input.Health(it.id(), false, "no answer")));
    }
    for (var now = 1000L; now < 400_000; now += 1000) {
      all.addAll(decider.step(now, new Input.Tick()));
    }
    var written = new ArrayList<HostRecord>();
    for (var order : all) {
      if (order instanceof Order.Write it && it.host().equals(H1) && it.kept() != null && !written.contains(it.kept())) {
        written.add(it.kept());
      }
    }
    assertEquals(List.of(HostState.SUSPECT), written.stream().map(HostRecord::state).toList());
  }

  /// What becomes of h1 in five minutes by a record alone. Its power is not cycled.
  private HostView liveBy(HostRecord record) {
    var records = HostRecords.EMPTY.claimedBy(2).with(new Order.Write(0, H1, record.toBeProved(), null));
    var next = new Decider(2, decider.configuration(), records, Set.of(), 0, 0);
    for (var now = 1L; now < 9 * 60_000; now += 1000) {
      var orders = new ArrayDeque<>(next.step(now, new Input.Tick()));
      while (!orders.isEmpty()) {
        var order = orders.remove();
        assertFalse(order instanceof Order.Recover, "cycled after " + now + " ms");
        var answer = answer(order);
        if (answer != null) {
          orders.addAll(next.step(now, answer));
        }
      }
    }
    return Objects.requireNonNull(next.view(H1));
  }

  /// All is well but that h1 does not answer.
  private static @Nullable Input answer(Order order) {
    return switch (order) {
      case Order.CheckEligibility it -> new Input.Eligible(it.id(), true, "");
      case Order.CheckHealth it -> new Input.Health(it.id(), !it.host().equals(H1), "");
      case Order.ReadPower it -> new Input.Power(it.id(), PowerState.ON);
      case Order.Write it -> new Input.Written(it.host(), it.revision(), true, "");
      default -> null;
    };
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
