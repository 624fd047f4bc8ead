package org.systole.scheduler.corpus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.systole.common.schema.upgrade.SchemaUpgrade;
import org.systole.common.values.IsoTime;
import org.systole.common.values.Numbers;
import org.systole.common.values.Score;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.scheduler.Scheduler;
import org.systole.scheduler.explain.Explanation;
import org.systole.scheduler.explain.Explanation.Condition;
import org.systole.scheduler.explain.Explanation.Contribution;
import org.systole.scheduler.explain.Explanation.Decision;
import org.systole.scheduler.explain.Explanation.Place;
import org.systole.scheduler.model.ClusterFlag;
import org.systole.scheduler.model.WorkingSet;

class ExplanationTest {
  // Every so many cases one is looked at, and of that so many causes.
  private static final int EVERY = Integer.getInteger("explain.every", 8);
  private static final int MOST = Integer.getInteger("explain.most", 8);
  private static final double FLOOR = 0.98;
  private static final double ADDED_UP = 0.999;

  /// A named cause, and where it is said to count.
  private record Claim(String resource, String node, Contribution cause) {}

  private static final class Figures {
    int changed;
    int overlapped;
    int failed;

    int total() {
      return changed + overlapped + failed;
    }

    @Override
    public String toString() {
      return "%d/%d (%d of them covered by another ban or infinity)"
          .formatted(changed + overlapped, total(), overlapped);
    }
  }

  private final Map<String, Figures> byKind = new TreeMap<>();
  private final List<String> failures = new ArrayList<>();
  private final Map<String, String> unexplained = new LinkedHashMap<>();

  @Test
  void takingANamedCauseAwayChangesTheDecision() throws IOException, XmlException {
    var corpus = Corpus.find();
    assumeTrue(
        corpus != null, "skipped: there is no shared/reference/scheduler beside the project");
    if (corpus == null) {
      return;
    }
    var names = corpus.names();
    for (var at = 0; at < names.size(); at += EVERY) {
      check(corpus, names.get(at));
    }
    var all = new Figures();
    for (var each : byKind.values()) {
      all.changed += each.changed;
      all.overlapped += each.overlapped;
      all.failed += each.failed;
    }
    System.out.println("explanations: " + all + " " + byKind);
    failures.forEach(System.out::println);
    assertTrue(all.total() > 100, () -> "only " + all.total() + " causes were found");
    assertTrue(all.changed + all.overlapped >= FLOOR * all.total(), () -> all + ": " + failures);
  }

  @Test
  void theCausesAddUpToTheScores() throws IOException, XmlException {
    var corpus = Corpus.find();
    assumeTrue(
        corpus != null, "skipped: there is no shared/reference/scheduler beside the project");
    if (corpus == null) {
      return;
    }
    var total = 0;
    var good = 0;
    var names = corpus.names();
    for (var at = 0; at < names.size(); at += Math.max(1, EVERY / 4)) {
      var upgraded = SchemaUpgrade.toCurrent(XmlReader.parse(corpus.input(names.get(at))));
      if (!upgraded.isOk()) {
        continue;
      }
      var cib = upgraded.cib();
      for (var each : explain(plan(cib, moment(cib, corpus.date(names.get(at))))).values()) {
        for (var place : each.places()) {
          total++;
          if (addsUp(place)) {
            good++;
          } else if (unexplained.size() < 20) {
            unexplained.putIfAbsent(names.get(at), each.resource() + " " + place);
          }
        }
      }
    }
    System.out.println("scores explained: " + good + "/" + total);
    unexplained.forEach((name, text) -> System.out.println("  " + name + ": " + text));
    assertTrue(good >= ADDED_UP * total, good + "/" + total + unexplained);
  }

  private static boolean addsUp(Place place) {
    var score = place.score();
    if (score == null) {
      return !place.obstacles().isEmpty() || !place.contributions().isEmpty();
    }
    var sum = 0L;
    var banned = false;
    var infinite = false;
    for (var each : place.contributions()) {
      if (!each.promotion()) {
        sum += each.score();
        banned |= each.score() <= -Score.INFINITY;
        infinite |= each.score() >= Score.INFINITY;
      }
    }
    if (score <= -Score.INFINITY) {
      return banned;
    }
    return score >= Score.INFINITY ? infinite : score == sum;
  }

