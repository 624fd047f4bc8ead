package org.systole.cts.bench;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.systole.cibd.client.CibMessage;
import org.systole.common.cib.CibOp;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.cts.sim.RealDaemons;
import org.systole.cts.sim.SimCibs;
import org.systole.cts.sim.SimCluster;
import org.systole.roles.document.DocumentFault;
import org.systole.roles.live.ClusterRoles;
import org.systole.roles.model.NodeRoleState;
import org.systole.roles.view.LiveRoles;

/// Measures what annealing costs the daemons of a whole cluster: the roles are bound and committed by one request, and the
/// processor time is taken until all are active: DC, primary, followers, disks' contents, attributes. The
/// members are simulated, so no network and no disk is waited for; what runs is the code that ships.
final class LiveRolesBench {
  private static final int LAYER = 5; // each rests on one of the layer before
  private static final Duration LIMIT = Duration.ofHours(6);

  private final int members;
  private final int roles;
  private final String jig;

  private LiveRolesBench(int members, int roles, String jig) {
    this.members = members;
    this.roles = roles;
    this.jig = jig;
  }

  static void run() {
    new LiveRolesBench(3, 50, "noop").measure(); // the JVM has seen all of it once
    System.out.println();
    System.out.println(
        "members  jig   noderoles  processor s  ms/noderole  transitions/s  virtual s");
    new LiveRolesBench(3, 500, "noop").show();
    new LiveRolesBench(3, 1_000, "noop").show();
    new LiveRolesBench(3, 2_000, "noop").show();
    new LiveRolesBench(3, 3_334, "noop").show();
    new LiveRolesBench(3, 50, "test").show();
    new LiveRolesBench(3, 200, "test").show();
  }

  /// @param processor seconds of processor time
  /// @param virtual seconds that went by in the cluster
  private record Figures(double processor, double virtual) {}

  private void show() {
    var figures = measure();
    var noderoles = members * roles;
    System.out.printf(
        Locale.ROOT,
        "%7d  %4s  %9d  %11.1f  %11.2f  %13.0f  %9.1f%n",
        members,
        jig,
        noderoles,
        figures.processor(),
        figures.processor() * 1_000 / noderoles,
        noderoles / figures.processor(),
        figures.virtual());
  }

  private Figures measure() {
    var cluster = RealDaemons.cluster(1, members);
    cluster.trace().keep(16);
    cluster.loadCib(SimCibs.standard(members));
    cluster.powerOnAll();
    if (!cluster.settle(Duration.ofMinutes(5))) {
      throw new IllegalStateException("the cluster did not form: " + cluster.unsettled());
    }
    ask(cluster, definitions());
    cluster.run(Duration.ofSeconds(5));
    var began = processor();
    var beganVirtual = cluster.now();
    ask(cluster, bindings());
    if (!cluster.runUntil(() -> isDone(cluster), LIMIT)) {
      throw new IllegalStateException("not all is active after " + LIMIT);
    }
    return new Figures(
        processor() - began, cluster.now().minus(beganVirtual).toMillis() / 1_000.0);
  }

  private String definitions() {
    var steps = new StringBuilder("<steps>");
    for (var at = 0; at < roles; at++) {
      steps.append("<role id=\"r%d\" jig=\"%s\">".formatted(at, jig));
      if (at >= LAYER) {
        steps.append("<requires role=\"r%d\"/>".formatted(at - LAYER));
      }
      steps.append("</role>");
    }
    return steps.append("</steps>").toString();
  }

  private String bindings() {
    var steps = new StringBuilder("<steps><propose/>");
    for (var node = 1; node <= members; node++) {
      for (var at = 0; at < roles; at++) {
        steps.append("<bind role=\"r%d\" node=\"node%d\"/>".formatted(at, node));
      }
    }
    return steps.append("<commit/></steps>").toString();
  }

  private static void ask(SimCluster cluster, String steps) {
    try {
      var request = CibOp.roles(XmlReader.parse(steps));
      var answers = new ArrayList<CibMessage.Reply>();
      cluster.ask(
          "node1",
          CibMessage.SOCKET,
          CibMessage.PROTOCOL,
          new CibMessage.Update(List.of(request), false, "", "bench", 60_000),
          answers::add);
      cluster.runUntil(() -> !answers.isEmpty(), Duration.ofMinutes(2));
      if (!(answers.getFirst() instanceof CibMessage.Answer it) || !it.rc().isOk()) {
        throw new IllegalStateException("refused: " + answers);
      }
    } catch (XmlException e) {
      throw new IllegalStateException(e);
    }
  }

  /// Looked at only when the DC's node has a new document: reading it costs as much as a step.
  private static boolean isDone(SimCluster cluster) {
    var content = cluster.nodes().getFirst().file("cibd", "roles.xml");
    if (content == null) {
      return false;
    }
    var text = new String(content, StandardCharsets.UTF_8);
    if (List.of("todo", "blocked", "transition", "proposed").stream()
        .anyMatch(it -> text.contains("state=\"" + it + "\""))) {
      return false;
    }
    try {
      var all = ClusterRoles.read(XmlReader.parse(content).without("digest"));
      return new LiveRoles(all.document())
          .all().values().stream().allMatch(it -> it.state() == NodeRoleState.ACTIVE);
    } catch (XmlException | DocumentFault e) {
      throw new IllegalStateException(e);
    }
  }

  private static double processor() {
    return ManagementFactory.getOperatingSystemMXBean()
            instanceof OperatingSystemMXBean system
        ? system.getProcessCpuTime() / 1e9
        : Double.NaN;
  }
}
