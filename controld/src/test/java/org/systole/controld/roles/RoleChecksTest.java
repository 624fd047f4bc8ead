package org.systole.controld.roles;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.systole.common.world.TestWorld;
import org.systole.controld.io.PeerMessage;

/// When roles are looked at again.
final class RoleChecksTest {
  private static final String DISK = "disk@n1";

  private final TestWorld world = new TestWorld();
  private final List<String> found = new ArrayList<>();
  private final List<Long> ordered = new ArrayList<>(); // the seconds
  private final List<Integer> ended = new ArrayList<>(); // before they ended by themselves
  private final RoleChecks checks =
      new RoleChecks(world, it -> found.add(it.getKey().run() + " " + it.getValue()));

  private static RunKey key(int run) {
    var key = RunKey.of(DISK, run);
    if (key == null) {
      throw new IllegalStateException();
    }
    return key;
  }

  private void want(int run, boolean well) {
    want(run, well, false);
  }

  private void want(int run, boolean well, boolean later) {
    var all = new TreeMap<RunKey, RoleChecks.Due>();
    all.put(
        key(run),
        new RoleChecks.Due(
            key(run),
            well,
            later,
            10_000,
            5_000,
            () -> ordered.add(world.nanoTime() / 1_000_000_000),
            () -> ended.add(run)));
    checks.want(all, new TreeSet<>(Set.of(key(run))));
  }

  private void finds(int run, String result) {
    checks.news(key(run), new PeerMessage.CheckNews(DISK, run, result, "it is gone"));
  }

  /// How many seconds after now it is looked at.
  private long wait(Duration most) {
    ordered.clear();
    var from = world.nanoTime() / 1_000_000_000;
    world.pass(most);
    return ordered.isEmpty() ? -1 : ordered.getFirst() - from;
  }

  @Test
  void onlyNewsAreToldOf() {
    want(1, true);
    assertEquals(10, wait(Duration.ofSeconds(11)));
    finds(1, "OK");
    finds(1, "FAILED");
    assertEquals(List.of("1 it is gone"), found);
    want(1, false);
    finds(1, "FAILED");
    finds(1, "UNKNOWN");
    assertEquals(1, found.size());
    finds(1, "OK");
    assertEquals(List.of("1 it is gone", "1 "), found);
  }

  @Test
  void whatFailsEachTimeThoughItLooksFitIsTriedMoreAndMoreSeldom() {
    var waits = new ArrayList<Long>();
    for (var run = 1; run <= 12; run++) {
      want(run, false); // the run has failed
      waits.add(wait(Duration.ofHours(2)));
      finds(run, "OK"); // so it runs again
    }
    assertEquals(List.of(10L, 20L, 40L, 80L), waits.subList(0, 4));
    assertEquals(3_600L, waits.getLast());
    assertEquals(12, found.size());
  }

  /// Life with roles 51: it was looked at when what it had been tried in vain for would have been, up to an hour later.
  @Test
  void whatAPersonTookAsDoneIsLookedAtAsOtherThingsThatAreFit() {
    for (var times = 0; times < 5; times++) {
      want(1, false);
      finds(1, "OK");
    }
    want(1, false); // may run only once: it has no other number
    assertEquals(-1, wait(Duration.ofSeconds(60)));
    want(1, true);
    assertEquals(10, wait(Duration.ofSeconds(60)));
  }

  @Test
  void aCheckThatFailsOrARunThatWorksBeginsAnew() {
    want(1, false);
    finds(1, "OK");
    want(2, false);
    assertEquals(20, wait(Duration.ofSeconds(30)));
    finds(2, "FAILED");
    assertEquals(10, wait(Duration.ofSeconds(11)));
    finds(2, "OK");
    want(3, true);
    want(3, false);
    finds(3, "FAILED");
    assertEquals(10, wait(Duration.ofSeconds(11)));
  }

  @Test
  void whatIsDueWhileItsNodeIsBusyIsLookedAtAfterThat() {
    want(1, true);
    for (var round = 0; round < 5; round++) { // something else of the node runs again and again
      world.pass(Duration.ofSeconds(3));
      want(1, true, true);
      world.pass(Duration.ofSeconds(3));
      want(1, true);
    }
    world.pass(Duration.ofMillis(1));
    assertEquals(List.of(12L), ordered.subList(0, 1));
  }

  /// Life with roles 2021: it waited for as long as an answer that is lost.
  @Test
  void whatIsAnsweredWhileItsNodeIsBusyIsLookedAtAgainAfterThat() {
    want(1, true);
    world.pass(Duration.ofSeconds(10));
    want(1, true, true);
    finds(1, "FAILED");
    assertEquals(List.of(), found);
    world.pass(Duration.ofSeconds(2));
    ordered.clear();
    want(1, true);
    assertEquals(0, wait(Duration.ofSeconds(1)));
  }

  @Test
  void aCheckIsEndedThatNobodyWantsAnyMore() {
    want(1, true);
    world.pass(Duration.ofSeconds(10));
    want(1, true, true); // its node does something else: it is short, and its answer counts if that is so too
    assertEquals(List.of(), ended);
    checks.want(new TreeMap<>(), new TreeSet<>(Set.of(key(1)))); // in maintenance
    assertEquals(List.of(1), ended);
    checks.want(new TreeMap<>(), new TreeSet<>(Set.of(key(1))));
    assertEquals(List.of(1), ended, "once");
    want(1, true);
    assertEquals(0, wait(Duration.ofSeconds(1)), "nobody has looked");
    checks.want(new TreeMap<>(), new TreeSet<>());
    assertEquals(List.of(1, 1), ended, "bound no more");
    want(2, true);
    world.pass(Duration.ofSeconds(10));
    finds(2, "OK");
    checks.want(new TreeMap<>(), new TreeSet<>());
    assertEquals(List.of(1, 1), ended, "it has ended by itself");
  }

  @Test
  void aNoderoleThatIsBoundAnewBeginsAnew() {
    want(1, false);
    finds(1, "OK");
    checks.want(new TreeMap<>(), new TreeSet<>());
    want(2, false);
    assertEquals(10, wait(Duration.ofSeconds(11)));
  }
}
