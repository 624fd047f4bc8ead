package org.systole.cts.sim;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.random.RandomGenerator;

/// One random fault in a life that is about one thing: what does harm only with others comes with
/// them, and at the moment when it does.
final class SimFocusFault {
  private static final long SECOND = 1_000_000_000L;
  private static final long MILLI = 1_000_000L;
  private static final long BEFORE_AN_ANSWER = MILLI / 5;
  private static final long AT_ONCE = 2 * MILLI;
  private static final List<String> OTHERS = List.of("cibd", "fenced", "attrd", "schedulerd");

  private final SimCluster cluster;
  private final RandomGenerator random;
  private final SimPromises promises;
  private final SimChanges changes;
  private final SimBites bites;
  private final SimNode node;

  SimFocusFault(
      SimCluster cluster, RandomGenerator random, SimPromises promises, SimChanges changes, SimBites bites) {
    this.cluster = cluster;
    this.random = random;
    this.promises = promises;
    this.changes = changes;
    this.bites = bites;
    this.node = any();
  }

  void happen(SimFocus focus) {
    switch (focus) {
      case NONE -> {}
      case FENCING -> fencing();
      case MEMORY -> memory();
      case UNFENCED -> unfenced();
      case WRITES -> writes();
      case MEMBERS -> members();
      case COUNTS -> counts();
      case PEOPLE -> people();
      case LISTS -> lists();
      case LINKS -> new SimLinkFault(cluster, random).happen();
      case ODD -> new SimOddFault(cluster, random, changes, bites).happen(SimOdd.of(cluster.seed()));
      case MOVES -> moves();
      case STANDING -> standing();
      case CALM -> new SimCalm(cluster, random, changes).happen();
      case STRANGERS -> new SimStranger(cluster, random).happen();
    }
  }

  /// A third of the faults take a remote node out of the cluster.
  private void moves() {
    var removals = cluster.random("moves", "", "removals", cluster.now().toNanos());
    if (removals.nextInt(3) == 0) {
      new SimRemovalFault(cluster, removals, changes, bites).happen();
    } else {
      new SimMoveFault(cluster, random, changes, bites).happen();
    }
  }

  /// Nothing else happens until it is over, as that takes longer than the pauses between faults.
  private void standing() {
    var standing = new SimStanding(cluster, random);
    var forgets = cluster.random("standing", "", "forgets", cluster.now().toNanos()).nextInt(3) == 0;
    cluster.run(Duration.ofNanos(forgets ? standing.forget(changes) : standing.happen()));
  }

  private SimNode any() {
    return cluster.nodes().get(random.nextInt(cluster.nodes().size()));
  }

  private SimNode dc() {
    return cluster.nodes().stream().filter(SimNode::isDc).findFirst().orElse(node);
  }

  /// One that has something to lose, if there is one.
  private SimNode busy() {
    var busy =
        cluster.nodes().stream()
            .filter(it -> it.isRunning() && holdsSomething(it))
            .toList();
    return busy.isEmpty() ? node : busy.get(random.nextInt(busy.size()));
  }

  private boolean holdsSomething(SimNode it) {
    return it.activeResources().stream().anyMatch(cluster.exclusiveResources()::contains);
  }

  private void after(long nanos, Runnable task) {
    cluster.queue().after(nanos, task);
  }

  private long upTo(long seconds) {
    return random.nextLong(seconds * SECOND);
  }

  // Fencing

  /// The power is cycled at once and the agent says so long after the node is back. Meanwhile the
  /// same node is lost again, is fenced once more, or the DC is lost.
  private void fencing() {
    var acts = 200 * MILLI + random.nextLong(2 * SECOND);
    var takes = 12 * SECOND + upTo(43);
    slowSwitches(acts, takes);
    var target = busy();
    begin(target);
    after(6 * SECOND + upTo(20), () -> again(target));
    cluster.run(Duration.ofNanos(takes).plusSeconds(random.nextInt(20)));
  }

  private void slowSwitches(long acts, long takes) {
    cluster.note("power switches are quick, and slow to say so");
    var how = List.of("acts", Duration.ofNanos(acts).toString(), "takes", Duration.ofNanos(takes).toString());
    for (var each : cluster.nodes()) {
      for (var action : List.of("reboot", "off")) {
        each.agentFault("fence_sim", action, how);
        after(90 * SECOND, () -> each.agentFault("fence_sim", action, List.of("well")));
      }
    }
  }

