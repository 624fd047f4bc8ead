package org.systole.scheduler.sim;

import java.time.Instant;
import java.time.ZoneId;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.output.Output;
import org.systole.common.transition.TransitionGraph;
import org.systole.common.values.IsoTime;
import org.systole.common.values.Numbers;
import org.systole.common.xml.Element;
import org.systole.scheduler.model.ClusterFlag;
import org.systole.scheduler.model.WorkingSet;
import org.systole.scheduler.status.ClusterStatus;
import org.systole.scheduler.status.NameFilter;
import org.systole.scheduler.status.Parts;
import org.systole.scheduler.status.PlannedActions;
import org.systole.scheduler.status.ScoreView;
import org.systole.scheduler.status.Show;
import org.systole.scheduler.status.SummaryView;
import org.systole.scheduler.status.View;
import org.systole.scheduler.unpack.Status;

/// Shows how a cluster would respond to its state and to pretended events.
public final class Simulation {
  /// Decides what to do.
  @FunctionalInterface
  public interface Planner {
    /// @param cluster a working set that has been filled from its CIB
    TransitionGraph plan(WorkingSet cluster);
  }

  /// What to do.
  ///
  /// @param plan whether to plan at all, else only the status is shown
  /// @param execute whether to execute the plan and show what comes of it
  /// @param scores whether to show scores
  /// @param utilization whether to show utilization
  /// @param sanitized whether secret parameters may be missing from the CIB
  /// @param allActions whether a drawing shows actions outside of the transition
  /// @param actionIds whether a drawing shows the numbers of actions
  /// @param parts of the status beyond nodes and resources
  public record Options(
      boolean plan,
      boolean execute,
      boolean scores,
      boolean utilization,
      boolean sanitized,
      boolean allActions,
      boolean actionIds,
      Set<Parts> parts) {}

  /// Where results are kept beside the output.
  ///
  /// @param input takes the CIB with events injected; null if nobody wants it
  /// @param graph takes the transition graph
  /// @param drawing takes the drawing of the graph
  public record Sinks(
      @Nullable Consumer<Element> input,
      @Nullable Consumer<Element> graph,
      @Nullable Consumer<String> drawing) {
    public static final Sinks NONE = new Sinks(null, null, null);
  }

  /// What came of it.
  ///
  /// @param cib the CIB afterwards
  /// @param valid whether the transition could be executed to its end
  public record Result(Element cib, boolean valid) {}

  private final Output out;
  private final Planner planner;
  private final Options options;
  private final Sinks sinks;
  private final @Nullable String date;
  private final IsoTime now;
  private final ZoneId zone;
  private boolean explaining;
  private Consumer<WorkingSet> reader = status -> {};

  /// @param date the time to assume, as the user wrote it; null for that of the CIB
  /// @param now the actual time
  public Simulation(
      Output out,
      Planner planner,
      Options options,
      Sinks sinks,
      @Nullable String date,
      IsoTime now,
      ZoneId zone) {
    this.out = out;
    this.planner = planner;
    this.options = options;
    this.sinks = sinks;
    this.date = date;
    this.now = now;
    this.zone = zone;
  }

  /// Has the causes of scores noted ([ClusterFlag#EXPLAIN]), for the planner to show.
  public Simulation explaining(boolean yes) {
    explaining = yes;
    return this;
  }

  /// Has each status that is read given to `whom` before it is shown.
  public Simulation telling(Consumer<WorkingSet> whom) {
    reader = whom;
    return this;
  }

  /// Runs the whole.
  ///
  /// @param input a CIB of the current schema
  /// @throws org.systole.common.values.IsoException if the date is none
  public Result run(Element input, Injections injections) {
    var cib = new SimulatedCib(input, injections.addNodes());
    var cluster = read(input);
    var shown = showBefore(cluster);
    if (!injections.isEmpty()) {
      space(shown);
      new Injector(out, cluster, cib, now.epochSecond()).inject(injections);
      shown = true;
      cluster = read(cib.cib());
    }
    if (sinks.input() != null) {
      sinks.input().accept(cib.cib());
    }
    if (!options.plan()) {
      return new Result(cib.cib(), true);
    }
    var graph = plan(cluster, shown);
    shown |= options.scores() || options.utilization();
    if (!out.isQuiet()) {
      space(shown);
      out.begin("Transition Summary");
      PlannedActions.show(view(cluster, EnumSet.noneOf(Show.class)));
      out.end();
    }
    return options.execute()
        ? execute(cluster, graph, cib, injections, shown)
        : new Result(cib.cib(), true);
  }

