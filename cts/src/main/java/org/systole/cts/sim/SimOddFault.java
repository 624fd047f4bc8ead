package org.systole.cts.sim;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import org.systole.common.cib.CibOp;
import org.systole.common.xml.Element;

/// One random fault in an odd life, with what an administrator does in that moment.
final class SimOddFault extends SimOddDeeds {
  SimOddFault(SimCluster cluster, RandomGenerator random, SimChanges changes, SimBites bites) {
    super(cluster, random, changes, bites);
  }

  void happen(SimOdd about) {
    cluster.note("an odd fault: " + about.name().toLowerCase(Locale.ROOT));
    switch (about) {
      case NONE -> {}
      case UNMONITORED -> unmonitored();
      case ABSENT -> new SimAbsentFault(cluster, random, changes, bites).happen();
      case PARTED -> parted();
      case MIGRATIONS -> migrations();
      case PROBES -> probes();
      case CONTAINERS -> containers();
      case TICKETS -> tickets();
      case CLONES -> clones();
      case FILES -> new SimFilesFault(cluster, random, changes, bites).happen();
      case FORGOTTEN -> new SimForgottenFault(cluster, random, changes, bites).happen();
    }
    bites.judge();
  }

  // Without monitors

  /// Who could know that it runs is lost, or what ran has ended and nobody looks.
  private void unmonitored() {
    var machine = one(cluster.machines());
    var holds = !machine.activeResources().isEmpty();
    switch (random.nextInt(6)) {
      case 0 -> {
        bites.count("unmonitored, memory lost", !node.activeResources().isEmpty());
        List.of("execd", "controld").forEach(node::kill);
      }
      case 1 -> {
        bites.count("unmonitored, supervisor killed", !node.activeResources().isEmpty());
        node.kill("pacemakerd");
      }
      case 2 -> {
        if (!cluster.hosts().isEmpty()) {
          var host = one(cluster.hosts());
          var member = connectedTo(host);
          bites.count("unmonitored, executor and member lost", !host.activeResources().isEmpty());
          host.kill("remoted");
          after(upTo(6), member::powerOff);
        }
      }
      case 3 -> {
        bites.count("unmonitored, ended unseen", holds);
        if (holds) {
          machine.force(one(machine.activeResources()), "stopped");
        }
      }
      case 4 -> {
        bites.count("unmonitored, cut off", holds);
        cutOff(machine, upTo(20));
      }
      default -> {
        var parameter = parameter();
        bites.count("unmonitored, parameter changed", !cluster.resourceOn(parameter.get("id", "")).isEmpty());
        ask(CibOp.put("resources", parameter));
      }
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

  // Fencing off and on

  /// Both sides go on for a while without fencing, and it is switched on again before they meet, just
  /// then, or later.
  private void parted() {
    var all = cluster.nodes();
    var off = fencing(false);
    var before = random.nextInt(6) > 0; // else who is quicker has the other one fenced first
    if (before) {
      ask(off);
      cluster.run(Duration.ofMillis(random.nextInt(3_000)));
    }
    cluster.partition(List.of(List.of(all.getFirst().name()), all.stream().skip(1).map(SimNode::name).toList()));
    if (!before) {
      after(upTo(4), () -> ask(off));
    }
    var apart = 4 * SECOND + upTo(36);
    var on =
        switch (random.nextInt(3)) {
          case 0 -> 4 * SECOND + random.nextLong(apart);
          case 1 -> apart + upTo(2) - SECOND;
          default -> apart + upTo(15);
        };
    after(on, () -> ask(fencing(true)));
    if (random.nextInt(4) == 0) {
      after(upTo(20), () -> any().kill("controld"));
    }
    cluster.run(Duration.ofNanos(apart));
    bites.count("parted, two sides that were not fenced meet", holds(all.subList(0, 1)) && holds(all.subList(1, all.size())));
    cluster.heal();
    cluster.run(Duration.ofSeconds(2 + random.nextInt(15)));
    ask(fencing(true));
  }

  private static boolean holds(List<SimNode> side) {
    return side.stream().anyMatch(it -> !it.activeResources().isEmpty());
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
    var moves = new AtomicInteger();
    bites.await("migrations, there and back", (_, text) -> text.startsWith(resource + " migrate_to ends with 0") && moves.incrementAndGet() == 2);
    var at = cluster.resourceOn(resource);
    var one = one(cluster.nodes().stream().filter(it -> !at.contains(it.name())).toList());
    var two = one(cluster.nodes().stream().filter(it -> it != one).toList());
    var turns = 2 + random.nextInt(4);
    for (var turn = 0; turn < turns; turn++) {
      var to = random.nextInt(8) == 0 ? any() : turn % 2 == 0 ? one : two;
      ask(CibOp.put("constraints", location(resource, to)));
      if (random.nextInt(3) > 0) {
        cluster.runUntil(() -> cluster.resourceOn(resource).contains(to.name()), Duration.ofSeconds(6));
      }
      cluster.run(Duration.ofMillis(50 + random.nextLong(random.nextBoolean() ? 600 : 2_000)));
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
    bites.await("migrations, a half that " + how.getFirst(), (_, text) -> text.startsWith(resource + " " + action + " with"));
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
    bites.await("migrations, broken into", (_, text) -> text.contains("in the middle of a live migration"));
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
    probed("probes, " + how.getFirst(), where, resource);
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
    probed("probes, not installed", where, resource);
    where.powerOff();
    where.agentFault(resource, "*", how);
    where.powerOnAfter(SECOND + upTo(5));
    after(10 * SECOND + upTo(40), () -> where.agentFault(resource, "*", List.of("well")));
    cluster.run(Duration.ofSeconds(15 + random.nextInt(25)));
  }

  /// It strikes when what is not active there is looked for.
  private void probed(String kind, SimNode where, String resource) {
    bites.await(
        kind,
        (name, text) -> {
          var at = text.indexOf(" monitor with ");
          return at > 0
              && name.equals(where.name())
              && (resource.equals("*") || text.startsWith(resource + " "))
              && !where.activeResources().contains(text.substring(0, at));
        });
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
    bites.await("containers, one is stopped", (_, text) -> text.startsWith("box-docker-") && text.contains(" stop ends"));
    if (random.nextBoolean()) {
      changed(change);
      after(upTo(5), () -> new SimGuestFault(cluster, random, changes).happen());
    } else {
      new SimGuestFault(cluster, random, changes).happen();
      after(upTo(5), () -> changed(change));
    }
    cluster.run(Duration.ofSeconds(12 + random.nextInt(15)));
  }

  private void changed(CibOp change) {
    bites.count("containers, changed while they run", !cluster.resourceOn("box-docker-0").isEmpty());
    ask(change);
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
    bites.count("tickets, who needs it runs", !holders.isEmpty());
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
      after(
          upTo(8),
          () -> {
            bites.count("tickets, revoked while it runs still", !cluster.resourceOn(SimOptions.TICKETED).isEmpty());
            ask(revoke);
          });
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
    var how = random.nextInt(5);
    bites.await("clones, struck while instances change", (_, text) -> text.contains("while instances of a clone change"));
    var later = random.nextLong(one(List.of(MILLI, 50 * MILLI, SECOND)));
    cluster.trace().once(it -> it.matches("each(:\\d+)? (start|stop)"), _ -> after(later, () -> whileClonesChange(victim, how)));
    cluster.run(Duration.ofSeconds(12 + random.nextInt(10)));
    victim.powerOn();
  }

  private void whileClonesChange(SimNode victim, int how) {
    cluster.note("while instances of a clone change");
    switch (how) {
      case 0 -> victim.powerOff();
      case 1 -> cutOff(victim, 4 * SECOND + upTo(15));
      case 2 -> List.of("execd", "controld").forEach(victim::kill);
      case 3 -> dc().kill("controld");
      default -> cleanUp();
    }
  }

  /// Another one than before, so that something has to change.
  private CibOp size() {
    var name = one(List.of("clone-max", "clone-max", "clone-node-max", "globally-unique"));
    var cib = dc().cib();
    var was = cib == null ? null : cib.find(it -> ("each-" + name).equals(it.id()));
    String value;
    do {
      value =
          switch (name) {
            case "clone-max" -> String.valueOf(random.nextInt(cluster.nodes().size() + 2));
            case "clone-node-max" -> String.valueOf(1 + random.nextInt(3));
            default -> String.valueOf(random.nextBoolean());
          };
    } while (was != null && value.equals(was.get("value")));
    var set =
        Element.builder("meta_attributes")
            .attr("id", "each-meta")
            .add(Element.of("nvpair", "id", "each-" + name, "name", name, "value", value));
    return CibOp.put("resources", Element.builder("clone").attr("id", "each-clone").add(set).build());
  }
}
