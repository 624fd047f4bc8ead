package org.systole.pacemakerd.qdevice;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.systole.common.values.NodeId;
import org.systole.pacemakerd.qdevice.Word.Hold;

/// Token 1 s, so: a claim 1 s, silence 2 s; a word is good for 3 s and settles in 3 s.
final class GrantTest {
  private static final long MS = 1_000_000;
  private static final Side FIRST = side(1, 7);
  private static final Side NEXT = side(1, 8);

  private final Grant grant =
      new Grant(DeviceTiming.of(Duration.ofSeconds(1), 1000, null, null, 30_000));

  private static Side side(int leader, long number) {
    return new Side(new NodeId(leader), number, List.of(new NodeId(leader)));
  }

  private Hold at(long millis) {
    return grant.word(millis * MS).hold();
  }

  private void on(Side side) {
    grant.connected();
    grant.moved(side, false);
  }

  private void given(long asked, long now) {
    grant.given(asked * MS, now * MS);
  }

  private void confirmed(long asked, long now) {
    grant.confirmed(asked * MS, now * MS);
  }

  @Test
  void aWordSettlesOnceItWasHeldForItsTimeWithoutABreak() {
    on(FIRST);
    given(0, 10);
    for (var now = 500; now <= 3500; now += 500) {
      confirmed(now - 20, now);
    }

    assertEquals(Hold.GAINED, at(3009));
    assertEquals(Hold.SETTLED, at(3011));
  }

  @Test
  void aWordIsGoodForItsTimeFromTheQuestionAndAMemberSaysSoOnlyWhileAClaimIsLeft() {
    on(FIRST);
    given(100, 900);

    assertEquals(Hold.GAINED, at(2099));
    assertEquals(Hold.NONE, at(2101), "100 ms and 3 s, less a claim of 1 s");
  }

  @Test
  void aWordThatLapsedAndWasGivenAgainSettlesAnew() {
    on(FIRST);
    given(0, 10);
    for (var now = 500; now <= 3500; now += 500) {
      confirmed(now - 20, now);
    }
    given(9000, 9010);

    assertEquals(Hold.GAINED, at(9020));
  }

  @Test
  void whatIsTakenBackIsGoneAtOnceAndAnAnswerDoesNotBringItBack() {
    on(FIRST);
    given(0, 10);

    var inUse = grant.refused(true, 20 * MS);
    confirmed(30, 40);

    assertEquals(Duration.ofSeconds(1), inUse, "leases that were gained with it");
    assertEquals(Hold.NONE, at(50));
    assertEquals(Duration.ZERO, grant.refused(true, 60 * MS), "nothing was held");
  }

  @Test
  void theNextSideOfTheSameLeaderGoesOnWithTheWordUntilTheServerDecides() {
    on(FIRST);
    given(0, 10);
    for (var now = 500; now <= 3500; now += 500) {
      confirmed(now - 20, now);
    }

    grant.moved(NEXT, true);
    assertEquals(new Word(7, Hold.SETTLED, true), grant.word(3600 * MS));

    given(3700, 3710);
    assertEquals(new Word(8, Hold.SETTLED, false), grant.word(3720 * MS));
  }

  @Test
  void anotherSideBeginsWithNothing() {
    on(FIRST);
    given(0, 10);

    grant.moved(side(2, 3), false);

    assertEquals(new Word(0, Hold.NONE, true), grant.word(20 * MS));
    given(100, 110);
    assertEquals(Hold.GAINED, at(120));
  }

  @Test
  void aNewConnectionConfirmsNothingThatWasGivenOnTheOneBefore() {
    on(FIRST);
    given(0, 10);
    grant.disconnected();
    grant.connected();

    confirmed(1900, 1950);

    assertEquals(Hold.GAINED, at(1990), "it stays good for its time");
    assertEquals(Hold.NONE, at(2010));
  }

  @Test
  void aServerThatIsFoundAgainInTimeCostsNothing() {
    on(FIRST);
    given(0, 10);
    for (var now = 500; now <= 3500; now += 500) {
      confirmed(now - 20, now);
    }
    grant.disconnected();
    grant.connected();
    given(5000, 5010);

    assertEquals(Hold.SETTLED, at(5020));
  }

  @ParameterizedTest
  @ValueSource(longs = {200, 1000, 3000, 60_000, 600_000})
  void theTimesFitForEveryToken(long token) {
    var it = DeviceTiming.of(Duration.ofMillis(token), token, null, null, 30_000);

    assertTrue(it.settling().compareTo(it.claim().plus(it.silence())) >= 0, it::toString);
  }

  @Test
  void timesThatDoNotFitAreRefused() {
    var good = DeviceTiming.of(Duration.ofSeconds(1), 1000, null, null, 30_000);

    assertThrows(
        IllegalArgumentException.class,
        () ->
            new DeviceTiming(
                good.claim(),
                good.silence(),
                good.valid(),
                good.valid().minusMillis(1),
                good.heartbeat(),
                good.poll(),
                good.connecting(),
                good.sync()));
  }
}
