package org.systole.pacemakerd.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.systole.common.values.NodeId;
import org.systole.common.world.TestWorld;

/// No number is used twice, whatever happens to the process and its disk.
final class MembershipCounterTest {
  private static final NodeId SELF = new NodeId(3);

  private final TestWorld world = new TestWorld();
  private final MembershipCounter counter = new MembershipCounter(world, SELF);

  private long reserved() {
    var content = world.disk().files().get(MembershipCounter.FILE);
    return Long.parseLong(new String(content, StandardCharsets.UTF_8).strip());
  }

  private void written(String content) {
    world
        .disk()
        .files()
        .put(MembershipCounter.FILE, content.getBytes(StandardCharsets.UTF_8));
  }

  private long next() {
    var number = counter.next();
    world.settle();
    return number;
  }

  @Test
  void aNewNodesNumbersBeginAtOneAndCarryItsId() {
    counter.start();
    assertEquals(MembershipNumber.of(1, SELF), next());
    assertEquals(MembershipNumber.of(2, SELF), next());
    assertEquals(MembershipNumber.least(2), counter.least());
  }

  @Test
  void theNumberOnDiskIsAlwaysAboveThoseInUse() {
    counter.start();
    world.settle();
    for (var used = 1; used <= 500; used++) {
      next();
      assertTrue(reserved() > used, () -> "only " + reserved() + " reserved");
    }
  }

  @Test
  void theDiskIsNotWrittenForEachNumber() {
    counter.start();
    world.settle();
    var first = reserved();
    for (var used = 1; used < 50; used++) {
      next();
    }
    assertEquals(first, reserved());
  }

  @Test
  void afterARestartNumbersBeginAboveAllThatWereReserved() {
    written("700\n");
    counter.start();
    world.settle();
    assertEquals(MembershipNumber.of(701, SELF), next());
    assertTrue(reserved() > 701);
  }

  @Test
  void numbersStayAboveThoseOfOthersAlsoAfterARestart() {
    counter.start();
    counter.heardOf(MembershipNumber.of(9_000, new NodeId(1)));
    world.settle();
    assertTrue(reserved() > 9_000);
    assertEquals(MembershipNumber.least(9_000), counter.least());
    counter.heardOf(MembershipNumber.of(8_000, new NodeId(1)));
    assertEquals(MembershipNumber.of(9_001, SELF), next());
  }

  @Test
  void aNumberThatCannotBeReadIsTakenFromTheClockAndLogged() {
    written("rubbish");
    counter.start();
    // seconds since 2020: memberships are made less than once a second
    assertEquals(1_700_000_000L - 1_577_836_800 + 1, MembershipNumber.counter(next()));
    assertTrue(world.logged("WARNING: The number of the last membership is lost"));
  }

  @Test
  void aNumberThatIsNearTheEndIsADamagedOne() {
    for (var kept : new long[] {(1L << 31) - 50, (1L << 30) + 1, -1}) {
      written(kept + "\n");
      var again = new MembershipCounter(world, SELF);
      again.start();
      assertTrue(again.least() < MembershipNumber.least(1L << 30), kept + ": " + again.least());
    }
    assertTrue(world.logged("WARNING: The number of the last membership is lost: membership is damaged"), world.lines()::toString);
  }

  /// It would be kept, and no membership be made any more once none is left, without that node either.
  @Test
  void aNumberThatCannotBeIsNotTakenFromOthers() {
    counter.start();
    next();
    var told = MembershipNumber.of((1L << 31) - 50, new NodeId(1));
    counter.heardOf(told);
    counter.heardOf(told);
    assertEquals(MembershipNumber.of(2, SELF), next());
    assertEquals(1, world.lines().stream().filter(it -> it.startsWith("ERROR: Another node counts")).count());
    counter.heardOf(MembershipNumber.of(1L << 30, new NodeId(1)));
    assertEquals(MembershipNumber.of((1L << 30) + 1, SELF), next());
  }

  @Test
  void aFailingDiskIsLogged() {
    world.disk().fails("No space left on device");
    counter.start();
    world.settle();
    assertTrue(world.logged("ERROR: Cannot keep the number of the last membership: No space left on device"), world.lines()::toString);
  }
}
