package org.systole.cts.sim;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.systole.attrd.client.AttrMessage;
import org.systole.attrd.client.AttrUpdates;
import org.systole.cibd.client.CibMessage;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibQuery;
import org.systole.common.cib.CibXPath;
import org.systole.common.output.Rc;
import org.systole.common.xml.Element;
import org.systole.controld.client.CtlMessage;

/// Administrators at work: one writes all the while, others put nodes into standby, move resources,
/// add and remove them. [#undo] has them put back what could keep a resource from running.
final class SimChanges {
  private static final long WRITE_MIN = 300_000_000L;
  private static final long WRITE_SPREAD = 4_000_000_000L;
  private static final int EXTRA_MAX = 3;
  private static final Duration UNDO_PAUSE = Duration.ofSeconds(2);
  private static final Duration UNDO_MAX = Duration.ofMinutes(10);

  private final SimCluster cluster;
  private final RandomGenerator random;
  private final SimPromises promises;
  private final SimReads reads;
  private final SimOriginal original = new SimOriginal();
  private int writes;
  private int extras;
  private boolean writing;

  SimChanges(SimCluster cluster, SimPromises promises) {
    this.cluster = cluster;
    this.random = cluster.random("changes", "", "", 0);
    this.promises = promises;
    this.reads = new SimReads(cluster);
  }

  /// Has the writer write from now on, or no longer.
  void writing(boolean on) {
    writing = on;
    if (on) {
      later();
    }
  }

  private void later() {
    cluster.queue().after(WRITE_MIN + random.nextLong(WRITE_SPREAD), this::write);
  }

  private void write() {
    var node = someAsking();
    if (!writing) {
      return;
    }
    later();
    if (node == null) {
      return;
    }
    write(node, "change-" + ++writes);
  }

  /// The writer's change of that name, which is a promise once it is acknowledged.
  void write(SimNode node, String id) {
    cluster.story().deed("write %s %s".formatted(node.name(), id), () -> writeNow(node, id));
  }

  private void writeNow(SimNode node, String id) {
    reads.attribute(node);
    var floor = promises.floor();
    var manager = node.process("cibd");
    var set = properties("changes", Element.of("nvpair", "id", id, "name", id, "value", "made"));
    cluster.update(
        node.name(),
        List.of(CibOp.put("crm_config", set)),
        answer -> {
          if (answer != null && answer.rc().isOk()) {
            var onDisk = node.disk("cibd").hasInCib(id);
            promises.acknowledged(node, id, floor, answer.version());
            if (cluster.nodes().contains(node)) { // a host may have another member to ask by then
              readBack(node, id, () -> onDisk || node.process("cibd") == manager);
            }
          }
        });
  }

  /// Whoever asks the same node after its acknowledgement sees the change. It is on the disks of a
  /// quorum by then; a manager started anew on a node whose own disk took nothing has yet to get it.
  private void readBack(SimNode node, String id, BooleanSupplier isPromised) {
    var query = new CibQuery("//nvpair[@id=%s]".formatted(CibXPath.literal(id)), true, false, false);
    new SimCommand(node)
        .ask(
            CibMessage.SOCKET,
            CibMessage.PROTOCOL,
            new CibMessage.Query(query, ""),
            reply -> {
              if (reply instanceof CibMessage.Answer answer && isPromised.getAsBoolean()) {
                promises.read(node, id, answer.rc());
              }
            });
  }

  private static Element properties(String id, Element nvpair) {
    return Element.builder("cluster_property_set").attr("id", id).add(nvpair).build();
  }

  private @Nullable SimNode someNode() {
    var up = cluster.nodes().stream().filter(it -> it.isPowered() && it.isRunning()).toList();
    return up.isEmpty() ? null : up.get(random.nextInt(up.size()));
  }

