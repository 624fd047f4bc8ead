package org.systole.cts.sim;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.random.RandomGenerator;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibXPath;
import org.systole.common.xml.Element;

/// One random fault in an odd life, with what an administrator does in that moment.
final class SimOddFault {
  private static final long SECOND = 1_000_000_000L;
  private static final long MILLI = 1_000_000L;
  private static final int REPLICAS_MAX = 3;

  private final SimCluster cluster;
  private final RandomGenerator random;
  private final SimChanges changes;
  private final SimNode node;

  SimOddFault(SimCluster cluster, RandomGenerator random, SimChanges changes) {
    this.cluster = cluster;
    this.random = random;
    this.changes = changes;
    this.node = any();
  }

  void happen(SimOdd about) {
    cluster.note("an odd fault: " + about.name().toLowerCase(Locale.ROOT));
    switch (about) {
      case NONE -> {}
      case UNMONITORED -> unmonitored();
      case ABSENT -> absent();
      case PARTED -> parted();
      case MIGRATIONS -> migrations();
      case PROBES -> probes();
      case CONTAINERS -> containers();
      case TICKETS -> tickets();
      case CLONES -> clones();
    }
  }

  private SimNode any() {
    return cluster.nodes().get(random.nextInt(cluster.nodes().size()));
  }

  private <T> T one(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }

  private void after(long nanos, Runnable task) {
    cluster.queue().after(nanos, task);
  }

  private long upTo(long seconds) {
    return random.nextLong(seconds * SECOND);
  }

  /// Asked of some node that can take it, if there is one.
  private void ask(CibOp change) {
    var up = cluster.nodes().stream().filter(it -> it.isPowered() && it.isRunning()).toList();
    if (!up.isEmpty()) {
      changes.ask(one(up), change);
    }
  }

  private void cleanUp() {
    var up = cluster.nodes().stream().filter(it -> it.isPowered() && it.isRunning()).toList();
    if (!up.isEmpty()) {
      changes.cleanUp(one(up), _ -> {});
    }
  }

  private void cutOff(SimNode machine, long nanos) {
    for (var each : cluster.nodes()) {
      if (each != machine) {
        cluster.cut(each.name(), machine.name());
        cluster.cut(machine.name(), each.name());
      }
    }
    after(nanos, cluster::heal);
  }

  // Without monitors

  /// Who could know that it runs is lost, or what ran has ended and nobody looks.
  private void unmonitored() {
    var machine = one(cluster.machines());
    switch (random.nextInt(6)) {
      case 0 -> List.of("execd", "controld").forEach(node::kill);
      case 1 -> node.kill("pacemakerd");
      case 2 -> {
        if (!cluster.hosts().isEmpty()) {
          var host = one(cluster.hosts());
          host.kill("remoted");
          after(upTo(6), any()::powerOff);
        }
      }
      case 3 -> machine.activeResources().stream().findAny().ifPresent(it -> machine.force(it, "stopped"));
      case 4 -> cutOff(machine, upTo(20));
      default -> ask(CibOp.put("resources", parameter()));
    }
    if (random.nextInt(3) == 0) {
      after(upTo(3), this::cleanUp);
    }
    cluster.run(Duration.ofSeconds(8 + random.nextInt(10)));
  }

  private Element parameter() {
    var id = one(List.of("a", "b"));
    var value = "state-" + random.nextInt(100);
    var nvpair = Element.of("nvpair", "id", id + "-state", "name", "state", "value", value);
    var set = Element.builder("instance_attributes").attr("id", id + "-params").add(nvpair);
    return Element.builder("primitive")
        .attr("id", id)
        .attr("class", "ocf")
        .attr("type", "Dummy")
        .add(set)
        .build();
  }

  // While a remote node is away