  /// Somebody has it fenced.
  private void begin(SimNode target) {
    switch (random.nextInt(6)) {
      case 0, 1 -> byHand(target);
      case 2 -> {
        target.shutdown();
        after(SECOND + upTo(4), () -> byHand(target));
      }
      case 3 -> {
        target.pause(); // lost to the others
        after(30 * SECOND, target::resume);
      }
      case 4 -> {
        isolate(target);
        after(4 * SECOND + upTo(4), cluster::heal);
      }
      default -> {
        target.powerOff();
        target.powerOnAfter(upTo(4));
      }
    }
  }

  private void byHand(SimNode target) {
    SimFencingByHand.fence(cluster, any(), target, "reboot");
  }

  private void again(SimNode target) {
    switch (random.nextInt(7)) {
      case 0, 1, 2 -> {
        isolate(target);
        after(10 * SECOND + upTo(20), cluster::heal);
      }
      case 3 -> byHand(target);
      case 4 -> dc().kill("controld");
      case 5 -> dc().powerOff();
      default -> target.pause();
    }
  }

  private void isolate(SimNode alone) {
    var rest = cluster.nodes().stream().filter(it -> it != alone).map(SimNode::name).toList();
    cluster.partition(List.of(rest));
  }

  // Processes

  /// The memory of a node has run out: its executor and its controller are lost together, with
  /// others or without. At times an administrator changes something in that moment.
  private void memory() {
    var where = busy();
    var victims = new ArrayList<>(List.of("execd", "controld"));
    OTHERS.stream().filter(_ -> random.nextInt(3) == 0).forEach(victims::add);
    var within = random.nextBoolean() ? 1 : 300 * MILLI;
    victims.forEach(it -> after(random.nextLong(within), () -> where.kill(it)));
    if (random.nextInt(3) == 0) {
      after(random.nextLong(SECOND), changes::happen);
    }
    if (random.nextInt(4) == 0) {
      after(SECOND + upTo(4), () -> victims.forEach(where::kill));
    }
    cluster.run(Duration.ofSeconds(10 + random.nextInt(15)));
  }

  /// Processes are killed and come back. Nothing else is the matter, so nothing has to be started
  /// a second time though nobody can be fenced.
  private void unfenced() {
    var where = busy();
    switch (random.nextInt(6)) {
      case 0, 1, 2 -> where.kill("pacemakerd");
      case 3 -> List.of("execd", "controld").forEach(where::kill);
      case 4 -> dc().kill("pacemakerd");
      default -> {
        where.shutdown();
        after(SECOND + upTo(10), where::startClusterSoon);
      }
    }
    cluster.run(Duration.ofSeconds(25));
  }

  // Writes

  /// The primary, all nodes or the disks fail as soon as a change was acknowledged.
  private void writes() {
    var slow = Duration.ofMillis(random.nextInt(300));
    cluster.delay(slow);
    if (random.nextBoolean()) {
      var disks = Duration.ofMillis(random.nextInt(60));
      cluster.nodes().forEach(it -> it.slowDisk(disks));
    }
    if (random.nextInt(3) == 0) {
      disksFull();
    }
    var how = random.nextInt(4);
    promises.once(() -> after(random.nextLong(AT_ONCE), () -> strike(how)));
    cluster.run(Duration.ofSeconds(12));
    cluster.delay(Duration.ZERO);
    cluster.nodes().forEach(it -> it.slowDisk(Duration.ZERO));
  }

  /// For a moment nothing can be written, on most nodes or on all.
  private void disksFull() {
    cluster.note("disks are full for a moment");
    for (var each : cluster.nodes()) {
      if (random.nextInt(5) > 0) {
        each.failDisk(true);
        after(upTo(4), () -> each.failDisk(false));
      }
    }
  }

  private void strike(int how) {
    cluster.note("a change was acknowledged");
    var primary = dc();
    switch (how) {
      case 0 -> {
        isolate(primary);
        after(4 * SECOND + upTo(6), cluster::heal);
      }
      case 1 -> {
        primary.powerOff();
        primary.powerOnAfter(6 * SECOND + upTo(6));
      }
      case 2 -> {
        primary.kill("cibd");
        primary.kill("controld");
      }
      default -> {
        cluster.nodes().forEach(SimNode::powerOff);
        cluster.nodes().forEach(it -> it.powerOnAfter(SECOND + upTo(5)));
      }
    }
  }

  // Members

