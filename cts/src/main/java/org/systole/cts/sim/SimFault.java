package org.systole.cts.sim;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;

/// One random fault.
final class SimFault {
  /// What daemons say when something begins that a fault is to break into.
  static final String COUNTED = "Setting fail-count-";

  static final String MEMBERS_CHANGE = "Preparing membership";
  static final String FENCING_BEGINS = "Requesting fencing (";

  private static final List<String> DAEMONS =
      List.of("cibd", "fenced", "execd", "attrd", "schedulerd", "controld", "pacemakerd");
  private static final long SECOND = 1_000_000_000L;
  private static final long SOON = 100_000_000L;
  private static final long AT_ONCE = 2_000_000L; // before all have answered
  private static final int HOUR_SECONDS = 3_600;

  private final SimCluster cluster;
  private final RandomGenerator random;
  private final SimPromises promises;
  private final SimChanges changes;
  private final SimNode node;

  SimFault(SimCluster cluster, RandomGenerator random, SimPromises promises, SimChanges changes) {
    this.cluster = cluster;
    this.random = random;
    this.promises = promises;
    this.changes = changes;
    this.node = any();
  }

  private SimNode any() {
    return cluster.nodes().get(random.nextInt(cluster.nodes().size()));
  }

  void happen() {
    var standing = new SimStanding(cluster, random);
    if (standing.isNext()) {
      standing.happen();
      return;
    }
    if (!cluster.hosts().isEmpty() && random.nextInt(3) == 0) {
      new SimHostFault(cluster, random).happen();
      return;
    }
    var often = SimInside.isEverywhere() ? 2 : 1; // of three
    if (!cluster.outside().guests().isEmpty() && random.nextInt(3) < often) {
      new SimGuestFault(cluster, random, changes).happen();
      return;
    }
    switch (random.nextInt(6)) {
      case 0 -> machines();
      case 1 -> daemons();
      case 2 -> network();
      case 3 -> agentsAndDisks();
      case 4 -> several();
      default -> changes.happen();
    }
  }

  private void machines() {
    switch (random.nextInt(9)) {
      case 0, 1 -> node.powerOff();
      case 2, 3 -> come(node);
      case 4 -> dc().powerOff();
      case 5, 6 -> pause();
      case 7 -> node.skewClock(Duration.ofSeconds(random.nextInt(-HOUR_SECONDS, HOUR_SECONDS)));
      default -> node.shutdown();
    }
  }

  private void daemons() {
    var daemon = DAEMONS.get(random.nextInt(DAEMONS.size()));
    switch (random.nextInt(12)) {
      case 0, 1, 2, 3 -> node.kill(daemon);
      case 9 -> whileCounting();
      case 4 -> dc().kill(daemon);
      case 5 -> cluster.nodes().forEach(it -> it.kill(daemon));
      case 6, 7 -> killSeveral(node);
      case 8 -> killSeveral(dc());
      default -> node.hang(daemon, random.nextLong(12 * SECOND));
    }
  }

  /// The attribute manager beside the DC is lost just when one has been told of a failure: its own,
  /// or that of another node before it.
  private void whileCounting() {
    var after = random.nextLong(AT_ONCE);
    cluster
        .trace()
        .once(COUNTED, _ -> cluster.queue().after(after, () -> dc().kill("attrd")));
    resource();
  }

  /// Any two or more daemons of a node at once, as when its memory has run out. Without the
  /// supervisor: that one takes the node with it.
  private void killSeveral(SimNode where) {
    var victims = new ArrayList<>(DAEMONS);
    victims.remove("pacemakerd");
    for (var left = random.nextInt(victims.size() - 1); left > 0; left--) {
      victims.remove(random.nextInt(victims.size()));
    }
    victims.forEach(where::kill);
  }

  private void network() {
    switch (random.nextInt(13)) {
      case 0, 1, 2 -> partition();
      case 3, 4 -> cluster.heal();
      case 5 -> cluster.cut(node.name(), any().name());
      case 6 -> link();
      case 7 -> cluster.loss(random.nextDouble() / 5);
      case 8 -> cluster.delay(Duration.ofMillis(random.nextInt(200)));
      case 9 -> shortCut();
      default -> whileMembersChange();
    }
  }

  private void agentsAndDisks() {
    switch (random.nextInt(14)) {
      case 0, 1, 2 -> agent();
      case 3 -> resource();
      case 13 -> editByHand(cluster, node);
      case 4, 5 -> fencing();
      case 10 -> new SimFencingByHand(cluster, random).happen();
      case 11 -> whileFencing();
      case 12 -> {
        fencing();
        new SimFencingByHand(cluster, random).happen();
      }
      case 6 -> stopping();
      case 7 -> slowDisk();
      case 8 -> fullDisk();
      default -> cutShort(cluster, node);
    }
  }