  /// A resource is brought onto a remote node, the connection is lost, and the resource is removed or
  /// gets another agent before it is back.
  private void absent() {
    var host = one(cluster.hosts());
    var extra = "extra" + (1 + random.nextInt(REPLICAS_MAX));
    var there = random.nextBoolean();
    if (there) {
      changes.extrasToo();
      ask(CibOp.put("resources", SimCibs.resource(extra)));
      ask(CibOp.put("constraints", location(extra, host)));
      cluster.run(Duration.ofSeconds(6));
    }
    lost(host);
    after(
        upTo(10),
        () -> {
          if (there && random.nextBoolean()) {
            ask(CibOp.deleteAllXPath("//rsc_location[@rsc=%1$s]|//primitive[@id=%1$s]".formatted(CibXPath.literal(extra))));
          } else {
            ask(CibOp.put("resources", otherAgent(there ? extra : "a")));
          }
          if (random.nextInt(3) == 0) {
            after(upTo(4), this::cleanUp);
          }
        });
    cluster.run(Duration.ofSeconds(15 + random.nextInt(30)));
  }

  /// It is the same resource for who goes by names, and another thing for agents.
  private Element otherAgent(String id) {
    return Element.of(
        "primitive",
        "id",
        id,
        "class",
        "ocf",
        "provider",
        one(List.of("pacemaker", "heartbeat")),
        "type",
        one(List.of("Dummy", "Other")));
  }

  private static Element location(String resource, SimNode at) {
    return Element.of(
        "rsc_location", "id", "at-" + resource, "rsc", resource, "node", at.name(), "score", "INFINITY");
  }

  /// Nobody is connected to it for a while.
  private void lost(SimNode host) {
    var members = cluster.streams().connectedTo(host);
    var member = members.isEmpty() ? node : cluster.node(List.copyOf(members).getFirst());
    switch (random.nextInt(8)) {
      case 0, 1 -> cutOff(host, upTo(40));
      case 2 -> member.powerOff();
      case 3 -> host.kill("remoted");
      case 4 -> host.hang("remoted", upTo(30));
      case 5 -> {
        host.kill("remoted");
        member.powerOff();
      }
      case 6 -> {
        cutOff(host, upTo(20));
        after(upTo(5), member::powerOff);
      }
      default -> cluster.nodes().forEach(SimNode::powerOff);
    }
    if (!member.isPowered()) {
      cluster.nodes().forEach(it -> it.powerOnAfter(SECOND + upTo(8)));
    }
  }

  // Fencing off and on

  /// Both sides go on for a while without fencing, and it is switched on again before they meet, or then.
  private void parted() {
    var all = cluster.nodes();
    var off = fencing(false);
    var before = random.nextBoolean();
    if (before) {
      ask(off);
      cluster.run(Duration.ofMillis(random.nextInt(3_000)));
    }
    cluster.partition(List.of(List.of(all.getFirst().name()), all.stream().skip(1).map(SimNode::name).toList()));
    if (!before) {
      after(upTo(4), () -> ask(off));
    }
    if (random.nextInt(3) > 0) {
      after(4 * SECOND + upTo(24), () -> ask(fencing(true)));
    }
    if (random.nextInt(4) == 0) {
      after(upTo(20), () -> any().kill("controld"));
    }
    cluster.run(Duration.ofSeconds(4 + random.nextInt(40)));
    cluster.heal();
    cluster.run(Duration.ofSeconds(random.nextInt(15)));
    ask(fencing(true));
  }

  private static CibOp fencing(boolean on) {
    var nvpair =
        Element.of("nvpair", "id", "opt-fencing", "name", "fencing-enabled", "value", String.valueOf(on));
    return CibOp.put(
        "crm_config",
        Element.builder("cluster_property_set").attr("id", "cib-bootstrap-options").add(nvpair).build());
  }

  // Live migrations

