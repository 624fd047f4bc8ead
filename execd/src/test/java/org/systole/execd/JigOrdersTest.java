package org.systole.execd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.common.world.TestClient;
import org.systole.common.world.TestWorld;
import org.systole.execd.client.ExecMessage;
import org.systole.execd.client.ExecMessage.JigResult;

/// Which run of a jig gives way to which, and what is kept of those that have ended.
final class JigOrdersTest {
  private static final String STEPS =
      "/usr/share/systole/jig/steps run disk /etc/pacemaker/roles/disk /usr/share/systole/roles/disk";

  private final ExecutorUnderTest executor = new ExecutorUnderTest(new TestWorld());

  private static ExecMessage.RunJig script(int run) {
    return new ExecMessage.RunJig("disk@n1", run, "script", "disk", 20_000, "{\"a\":1}", null);
  }

  private static ExecMessage.RunJig test(int run, String test) {
    return new ExecMessage.RunJig("t@n1", run, "test", "t", 20_000, "{\"test\":" + test + "}", null);
  }

  private TestClient<ExecMessage.Request, ExecMessage.Reply, ExecMessage.Event> asks(
      ExecMessage.Request request) {
    var client = executor.world.client(ExecMessage.SOCKET, ExecMessage.PROTOCOL, TestWorld.ROOT);
    client.ask(request);
    return client;
  }

  private static ExecMessage.JigEnded end(
      TestClient<ExecMessage.Request, ExecMessage.Reply, ExecMessage.Event> client) {
    return (ExecMessage.JigEnded) client.answers().getLast();
  }

  @Test
  void anotherRunEndsTheOneThatIsUnderWay() {
    var first = asks(script(1));
    var second = asks(test(1, "{\"seconds\":5,\"answer\":{\"b\":2}}"));
    executor.world.settle();
    assertEquals(JigResult.CANCELLED, end(first).result());
    assertEquals(List.of(), second.answers());
    executor.pass(5_000);
    assertEquals("{\"b\":2}", end(second).text());
  }

  /// The DC may take it for lost: its node had left, and is back.
  @Test
  void whatMayRunOnlyOnceIsEndedForNoOther() {
    var once =
        new ExecMessage.RunJig("disk@n1", 1, "script", "disk", 20_000, "{\"a\":1}", true);
    var first = asks(once);
    var order = test(1, "{\"answer\":{\"b\":2}}");
    var second = asks(order);
    var refused = asks(new ExecMessage.CancelJig("disk@n1", 1));
    executor.pass(1_000);
    assertEquals(List.of(), first.answers());
    assertEquals(List.of(ExecMessage.NOT_NOW), second.answers());
    assertEquals(List.of(new ExecMessage.Refused("it may run only once")), refused.answers());
    assertTrue(executor.world.logged("t@n1 (run 1) cannot begin: disk@n1 (run 1) runs, which may run only once"));
    executor.runs(STEPS).exits(0, "");
    assertEquals(JigResult.OK, end(first).result());
    executor.pass(60_000);
    assertEquals(0, executor.world.lines().stream().filter(it -> it.contains("runs for t@n1")).count());
    assertEquals(JigResult.UNKNOWN, end(asks(new ExecMessage.AwaitJig("t@n1", 1))).result());
    assertEquals("{\"b\":2}", end(askedAndDone(order)).text(), "ordered again it begins");
  }

  /// Somebody has said so since it was begun.
  @Test
  void whatMayRunOnlyOnceByNowIsEndedForNoOther() {
    var first = asks(script(1));
    var other = new ExecMessage.RunJig("t@n1", 1, "test", "t", 20_000, "{}", false, List.of("clock", "disk"));
    var second = asks(other);
    executor.pass(1_000);
    assertEquals(List.of(), first.answers());
    assertEquals(List.of(ExecMessage.NOT_NOW), second.answers());
    asks(new ExecMessage.CancelJig("disk@n1", 1));
    executor.runs(STEPS).exits(0, "");
    executor.pass(1_000);
    assertEquals(JigResult.OK, end(first).result());
  }

  private static ExecMessage.RunJig large(int role, boolean fails) {
    var data = fails ? "{\"fail\":\"broken\"}" : "{}";
    return new ExecMessage.RunJig(
        "t" + role + "@n1", 7, "test", "t", 20_000,
        "{\"test\":%s,\"much\":\"%s\"}".formatted(data, "x".repeat(1_000_000)), null);
  }

  /// An executor's memory is not for what nobody may ever ask for.
  @Test
  void oldAnswersAreDroppedBySizeAndTheirRunsAreNotBegunAgain() {
    asks(large(1, false));
    executor.pass(1_000);
    asks(large(2, true));
    executor.pass(1_000);
    for (var at = 3; at <= 20; at++) {
      assertEquals(JigResult.OK, end(askedAndDone(large(at, false))).result());
    }
    assertEquals(1, begun(1));
    for (var question : List.of(new ExecMessage.AwaitJig("t1@n1", 7), large(1, false))) {
      var dropped = end(askedAndDone(question));
      assertEquals(JigResult.UNKNOWN, dropped.result(), "it is done again, or a person is asked");
      assertEquals("it ended well, but its answer is not kept any more", dropped.text());
    }
    assertEquals(1, begun(1));
    var failed = end(askedAndDone(new ExecMessage.AwaitJig("t2@n1", 7)));
    assertEquals(JigResult.FAILED, failed.result());
    assertEquals("broken", failed.text());
    assertEquals("", failed.given());
    var kept = end(askedAndDone(new ExecMessage.AwaitJig("t20@n1", 7)));
    assertEquals(JigResult.OK, kept.result());
    assertEquals(large(20, false).given(), kept.given());
  }

  private TestClient<ExecMessage.Request, ExecMessage.Reply, ExecMessage.Event> askedAndDone(
      ExecMessage.Request request) {
    var asker = asks(request);
    executor.pass(1_000);
    return asker;
  }

  private long begun(int role) {
    return executor.world.lines().stream().filter(it -> it.contains("runs for t" + role + "@n1 ")).count();
  }

  /// What has not begun yet, as another one is being ended, gives way to a later run of its own.
  @Test
  void aLaterRunTakesThePlaceOfOneThatHasNotBegun() {
    asks(script(1));
    var first = asks(test(1, "{\"seconds\":1}"));
    var second = asks(test(2, "{\"seconds\":1}"));
    executor.pass(5_000);
    assertEquals(JigResult.CANCELLED, end(first).result());
    assertEquals(JigResult.OK, end(second).result());
  }

  /// Nobody tells an executor which noderoles are there no more.
  @Test
  void ofAThousandNoderolesThatAreNotFitTheLastOnesAreRemembered() {
    for (var at = 0; at < 300; at++) {
      check(at);
    }
    var once = failures();
    assertEquals(300, once);
    check(299);
    assertEquals(once, failures(), "it was told");
    check(0);
    assertEquals(once + 1, failures(), "told again rather than kept for ever");
  }

  private void check(int role) {
    var given = "{\"test\":{\"checks\":[\"gone\",\"gone\"]}}";
    asks(new ExecMessage.CheckJig("t" + role + "@n1", 1, "test", "t" + role, 20_000, given));
    executor.pass(10);
  }

  private long failures() {
    return executor.world.lines().stream().filter(it -> it.contains("failed: gone")).count();
  }
}