  /// Somebody who can ask, who may be a command on a remote node. What has two votes in doubt is not
  /// asked there: nobody can tell from outside which side a host hears.
  private @Nullable SimNode someAsking() {
    if (cluster.quorumOption("two_node").equals("1") || cluster.hosts().isEmpty()) {
      return someNode();
    }
    var up =
        Stream.concat(cluster.nodes().stream(), cluster.hosts().stream())
            .filter(it -> it.isPowered() && it.isRunning())
            .toList();
    return up.isEmpty() ? null : up.get(random.nextInt(up.size()));
  }

  /// One random change.
  void happen() {
    var node = someAsking();
    if (node == null) {
      return;
    }
    switch (random.nextInt(15)) {
      case 0, 1 -> ask(node, nodeAttribute("standby", random.nextBoolean() ? "on" : "off"));
      case 2 -> ask(node, nodeAttribute("maintenance", random.nextBoolean() ? "true" : "false"));
      case 3 -> ask(node, option("maintenance-mode", random.nextBoolean() ? "true" : "false"));
      case 4, 5 -> ask(node, location("INFINITY"));
      case 6 -> ask(node, location("-INFINITY"));
      case 7 -> ask(node, CibOp.deleteAllXPath("//rsc_location"));
      case 8, 9 -> add(node);
      case 10 -> remove(node);
      case 11 -> ask(node, parameter());
      case 12 -> attribute(node);
      case 13 -> ticket(node);
      default -> cleanUp(node, _ -> {});
    }
  }

  private SimNode any() {
    return cluster.nodes().get(random.nextInt(cluster.nodes().size()));
  }

  private String resource() {
    return List.of("a", "b", "g", "g1", "store-clone").get(random.nextInt(5));
  }

  /// Has an administrator change the CIB from a node.
  void ask(SimNode node, CibOp change) {
    cluster
        .story()
        .deed(
            "change %s %s".formatted(node.name(), SimDeeds.told(change)),
            () -> askNow(node, change));
  }

  private void askNow(SimNode node, CibOp change) {
    learn(change);
    original.asked(cluster.checks().original(), change);
    cluster.checks().standby().asked(String.valueOf(change.xml()));
    cluster.note("asked of " + node.name() + ": " + change.kind() + " " + change.xml());
    var ticket = change.xml() != null && change.xml().startsWith("<tickets");
    var number = ticket ? reads.ticketAsked() : 0;
    cluster.update(
        node.name(),
        List.of(change),
        answer -> {
          cluster.note("answer: " + (answer == null ? "none" : answer.rc().constant()));
          if (ticket && answer != null && answer.rc().isOk()) {
            reads.ticketAnswered(node, number, change);
          }
        });
  }

  /// What may be active on one node only.
  private void learn(CibOp change) {
    for (var at = 1; at <= EXTRA_MAX; at++) {
      var xml = change.xml();
      if (xml != null && xml.contains("<primitive id=\"extra" + at + "\"")) {
        cluster.checks().exclusiveToo("extra" + at);
      }
    }
  }

  /// Of a member, or of another machine that may be a node, but no container: that is its bundle's affair.
  private CibOp nodeAttribute(String name, String value) {
    var machines = new ArrayList<>(cluster.machines());
    machines.removeIf(it -> cluster.outside().endsWithItsDaemon(it));
    return nodeAttribute(machines.get(random.nextInt(machines.size())), name, value);
  }

  static CibOp nodeAttribute(SimNode of, String name, String value) {
    var member = of.id() > 0;
    var id = member ? String.valueOf(of.id()) : of.name();
    var set = "nodes-" + id;
    var nvpair = Element.of("nvpair", "id", set + "-" + name, "name", name, "value", value);
    var entry = Element.builder("node").attr("id", id).attr("uname", of.name());
    if (!member) {
      entry.attr("type", "remote");
    }
    entry.add(Element.builder("instance_attributes").attr("id", set).add(nvpair));
    return CibOp.put("nodes", entry.build());
  }

