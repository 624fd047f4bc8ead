package org.systole.cibd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.systole.cibd.client.CibMessage;
import org.systole.common.cib.CibOp;
import org.systole.common.cluster.Terms;
import org.systole.common.output.Rc;
import org.systole.common.xml.Element;

/// Two nodes, of which this one goes on alone.
final class OutlastingTest {
  private CibdInTest node;
  private CibdInTest.Client user;

  @BeforeEach
  void isThePrimaryOfTwo() {
    node = new CibdInTest(2, Map.of());
    node.here(true, 1, 2);
    node.client().ask(new CibMessage.SetPrimary(5));
    var term = node.sent(CibPeerMessage.Collect.class).getLast().term();
    node.says(2, node.asHere(term));
    user = node.client();
  }

  private void configure(String name, boolean fencing) {
    node.client()
        .update(
            CibOp.put(
                "crm_config",
                Element.builder("cluster_property_set")
                    .attr("id", "f")
                    .add(
                        Element.of(
                            "nvpair",
                            "id",
                            "f-" + name,
                            "name",
                            name,
                            "value",
                            String.valueOf(fencing)))
                    .build()));
  }

  private List<Rc> told() {
    return user.answers().stream().map(CibMessage.Answer::rc).toList();
  }

  private void other(String expected, String inCcm) {
    node.client()
        .update(
            CibOp.put(
                "status",
                Element.of("node_state", "id", "2", "expected", expected, "in_ccm", inCcm)));
  }

  private long term() {
    return node.cibd.copy().line().term();
  }

  @Test
  void aChangeIsConfirmedOnceTheOtherWasFencedAndInALaterTerm() {
    node.here(true, 1);
    var before = term();
    user.update(CibdInTest.option("a"));
    node.pass(Duration.ofSeconds(5));
    assertEquals(List.of(), told());

    other("member", "0");
    assertEquals(List.of(), told(), "it is lost, not fenced");
    other("down", "1");
    assertEquals(List.of(), told(), "it is leaving");
    other("down", "0");
    assertEquals(List.of(Rc.OK), told());
    var last = before; // the other one's CIB manager was started anew eight times meanwhile, and has taken over each time
    for (var i = 0; i < 8; i++) {
      last = Terms.after(last, Durable.FORGOTTEN_MAX + 1);
    }
    assertTrue(term() > last, before + " then " + term());
  }

  @Test
  void whatIsConfirmedOnceTheOtherWasFencedCountsForLaterThanWhatThatHadAfterTwentySeconds() {
    node.here(true, 1);
    node.pass(Duration.ofSeconds(21));
    var both = term(); // the other one has renewed its own in the same second
    other("down", "0");
    user.update(CibdInTest.option("a"));
    assertEquals(List.of(Rc.OK), told());
    assertTrue(term() > Terms.after(both, Durable.FORGOTTEN_MAX + 1), both + " then " + term());
    var fenced = term();
    other("down", "0");
    assertEquals(fenced, term());
  }

  /// This one's controller was being started anew as they parted, so that it was the primary later than the other one.
  @Test
  void theOtherMayHaveBeenAloneForLonger() {
    node.here(true, 1);
    node.pass(Duration.ofMinutes(11));
    var longest = term();
    isThePrimaryOfTwo();
    node.here(true, 1);
    other("down", "0");
    assertTrue(term() > Terms.after(longest, Durable.FORGOTTEN_MAX + 1), longest + " then " + term());
  }

  private CibdInTest startedAnew() {
    node = node.again();
    node.here(true, 1);
    node.client().ask(new CibMessage.SetPrimary(5));
    return node;
  }

  /// Nobody can fence anybody for a while, and one of the two has its CIB manager started anew twice.
  @Test
  void aNodeWhoseCibManagerIsStartedAnewGetsNoFurther() {
    node.here(true, 1);
    node.pass(Duration.ofMinutes(11));
    startedAnew().pass(Duration.ofMinutes(11));
    startedAnew().pass(Duration.ofMinutes(11));
    var wrong = term();
    isThePrimaryOfTwo();
    node.here(true, 1);
    node.pass(Duration.ofSeconds(21));
    other("down", "0");
    assertTrue(term() > Terms.after(wrong, Durable.FORGOTTEN_MAX + 1), wrong + " then " + term());
  }

  @Test
  void whatIsBegunOnceTheOtherWasFencedDoesNotAddUp() {
    node.here(true, 1);
    other("down", "0");
    var first = term();
    for (var i = 1; i <= 8; i++) {
      startedAnew().pass(Duration.ofSeconds(1));
      other("down", "0");
    }
    assertTrue(term() > first, first + " then " + term());
    assertTrue(term() < Terms.after(first, 8 * (Durable.FORGOTTEN_MAX + 4)), first + " then " + term());
  }

  /// As above, where the two have met in between, as whose process is the same, or another one.
  @Test
  void onceTheyWereTogetherTheStepsBeginAnew() {
    for (var again : List.of(false, true)) {
      isThePrimaryOfTwo();
      node.here(true, 1);
      other("down", "0");
      if (again) {
        startedAnew();
      }
      assertTrue(node.world.disk().files().containsKey(PartedFile.NAME));
      node.here(true, 1, 2); // the other one promises the term that it hears of
      if (again) {
        node.says(2, node.asHere(node.sent(CibPeerMessage.Collect.class).getLast().term()));
      }
      other("member", "1");
      node.pass(Duration.ofSeconds(3));
      assertFalse(node.world.disk().files().containsKey(PartedFile.NAME));
      var together = term();
      node.here(true, 1);
      node.pass(Duration.ofMinutes(11));
      var longest = term(); // as far as the other one may have come
      assertTrue(longest > Terms.after(together, 5 * 64 * Durable.FORGOTTEN_MAX), together + " then " + longest);
      other("down", "0");
      assertTrue(term() > Terms.after(longest, Durable.FORGOTTEN_MAX + 1), longest + " then " + term());
    }
  }