  /// From node to node and back within seconds; halves fail, hang or take long, and who has one is lost
  /// just when it begins or has ended.
  private void migrations() {
    var resource = cluster.outside().guests().isEmpty() || random.nextInt(3) == 0 ? "b" : "vm";
    if (random.nextInt(3) == 0) {
      halves(resource);
    }
    if (random.nextInt(3) > 0) {
      breakInto(resource);
    }
    var one = any();
    var two = any();
    for (var left = 2 + random.nextInt(4); left > 0; left--) {
      var to = random.nextInt(5) == 0 ? any() : left % 2 == 0 ? one : two;
      ask(CibOp.put("constraints", location(resource, to)));
      cluster.run(Duration.ofMillis(50 + random.nextLong(random.nextBoolean() ? 600 : 4_000)));
    }
    if (random.nextInt(4) == 0) {
      cleanUp();
    }
    cluster.run(Duration.ofSeconds(10 + random.nextInt(10)));
  }

  private void halves(String resource) {
    var action = one(List.of("migrate_to", "migrate_from"));
    var how = one(List.of(List.of("fails"), List.of("hangs"), List.of("takes", "PT3S")));
    cluster.note(resource + " " + action + " " + how);
    for (var each : cluster.nodes()) {
      each.agentFault(resource, action, how);
      after(12 * SECOND, () -> each.agentFault(resource, action, List.of("well")));
    }
  }

  private void breakInto(String resource) {
    var at =
        one(List.of(" migrate_to", " migrate_to ends with", " migrate_to ends with", " migrate_from", " migrate_from ends with"));
    var after = random.nextLong(one(List.of(MILLI, 30 * MILLI, SECOND)));
    var how = random.nextInt(7);
    cluster.trace().once(resource + at, name -> after(after, () -> strike(cluster.node(name), how)));
  }

  private void strike(SimNode where, int how) {
    cluster.note("in the middle of a live migration");
    switch (how) {
      case 0, 1 -> where.powerOff();
      case 2 -> cutOff(where, 5 * SECOND + upTo(10));
      case 3 -> where.kill("controld");
      case 4 -> dc().kill("controld");
      case 5 -> dc().powerOff();
      default -> List.of("execd", "controld").forEach(where::kill);
    }
  }

  private SimNode dc() {
    return cluster.nodes().stream().filter(SimNode::isDc).findFirst().orElse(node);
  }

  // Probes

  /// A machine comes, or is looked at anew, and its agents answer what says nothing of the resource.
  private void probes() {
    var where = one(cluster.machines());
    var resource = random.nextInt(3) == 0 ? "*" : one(cluster.exclusiveResources());
    if (random.nextInt(4) == 0) {
      notInstalled(where, resource);
      return;
    }
    var status = one(List.of("1", "4", "6", "9", "189"));
    var how = random.nextInt(6) == 0 ? List.of("hangs") : List.of("fails", status);
    cluster.note(where + ": " + resource + " monitor " + how);
    where.agentFault(resource, "monitor", how);
    after(10 * SECOND + upTo(40), () -> where.agentFault(resource, "monitor", List.of("well")));
    switch (random.nextInt(5)) {
      case 0 -> cleanUp();
      case 1 -> where.kill(where.id() == SimNode.NO_MEMBER ? "remoted" : "execd");
      case 2 -> {
        where.shutdown();
        after(3 * SECOND + upTo(6), where::startClusterSoon);
      }
      default -> {
        where.powerOff();
        where.powerOnAfter(SECOND + upTo(5));
      }
    }
    cluster.run(Duration.ofSeconds(15 + random.nextInt(25)));
  }

  /// Agents that a probe finds not to be installed, or to have no use for their parameters, say that
  /// nothing runs. So they say it of all that is asked, on a machine that begins with nothing.
  private void notInstalled(SimNode where, String resource) {
    var how = List.of("fails", one(List.of("2", "5")));
    cluster.note(where + ": " + resource + " " + how);
    where.powerOff();
    where.agentFault(resource, "*", how);
    where.powerOnAfter(SECOND + upTo(5));
    after(10 * SECOND + upTo(40), () -> where.agentFault(resource, "*", List.of("well")));
    cluster.run(Duration.ofSeconds(15 + random.nextInt(25)));
  }