  private void check(Corpus corpus, String name) throws IOException, XmlException {
    var upgraded = SchemaUpgrade.toCurrent(XmlReader.parse(corpus.input(name)));
    if (!upgraded.isOk()) {
      return;
    }
    var cib = upgraded.cib();
    var now = moment(cib, corpus.date(name));
    var before = explain(plan(cib, now));
    checkConditions(name, cib, now, before);
    for (var claim : claims(before)) {
      var changed = without(cib, Set.copyOf(claim.cause().sources()));
      var after = explain(plan(changed, now));
      judge(name, claim, before, after);
    }
  }

  // Conditions name options and attributes; without these they must no longer hold.
  private void checkConditions(
      String name, Element cib, Instant now, Map<String, Decision> before) {
    var seen = new LinkedHashMap<String, Condition>();
    for (var decision : before.values()) {
      decision.conditions().forEach(it -> seen.putIfAbsent(it.toString(), it));
      decision
          .places()
          .forEach(place -> place.obstacles().forEach(it -> seen.putIfAbsent(it.toString(), it)));
    }
    var checked = 0;
    for (var condition : seen.values()) {
      // Without the option of a cluster that has no quorum the default holds, which is to stop.
      if (condition.sources().isEmpty() || condition.kind().equals("quorum") || ++checked > MOST) {
        continue;
      }
      var after = explain(plan(without(cib, Set.copyOf(condition.sources())), now));
      var figures = byKind.computeIfAbsent("is " + condition.kind(), _ -> new Figures());
      if (conditions(before).equals(conditions(after))) {
        figures.failed++;
        failures.add("  %s: %s".formatted(name, condition));
      } else {
        figures.changed++;
      }
    }
  }

  private static List<String> conditions(Map<String, Decision> decisions) {
    var all = new ArrayList<String>();
    for (var decision : decisions.values()) {
      decision.conditions().forEach(it -> all.add(decision.resource() + it.text()));
      for (var place : decision.places()) {
        place.obstacles().forEach(it -> all.add(decision.resource() + place.node() + it.text()));
      }
    }
    return all;
  }

  private static List<Claim> claims(Map<String, Decision> decisions) {
    var claims = new LinkedHashMap<String, Claim>();
    for (var decision : decisions.values()) {
      for (var place : decision.places()) {
        for (var cause : place.contributions()) {
          if (!cause.sources().isEmpty()) {
            claims.putIfAbsent(
                cause.kind() + cause.sources(),
                new Claim(decision.resource(), place.node(), cause));
          }
        }
      }
    }
    var all = new ArrayList<>(claims.values());
    var some = new ArrayList<Claim>();
    var step = Math.max(1, all.size() / MOST);
    for (var at = 0; at < all.size() && some.size() < MOST; at += step) {
      some.add(all.get(at));
    }
    return some;
  }

  private void judge(
      String name, Claim claim, Map<String, Decision> before, Map<String, Decision> after) {
    var figures = byKind.computeIfAbsent(claim.cause().kind(), _ -> new Figures());
    var was = before.get(claim.resource());
    var is = after.get(claim.resource());
    if (was == null || is == null) {
      figures.failed++;
      failures.add("  %s: %s is gone".formatted(name, claim));
    } else if (!state(was, claim.node()).equals(state(is, claim.node()))) {
      figures.changed++;
    } else if (covered(was, is, claim)) {
      figures.overlapped++;
    } else {
      figures.failed++;
      failures.add("  %s: %s".formatted(name, claim));
    }
  }

  private static String state(Decision decision, String node) {
    var place = place(decision, node);
    return decision.chosen() + " " + decision.role() + " " + (place == null ? null : place.score());
  }

  private static @Nullable Place place(Decision decision, String node) {
    return decision.places().stream().filter(it -> it.node().equals(node)).findFirst().orElse(null);
  }

  // What is infinite for another reason, too, cannot change; but the explanation has to. And what
  // counts for promotion need not be seen in the score for the place.
  private static boolean covered(Decision was, Decision is, Claim claim) {
    var before = place(was, claim.node());
    var after = place(is, claim.node());
    if (before == null || after == null) {
      return false;
    }
    var gone = !after.contributions().contains(claim.cause());
    var infinite =
        after.contributions().stream()
            .anyMatch(
                it ->
                    it.promotion() == claim.cause().promotion()
                        && Math.abs(it.score()) >= Score.INFINITY
                        && !it.sources().equals(claim.cause().sources()));
    return gone && (infinite || promotion(before) != promotion(after));
  }