  private void several() {
    switch (random.nextInt(9)) {
      case 8 -> filesReadAnew();
      case 0 -> new SimRollingRestart(cluster).begin();
      case 1 -> everybodyOff();
      case 2 -> flap();
      case 3, 4 -> offOnceAcknowledged();
      default -> twoAtOnce();
    }
  }

  /// An administrator changes the token time in all files and has them read anew; at times one file
  /// is broken, which is mended a moment later.
  private void filesReadAnew() {
    SimConfFile.change(
        cluster, cluster.nodes(), List.of("token", Long.toString(random.nextInt(2, 6) * 1000L)));
    if (random.nextInt(4) == 0) {
      var slipped = any();
      SimConfFile.change(cluster, List.of(slipped), List.of("broken"));
      cluster
          .queue()
          .after(
              SOON + random.nextLong(SECOND),
              () -> SimConfFile.change(cluster, List.of(slipped), List.of("whole")));
    }
    SimConfFile.reload(cluster, node);
  }

  private SimNode dc() {
    return cluster.nodes().stream().filter(SimNode::isDc).findFirst().orElse(node);
  }

  private static void come(SimNode node) {
    if (!node.isPowered()) {
      node.powerOn();
    } else if (!node.isRunning()) {
      node.startClusterSoon();
    }
  }

  private void partition() {
    var one = new ArrayList<String>();
    var two = new ArrayList<String>();
    for (var each : cluster.nodes()) {
      (random.nextBoolean() ? one : two).add(each.name());
    }
    cluster.partition(List.of(one, two));
  }

  /// Only the line between two nodes is cut.
  private void link() {
    var other = any();
    cluster.cut(node.name(), other.name());
    cluster.cut(other.name(), node.name());
  }

  /// The network fails for about as long as it takes to notice.
  private void shortCut() {
    partition();
    cluster.queue().after(random.nextLong(6 * SECOND), cluster::heal);
  }

  /// Another fault comes over the cluster while it agrees on new members.
  private void whileMembersChange() {
    var frozen = random.nextBoolean() ? dc() : node;
    cluster
        .trace()
        .once(
            MEMBERS_CHANGE,
            leader ->
                cluster
                    .queue()
                    .after(
                        random.nextLong(random.nextBoolean() ? AT_ONCE : SOON),
                        () -> strike(cluster.node(leader), any(), frozen)));
    switch (random.nextInt(4)) {
      case 0 -> shortCut();
      case 1 -> node.kill("pacemakerd");
      default -> {
        frozen.pause();
        cluster.queue().after(random.nextLong(10 * SECOND), frozen::resume);
      }
    }
  }

  private void strike(SimNode leader, SimNode other, SimNode frozen) {
    cluster.note("while members change");
    if (frozen.isPaused() && random.nextBoolean()) {
      frozen.resume();
      return;
    }
    switch (random.nextInt(8)) {
      case 0 -> cluster.cut(leader.name(), other.name());
      case 1 -> cluster.cut(other.name(), leader.name());
      case 2, 3 -> isolate(leader);
      case 4, 5 -> isolate(other);
      case 6 -> other.kill("pacemakerd");
      default -> leader.kill("pacemakerd");
    }
    cluster.queue().after(random.nextLong(10 * SECOND), cluster::heal);
  }

  private void isolate(SimNode alone) {
    var rest = cluster.nodes().stream().filter(it -> it != alone).map(SimNode::name).toList();
    cluster.partition(List.of(rest));
  }

  /// Fencing does not work as it should for a while.
  private void fencing() {
    switch (random.nextInt(6)) {
      case 0 -> fencing("*", List.of("hangs"));
      case 1 -> fencing("*", List.of("takes", "PT10S"));
      case 2 -> fencing("*", List.of("fails"));
      default -> effectFirst();
    }
  }

  private void fencing(String action, List<String> how) {
    cluster.note("fencing " + action + " " + how);
    for (var each : cluster.nodes()) {
      each.agentFault("fence_sim", action, how);
      cluster
          .queue()
          .after(10 * SECOND, () -> each.agentFault("fence_sim", action, List.of("well")));
    }
  }

  /// The power is switched early, and the agent says so late, or says something else.
  private void effectFirst() {
    var acts = Duration.ofMillis(random.nextInt(5_000));
    var late = Duration.ofMillis(random.nextInt(55_000));
    var says =
        switch (random.nextInt(5)) {
          case 0 -> List.of("fails");
          case 1 -> List.of("hangs");
          default -> List.of("takes", acts.plus(late).toString());
        };
    var how = new ArrayList<>(List.of("acts", acts.toString()));
    how.addAll(says);
    fencing("reboot", how);
    fencing("off", how);
  }