  // Bundles

  private void containers() {
    var container = Element.builder("docker");
    switch (random.nextInt(3)) {
      case 0 -> container.attr("image", "local/web:" + random.nextInt(4));
      case 1 -> container.attr("replicas", String.valueOf(1 + random.nextInt(REPLICAS_MAX)));
      default -> container.attr("run-command", "/usr/sbin/init-" + random.nextInt(3));
    }
    var bundle = Element.builder("bundle").attr("id", "box").add(container.build());
    if (random.nextInt(3) == 0) {
      bundle.add(Element.of("network", "control-port", String.valueOf(9_990 + random.nextInt(9))));
    }
    var change = CibOp.put("resources", bundle.build());
    if (random.nextBoolean()) {
      ask(change);
      after(upTo(5), () -> new SimGuestFault(cluster, random, changes).happen());
    } else {
      new SimGuestFault(cluster, random, changes).happen();
      after(upTo(5), () -> ask(change));
    }
    cluster.run(Duration.ofSeconds(12 + random.nextInt(15)));
  }

  // Tickets

  /// It is revoked, and granted again at times, while the cluster is cut in two or who needs it is lost.
  private void tickets() {
    ask(SimChanges.ticket(true));
    cluster.run(Duration.ofSeconds(5));
    var revoke = SimChanges.ticket(false);
    var holders = cluster.resourceOn(SimOptions.TICKETED);
    var holder = holders.isEmpty() ? node : cluster.node(holders.getFirst());
    var before = random.nextBoolean();
    if (before) {
      ask(revoke);
      cluster.run(Duration.ofMillis(random.nextInt(1_500)));
    }
    switch (random.nextInt(4)) {
      case 0 -> cutOff(holder, 5 * SECOND + upTo(15));
      case 1 -> holder.powerOff();
      case 2 -> dc().kill("controld");
      default -> inTwo();
    }
    if (!before) {
      after(upTo(8), () -> ask(revoke));
    }
    if (random.nextBoolean()) {
      after(2 * SECOND + upTo(12), () -> ask(SimChanges.ticket(true)));
    }
    cluster.run(Duration.ofSeconds(12 + random.nextInt(15)));
    cluster.heal();
  }

  private void inTwo() {
    var sides = List.of(new ArrayList<String>(), new ArrayList<String>());
    cluster.nodes().forEach(it -> one(sides).add(it.name()));
    cluster.partition(List.copyOf(sides));
  }

  // Clones

  private void clones() {
    ask(size());
    if (random.nextBoolean()) {
      after(upTo(4), () -> ask(size()));
    }
    var victim = any();
    after(
        upTo(3),
        () -> {
          switch (random.nextInt(5)) {
            case 0 -> victim.powerOff();
            case 1 -> cutOff(victim, 4 * SECOND + upTo(15));
            case 2 -> List.of("execd", "controld").forEach(victim::kill);
            case 3 -> dc().kill("controld");
            default -> cleanUp();
          }
        });
    cluster.run(Duration.ofSeconds(12 + random.nextInt(10)));
    victim.powerOn();
  }

  private CibOp size() {
    var name = one(List.of("clone-max", "clone-max", "clone-node-max", "globally-unique"));
    var value =
        switch (name) {
          case "clone-max" -> String.valueOf(random.nextInt(cluster.nodes().size() + 2));
          case "clone-node-max" -> String.valueOf(1 + random.nextInt(3));
          default -> String.valueOf(random.nextBoolean());
        };
    var set =
        Element.builder("meta_attributes")
            .attr("id", "each-meta")
            .add(Element.of("nvpair", "id", "each-" + name, "name", name, "value", value));
    return CibOp.put("resources", Element.builder("clone").attr("id", "each-clone").add(set).build());
  }
}
