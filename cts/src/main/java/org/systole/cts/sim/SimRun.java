package org.systole.cts.sim;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.systole.common.xml.XmlWriter;

/// One random life of a cluster: it forms, faults come and go while administrators change its
/// configuration, the faults end, it must come to rest with every resource where it belongs.
public final class SimRun {
  private static final Duration FORM = Duration.ofMinutes(3);
  private static final int PAUSE_MILLIS = 20_000;

  /// A recurring monitor has noticed by then what a fault did behind the cluster's back.
  private static final Duration NOTICE = Duration.ofSeconds(15);

  /// The connection to a guest that has lost its power without a word is looked at that often, and given up.
  private static final Duration NOTICE_GUESTS = Duration.ofSeconds(75);

  private static final Duration REST = Duration.ofMinutes(15);

  /// What resources take to stop, and a move or two on the way.
  private static final Duration LEAVE = Duration.ofSeconds(45);

  /// From the first node that is asked to leave to the last.
  private static final List<Long> LEAVE_SPREADS =
      List.of(1L, 300_000_000L, 3_000_000_000L, 20_000_000_000L);

  /// By then the late effects of the faults have happened.
  private static final Duration LATE = Duration.ofSeconds(20);

  /// One fault of so many in a life that is about one thing is about another.
  private static final int USUAL_OF = 4;

  /// Of so many lives one has people who do more beside each fault, and after so many faults of a hundred they do.
  private static final int BESIDE_OF = 15;

  private static final int BESIDE_SHARE = 40;

  /// The same, of lives in which connections move.
  private static final int BESIDE_MOVES_OF = 2;

  private static final int BESIDE_MOVES_SHARE = 50;

  private static final Duration LATE_HOSTS = Duration.ofMinutes(3);

  private final SimPlan plan;
  private final SimCluster cluster;
  private final RandomGenerator random;
  private final SimPromises promises;
  private final SimChanges changes;
  private final SimRoleChanges roles;
  private final SimBites bites;
  private final SimInOrder order;
  private final @Nullable List<SimStory.Deed> retold;

  public SimRun(long seed) {
    this(seed, null);
  }

  /// @param retold what happens to the cluster instead of what chance would have; null for chance
  SimRun(long seed, @Nullable List<SimStory.Deed> retold) {
    this.retold = retold;
    this.plan = SimPlan.of(seed);
    this.cluster = plan.cluster(seed);
    this.random = cluster.random("faults", "", "", 0);
    this.promises = new SimPromises(cluster);
    this.changes = new SimChanges(cluster, promises);
    this.roles = new SimRoleChanges(cluster);
    this.bites = new SimBites(cluster);
    this.order = new SimInOrder(cluster);
  }

  /// Whether lives with roles are wanted, and this one has none.
  boolean isLeftOut() {
    return plan.roles().isLeftOut();
  }

  public SimCluster cluster() {
    return cluster;
  }

  /// How often faults struck what they are about.
  SimBites bites() {
    return bites;
  }

  /// Lives it; returns what went wrong, most important first.
  public List<String> carryOut() {
    cluster.note(plan.toString());
    plan.focus().narrow(cluster);
    if (plan.focus() == SimFocus.MEMBERS) {
      order.begin();
    }
    plan.powerOn(cluster);
    if (!forms()) {
      cluster.fail(
          SimCheck.NOT_AT_REST,
          "the cluster did not form within " + FORM + ": " + cluster.unsettled());
      return cluster.failures();
    }
    if (plan.hostHa().isThere() && !SimHostPeople.makeWell(cluster)) {
      return cluster.failures();
    }
    roles.begin();
    var before = cluster.trace().changes().size();
    if (retold == null) {
      happen();
    } else {
      retell(retold);
    }
    if (plan.focus() == SimFocus.CALM) {
      SimCalm.check(cluster, before);
    }
    if (isWell() && plan.hostHa().isThere()) {
      hostsEnd();
    }
    if (isWell()) {
      end();
    }
    if (isWell() && mayLeave()) {
      leave(cluster);
    }
    cluster.finish();
    return cluster.failures();
  }

