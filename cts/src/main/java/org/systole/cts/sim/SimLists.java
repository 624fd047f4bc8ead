package org.systole.cts.sim;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// An administrator who takes nodes off the list of nodes and puts them on it again, one after the other, while members come and
/// go: in all files or at first in some, has them read anew, or takes the change back. The node may be stopped, lost, or work on;
/// its own file is changed or not, so that it may come back with one of long ago.
///
/// The next change is begun once the one before is in force, or taken back: a node that starts goes by its file, whatever the others
/// count by, so of lists that differ by more than a node two sides could have quorum.
///
/// It has its own chance, so that other lives go as they would without.
final class SimLists {
  private static final long SECOND = 1_000_000_000L;
  private static final Duration READ = Duration.ofSeconds(15);
  private static final Duration STARTS = Duration.ofSeconds(25);
  private static final Duration STOPS = Duration.ofSeconds(30);
  private static final int TRIES = 12;
  private static final int NODES_MIN = 2;
  private static final List<String> NODES = List.of("controld", "cibd", "pacemakerd");

  private final SimCluster cluster;
  private final RandomGenerator random;
  private List<SimNode> names;
  private List<SimNode> before;
  private boolean waits; // for the last change to come in force

  SimLists(SimCluster cluster) {
    this.cluster = cluster;
    this.random = cluster.random("lists", "", "", 0);
    this.names = List.copyOf(cluster.nodes());
    this.before = names;
  }

  /// Whether a life about members, where these are asked for, is about their list, too.
  static boolean areIn(SimFocus focus, SimCluster cluster) {
    return focus == SimFocus.MEMBERS && SimFocus.isGiven() && cluster.random("lists", "", "whether", 0).nextBoolean();
  }

  /// Begins a change, or goes on with one; it goes on beside what comes then.
  void happen() {
    if (random.nextInt(5) == 0) {
      return;
    }
    if (random.nextInt(3) == 0) {
      after(upTo(6), this::harm);
    }
    var all = cluster.nodes().size();
    if (names.size() < all && random.nextInt(3) == 0) {
      comeBack();
    }
    if (waits) {
      goOn();
    } else if (names.size() == all || names.size() > NODES_MIN && random.nextInt(3) > 0) {
      remove();
    } else {
      add();
    }
  }

  private void after(long nanos, Runnable task) {
    cluster.queue().strike(nanos, task);
  }

  private long upTo(int seconds) {
    return random.nextLong(seconds * SECOND);
  }

  private SimNode one(List<SimNode> of) {
    return of.get(random.nextInt(of.size()));
  }

  // ---- changes

  private void remove() {
    var gone = one(names);
    var left = new ArrayList<>(names);
    left.remove(gone);
    var stops = random.nextInt(4);
    if (stops == 0) {
      gone.shutdown();
    } else if (stops == 1) {
      gone.powerOff();
    }
    var first = upTo(8);
    if (random.nextBoolean()) {
      change(left, gone, first);
    } else {
      change(left, null, first); // its own stays as it is
    }
  }

  private void add() {
    var missing = new ArrayList<>(cluster.nodes());
    missing.removeAll(names);
    var added = one(missing);
    var all = new ArrayList<>(cluster.nodes());
    all.removeIf(it -> it != added && !names.contains(it));
    change(all, added, upTo(4));
    after(upTo(20), () -> start(added));
  }

  private static void start(SimNode node) {
    if (!node.isPowered()) {
      node.powerOn();
    } else if (!node.isRunning()) {
      node.startClusterSoon();
    }
  }

  /// Those who are not on the list start with what files they have, and are cut off with one who is.
  private void comeBack() {
    var gone = new ArrayList<>(cluster.nodes());
    gone.removeAll(names);
    after(upTo(5), () -> gone.forEach(SimLists::start));
    gone.add(one(names));
    after(upTo(5), () -> cut(gone));
  }

  /// Not in force yet: it is asked for again, or taken back.
  private void goOn() {
    cluster.nodes().stream().filter(names::contains).forEach(SimLists::start);
    if (random.nextInt(3) == 0) {
      change(before, null, upTo(4));
    } else {
      change(names, null, upTo(4));
    }
  }

