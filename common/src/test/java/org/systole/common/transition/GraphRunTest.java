package org.systole.common.transition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.stream.IntStream;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.systole.common.values.NodeName;
import org.systole.common.values.Score;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;

final class GraphRunTest {
  private static final String CHAIN =
      """
      <transition_graph cluster-delay="60s" fencing-timeout="60s" transition_id="0">
        <synapse id="0"><action_set><rsc_op id="1" operation="stop" operation_key="a_stop_0"
            on_node="n1" on_node_uuid="1"><primitive id="a"/><attributes CRM_meta_timeout="20000"/>
            </rsc_op></action_set><inputs/></synapse>
        <synapse id="1"><action_set><pseudo_event id="2" operation="all_stopped"/></action_set>
          <inputs><trigger><rsc_op id="1"/></trigger></inputs></synapse>
        <synapse id="2"><action_set><rsc_op id="3" operation="start" operation_key="a_start_0"
            on_node="n2" on_node_uuid="2"><primitive id="a"/></rsc_op></action_set>
          <inputs><trigger><pseudo_event id="2"/></trigger></inputs></synapse>
        <synapse id="3"><action_set><rsc_op id="4" operation="start" operation_key="b_start_0"
            on_node="n1" on_node_uuid="1"><primitive id="b"/></rsc_op></action_set><inputs/></synapse>
        <synapse id="4" priority="1000000"><action_set><rsc_op id="5" operation="stop"
            operation_key="c_stop_0" on_node="n1" on_node_uuid="1"><primitive id="c"/></rsc_op>
          </action_set><inputs><trigger><rsc_op id="4"/></trigger></inputs></synapse>
      </transition_graph>
      """;

  private static GraphRun chain() throws XmlException {
    return new GraphRun(TransitionGraph.read(XmlReader.parse(CHAIN)));
  }

  private static List<Integer> take(GraphRun run, int limit) {
    return run.take(limit, _ -> GraphRun.Verdict.YES).stream().map(GraphAction::id).toList();
  }

  @Test
  void anActionIsDueOnceItsInputsAreConfirmed() throws XmlException {
    var run = chain();

    assertEquals(List.of(1, 4), take(run, 0));
    assertEquals(List.of(), take(run, 0));
    run.confirm(1, true);
    assertEquals(List.of(2, 3), take(run, 0), "a pseudo action confirms itself");
  }

  @Test
  void theBatchLimitHoldsBackWhatWouldBeTooMuchAtOnce() throws XmlException {
    var run = chain();

    assertEquals(List.of(1), take(run, 1));
    run.confirm(1, true);
    assertEquals(List.of(2, 3), take(run, 1));
  }

  @Test
  void fencingDoesNotWaitForTheBatchLimit() throws XmlException {
    var run =
        new GraphRun(
            TransitionGraph.read(
                XmlReader.parse(
                    CHAIN.replace(
                        "</transition_graph>",
                        """
                        <synapse id="5"><action_set><crm_event id="6" operation="stonith"
                            on_node="n3" on_node_uuid="3"/></action_set><inputs/></synapse>
                        <synapse id="6"><action_set><crm_event id="7" operation="stonith"
                            on_node="n4" on_node_uuid="4"/></action_set>
                          <inputs><trigger><crm_event id="6"/></trigger></inputs></synapse>
                        </transition_graph>
                        """))));

    assertEquals(List.of(6, 7), run.fencing().stream().map(GraphAction::id).toList());
    assertEquals(List.of(1, 6), take(run, 1));
    assertEquals(List.of(), take(run, 1), "once only");
    run.confirm(6, true);
    assertEquals(List.of(7), run.fencing().stream().map(GraphAction::id).toList());
    assertEquals(List.of(7), take(run, 1), "while the limit is reached");
    run.confirm(1, true);
    run.confirm(7, true);
    assertEquals(List.of(2, 3), take(run, 1));
  }

  /// Recoveries on one node, in this order.
  private static TransitionGraph recoveries(String... resources) throws XmlException {
    var text = new StringBuilder("<transition_graph>");
    for (var resource : resources) {
      var id = 2 * (resource.charAt(0) - 'a') + 1;
      text.append(
          """
          <synapse id="%1$d"><action_set><rsc_op id="%1$d" operation="stop" operation_key="%2$s_stop_0"
              on_node="n1" on_node_uuid="1"><primitive id="%2$s"/></rsc_op></action_set><inputs/></synapse>
          <synapse id="%3$d"><action_set><rsc_op id="%3$d" operation="start" operation_key="%2$s_start_0"
              on_node="n1" on_node_uuid="1"><primitive id="%2$s"/></rsc_op></action_set>
            <inputs><trigger><rsc_op id="%1$d"/></trigger></inputs></synapse>
          """
              .formatted(id, resource, id + 1));
    }
    return TransitionGraph.read(XmlReader.parse(text + "</transition_graph>"));
  }