  /// Those who change something all the while hold back where that alone keeps it from rest: on a
  /// narrow network, with many of them, some member's CIB is behind at most moments.
  private boolean forms() {
    if (cluster.settle(FORM)) {
      return true;
    }
    if (plan.focus() != SimFocus.MEMBERS) {
      return false;
    }
    order.end();
    var formed = cluster.settle(NOTICE);
    order.goOn();
    return formed;
  }

  /// With that policy those who are left without quorum fence each other; with watchdogs they are
  /// reset, unless a disk takes the place of the quorum.
  private boolean mayLeave() {
    return !plan.policy().equals("fence")
        && (plan.guards() == SimGuards.NONE || plan.guards() == SimGuards.WITH_DISKS);
  }

  private void happen() {
    cluster.story().begin();
    var beside = beside();
    var lists = SimLists.areIn(plan.focus(), cluster) ? new SimLists(cluster) : null;
    changes.writing(!plan.hostHa().isThere());
    roles.writing(true);
    for (var fault = 0; fault < plan.faults() && isWell(); fault++) {
      if (plan.hostHa().isThere()) {
        new SimHostLife(cluster, plan.hostHa(), random).happen();
        cluster.run(Duration.ofMillis(random.nextLong(PAUSE_MILLIS)).multipliedBy(2));
        continue;
      }
      if (lists != null) {
        lists.happen();
      }
      fault();
      cluster.run(Duration.ofMillis(random.nextLong(PAUSE_MILLIS)));
    }
    beside.end();
    changes.writing(false);
    roles.writing(false);
    cluster.heal(); // the story's last deed: told again, it ends at the same time
    cluster.story().end();
  }

  /// What people do right after each fault: in half of the lives in which connections move, and in a few others that have some.
  private SimBeside beside() {
    var drawn = cluster.random("beside", "", "", 0);
    var moves = plan.focus() == SimFocus.MOVES;
    var wanted = drawn.nextInt(moves ? BESIDE_MOVES_OF : BESIDE_OF) == 0;
    var beside = new SimBeside(cluster, drawn, changes, bites, moves ? BESIDE_MOVES_SHARE : BESIDE_SHARE);
    if (wanted && !plan.hostHa().isThere() && !cluster.outside().all().isEmpty()) {
      beside.begin();
    }
    return beside;
  }

  private void fault() {
    var focus = plan.focus();
    var usual = focus == SimFocus.NONE || focus.hasOthers() && random.nextInt(USUAL_OF) == 0;
    if (usual) {
      new SimFault(cluster, random, promises, changes).happen();
    } else {
      new SimFocusFault(cluster, random, promises, changes, bites).happen(focus);
    }
  }

  private void retell(List<SimStory.Deed> deeds) {
    var script = new SimScript(cluster, promises, changes, roles);
    for (var deed : deeds) {
      cluster.run(Duration.ofNanos(Math.max(0, deed.at() - cluster.now().toNanos())));
      if (isWell()) {
        script.again(deed.step());
      }
    }
  }

  /// As it would be kept as a scenario.
  List<String> script(List<SimStory.Deed> deeds) {
    var lines = new ArrayList<>(plan.script(cluster.seed()));
    lines.addAll(SimStory.script(deeds));
    lines.add("end");
    lines.add("leave");
    return lines;
  }

  /// The configuration the cluster begins with.
  String cib() {
    return XmlWriter.pretty(plan.cib(cluster.seed()));
  }

  private boolean isWell() {
    return cluster.failures().isEmpty();
  }

  /// What the faults have left is cleaned up, until all hosts are available. Then it is seen what becomes
  /// of one thing that is the matter with one of them, and that is cleaned up, too.
  private void hostsEnd() {
    var life = new SimHostLife(cluster, plan.hostHa(), cluster.random("probe", "", "", 0));
    cluster.runUntil(() -> !cluster.isBusy(), LATE_HOSTS);
    hostsAreWell();
    if (isWell()) {
      life.probe();
    }
    if (isWell()) {
      hostsAreWell();
    }
  }