  private CibOp option(String name, String value) {
    var nvpair = Element.of("nvpair", "id", "sim-" + name, "name", name, "value", value);
    return CibOp.put("crm_config", properties("sim-options", nvpair));
  }

  private CibOp location(String score) {
    var resource = resource();
    return CibOp.put(
        "constraints",
        Element.of(
            "rsc_location",
            "id",
            "at-" + resource,
            "rsc",
            resource,
            "node",
            any().name(),
            "score",
            score));
  }

  private CibOp parameter() {
    return parameter(List.of("a", "b").get(random.nextInt(2)), random.nextInt(100));
  }

  /// Gives a resource, `a` or `b`, another parameter, by which its agent tells its instances apart.
  static CibOp parameter(String id, int number) {
    var value = "state-" + number;
    var nvpair = Element.of("nvpair", "id", id + "-state", "name", "state", "value", value);
    return changed(id, Element.builder("instance_attributes").attr("id", id + "-params").add(nvpair));
  }

  /// A part of a resource is put in, or changed.
  private static CibOp changed(String id, Element.Builder part) {
    return CibOp.put(
        "resources",
        Element.builder("primitive")
            .attr("id", id)
            .attr("class", "ocf")
            .attr("provider", "pacemaker")
            .attr("type", "Dummy")
            .add(part)
            .build());
  }

  private void add(SimNode node) {
    if (extras < EXTRA_MAX) {
      var id = "extra" + ++extras;
      ask(node, CibOp.put("resources", SimCibs.resource(id)));
    }
  }

  private void remove(SimNode node) {
    if (extras > 0) {
      ask(
          node,
          CibOp.deleteAllXPath("//primitive[@id=" + CibXPath.literal("extra" + (1 + random.nextInt(extras))) + "]"));
    }
  }

  private void ticket(SimNode node) {
    if (hasTicket()) {
      ask(node, ticket(random.nextBoolean()));
    }
  }

  private boolean hasTicket() {
    return cluster.exclusiveResources().contains(SimOptions.TICKETED);
  }

  static CibOp ticket(boolean granted) {
    var state =
        Element.of("ticket_state", "id", SimOptions.TICKET, "granted", String.valueOf(granted));
    return CibOp.put("status", Element.builder("tickets").add(state).build());
  }

  private void attribute(SimNode node) {
    attribute(node, String.valueOf(random.nextInt(1000)));
  }

  /// Sets a node attribute from a node.
  void attribute(SimNode node, String value) {
    cluster
        .story()
        .deed("attribute %s %s".formatted(node.name(), value), () -> attributeNow(node, value));
  }

  private void attributeNow(SimNode node, String value) {
    cluster.ask(
        node.name(),
        AttrMessage.SOCKET,
        AttrMessage.PROTOCOL,
        AttrUpdates.set("sim", null, value),
        _ -> {});
  }

  /// A resource with a parameter is added and is there for a while; then its parameter is changed, it
  /// is cleaned up, or both, and it is taken away. Whoever stops it by another parameter, or without,
  /// does not find it.
  void passing() {
    var node = someNode();
    if (node == null) {
      return;
    }
    extrasToo();
    var id = "extra" + (1 + random.nextInt(EXTRA_MAX));
    ask(node, with(id, "state-" + random.nextInt(100)));
    var at = 3_000_000_000L + random.nextLong(4_000_000_000L);
    if (random.nextBoolean()) {
      at = next(at, () -> ask(node, with(id, "state-" + random.nextInt(100))));
    }
    if (random.nextBoolean()) {
      at = next(at, () -> cleanUp(node, _ -> {}));
    }
    next(at, () -> ask(node, CibOp.deleteAllXPath("//primitive[@id=" + CibXPath.literal(id) + "]")));
  }

  private long next(long at, Runnable task) {
    cluster.queue().after(at, task);
    return at + 100_000_000L + random.nextLong(5_000_000_000L);
  }