  /// One action at a time, until one fails; the keys of what was begun.
  private static List<String> untilOneFails(GraphRun run, int limit, String failing) {
    var begun = new ArrayList<String>();
    var more = true;
    while (more) {
      var taken =
          run.take(
              limit,
              _ -> run.pending() == 0 ? GraphRun.Verdict.YES : GraphRun.Verdict.EXECUTOR_FULL);
      for (var action : taken) {
        begun.add(action.key());
        run.confirm(action.id(), !action.key().equals(failing));
        if (action.key().equals(failing)) {
          run.abort(Score.INFINITY);
        }
      }
      more = !taken.isEmpty();
    }
    return begun;
  }

  @Test
  void whatFindsNoRoomOnANodeIsBegunFirstByTheNextPlan() throws XmlException {
    for (var limit : List.of(0, 1)) { // of the node, and of the cluster
      var run = new GraphRun(recoveries("a", "b", "c"));
      assertEquals(List.of("a_stop_0", "a_start_0"), untilOneFails(run, limit, "a_start_0"));
      run = run.next(recoveries("a", "b", "c"));
      assertEquals(
          List.of("b_stop_0", "b_start_0", "c_stop_0", "c_start_0", "a_stop_0", "a_start_0"),
          untilOneFails(run, limit, "a_start_0"));
      run = run.next(recoveries("a", "c"));
      assertEquals(
          List.of("a_stop_0", "a_start_0"), untilOneFails(run, limit, "a_start_0"), "as in the graph");
    }
  }

  @Test
  void whatMorePlansHaveLeftOutComesFirst() throws XmlException {
    var run = new GraphRun(recoveries("a", "b", "c"));
    untilOneFails(run, 0, "a_stop_0");
    run = run.next(recoveries("a", "b", "c"));
    run.abort(Score.INFINITY);
    run = run.next(recoveries("a", "b", "c"));
    assertEquals(List.of("b_stop_0", "b_start_0"), untilOneFails(run, 0, "b_start_0"));
    run = run.next(recoveries("a", "b", "c"));
    assertEquals(
        List.of("c_stop_0", "c_start_0", "a_stop_0", "a_start_0", "b_stop_0", "b_start_0"),
        untilOneFails(run, 0, "none"));
  }

  @Test
  void aFailedInputHoldsBackAllButThoseOfHighestPriority() throws XmlException {
    var run = chain();
    take(run, 0);

    run.confirm(1, false);
    run.confirm(4, false);

    assertEquals(List.of(5), take(run, 0));
    run.confirm(5, true);
    assertEquals(GraphRun.Progress.STUCK, run.progress());
  }

  private static final String MIGRATION =
      """
      <transition_graph cluster-delay="60s" fencing-timeout="60s" transition_id="0">
        <synapse id="0"><action_set><rsc_op id="1" operation="migrate_to" operation_key="a_migrate_to_0"
            on_node="n1" on_node_uuid="1"><primitive id="a"/></rsc_op></action_set><inputs/></synapse>
        <synapse id="1"><action_set><rsc_op id="2" operation="migrate_from" operation_key="a_migrate_from_0"
            on_node="n2" on_node_uuid="2"><primitive id="a"/></rsc_op></action_set>
          <inputs><trigger><rsc_op id="1"/></trigger></inputs></synapse>
        <synapse id="2"><action_set><rsc_op id="3" operation="stop" operation_key="a_stop_0"
            on_node="n1" on_node_uuid="1"><primitive id="a"/></rsc_op></action_set>
          <inputs><trigger><rsc_op id="2"/></trigger></inputs></synapse>
      </transition_graph>
      """;

  private static GraphRun migration() throws XmlException {
    var run = new GraphRun(TransitionGraph.read(XmlReader.parse(MIGRATION)));
    assertEquals(List.of(1), take(run, 0));
    return run;
  }

  @Test
  void aMigrationThatHasBegunIsCarriedToItsEndAfterAnAbort() throws XmlException {
    var run = migration();
    run.abort(Score.INFINITY);
    assertEquals(List.of(), take(run, 0));
    assertEquals(GraphRun.Progress.ACTIVE, run.progress());
    run.confirm(1, true);
    assertEquals(List.of(2), take(run, 0), "its other half");
    assertEquals(GraphRun.Progress.ACTIVE, run.progress());
    run.confirm(2, true);
    assertEquals(List.of(), take(run, 0), "and no more");
    assertEquals(GraphRun.Progress.COMPLETE, run.progress());
  }