  /// All nodes of the list get it, at once or one by one; it is read when all have it, at times before that, too.
  ///
  /// @param other that gets it as well
  private void change(List<SimNode> to, @Nullable SimNode other, long first) {
    before = to.equals(names) ? before : names;
    names = List.copyOf(to);
    waits = true;
    var words = new ArrayList<>(List.of("lists"));
    names.forEach(it -> words.add(it.name()));
    var holders = new ArrayList<>(names);
    if (other != null && !holders.contains(other)) {
      holders.add(other);
    }
    var apart = random.nextBoolean() ? 0 : 2 * SECOND;
    var last = first;
    for (var holder : holders) {
      after(last, () -> SimConfFile.change(cluster, List.of(holder), words));
      last += apart == 0 ? 0 : random.nextLong(apart);
    }
    if (random.nextInt(3) == 0) {
      after(first + random.nextLong(last - first + 1), () -> read(to));
    }
    after(last + 1 + upTo(3), () -> read(to));
    if (random.nextInt(3) == 0) {
      after(last + upTo(3) + SECOND / 5, this::cut);
    }
  }

  /// Where a node of the list runs that is a member with quorum.
  private void read(List<SimNode> to) {
    var may = names.stream().filter(it -> it.isRunning() && cluster.order().isQuorate(it)).toList();
    if (!may.isEmpty()) {
      SimConfFile.reload(cluster, one(may), inForce -> waits &= !(inForce && names.equals(to) && isOneList()));
    }
  }

  private boolean isOneList() {
    return names.stream().allMatch(it -> cluster.nodes().stream().allMatch(node -> it.file().lists(node) == names.contains(node)));
  }

  // ---- what else happens then

  private void cut() {
    var side = new ArrayList<>(List.of(one(cluster.nodes())));
    var other = one(cluster.nodes());
    if (cluster.nodes().size() > 3 && !side.contains(other) && random.nextBoolean()) {
      side.add(other);
    }
    cut(side);
  }

  private void cut(List<SimNode> side) {
    var rest = cluster.nodes().stream().filter(it -> !side.contains(it)).map(SimNode::name).toList();
    cluster.partition(List.of(side.stream().map(SimNode::name).toList(), rest));
    after(upTo(20), cluster::heal);
  }

  private void harm() {
    var node = one(cluster.nodes());
    switch (random.nextInt(5)) {
      case 0 -> {
        node.failDisk(true);
        after(upTo(15), () -> node.failDisk(false));
      }
      case 1 -> node.hang("cibd", upTo(15));
      case 2 -> {
        node.powerOff();
        node.powerOnAfter(upTo(15));
      }
      case 3 -> {
        node.kill("pacemakerd");
      }
      default -> node.kill(NODES.get(random.nextInt(NODES.size())));
    }
  }

  // ---- the end

  /// All nodes are on all lists again, one more at a time, and that comes in force: by a few nodes a list cannot be changed by
  /// many at a time. Where nothing else helps all are started anew.
  static void restore(SimCluster cluster) {
    if (!SimConfFile.areListsChanged(cluster)) {
      return;
    }
    for (var tried = 0; tried < TRIES; tried++) {
      if (tried == TRIES / 2) {
        anew(cluster);
      }
      var words = new ArrayList<>(List.of("lists"));
      cluster.nodes().forEach(it -> words.add(it.name()));
      SimConfFile.change(cluster, cluster.nodes(), words);
      cluster.nodes().forEach(SimLists::start);
      cluster.run(STARTS);
      var isDone = new AtomicBoolean();
      var asked = cluster.nodes().stream().filter(it -> it.isRunning() && cluster.order().isQuorate(it)).findFirst();
      asked.ifPresent(it -> SimConfFile.reload(cluster, it, isDone::set));
      cluster.run(READ);
      var all = cluster.nodes().stream().map(SimNode::name).sorted().toList();
      if (isDone.get() && cluster.nodes().stream().allMatch(it -> cluster.order().members(it).equals(all))) {
        SimConfFile.listsAreComplete(cluster);
        return;
      }
    }
    cluster.fail(SimCheck.NOT_AT_REST, "the list of all nodes does not come in force: " + cluster.unsettled());
  }

  private static void anew(SimCluster cluster) {
    cluster.note("all are started anew with the list of all nodes");
    cluster.nodes().forEach(SimNode::shutdown);
    cluster.runUntil(() -> cluster.nodes().stream().noneMatch(SimNode::isRunning), STOPS);
    cluster.nodes().forEach(SimNode::powerOff);
    cluster.run(Duration.ofSeconds(5));
  }
}
