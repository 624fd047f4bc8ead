package org.systole.fenced;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.systole.common.values.NodeId;
import org.systole.fenced.client.FenceMessage;

/// How long an operation may take, from what is asked and what the devices need.
final class FencingTimesTest {
  private static FenceMessage.Fence request(long timeoutMillis, int delaySeconds) {
    var like = FencerUnderTest.fence("node3", "off");
    return new FenceMessage.Fence(
        like.target(), "off", timeoutMillis, delaySeconds, 0, "test", true, 0);
  }

  private static Offer offer(String device, long timeoutMillis, long delayMillis) {
    var terms = new Offer.Terms(true, timeoutMillis, delayMillis);
    return new Offer(device, true, false, true, false, Map.of("off", terms));
  }

  private static Duration seconds(long count) {
    return Duration.ofSeconds(count);
  }

  @Test
  void offersAreWaitedForAsLongAsTheClientHasAndNoLongerThanTwentySeconds() {
    assertEquals(seconds(3), FencingTimes.query(request(3_000, 0)));
    assertEquals(seconds(20), FencingTimes.query(request(20_000, 0)));
    assertEquals(seconds(20), FencingTimes.query(request(60_000, 0)));
  }

  @Test
  void othersHaveAFifthMoreTime() {
    assertEquals(seconds(12), FencingTimes.stretch(seconds(10)));
  }

  @Test
  void anActionHasTheDevicesOwnTimeOrTheClients() {
    assertEquals(seconds(9), FencingTimes.one(request(5_000, 0), offer("a", 9_000, 0), "off"));
    assertEquals(seconds(5), FencingTimes.one(request(5_000, 0), offer("a", 0, 0), "off"));
    assertEquals(seconds(5), FencingTimes.one(request(5_000, 0), offer("a", 9_000, 0), "on"));
  }

  @Test
  void theDevicesDelayIsOnTopUnlessDelaysAreSwitchedOff() {
    assertEquals(seconds(7), FencingTimes.one(request(5_000, 0), offer("a", 0, 2_000), "off"));
    assertEquals(seconds(7), FencingTimes.one(request(5_000, 3), offer("a", 0, 2_000), "off"));
    assertEquals(seconds(5), FencingTimes.one(request(5_000, -1), offer("a", 0, 2_000), "off"));
  }

  @Test
  void theWholeTimeCountsEveryDeviceAndASecondTryWhereThereIsOne() {
    var offers = new Offers();
    offers.put(new NodeId(1), List.of(offer("a", 5_000, 0), offer("b", 7_000, 0)));
    offers.put(new NodeId(2), List.of(offer("a", 6_000, 0), offer("z", 90_000, 0)));
    offers.put(new NodeId(3), List.of(offer("a", 5_000, 0)));

    assertEquals(
        seconds(2 * 6 + 7),
        FencingTimes.whole(request(1_000, 0), offers, device -> !device.equals("z"), 1));
    assertEquals(
        seconds(2 * (2 * 6 + 7) + 4),
        FencingTimes.whole(request(1_000, 4), offers, device -> !device.equals("z"), 2));
  }

  @Test
  void theWholeTimeIsNotLessThanTheClients() {
    assertEquals(seconds(50), FencingTimes.whole(request(50_000, -1), new Offers(), _ -> true, 1));
  }
}
