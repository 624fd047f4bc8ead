package org.systole.cts.sim;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.Channels;

/// How one process on the simulated transport comes to its views: it finds others, suspects the
/// silent, and leads a view or follows one. Nothing here is agreed on.
final class SimViews {
  private static final long TICK = 250_000_000;
  private static final long INSTALL_MIN = 1_000_000;
  private static final long INSTALL_SPREAD = 30_000_000;
  private static final long INSTALL_SLOW = 1_500_000_000;
  private static final double INSTALL_SLOWLY = 0.03;
  private static final long DISCOVERY = 100_000_000;
  private static final long MERGE_MIN = 1_000_000_000;
  private static final long MERGE_SPREAD = 3_000_000_000L;
  private static final int EARLY_MAX = 1_000;

  private record Early(Channels.Address from, byte[] message) {}

  private final SimNetwork network;
  private final SimChannel self;
  private final Map<Channels.Address, Long> lastHeard = new LinkedHashMap<>();
  private final Set<Channels.Address> ended = new LinkedHashSet<>();
  private final Deque<Early> early = new ArrayDeque<>();
  private Channels.@Nullable View current;
  private long highestNumber;
  private long lastTick;

  SimViews(SimNetwork network, SimChannel self) {
    this.network = network;
    this.self = self;
  }

  Channels.@Nullable View current() {
    return current;
  }

  boolean knows(Channels.Address address) {
    return current != null && current.members().contains(address);
  }

  private SimQueue queue() {
    return network.cluster().queue();
  }

  /// Looks for somebody to join; alone otherwise.
  void begin() {
    var takes = DISCOVERY + network.random().nextLong(DISCOVERY);
    queue().after(takes, self.process(), this::join);
    queue().after(TICK, self.process(), this::tick);
    queue().after(mergeDelay(), self.process(), this::merge);
  }

  private long mergeDelay() {
    return MERGE_MIN + network.random().nextLong(MERGE_SPREAD);
  }

  private void join() {
    for (var other : network.live()) {
      var theirs = other.views().current;
      if (other != self && theirs != null && bothWays(other) && other.views().leads()) {
        var members = new ArrayList<>(theirs.members());
        members.add(self.address());
        other.views().propose(members);
        queue().after(mergeDelay(), self.process(), this::aloneIfForgotten);
        return;
      }
    }
    propose(List.of(self.address()));
  }

  private void aloneIfForgotten() {
    if (current == null && self.isOpen()) {
      propose(List.of(self.address()));
    }
  }

  private boolean bothWays(SimChannel other) {
    return self.reaches(other) && other.reaches(self);
  }

  private boolean leads() {
    return current != null && current.members().getFirst().equals(self.address());
  }

  /// Makes a view and sends it to everybody in it.
  private void propose(List<Channels.Address> members) {
    var view = new Channels.View(new Channels.ViewId(self.address(), ++highestNumber), members);
    for (var member : members) {
      var peer = network.at(member);
      if (peer == self) {
        queue().after(0, self.process(), () -> accept(view));
      } else if (peer != null && self.reaches(peer)) {
        queue().after(installDelay(), peer.process(), () -> peer.views().accept(view));
      }
    }
  }

  private long installDelay() {
    var random = network.random();
    var slow = random.nextDouble() < INSTALL_SLOWLY ? random.nextLong(INSTALL_SLOW) : 0;
    return INSTALL_MIN + random.nextLong(INSTALL_SPREAD) + slow;
  }

  private void accept(Channels.View view) {
    var number = view.id().number();
    if (!self.isOpen() || (current != null && number <= current.id().number())) {
      return;
    }
    current = view;
    highestNumber = Math.max(highestNumber, number);
    lastHeard.keySet().retainAll(view.members());
    ended.retainAll(view.members());
    view.members().forEach(it -> lastHeard.putIfAbsent(it, queue().now()));
    self.install(view);
    deliverEarly(view);
  }

  /// Keeps a message whose sender is in no view yet; it is lost if none comes.
  void early(Channels.Address from, byte[] message) {
    if (early.size() < EARLY_MAX && queue().now() > 0) {
      early.add(new Early(from, message));
    }
  }

  private void deliverEarly(Channels.View view) {
    var kept = List.copyOf(early);
    early.clear();
    for (var it : kept) {
      if (view.members().contains(it.from)) {
        self.deliverEarly(it.from, it.message);
      }
    }
  }

  /// A member's connection was closed.
  void suspect(Channels.Address peer) {
    ended.add(peer);
    shrink();
  }

  private void tick() {
    if (!self.isOpen()) {
      return;
    }
    queue().after(TICK, self.process(), this::tick);
    if (current == null) {
      return;
    }
    var now = queue().now();
    var overslept = now - lastTick > 3 * TICK; // stopped for a while: give others time to be heard
    lastTick = now;
    for (var member : current.members()) {
      var peer = network.at(member);
      if (peer != null && (peer == self || peer.reaches(self)) || overslept) {
        lastHeard.put(member, now);
      }
    }
    shrink();
  }

  private boolean suspects(Channels.Address member) {
    var silentFor = queue().now() - lastHeard.getOrDefault(member, queue().now());
    return ended.contains(member) || silentFor > network.cluster().tokenNanos();
  }

  /// Leads a smaller view if everybody before this process in the view is silent.
  private void shrink() {
    var view = current;
    if (view == null) {
      return;
    }
    var rest = view.members().stream().filter(it -> !suspects(it)).toList();
    if (rest.size() < view.members().size() && rest.getFirst().equals(self.address())) {
      propose(rest);
    }
  }

  /// Brings groups together that hear each other again.
  private void merge() {
    if (!self.isOpen()) {
      return;
    }
    queue().after(mergeDelay(), self.process(), this::merge);
    var view = current;
    if (view == null) {
      return;
    }
    if (!leads() && isForgotten(view)) {
      propose(List.of(self.address()));
      return;
    }
    var leaders = leaders();
    if (leads() && leaders.size() > 1 && leaders.getFirst() == self) {
      propose(union(leaders));
    }
  }

  /// Whether the leader of this process's view has gone on without it.
  private boolean isForgotten(Channels.View view) {
    var leader = network.at(view.members().getFirst());
    if (leader == null || !bothWays(leader)) {
      return false;
    }
    var theirs = leader.views().current;
    return theirs != null && !theirs.members().contains(self.address());
  }

  private List<SimChannel> leaders() {
    var found = new ArrayList<SimChannel>();
    for (var other : network.live()) {
      if (other == self || other.views().leads() && bothWays(other)) {
        found.add(other);
      }
    }
    return found;
  }

  private List<Channels.Address> union(List<SimChannel> leaders) {
    var members = new LinkedHashSet<Channels.Address>();
    members.add(self.address());
    var others = new TreeSet<Channels.Address>();
    for (var leader : leaders) {
      var view = leader.views().current;
      if (view != null) {
        view.members().stream().filter(this::isHeard).forEach(others::add);
        highestNumber = Math.max(highestNumber, view.id().number());
      }
    }
    members.addAll(others);
    return List.copyOf(members);
  }

  private boolean isHeard(Channels.Address member) {
    var peer = network.at(member);
    return peer == self || peer != null && bothWays(peer);
  }
}