  /// Who has a node fenced is lost, stands still or is cut off before the fencing has ended.
  private void whileFencing() {
    var after = random.nextLong(4 * SECOND);
    var how = random.nextInt(5);
    cluster
        .trace()
        .once(
            FENCING_BEGINS,
            name ->
                cluster.queue().after(after, () -> strikeWhoFences(cluster.node(name), how)));
    node.powerOff();
    node.powerOnAfter(random.nextLong(20 * SECOND));
  }

  private void strikeWhoFences(SimNode dc, int how) {
    cluster.note("while " + dc + " has a node fenced");
    switch (how) {
      case 0 -> dc.powerOff();
      case 1 -> dc.kill("controld");
      case 2 -> dc.kill("fenced");
      case 3 -> {
        dc.pause();
        cluster.queue().after(random.nextLong(10 * SECOND), dc::resume);
      }
      default -> {
        isolate(dc);
        cluster.queue().after(random.nextLong(10 * SECOND), cluster::heal);
      }
    }
  }

  /// A resource that has to move cannot be stopped.
  private void stopping() {
    var active = node.activeResources();
    if (!active.isEmpty()) {
      var resource = active.get(random.nextInt(active.size()));
      cluster.note(node.name() + ": " + resource + " cannot be stopped");
      node.agentFault(resource, "stop", List.of("fails"));
      node.force(resource, "stopped");
    }
  }

  private void twoAtOnce() {
    another().happen();
    cluster.run(Duration.ofMillis(random.nextInt(300)));
    another().happen();
  }

  private SimFault another() {
    return new SimFault(cluster, random, promises, changes);
  }

  /// The power of the whole site fails.
  private void everybodyOff() {
    cluster.nodes().forEach(SimNode::powerOff);
    for (var each : cluster.nodes()) {
      cluster.queue().after(SECOND + random.nextLong(10 * SECOND), each::powerOn);
    }
  }

  /// The power of the whole site fails just when a client has been told that its change is made.
  /// The disks are slow, so that what should have been on them by then and is not has no time to
  /// get there.
  private void offOnceAcknowledged() {
    var slowness = Duration.ofMillis(random.nextInt(50));
    cluster.nodes().forEach(it -> it.slowDisk(slowness));
    promises.once(
        () ->
            cluster
                .queue()
                .after(
                    random.nextLong(AT_ONCE),
                    () -> {
                      cluster.note("the power fails after an acknowledgement");
                      everybodyOff();
                      cluster.nodes().forEach(it -> it.slowDisk(Duration.ZERO));
                    }));
  }

  /// A machine that comes and goes.
  private void flap() {
    for (var at = 0; at < 4; at++) {
      cluster.queue().after(at * 5 * SECOND, node::powerOff);
      cluster.queue().after(at * 5 * SECOND + random.nextLong(4 * SECOND), node::powerOn);
    }
  }

  private void pause() {
    node.pause();
    cluster.queue().after(random.nextLong(10 * SECOND), node::resume);
  }

  private void agent() {
    var resources = cluster.exclusiveResources();
    var resource = resources.get(random.nextInt(resources.size()));
    var action = List.of("start", "monitor").get(random.nextInt(2));
    var what =
        switch (random.nextInt(3)) {
          case 0 -> List.of("fails");
          case 1 -> List.of("hangs");
          default -> List.of("takes", "PT3S");
        };
    cluster.note(node.name() + ": " + resource + " " + action + " " + what);
    node.agentFault(resource, action, what);
    cluster.queue().after(5 * SECOND, () -> node.agentFault(resource, action, List.of("well")));
  }

  private void slowDisk() {
    cluster.note(node.name() + ": slow disk");
    node.slowDisk(Duration.ofMillis(random.nextInt(1_000)));
  }

  private void fullDisk() {
    cluster.note(node.name() + ": full disk");
    node.failDisk(true);
    cluster.queue().after(random.nextLong(20 * SECOND), () -> node.failDisk(false));
  }

  /// Somebody edits the configuration file of a node, which may be running.
  static void editByHand(SimCluster cluster, SimNode node) {
    cluster
        .story()
        .deed(
            "edit " + node.name(),
            () -> {
              cluster.note(node.name() + ": cib.xml is changed by hand");
              node.disk("cibd").edit();
            });
  }

  /// The power fails and leaves a damaged configuration file behind. The backup before it and the logs have all of it.
  static void cutShort(SimCluster cluster, SimNode node) {
    var content = node.file("cibd", "cib.xml");
    if (content != null && node.isPowered()) {
      cluster
          .story()
          .deed(
              "damage " + node.name(),
              () -> {
                node.powerOff();
                cluster.note(node.name() + ": cib.xml is cut short");
                node.file("cibd", "cib.xml", Arrays.copyOf(content, content.length / 2));
                node.powerOnAfter(2 * SECOND);
              });
    }
  }

  /// A resource ends behind the cluster's back.
  private void resource() {
    var active = node.activeResources();
    if (!active.isEmpty()) {
      node.force(active.get(random.nextInt(active.size())), "stopped");
    }
  }
}
