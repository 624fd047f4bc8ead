package org.systole.cts.bench;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.systole.common.values.NodeName;
import org.systole.roles.data.Json;
import org.systole.roles.document.DocumentFault;
import org.systole.roles.document.RolesReader;
import org.systole.roles.document.RolesWriter;
import org.systole.roles.engine.Annealer;
import org.systole.roles.engine.Command;
import org.systole.roles.engine.Hooks;
import org.systole.roles.engine.RoleEngine;
import org.systole.roles.engine.RunEnd;
import org.systole.roles.model.DeploymentId;
import org.systole.roles.model.JigId;
import org.systole.roles.model.NodeRoleId;
import org.systole.roles.model.NodeRoleState;
import org.systole.roles.model.Refusal;
import org.systole.roles.model.Role;
import org.systole.roles.model.RoleId;
import org.systole.roles.model.RoleNode;
import org.systole.roles.model.RolesDocument;

/// Measures the processor time of the roles' library, without a cluster: building the graph, committing it, planning, and
/// annealing it to rest with jigs that do nothing: `./systole bench roles`. Then what it
/// costs a running cluster, see [LiveRolesBench].
///
/// Each node has thirty roles in six layers of five; a role requires four of the layer before it, so
/// a node has a hundred edges.
final class RolesBench {
  private static final int LAYERS = 6;
  private static final int WIDTH = 5;
  private static final int REQUIRED = 4;
  private static final int RUNS = 3;
  private static final List<Integer> SIZES = List.of(125, 250, 500, 1_000);
  private static final JigId NOOP = new JigId("noop");

  private final int nodes;
  private int edges;

  /// Seconds of processor time for each part.
  private record Figures(double build, double commit, double plan, double anneal, double document) {
    Figures least(Figures other) {
      return new Figures(
          Math.min(build, other.build),
          Math.min(commit, other.commit),
          Math.min(plan, other.plan),
          Math.min(anneal, other.anneal),
          Math.min(document, other.document));
    }
  }

  private RolesBench(int nodes) {
    this.nodes = nodes;
  }

  public static void main(String[] args) throws Refusal, DocumentFault {
    if (args.length > 0) {
      System.err.println("usage: bench roles");
      System.exit(64);
    }
    new RolesBench(SIZES.getFirst()).best(); // the JVM has seen all of it once
    System.out.println(
        " nodes  noderoles   edges   build s  commit s   plan s  anneal s  transitions/s"
            + "  document s");
    for (var size : SIZES) {
      var bench = new RolesBench(size);
      var figures = bench.best();
      var noderoles = size * LAYERS * WIDTH;
      System.out.printf(
          Locale.ROOT,
          "%6d  %9d  %6d  %8.3f  %8.3f  %7.3f  %8.3f  %13.0f  %10.3f%n",
          size,
          noderoles,
          bench.edges,
          figures.build(),
          figures.commit(),
          figures.plan(),
          figures.anneal(),
          noderoles / figures.anneal(),
          figures.document());
    }
    LiveRolesBench.run();
    System.exit(0);
  }

  private Figures best() throws Refusal, DocumentFault {
    var best = measure();
    for (var run = 1; run < RUNS; run++) {
      best = best.least(measure());
    }
    return best;
  }

  private Figures measure() throws Refusal, DocumentFault {
    var start = now();
    var engine = new RoleEngine(document(), Hooks.none());
    engine.carryOut(bindings());
    var built = now();
    engine.carryOut(new Command.Commit(DeploymentId.SYSTEM));
    engine.happened();
    var document = engine.document();
    var committed = now();
    var due = Annealer.plan(document);
    var planned = now();
    if (due.size() != nodes) {
      throw new IllegalStateException(due.size() + " noderoles are due on " + nodes + " nodes");
    }
    anneal(engine);
    var annealed = now();
    var ended = engine.document();
    edges =
        ended.snapshots().values().stream()
            .flatMap(it -> it.nodeRoles().values().stream())
            .mapToInt(it -> it.parents().size())
            .sum();
    var before = now();
    var again = RolesReader.read(RolesWriter.write(ended), Map.of());
    var read = now();
    if (!again.equals(ended)) {
      throw new IllegalStateException("the document does not come back as it was written");
    }
    return new Figures(
        seconds(start, built),
        seconds(built, committed),
        seconds(committed, planned),
        seconds(planned, annealed),
        seconds(before, read));
  }

  /// Processor time, in nanoseconds: what else the machine does is of no interest here.
  private static long now() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }

  private static double seconds(long from, long to) {
    return (to - from) / 1e9;
  }

  private void anneal(RoleEngine engine) {
    for (var due = engine.plan(); !due.isEmpty(); due = engine.plan()) {
      for (var start : due) {
        engine.begin(start);
        engine.end(
            new RunEnd(start.id(), start.run(), new RunEnd.Succeeded(Json.Obj.EMPTY, "{}")));
      }
      engine.happened();
    }
    if (engine.count(NodeRoleState.ACTIVE) != nodes * LAYERS * WIDTH) {
      throw new IllegalStateException("not all noderoles are active at rest");
    }
  }

  private RolesDocument document() {
    var roles = new TreeMap<RoleId, Role>();
    for (var layer = 0; layer < LAYERS; layer++) {
      for (var at = 0; at < WIDTH; at++) {
        var requires = new TreeSet<RoleId>();
        for (var other = 0; layer > 0 && other < REQUIRED; other++) {
          requires.add(role(layer - 1, (at + other) % WIDTH));
        }
        var id = role(layer, at);
        roles.put(
            id,
            new Role(
                id,
                "",
                NOOP,
                Set.of(),
                requires,
                new TreeSet<>(),
                new TreeSet<>(),
                Json.Obj.EMPTY,
                Map.of()));
      }
    }
    var all = new TreeMap<NodeName, RoleNode>();
    for (var at = 0; at < nodes; at++) {
      var name = node(at);
      all.put(
          name, new RoleNode(name, false, true, true, DeploymentId.SYSTEM, new TreeMap<>()));
    }
    var empty = RolesDocument.empty("example.com");
    return new RolesDocument(
        empty.domain(), empty.jigs(), roles, all, empty.deployments(), empty.snapshots());
  }

  private List<Command> bindings() {
    var commands = new ArrayList<Command>();
    commands.add(new Command.Propose(DeploymentId.SYSTEM, null));
    for (var layer = 0; layer < LAYERS; layer++) {
      for (var at = 0; at < WIDTH; at++) {
        for (var node = 0; node < nodes; node++) {
          commands.add(
              new Command.Bind(
                  DeploymentId.SYSTEM, new NodeRoleId(role(layer, at), node(node))));
        }
      }
    }
    return commands;
  }

  private static RoleId role(int layer, int at) {
    return new RoleId("r" + layer + (char) ('a' + at));
  }

  private static NodeName node(int number) {
    return new NodeName("n" + number + ".example.com");
  }
}
