package org.systole.controld.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.time.Duration;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.systole.common.operation.AgentName;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.OcfCode;
import org.systole.common.operation.OperationRequest;
import org.systole.common.operation.OperationResult;
import org.systole.common.values.OperationName;
import org.systole.common.values.ResourceId;
import org.systole.common.world.TestWorld;

/// What a remote host may tell of operations before nobody listens to it any more.
final class TellingLimitTest {
  private static final String KEY = "3:4:0:be2e97d9-05e2-439d-863e-48f7aecab2aa";
  private static final int MANY = 10_000;

  private final TestWorld world = new TestWorld();
  private @Nullable OperationRequest request; // that is under way
  private int requests;
  private int resources;
  private final TellingLimit limit =
      new TellingLimit(world, _ -> request, () -> requests, () -> resources);

  private static OperationRequest request(
      String operation, long interval, String key, Map<String, String> parameters) {
    return OperationRequest.of(
        new ResourceId("db"),
        new AgentName("ocf", "heartbeat", "Dummy"),
        new OperationName(operation),
        interval,
        parameters,
        key);
  }

  private static OperationResult result(OperationRequest request) {
    return OperationResult.made(request, OcfCode.OK, ExecStatus.DONE, "", 0);
  }

  private void isUnderWay(OperationRequest request, int of) {
    this.request = request;
    requests = of;
  }

  /// How many are taken before one is not.
  private int taken(Supplier<OperationResult> results) {
    for (var count = 0; count < MANY; count++) {
      if (limit.objection(results.get()) != null) {
        return count;
      }
    }
    return MANY;
  }

  @Test
  void whatWasAskedForMayBeAnsweredHoweverMuchItIs() {
    var start = request("start", 0, KEY, Map.of());
    isUnderWay(start, 1);
    assertEquals(MANY, taken(() -> result(start)));
  }

  @Test
  void anAnswerUnderAnotherKeyIsOneThatNobodyAskedFor() {
    isUnderWay(request("start", 0, KEY, Map.of()), 1);
    var other = result(request("start", 0, "7" + KEY, Map.of()));
    assertEquals(TellingLimit.AT_ONCE, taken(() -> other), 5);
  }

  @Test
  void allMonitorsMayFailAtTheSameMomentButNotForEver() {
    var monitor = request("monitor", 10_000, KEY, Map.of());
    isUnderWay(monitor, 1000);
    assertEquals(TellingLimit.AT_ONCE, taken(() -> result(monitor)), "few can be known before");
    world.pass(Duration.ofSeconds(60));
    assertEquals(TellingLimit.AT_ONCE + 4000, taken(() -> result(monitor)));
    world.pass(Duration.ofSeconds(1));
    assertEquals(TellingLimit.IN_A_SECOND + 1000, taken(() -> result(monitor)), 1);
  }

  @Test
  void operationsThatNobodyAskedForAreTakenWhileTheyAreFew() {
    var number = new int[1];
    var objection = (String) null;
    for (var count = 0; count <= TellingLimit.UNKNOWN_MAX; count++) {
      assertNull(objection, "number " + count);
      objection = unknown(++number[0]);
      world.pass(Duration.ofSeconds(1)); // however slowly they come: each is kept in the CIB
    }
    assertEquals("it tells of operations that nobody has asked for", objection);
  }

  @Test
  void ofManyResourcesMoreMayBeToldThatAnotherMemberHadAskedFor() {
    resources = 1000;
    for (var number = 1; number <= TellingLimit.UNKNOWN_MAX + 4000; number++) {
      assertNull(unknown(number), "number " + number);
      world.pass(Duration.ofSeconds(1));
    }
    assertNotNull(unknown(9999));
  }

  private @Nullable String unknown(long interval) {
    return limit.objection(result(request("monitor", interval, KEY, Map.of())));
  }

  @Test
  void theSameAgainIsNoMoreThanOne() {
    for (var count = 0; count < 2 * TellingLimit.UNKNOWN_MAX; count++) {
      assertNull(unknown(1000), "number " + count);
      world.pass(Duration.ofSeconds(1));
    }
  }

  @Test
  void whatNoProgramCouldBeGivenIsNotTakenEvenIfItWasAskedFor() {
    var start = request("start", 0, KEY, Map.of());
    isUnderWay(start, 1);
    var parameters = Map.of("x", "y".repeat(TellingLimit.LENGTH_MAX));
    assertNotNull(limit.objection(result(request("start", 0, KEY, parameters))));
    assertNotNull(limit.objection(result(request("m".repeat(300), 0, KEY, Map.of()))));
    assertNotNull(limit.objection(result(request("start", 0, "1".repeat(300_000), Map.of()))));
    assertNull(limit.objection(result(start)));
  }
}
