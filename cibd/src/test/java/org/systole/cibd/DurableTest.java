package org.systole.cibd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.common.world.TestWorld;

/// A promise counts once it is on disk, or once it is clear that the disk fails.
final class DurableTest {
  private final TestWorld world = new TestWorld();
  private final Durable durable = new Durable(world);
  private final List<String> kept = new ArrayList<>();

  private void promise(long term, String name) {
    durable.promise(term, false, () -> kept.add(name));
  }

  @Test
  void aPromiseIsKeptOnceItIsOnDiskAndOutlivesTheProcess() {
    world.disk().waits(true);
    promise(32, "a");
    world.settle();
    assertEquals(List.of(), kept);
    world.disk().waits(false);
    assertEquals(List.of("a"), kept);

    var next = new Durable(world);
    assertEquals(32, next.promised());
    assertTrue(next.leastTerm() > 32, "it may have promised more in memory only");
  }

  @Test
  void whatIsOnDiskAlreadyIsNotWrittenAgain() {
    promise(32, "a");
    world.settle();
    world.disk().waits(true);
    promise(32, "again");
    promise(31, "earlier");

    assertEquals(List.of("a", "again", "earlier"), kept);
    assertEquals(32, durable.promised());
  }

  @Test
  void theSamePromiseWaitsForTheWriteThatIsUnderWay() {
    world.disk().waits(true);
    promise(32, "a");
    promise(32, "again");
    world.settle();
    assertEquals(List.of(), kept);

    world.disk().waits(false);
    assertEquals(List.of("a", "again"), kept);
  }

  @Test
  void aPromiseIsNotKeptByTheWriteOfAnEarlierOne() {
    world.disk().waits(true);
    durable.promise(
        32,
        false,
        () -> {
          kept.add("a");
          world.disk().waits(true);
        });
    world.settle();
    promise(48, "b");
    world.disk().waits(false);
    assertEquals(List.of("a"), kept);

    world.disk().waits(false);
    assertEquals(List.of("a", "b"), kept);
  }

  @Test
  void aDiskThatDoesNotAnswerIsWaitedForThreeSeconds() {
    world.disk().waits(true);
    promise(32, "a");
    world.pass(Duration.ofMillis(2_999));
    assertEquals(List.of(), kept);
    world.pass(Duration.ofMillis(1));
    assertEquals(List.of("a"), kept);

    world.disk().waits(false);
    world.pass(Duration.ofSeconds(5));
    assertEquals(List.of("a"), kept, "once");
  }

  @Test
  void aPromiseWrittenInTimeIsNotConfirmedAgainAtTheDeadline() {
    promise(32, "a");
    world.settle();
    world.pass(Duration.ofSeconds(5));

    assertEquals(List.of("a"), kept);
  }

  @Test
  void aDiskThatFailsKeepsNobodyWaiting() {
    world.disk().fails("no space left on device");
    promise(32, "a");
    world.settle();
    assertEquals(List.of("a"), kept);
    assertTrue(durable.isFailing());

    promise(48, "b");
    assertEquals(List.of("a", "b"), kept, "in memory");
    assertEquals(48, durable.promised());
  }

  @Test
  void aPromiseThatNobodyWaitsForIsOnDiskWithTheNextWrite() {
    durable.promise(32);
    durable.promise(16);
    assertEquals(32, durable.promised());
    durable.save(() -> kept.add("saved"));
    world.settle();

    assertEquals(List.of("saved"), kept);
    assertEquals(32, new Durable(world).promised());
  }

  @Test
  void aNodeThatNeverPromisedTakesPartInEveryTakeover() {
    assertEquals(0, durable.leastTerm());
  }
}