  private void space(boolean yes) {
    if (yes) {
      out.spacer();
    }
  }

  private View view(WorkingSet cluster, Set<Show> show) {
    return new View(cluster, out, show, NameFilter.ALL, NameFilter.ALL, zone);
  }

  private WorkingSet read(Element cib) {
    return read(cib, false);
  }

  /// @param pretended whether entries of nodes may be pretended
  private WorkingSet read(Element cib, boolean pretended) {
    var flags = EnumSet.noneOf(ClusterFlag.class);
    if (pretended) {
      flags.add(ClusterFlag.PRETENDED_NODES);
    }
    if (options.sanitized()) {
      flags.add(ClusterFlag.SANITIZED);
    }
    if (options.scores()) {
      flags.add(ClusterFlag.OUTPUT_SCORES);
    }
    if (explaining) {
      flags.add(ClusterFlag.EXPLAIN);
    }
    if (options.utilization()) {
      flags.add(ClusterFlag.SHOW_UTILIZATION);
    }
    var status = Status.of(cib, effectiveDate(cib), zone, flags);
    reader.accept(status);
    return status;
  }

  private Instant effectiveDate(Element cib) {
    if (date != null) {
      var moment = IsoTime.parse(date, now);
      out.info("Setting effective cluster time: " + date);
      return moment.toInstant();
    }
    var original = cib.get("execution-date");
    if (original == null || !Numbers.isNumber(original)) {
      return now.toInstant();
    }
    var moment = Instant.ofEpochSecond(Numbers.parse(original, 0));
    out.info("Using the original execution date of: " + IsoTime.of(moment, zone));
    return moment;
  }

  private boolean showBefore(WorkingSet cluster) {
    if (out.isQuiet()) {
      return false;
    }
    var shown =
        cluster.is(ClusterFlag.IN_MAINTENANCE)
            && SummaryView.showMaintenance(view(cluster, EnumSet.noneOf(Show.class)));
    if (cluster.disabledCount() > 0 || cluster.blockedCount() > 0) {
      space(shown);
      shown =
          out.info(
              cluster.disabledCount()
                  + " of "
                  + cluster.instanceCount()
                  + " resource instances DISABLED and "
                  + cluster.blockedCount()
                  + " BLOCKED from further action due to failure");
    }
    showStatus(cluster, "Current cluster status", true, shown);
    return true;
  }

  private void showStatus(WorkingSet cluster, String title, boolean pending, boolean spacer) {
    var show = EnumSet.of(Show.INACTIVE, Show.FAILED_DETAIL);
    if (pending) {
      show.add(Show.PENDING);
    }
    var parts = EnumSet.of(Parts.NODES, Parts.RESOURCES);
    parts.addAll(options.parts());
    space(spacer);
    out.begin(title);
    ClusterStatus.show(
        view(cluster, show), parts, null, null, now.epochSecond(), ClusterStatus.Extra.NONE);
    out.end();
  }

  private TransitionGraph plan(WorkingSet cluster, boolean shown) {
    var graph = planner.plan(cluster);
    if (options.scores() || options.utilization()) {
      space(shown);
      out.begin(
          !options.utilization()
              ? "Assignment Scores"
              : options.scores()
                  ? "Assignment Scores and Utilization Information"
                  : "Utilization Information");
      ScoreView.show(out, cluster.scoreLines());
      out.end();
    }
    if (sinks.graph() != null) {
      sinks.graph().accept(graph.toXml());
    }
    if (sinks.drawing() != null) {
      sinks.drawing().accept(DotGraph.draw(cluster, options.allActions(), options.actionIds()));
    }
    return graph;
  }

  private Result execute(
      WorkingSet cluster,
      TransitionGraph graph,
      SimulatedCib cib,
      Injections injections,
      boolean shown) {
    space(shown);
    var valid =
        new SimulatedTransition(out, cluster, graph, cib, injections.failures(), now.epochSecond())
            .run();
    if (!out.isQuiet()) {
      // Where nodes were brought up, each that took part has an entry among the members by now.
      showStatus(read(cib.cib(), injections.addNodes()), "Revised Cluster Status", false, true);
    }
    return new Result(cib.cib(), valid);
  }
}