  /// An older build has run in between, together with the other node, and has left the file as it was.
  @Test
  void aFileFromBeforeAnOlderBuildRanCountsForNone() {
    node.here(true, 1);
    other("down", "0");
    var before = Objects.requireNonNull(node.world.disk().files().get(PartedFile.NAME));
    startedAnew();
    node.here(true, 1, 2);
    node.client().ask(new CibMessage.SetPrimary(5));
    node.says(2, node.asHere(node.sent(CibPeerMessage.Collect.class).getLast().term()));
    node.pass(Duration.ofSeconds(3));
    var together = term();
    node.world.disk().files().put(PartedFile.NAME, before);
    startedAnew();
    other("down", "0");
    assertTrue(term() > Terms.after(together, 5 * 64 * Durable.FORGOTTEN_MAX), together + " then " + term());
  }

  @Test
  void aFileThatSaysNothingCountsForNone() {
    for (var content : List.of("", "x", "-5", "9223372036854775807", "5", "5 x", "-5 9", "9223372036854775807 9223372036854775807")) {
      node.here(true, 1);
      node.world.disk().files().put(PartedFile.NAME, content.getBytes(StandardCharsets.UTF_8));
      startedAnew();
      var before = term();
      other("down", "0");
      assertTrue(term() > Terms.after(before, 5 * 64 * Durable.FORGOTTEN_MAX), before + " then " + term());
      assertTrue(Terms.isPlausible(term(), before), before + " then " + term());
    }
  }

  @Test
  void theMembershipMayBeHeardOfBeforeTheGroup() {
    user.update(CibdInTest.option("a")); // the other one cannot hold it any more
    node.members(true, 1);
    assertEquals(List.of(), told());
    node.here(true, 1);
    assertEquals(List.of(), told());
    other("down", "0");
    assertEquals(List.of(Rc.OK), told());
  }

  @Test
  void itIsConfirmedAfterTwentySecondsInAnyCase() {
    node.here(true, 1);
    user.update(CibdInTest.option("a"));
    node.pass(Duration.ofSeconds(19));
    assertEquals(List.of(), told());
    node.pass(Duration.ofSeconds(2));
    assertEquals(List.of(Rc.OK), told());
    user.update(CibdInTest.option("b"));
    assertEquals(List.of(Rc.OK), told(), "the next one at once");
  }

  @Test
  void itIsConfirmedAtOnceWhereTheOtherHasLeft() {
    other("down", "0");
    node.here(true, 1);
    user.update(CibdInTest.option("a"));
    assertEquals(List.of(Rc.OK), told());
  }

  @Test
  void itIsConfirmedAtOnceWithoutFencing() {
    configure("stonith-enabled", false);
    node.here(true, 1);
    user.update(CibdInTest.option("a"));
    assertEquals(List.of(Rc.OK), told());
  }

  @Test
  void whoDisablesFencingOnceTheyArePartedMayBeFencedByTheOther() {
    node.here(true, 1);
    user.update(CibdInTest.option("a"));
    configure("stonith-enabled", false);
    node.pass(Duration.ofSeconds(19));
    assertEquals(List.of(), told());
    node.pass(Duration.ofSeconds(2));
    assertEquals(List.of(Rc.OK), told());
  }

  @Test
  void whatTheCibSaysOfAnEarlierStayOfTheOtherProvesNothing() {
    node.here(true, 1);
    other("down", "0");
    node.here(true, 1, 2); // it is back, and lost before the DC has said so
    node.here(true, 1);
    user.update(CibdInTest.option("a"));
    assertEquals(List.of(), told());
    other("member", "0");
    assertEquals(List.of(), told());
    other("down", "0");
    assertEquals(List.of(Rc.OK), told());
  }

  @Test
  void aRequestThatIsNotWaitedForSoLongIsNotAnsweredWithSuccess() {
    node.here(true, 1);
    user.ask(
        new CibMessage.Update(List.of(CibdInTest.option("a")), false, "", "test", 10_000, 0));
    node.pass(Duration.ofSeconds(25));
    assertEquals(List.of(Rc.ETIME), told());
  }

  @Test
  void whatIsNoConfigurationIsConfirmedAtOnce() {
    node.here(true, 1);
    user.update(CibdInTest.status("1"));
    assertEquals(List.of(Rc.OK), told());
  }

  @Test
  void whatTheDcItselfConfiguresIsConfirmedAtOnce() {
    node.here(true, 1);
    user.ask(
        new CibMessage.Update(List.of(CibdInTest.option("a")), false, "", "test", 60_000, 5));
    assertEquals(List.of(Rc.OK), told());
  }

  @Test
  void whereTheOtherIsBackBothHoldItAndItIsConfirmed() {
    node.here(true, 1);
    user.update(CibdInTest.option("a"));
    assertEquals(List.of(), told());
    node.here(true, 1, 2);
    var last = node.cibd.primary();
    node.says(2, new CibPeerMessage.Ack(last.term(), 1_000, 1_000));
    assertEquals(List.of(Rc.OK), told());
  }

  @Test
  void aNodeWithMostOfTheVotesHasNoOtherToOutlast() {
    node = new CibdInTest(List.of(2, 1));
    node.here(true, 1);
    node.client().ask(new CibMessage.SetPrimary(5));
    user = node.client();
    user.update(CibdInTest.option("a"));
    assertEquals(List.of(Rc.OK), told());
  }
}
