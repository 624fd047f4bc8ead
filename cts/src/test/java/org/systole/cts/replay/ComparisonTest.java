package org.systole.cts.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.systole.common.transition.TransitionGraph;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;

/// What the comparison of a case with what ran finds.
final class ComparisonTest {
  /// A host is lost: it is fenced, its resource, which only counts as stopped, is started elsewhere.
  private static final String LOST =
      """
      <transition_graph transition_id="0">
        <synapse id="0"><action_set>
          <crm_event id="1" operation="stonith" operation_key="stonith-far-reboot" on_node="far"/>
          </action_set><inputs/></synapse>
        <synapse id="1"><action_set><pseudo_event id="2" operation="stop" operation_key="web_stop_0"/>
          </action_set><inputs><trigger><crm_event id="1"/></trigger></inputs></synapse>
        <synapse id="2"><action_set>
          <rsc_op id="3" operation="start" operation_key="web:1_start_0" on_node="alpha">
            <primitive id="web"/></rsc_op></action_set>
          <inputs><trigger><pseudo_event id="2"/></trigger></inputs></synapse>
        <synapse id="3"><action_set>
          <rsc_op id="4" operation="stop" operation_key="far_stop_0" on_node="beta">
            <primitive id="far"/></rsc_op></action_set><inputs/></synapse>
      </transition_graph>
      """;

  private static final LiveAction FENCED = done("fence far", 10, 20);
  private static final LiveAction STARTED = done("web_start_0 on node1", 25, 30);
  private static final LiveAction STOPPED = done("far_stop_0 on node2", 5, 6);

  private static LiveAction done(String action, long begin, long end) {
    return new LiveAction(action, begin, end, "");
  }

  private static Part part() {
    return Part.of("alpha", "node1", "beta", "node2").hosts("far");
  }

  private static List<String> complaints(Part part, LiveAction... live) {
    try {
      var graph = TransitionGraph.read(XmlReader.parse(LOST));
      var inOrder = new ArrayList<>(List.of(live));
      inOrder.sort(Comparator.comparingLong(LiveAction::begin));
      return new Comparison(ExpectedActions.of(graph, part), part, inOrder).complaints();
    } catch (XmlException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void whatTheCaseExpectsInAnOrderThatItAllowsIsRight() {
    assertEquals(List.of(), complaints(part(), FENCED, STARTED, STOPPED));
    assertEquals(
        List.of(),
        complaints(part(), FENCED, STARTED, done("far_stop_0 on node2", 40, 50)),
        "what nothing orders may come at any time");
  }

  @Test
  void anOrderThatGoesThroughWhatNobodyDoesIsHeld() {
    assertEquals(
        List.of("web_start_0 on node1 began 0.000 s before the end of fence far"),
        complaints(part(), FENCED, done("web_start_0 on node1", 19, 30), STOPPED));
  }

  @Test
  void whatIsMissingOrFailedOrOnAnotherNodeIsTold() {
    assertEquals(
        List.of("far_stop_0 on node2 is expected, and did not happen"),
        complaints(part(), FENCED, STARTED));
    assertEquals(
        List.of(
            "far_stop_0 on node2 is expected, and did not happen",
            "far_stop_0 on node2 happened, and is not expected (exit status 1)"),
        complaints(
            part(), FENCED, STARTED, new LiveAction("far_stop_0 on node2", 5, 6, "exit status 1")));
    assertEquals(
        List.of(
            "web_start_0 on node1 is expected, and did not happen",
            "web_start_0 on node2 happened, and is not expected"),
        complaints(
            part(),
            FENCED,
            done("web_start_0 on node2", 25, 30),
            done("far_stop_0 on node2", 40, 41)));
    assertEquals(
        List.of("far_stop_0 on node2 is expected, and did not happen",
            "far_stop_0 on node2 happened, and is not expected"),
        complaints(part(), FENCED, STARTED, done("far_stop_0 on node2", 5, 0)),
        "what has not ended");
  }

  @Test
  void whatHappensTwiceOrBesidesIsTold() {
    assertEquals(
        List.of("fence far happened again", "far_monitor_0 on node2 happened, and is not expected"),
        complaints(
            part(),
            FENCED,
            done("fence far", 22, 23),
            done("far_monitor_0 on node2", 24, 25),
            STARTED,
            STOPPED));
    assertEquals(
        List.of(),
        complaints(part(), FENCED, STARTED, STOPPED, done("web_stop_0 on node1", 31, 32)),
        "the next plan is another matter");
  }

  @Test
  void onlyWhatIsNamedMayDiffer() {
    var part =
        part()
            .less("far_stop_0 on .*", "nobody holds the connection")
            .more("far_monitor_0 on .*", "a new node is looked at");
    assertEquals(
        List.of(), complaints(part, FENCED, done("far_monitor_0 on node2", 22, 23), STARTED));
  }

  @Test
  void aNodeThatNobodyPlaysHasToBeLeftOut() {
    assertThrows(
        IllegalArgumentException.class, () -> complaints(Part.of("alpha", "node1").hosts("far")));
    assertEquals(
        List.of(),
        complaints(
            Part.of("alpha", "node1").hosts("far").without("beta", "two are enough"),
            FENCED,
            STARTED));
  }

  @Test
  void aCaseOfTheCorpusIsReadAsItIsWritten() throws IOException {
    assumeTrue(CorpusCase.obstacle().isEmpty(), CorpusCase.obstacle());
    var played = CorpusCase.read("remote-disable", Instant.EPOCH);
    var part =
        Part.of("18builder", "node1", "18node1", "node2", "18node2", "node3").hosts("remote1");
    assertEquals(
        Set.of("FAKE2_stop_0 on remote1", "remote1_stop_0 on node1"),
        ExpectedActions.of(played.graph(), part).actions());
    assertEquals(List.of("18builder"), played.places().get("remote1"));
    assertEquals(List.of("remote1"), played.places().get("FAKE2"));
  }

  /// Were the connection closed before what runs there has stopped, it would be seen.
  @Test
  void aPlantedWrongOrderOfACaseIsFound() throws IOException {
    assumeTrue(CorpusCase.obstacle().isEmpty(), CorpusCase.obstacle());
    var part =
        Part.of("18builder", "node1", "18node1", "node2", "18node2", "node3").hosts("remote1");
    var expected = ExpectedActions.of(CorpusCase.read("remote-disable", Instant.EPOCH).graph(), part);
    var right =
        List.of(
            done("FAKE2_stop_0 on remote1", 1_000_000_000L, 2_000_000_000L),
            done("remote1_stop_0 on node1", 2_000_000_000L, 2_500_000_000L));
    var wrong =
        List.of(
            done("remote1_stop_0 on node1", 500_000_000L, 900_000_000L),
            done("FAKE2_stop_0 on remote1", 1_000_000_000L, 2_000_000_000L));
    assertEquals(List.of(), new Comparison(expected, part, right).complaints());
    assertEquals(
        List.of("remote1_stop_0 on node1 began 1.500 s before the end of FAKE2_stop_0 on remote1"),
        new Comparison(expected, part, wrong).complaints());
  }
}