  /// Leaders and others are cut off for about as long as their claim to quorum lasts, one after the
  /// other; those on the two sides may have taken each other for ended before that, as behind a firewall.
  private void members() {
    for (var left = 1 + random.nextInt(3); left > 0; left--) {
      var alone = random.nextBoolean() ? cluster.network().leader(dc()) : any();
      var side = random.nextInt(3) == 0 ? half(alone) : List.of(alone);
      if (random.nextBoolean()) {
        takenForEnded(side);
      }
      var one = new ArrayList<String>();
      var two = new ArrayList<String>();
      cluster.nodes().forEach(it -> (side.contains(it) ? one : two).add(it.name()));
      cluster.partition(List.of(one, two));
      if (random.nextBoolean()) {
        inBetween(side, cluster.network()::refuses); // so they part while claims of both go on
      }
      var noticed = random.nextInt(4) > 0; // after the token time
      cluster.run(Duration.ofMillis((noticed ? 3_500 : 200) + random.nextInt(4_000)));
      cluster.heal();
      cluster.run(Duration.ofMillis(random.nextInt(12_000)));
    }
  }

  /// It and others, less than half of all.
  private List<SimNode> half(SimNode alone) {
    var side = new ArrayList<>(List.of(alone));
    for (var each : cluster.nodes()) {
      if (each != alone && side.size() * 2 < cluster.nodes().size() - 1 && random.nextBoolean()) {
        side.add(each);
      }
    }
    return side;
  }

  /// That such a node lives is known once it has answered a ping that was sent a round later, so it is
  /// not cut off for two rounds. The transport takes nobody for ended that was cut off just then, nor one whose line to a third
  /// node is cut: that one would have no other word of it.
  private void takenForEnded(List<SimNode> side) {
    var network = cluster.network();
    if (!side.stream().allMatch(of -> cluster.nodes().stream().allMatch(it -> it == of || network.hear(of, it)))) {
      return;
    }
    inBetween(side, cluster.network()::takesForEnded);
    cluster.run(Duration.ofMillis(1_700 + random.nextInt(20_000)));
  }

  /// For each node that is not on a side, with each that is.
  private void inBetween(List<SimNode> side, BiConsumer<SimNode, SimNode> what) {
    for (var each : cluster.nodes()) {
      for (var of : side) {
        if (!side.contains(each)) {
          what.accept(each, of);
        }
      }
    }
  }

  // Counting

  /// The attribute manager that counts a failure, or was told of it, is lost in that moment.
  private void counts() {
    var where = busy();
    var after = random.nextLong(List.of(BEFORE_AN_ANSWER, AT_ONCE, 50 * MILLI).get(random.nextInt(3)));
    var everybody = random.nextInt(3) == 0;
    cluster
        .trace()
        .once(
            SimFault.COUNTED,
            _ -> after(after, () -> (everybody ? cluster.nodes() : List.of(dc())).forEach(it -> it.kill("attrd"))));
    var active = where.activeResources();
    if (!active.isEmpty()) {
      where.force(active.get(random.nextInt(active.size())), "stopped");
    }
    cluster.run(Duration.ofSeconds(10 + random.nextInt(10)));
  }

  // People

  private void people() {
    changes.passing();
    switch (random.nextInt(4)) {
      case 0 -> after(upTo(8), () -> List.of("execd", "controld").forEach(busy()::kill));
      case 1 -> after(upTo(8), () -> dc().kill("controld"));
      default -> {}
    }
    cluster.run(Duration.ofSeconds(12 + random.nextInt(8)));
  }

  /// A node is added: each node is stopped, gets the new file and is started. Before all have it, or
  /// then, the cluster is cut in halves for a while.
  private void lists() {
    var all = new ArrayList<>(cluster.nodes());
    var cutAfter = 1 + random.nextInt(all.size());
    for (var at = 0; at < all.size(); at++) {
      var each = all.get(at);
      each.shutdown();
      cluster.runUntil(() -> !each.isRunning(), Duration.ofSeconds(30));
      SimConfFile.change(cluster, List.of(each), List.of("nodes", String.valueOf(all.size())));
      if (each.isPowered()) {
        each.startClusterSoon();
      } else {
        each.powerOn();
      }
      cluster.run(Duration.ofSeconds(6 + random.nextInt(6)));
      if (at == cutAfter) {
        inHalves();
      }
    }
    if (cutAfter == all.size()) {
      inHalves();
    }
  }

  private void inHalves() {
    var other = 1 + random.nextInt(cluster.nodes().size() - 1);
    var one = new ArrayList<String>();
    var two = new ArrayList<String>();
    for (var each : cluster.nodes()) {
      (each.id() == 1 || each.id() == 1 + other ? one : two).add(each.name());
    }
    cluster.partition(List.of(one, two));
    if (random.nextBoolean()) {
      cluster.nodes().forEach(SimNode::powerOn); // who is new meets one side only
    }
    cluster.run(Duration.ofSeconds(12));
    cluster.heal();
    cluster.run(Duration.ofSeconds(10));
  }
}