  private void hostsAreWell() {
    faultsEnd(cluster, promises);
    SimHostPeople.restore(cluster, plan.hostHa(), changes);
    SimHostPeople.makeWell(cluster);
  }

  private void end() {
    order.end();
    end(cluster, promises, changes, roles);
  }

  /// The faults end, what keeps resources from running is taken back, and the cluster comes to rest.
  static void end(
      SimCluster cluster, SimPromises promises, SimChanges changes, SimRoleChanges roles) {
    faultsEnd(cluster, promises);
    // a fencing that hangs switches off what it is asked for only minutes after the faults
    cluster.outside().switchesOnAgain(true);
    changes.undo();
    cluster.run(NOTICE);
    // without fencing, a node that could not stop something is let go when that was cleaned up
    returnThoseLeaving(cluster);
    roles.end();
    cluster.run(NOTICE);
    cluster.runUntil(
        () -> cluster.outside().guests().stream().allMatch(it -> it.machine().isRunning()),
        NOTICE_GUESTS);
    returnThoseLeaving(cluster);
    if (cluster.failures().isEmpty() && !cluster.settle(REST)) {
      cluster.fail(
          SimCheck.NOT_AT_REST, "the cluster did not come to rest: " + cluster.unsettled());
    }
    cluster.outside().switchesOnAgain(false);
    if (cluster.failures().isEmpty()) {
      cluster.note(promises.count() + " changes are acknowledged");
      promises.check();
      cluster.checks().placement();
      cluster.checks().guests();
      cluster.checks().connections();
      cluster.checks().nothingBegun();
      SimPlannedAgain.check(cluster);
      cluster.checks().sameCibs();
      cluster.checks().sameFiles();
      roles.check();
    }
  }

  /// The whole cluster, at rest, is asked to stop: all nodes at once, or one soon after the other.
  static void leave(SimCluster cluster) {
    var random = cluster.random("leaving", "", "", 0);
    var spread = LEAVE_SPREADS.get(random.nextInt(LEAVE_SPREADS.size()));
    cluster.note("all leave within " + Duration.ofNanos(spread));
    for (var node : cluster.nodes()) {
      cluster.queue().after(random.nextLong(spread), node::shutdown);
    }
    cluster.run(Duration.ofNanos(spread));
    cluster.runUntil(() -> cluster.nodes().stream().noneMatch(SimNode::isRunning), LEAVE);
    for (var node : cluster.nodes()) {
      if (node.isRunning()) {
        cluster.fail(
            SimCheck.LEAVES_LATE,
            "%s has not ended within %s of the last node's being asked to leave"
                .formatted(node.name(), LEAVE));
      }
    }
  }

  private static void faultsEnd(SimCluster cluster, SimPromises promises) {
    cluster.note("faults end");
    cluster.trace().onceNoMore();
    cluster.queue().strikeNoMore();
    promises.once(null);
    cluster.heal();
    cluster.outside().volumes().right();
    cluster.loss(0);
    cluster.delay(Duration.ZERO);
    for (var node : cluster.machines()) {
      node.agentsWell();
      node.failDisk(false);
      node.slowDisk(Duration.ZERO);
      node.resume();
      node.powerOn();
      if (!node.isRunning()) {
        node.startClusterSoon();
      }
    }
    cluster.run(LATE);
    SimLists.restore(cluster);
    // a node may be let go only when a fencing of another has come to its end
    returnThoseLeaving(cluster);
  }

  /// Nodes that were asked to leave may end; all that are down come back.
  private static void returnThoseLeaving(SimCluster cluster) {
    cluster.runUntil(
        () -> !cluster.isBusy() && cluster.machines().stream().noneMatch(SimNode::isLeaving),
        REST);
    for (var node : cluster.machines()) {
      node.powerOn();
      if (!node.isRunning() && !node.isComing()) {
        node.startClusterSoon();
      }
    }
  }

  @Override
  public String toString() {
    return plan.toString();
  }
}