  @Test
  void aMigrationIsNotCarriedOnThatHasFailedOrIsBrokenOff() throws XmlException {
    var failed = migration();
    failed.abort(1_000_000);
    failed.confirm(1, false);
    assertEquals(List.of(), take(failed, 0));
    assertEquals(GraphRun.Progress.COMPLETE, failed.progress());
    var broken = migration();
    broken.abort(1_000_000);
    broken.breakOff();
    broken.confirm(1, true);
    assertEquals(List.of(), take(broken, 0));
    assertEquals(GraphRun.Progress.COMPLETE, broken.progress());
    var gone = migration();
    gone.abort(1_000_000);
    gone.giveUp(it -> it.id() == 2); // its target is lost
    gone.confirm(1, true);
    assertEquals(List.of(), take(gone, 0));
    assertEquals(GraphRun.Progress.COMPLETE, gone.progress());
  }

  private static GraphRun connectionMoves(String agent) throws XmlException {
    var primitive = "<primitive id=\"a\" class=\"ocf\" provider=\"pacemaker\" type=\"%s\"/>".formatted(agent);
    var moves =
        MIGRATION
            .replace("<primitive id=\"a\"/>", primitive)
            .replace("migrate_to", "stop")
            .replace("migrate_from", "start");
    var run = new GraphRun(TransitionGraph.read(XmlReader.parse(moves)));
    assertEquals(List.of(1), take(run, 0));
    run.abort(Score.INFINITY);
    assertEquals(List.of(), take(run, 0));
    return run;
  }

  /// The next plan may find nobody to connect to the node, and have it fenced for what it runs.
  @Test
  void aConnectionThatWasStoppedForItsMoveIsStartedAfterAnAbort() throws XmlException {
    var run = connectionMoves("remote");
    run.confirm(1, true);
    assertEquals(List.of(2), take(run, 0));
    assertEquals(GraphRun.Progress.ACTIVE, run.progress());
    run.confirm(2, true);
    assertEquals(List.of(), take(run, 0), "and no more");
    var other = connectionMoves("Dummy");
    other.confirm(1, true);
    assertEquals(List.of(), take(other, 0), "nothing else is");
    var broken = connectionMoves("remote");
    broken.breakOff();
    broken.confirm(1, true);
    assertEquals(List.of(), take(broken, 0));
    assertEquals(GraphRun.Progress.COMPLETE, broken.progress());
  }

  @Test
  void afterAnAbortWhatRunsIsWaitedForAndNothingElseStarts() throws XmlException {
    var run = chain();
    take(run, 0);

    run.abort(1_000_000);
    run.confirm(1, true);

    assertEquals(List.of(2), take(run, 0), "pseudo actions cost nothing");
    assertEquals(GraphRun.Progress.ACTIVE, run.progress());
    run.confirm(4, true);
    assertEquals(List.of(5), take(run, 0), "an action of the abort's own priority still runs");
    run.confirm(5, true);
    assertEquals(GraphRun.Progress.COMPLETE, run.progress());
  }

  @Test
  void aNodeThatIsGoneDoesNothingAnyMore() throws XmlException {
    var run = chain();
    take(run, 0);

    var given = run.giveUp(it -> new NodeName("n1").equals(it.node()));

    assertEquals(List.of(1, 4, 5), given.stream().map(GraphAction::id).toList());
    assertEquals(0, run.pending());
  }

  @Test
  void anEndIsToldOnce() throws XmlException {
    var run = chain();
    take(run, 0);

    assertTrue(run.confirm(1, true));
    assertFalse(run.confirm(1, false));
  }

  @Test
  void whatEndsAtOnceMakesRoomForWhatWaitsForIt() throws XmlException {
    var run = chain();
    var begun = new ArrayList<Integer>();

    run.fire(
        1,
        _ -> GraphRun.Verdict.YES,
        action -> {
          begun.add(action.id());
          run.confirm(action.id(), true);
        });

    assertEquals(List.of(1, 2, 3, 4, 5), begun);
    assertEquals(GraphRun.Progress.COMPLETE, run.progress());
  }

  @Test
  void whatWaitsForAFailureIsLeftUndoneUnlessItMustBeDone() throws XmlException {
    var run = chain();
    var begun = new ArrayList<Integer>();

    run.fire(
        0,
        _ -> GraphRun.Verdict.YES,
        action -> {
          begun.add(action.id());
          run.confirm(action.id(), action.id() != 1 && action.id() != 4);
        });

    assertEquals(List.of(1, 4, 5), begun);
    assertEquals(GraphRun.Progress.STUCK, run.progress());
  }