  private static long promotion(Place place) {
    return place.contributions().stream()
        .filter(Contribution::promotion)
        .mapToLong(Contribution::score)
        .sum();
  }

  private static WorkingSet plan(Element cib, Instant now) {
    return Scheduler.run(
            cib, now, ZoneOffset.UTC, Set.of(ClusterFlag.EXPLAIN, ClusterFlag.SANITIZED))
        .cluster();
  }

  private static Map<String, Decision> explain(WorkingSet cluster) {
    var all = new LinkedHashMap<String, Decision>();
    for (var rsc : List.copyOf(cluster.resources())) {
      Explanation.of(cluster, rsc, null).decisions().forEach(it -> all.put(it.resource(), it));
    }
    return all;
  }

  private static Element without(Element at, Set<String> ids) {
    var children = new ArrayList<Element>();
    var same = true;
    for (var child : at.children()) {
      var id = child.id();
      if (id != null && ids.contains(id)) {
        same = false;
      } else {
        var kept = without(child, ids);
        same &= kept == child;
        children.add(kept);
      }
    }
    return same ? at : at.withChildren(children);
  }

  private static Instant moment(Element cib, @Nullable String date) {
    var assumed = Instant.parse("2026-11-21T00:00:00Z");
    if (date != null) {
      return IsoTime.parse(date, IsoTime.of(assumed, ZoneOffset.UTC)).toInstant();
    }
    var original = Numbers.parse(cib.get("execution-date"), 0);
    return original > 0 ? Instant.ofEpochSecond(original) : assumed;
  }

  private static final String SMALL =
      """
      <cib have-quorum="true" crm_feature_set="3.19.0" dc-uuid="1" validate-with="pacemaker-4.0">
       <configuration>
        <crm_config><cluster_property_set id="o">
         <nvpair id="o-fencing" name="stonith-enabled" value="false"/>
        </cluster_property_set></crm_config>
        <nodes><node id="1" uname="a"/>
         <node id="2" uname="b"><instance_attributes id="b-attributes">
          <nvpair id="b-standby" name="standby" value="on"/></instance_attributes></node></nodes>
        <resources>
         <primitive id="x" class="ocf" provider="pacemaker" type="Dummy"/>
         <primitive id="y" class="ocf" provider="pacemaker" type="Dummy"/>
        </resources>
        <constraints>
         <rsc_location id="not-on-a" rsc="x" node="a" score="-INFINITY"/>
         <rsc_colocation id="y-with-x" rsc="y" with-rsc="x" score="INFINITY"/>
        </constraints>
       </configuration>
       <status>
        <node_state id="1" uname="a" in_ccm="true" crmd="online" join="member" expected="member"/>
        <node_state id="2" uname="b" in_ccm="true" crmd="online" join="member" expected="member"/>
       </status>
      </cib>
      """;

  @Test
  void anExplanationNamesTheConstraintTheStandbyNodeAndWhatWouldHaveToChange() throws XmlException {
    var cluster = plan(XmlReader.parse(SMALL), Instant.ofEpochSecond(1_700_000_000));
    var explanation = Explanation.of(cluster, "x", null);
    assertTrue(explanation != null);
    var decision = explanation.decisions().getFirst();
    assertEquals(null, decision.chosen());
    var onA = decision.places().getFirst();
    assertEquals(List.of("not-on-a"), onA.contributions().getFirst().sources());
    assertEquals("location constraint not-on-a", onA.change());
    var onB = decision.places().getLast();
    assertEquals(List.of("b-standby"), onB.obstacles().getFirst().sources());
  }