  /// Others add and remove the resources that [#happen] would.
  void extrasToo() {
    extras = EXTRA_MAX;
  }

  private static CibOp with(String id, String state) {
    var nvpair = Element.of("nvpair", "id", id + "-state", "name", "state", "value", state);
    var set = Element.builder("instance_attributes").attr("id", id + "-params").add(nvpair).build();
    return CibOp.put("resources", SimCibs.resource(id).plus(set));
  }

  /// As `crm_resource --refresh` for all resources.
  void cleanUp(SimNode node, Consumer<Boolean> done) {
    cluster.story().deed("cleanup " + node.name(), () -> cleanUpNow(node, done));
  }

  private void cleanUpNow(SimNode node, Consumer<Boolean> done) {
    cluster.note("cleanup asked of " + node.name());
    cluster.ask(
        node.name(),
        AttrMessage.SOCKET,
        AttrMessage.PROTOCOL,
        new AttrMessage.ClearFailures(null, "", 0, null),
        _ ->
            cluster.ask(
                node.name(),
                CtlMessage.SOCKET,
                CtlMessage.PROTOCOL,
                new CtlMessage.ClearHistory("", ""),
                answer -> done.accept(answer instanceof CtlMessage.Done)));
  }

  /// Another time limit for the monitor of a resource, which runs with the one it had.
  private CibOp otherTimeout() {
    var id = List.of("a", "b").get(random.nextInt(2));
    var monitor = Element.of("op", "id", id + "-monitor", "name", "monitor", "interval", "10s", "timeout", "16s");
    return changed(id, Element.builder("operations").add(monitor));
  }

  private interface Step {
    void carryOut(SimNode node, Consumer<Boolean> done);
  }

  /// Takes back what keeps resources from running and cleans up their failures, each step again
  /// until it is answered well.
  void undo() {
    cluster.checks().standby().ends();
    var steps = new ArrayDeque<Step>();
    original.putBack().forEach(it -> steps.add(step(it)));
    for (var xpath :
        List.of(
            "//rsc_location",
            "//nodes/node/instance_attributes",
            "//cluster_property_set[@id='sim-options']")) {
      steps.add(step(CibOp.deleteAllXPath(xpath)));
    }
    if (hasTicket()) {
      reads.ticketAsked();
      steps.add(step(ticket(true)));
    }
    steps.add(this::cleanUp);
    if (random.nextInt(3) == 0) {
      steps.add(step(otherTimeout()));
    }
    next(steps);
    if (!cluster.runUntil(steps::isEmpty, UNDO_MAX)) {
      cluster.fail(
          SimCheck.NOT_AT_REST,
          "the configuration could not be changed within %s of the faults' end: %s"
              .formatted(UNDO_MAX, cluster.unsettled()));
    }
  }

  private Step step(CibOp change) {
    return (node, done) ->
        cluster.update(
            node.name(), List.of(change), answer -> done.accept(answer != null && isDone(answer)));
  }

  private static boolean isDone(CibMessage.Answer answer) {
    return answer.rc().isOk() || answer.rc().equals(Rc.ENXIO);
  }

  private void next(Deque<Step> steps) {
    var node = someNode();
    var step = steps.peek();
    if (step == null) {
      return;
    }
    if (node == null) {
      cluster.queue().after(UNDO_PAUSE.toNanos(), () -> next(steps));
      return;
    }
    step.carryOut(
        node,
        done -> {
          if (done) {
            steps.poll();
            next(steps);
          } else {
            cluster.queue().after(UNDO_PAUSE.toNanos(), () -> next(steps));
          }
        });
  }

  /// The resources that were asked to be added, whether they are there by now or not.
  List<String> extras() {
    var names = new ArrayList<String>();
    for (var at = 1; at <= extras; at++) {
      names.add("extra" + at);
    }
    return names;
  }
}