  @Test
  void whatCannotBeBegunIsNotWaitedFor() throws XmlException {
    var run = chain();
    var begun = new ArrayList<Integer>();

    run.fire(
        0,
        _ -> GraphRun.Verdict.YES,
        action -> {
          begun.add(action.id());
          run.refuse(action.id());
        });

    assertEquals(List.of(1, 4), begun);
    assertEquals(0, run.pending());
    assertEquals(GraphRun.Progress.STUCK, run.progress());
    run.abort(Score.INFINITY);
    assertEquals(GraphRun.Progress.COMPLETE, run.progress());
  }

  /// Every recorded graph runs to its end, each action once and never before its inputs.
  @Test
  void recordedGraphsAreCarriedOutInOrder() throws IOException, XmlException {
    var corpus = corpus();
    Assumptions.assumeTrue(corpus != null, "the recorded graphs are not on this machine");
    List<Path> files;
    try (var list = Files.list(corpus)) {
      files = list.filter(it -> it.toString().endsWith(".exp")).sorted().toList();
    }
    var problems = new ArrayList<String>();
    for (var file : files) {
      var graph = TransitionGraph.read(XmlReader.parse(Files.readAllBytes(file)));
      var run = new GraphRun(graph);
      var inputs = new HashMap<Integer, HashSet<Integer>>();
      var total = 0;
      for (var synapse : graph.synapses()) {
        for (var action : synapse.actions()) {
          total++;
          inputs.put(action.id(), new HashSet<>(synapse.inputIds()));
        }
      }
      var done = new HashSet<Integer>();
      var running = new ArrayDeque<GraphAction>();
      while (true) {
        for (var action : run.take(3, _ -> GraphRun.Verdict.YES)) {
          if (!done.containsAll(inputs.getOrDefault(action.id(), new HashSet<>()))) {
            problems.add(file.getFileName() + ": too early: " + action);
          }
          if (action.kind() == GraphAction.Kind.PSEUDO) {
            done.add(action.id());
          } else {
            running.add(action);
          }
        }
        var next = running.poll();
        if (next == null) {
          break;
        }
        run.confirm(next.id(), true);
        done.add(next.id());
      }
      if (run.progress() != GraphRun.Progress.COMPLETE || done.size() != total) {
        problems.add(
            "%s: %s, %d of %d".formatted(file.getFileName(), run.progress(), done.size(), total));
      }
    }
    assertTrue(files.size() > 500, "only " + files.size() + " graphs");
    assertEquals(List.of(), problems);
  }

  private static @Nullable Path corpus() {
    var directory = Path.of(System.getProperty("user.dir")).toAbsolutePath();
    for (var at = directory; at != null; at = at.getParent()) {
      for (var candidate : List.of(at.resolve("shared"), at)) {
        var found = candidate.resolve("reference/scheduler/exp");
        if (Files.isDirectory(found)) {
          return found;
        }
      }
    }
    return null;
  }

  /// Each of thousands of results looks for what is due now.
  @Test
  void behindAMemberThatIsFullNobodyLooksAtWhatWaits() throws XmlException {
    var count = 2_000;
    var text = new StringBuilder("<transition_graph>");
    for (var id = 1; id <= count; id++) {
      text.append(
          """
          <synapse id="%1$d"><action_set><rsc_op id="%1$d" operation="start" operation_key="r%1$d_start_0"
              on_node="far%1$d" on_node_uuid="far%1$d" router_node="m%2$d"><primitive id="r%1$d"/></rsc_op>
            </action_set><inputs/></synapse>
          """
              .formatted(id, id % 2));
    }
    var run =
        new GraphRun(TransitionGraph.read(XmlReader.parse(text + "</transition_graph>")));
    var running = new TreeMap<String, Integer>();
    var looks = new int[1];
    var order = new ArrayList<Integer>();
    while (order.size() < count) {
      var taken =
          run.take(
              0,
              action -> {
                looks[0]++;
                var member = String.valueOf(action.executor());
                if (running.getOrDefault(member, 0) >= 2) {
                  return GraphRun.Verdict.EXECUTOR_FULL;
                }
                running.merge(member, 1, Integer::sum);
                return GraphRun.Verdict.YES;
              });
      taken.forEach(it -> order.add(it.id()));
      var done = run.running().getFirst();
      running.merge(String.valueOf(done.executor()), -1, Integer::sum);
      run.confirm(done.id(), true);
    }
    assertEquals(IntStream.rangeClosed(1, count).boxed().toList(), order, "the graph's order");
    assertTrue(looks[0] <= 4 * count, looks[0] + " looks at " + count + " actions");
  }
}