  @Test
  void aFailureIsNamedWithWhatTheAgentSaidAndItsMendOnce() throws XmlException {
    var failed =
        SMALL
            .replaceAll("<rsc_location id=\"not-on-a\".*/>", "")
            .replace(
                "<node_state id=\"1\" uname=\"a\" in_ccm=\"true\" crmd=\"online\" join=\"member\" expected=\"member\"/>",
                """
                <node_state id="1" uname="a" in_ccm="true" crmd="online" join="member" expected="member">
                <transient_attributes id="1"><instance_attributes id="t"><nvpair id="t1" name="fail-count-x#start_0" value="INFINITY"/>
                </instance_attributes></transient_attributes><lrm id="1"><lrm_resources>
                <lrm_resource id="x" class="ocf" provider="pacemaker" type="Dummy"><lrm_rsc_op id="x_last_failure_0" operation_key="x_start_0"
                 operation="start" crm_feature_set="3.20.5" transition-key="1:1:0:8a3e60d6-6a1b-4e2b-9d9a-3f3a3c6a1c11"
                 transition-magic="0:5;1:1:0:8a3e60d6-6a1b-4e2b-9d9a-3f3a3c6a1c11" exit-reason="no configuration" on_node="a" call-id="2"
                 rc-code="5" op-status="0" interval="0" last-rc-change="1699999990" exec-time="1" queue-time="0"/></lrm_resource>
                </lrm_resources></lrm></node_state>
                """);
    var explanation = Explanation.of(plan(XmlReader.parse(failed), Instant.ofEpochSecond(1_700_000_000)), "x", null);
    assertTrue(explanation != null);
    var change = explanation.decisions().getFirst().places().getFirst().change();
    assertTrue(change.contains("its start there ended with 'Not installed': no configuration [x_last_failure_0]"), change);
    assertEquals(change.indexOf("crm_resource --cleanup"), change.lastIndexOf("crm_resource --cleanup"), change);
  }

  @Test
  void aNodeThatHasNotJoinedYetIsNotCalledInStandby() throws XmlException {
    var joining =
        SMALL
            .replace("name=\"stonith-enabled\" value=\"false\"", "name=\"stonith-enabled\" value=\"true\"")
            .replace("<nvpair id=\"b-standby\" name=\"standby\" value=\"on\"/>", "")
            .replace("uname=\"b\" in_ccm=\"true\" crmd=\"online\" join=\"member\"", "uname=\"b\" in_ccm=\"true\" crmd=\"online\" join=\"down\"");
    var explanation =
        Explanation.of(plan(XmlReader.parse(joining), Instant.ofEpochSecond(1_700_000_000)), "x", null);
    assertTrue(explanation != null);
    var onB = explanation.decisions().getFirst().places().getLast();
    assertEquals("the node has not joined the cluster yet", onB.obstacles().getFirst().text());
  }

  /// Also where it never ran on the node, and waits only for what another one waits for.
  @Test
  void whatHasToBeFencedFirstIsNamed() throws XmlException {
    var cib =
        SMALL
            .replace("name=\"stonith-enabled\" value=\"false\"", "name=\"stonith-enabled\" value=\"true\"")
            .replace("<primitive id=\"x\"", "<primitive id=\"f\" class=\"stonith\" type=\"fence_dummy\"/><primitive id=\"x\"")
            .replaceAll("<rsc_location id=\"not-on-a\".*/>", "<rsc_order id=\"o1\" first=\"x\" then=\"y\"/>")
            .replace("uname=\"b\" in_ccm=\"true\" crmd=\"online\"", "uname=\"b\" in_ccm=\"false\" crmd=\"offline\"");
    var cluster = plan(XmlReader.parse(cib), Instant.ofEpochSecond(1_700_000_000));
    for (var id : List.of("x", "y")) {
      var explanation = Explanation.of(cluster, id, null);
      assertTrue(explanation != null);
      var decision = explanation.decisions().getFirst();
      assertEquals("a", decision.chosen());
      assertEquals(
          List.of(new Explanation.Condition("fencing", List.of(), "b must be fenced before " + id + "_start_0")),
          decision.conditions());
      assertTrue(
          decision.steps().stream().anyMatch(it -> it.action().startsWith("stonith-b-") && "b".equals(it.node())),
          () -> decision.steps().toString());
    }
  }

  @Test
  void aDependentNamesTheColocationThatKeepsItFromRunning() throws XmlException {
    var cluster = plan(XmlReader.parse(SMALL), Instant.ofEpochSecond(1_700_000_000));
    var explanation = Explanation.of(cluster, "y", cluster.node("a"));
    assertTrue(explanation != null);
    var place = explanation.decisions().getFirst().places().getFirst();
    assertTrue(
        place.contributions().stream()
            .anyMatch(it -> it.sources().equals(List.of("y-with-x")) && it.score() < 0),
        () -> place.toString());
  }

  @Test
  void nothingIsNotedUnlessAskedFor() throws XmlException {
    var cluster =
        Scheduler.run(
                XmlReader.parse(SMALL),
                Instant.ofEpochSecond(1_700_000_000),
                ZoneOffset.UTC,
                Set.of())
            .cluster();
    assertEquals(List.of(), cluster.scoreCauses());
  }
}
