package org.systole.cts.sim;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
  private static final long MERGE_PATIENCE = 5_000_000_000L;
  private static final long LOOK = 50_000_000;
  private static final int EARLY_MAX = 1_000;
  private static final long MISSED = 1_200_000_000; // a merged view that would take longer does not come

  // as with the transport that ships
  private static final int STEP = 1024; // of the numbers of a leader's own views; merged ones count by one
  private static final int UNSEEN_MAX = 8 * STEP; // views of another one

  private record Early(Channels.Address from, byte[] message) {}

  private final SimNetwork network;
  private final SimChannel self;
  private final Map<Channels.Address, Long> lastHeard = new LinkedHashMap<>();
  private final Set<Channels.Address> ended = new LinkedHashSet<>();
  private final Deque<Early> early = new ArrayDeque<>();
  private final Set<Channels.Address> known = new LinkedHashSet<>();
  private final Set<Channels.Address> silent = new LinkedHashSet<>();
  private Channels.@Nullable View current;
  private Channels.@Nullable Allegiance bond;
  private long bondSince;
  private long highestNumber;
  private long lastTick;
  private long silence; // after which one counts as lost

  SimViews(SimNetwork network, SimChannel self) {
    this.network = network;
    this.self = self;
    this.silence = network.cluster().tokenNanos();
  }

  void silenceAfter(long tokenMillis) {
    silence = tokenMillis * 1_000_000;
  }

  Channels.@Nullable View current() {
    return current;
  }

  boolean knows(Channels.Address address) {
    return current != null && current.members().contains(address);
  }

  /// Whether it was in a view of this process: what it sends still comes.
  boolean knew(Channels.Address address) {
    return known.contains(address);
  }

  private SimQueue queue() {
    return network.cluster().queue();
  }

  /// Looks for a process to join; makes a view of its own if there is none.
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

  /// Makes a view and sends it to all in it.
  private void propose(List<Channels.Address> members) {
    cast(newView(members));
  }

  private Channels.View newView(List<Channels.Address> members) {
    var isOwn = current == null || current.id().creator().equals(self.address());
    highestNumber = (highestNumber + (isOwn ? 0 : UNSEEN_MAX)) / STEP * STEP + STEP;
    return view(highestNumber, members);
  }

  /// A view is named after its first member, whoever has made it.
  private static Channels.View view(long number, List<Channels.Address> members) {
    return new Channels.View(new Channels.ViewId(members.getFirst(), number), members);
  }

  private void cast(Channels.View view) {
    for (var member : view.members()) {
      var peer = network.at(member);
      if (peer == self) {
        queue().after(0, self.process(), () -> accept(view, self.address()));
      } else if (peer != null && self.reaches(peer)) {
        queue()
            .after(installDelay(), peer.process(), () -> peer.views().accept(view, self.address()));
      }
    }
  }

  private long installDelay() {
    var random = network.random();
    var slow = random.nextDouble() < INSTALL_SLOWLY ? random.nextLong(INSTALL_SLOW) : 0;
    return INSTALL_MIN + random.nextLong(INSTALL_SPREAD) + slow;
  }

  /// Says whom this process follows, from now on.
  void follow(Channels.@Nullable Allegiance allegiance) {
    bond = allegiance;
    bondSince = queue().now();
  }

  private boolean isBound(Duration time) {
    return bond != null && queue().now() - bondSince < time.toNanos();
  }

  /// Whether this process has another leader to stay with.
  private boolean refuses(Channels.Address from) {
    return bond != null && !bond.leader().equals(from) && isBound(bond.others());
  }

  private void accept(Channels.View view, Channels.Address from) {
    var stays = bond;
    if (stays == null || from.equals(self.address()) || !refuses(from)) {
      accept(view);
    } else if (stays.fellows().contains(from)) {
      if (isBound(stays.succession())) {
        var until = queue().now() + stays.others().toNanos();
        queue().after(LOOK, self.process(), () -> acceptLater(view, from, until));
      } else {
        accept(view);
      }
    }
  }

  private void acceptLater(Channels.View view, Channels.Address from, long until) {
    if (queue().now() < until) {
      accept(view, from);
    }
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
    silent.retainAll(view.members());
    known.addAll(view.members());
    view.members().forEach(it -> lastHeard.putIfAbsent(it, queue().now()));
    if (bond != null && !bond.leader().equals(view.members().getFirst())) {
      bond = null;
    }
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
      if (peer != null && (peer == self || speaksToThis(peer)) || overslept) {
        lastHeard.put(member, now);
      }
    }
    tellSilent();
    shrink();
  }

  /// Signs of life go to those in a process's view only.
  private boolean speaksToThis(SimChannel peer) {
    return peer.views().knows(self.address()) && peer.reaches(self);
  }

  private void tellSilent() {
    for (var member : current == null ? List.<Channels.Address>of() : current.members()) {
      if (suspects(member) ? silent.add(member) : silent.remove(member)) {
        self.tellSilent(member, silent.contains(member));
      }
    }
  }

  private boolean suspects(Channels.Address member) {
    var silentFor = queue().now() - lastHeard.getOrDefault(member, queue().now());
    return ended.contains(member) || silentFor > silence;
  }

  /// One that is silent is asked first whether it is dead, and may say that it is not, though it has this process in no view.
  private boolean isGivenUp(Channels.Address member) {
    return ended.contains(member) || silent.contains(member) && !isHeard(member);
  }

  /// Leads a smaller view if all before this process in the view are silent. Silence is noticed at
  /// a tick only: a process that has stood still has heard none of the others either.
  private void shrink() {
    var view = current;
    if (view == null) {
      return;
    }
    var rest = view.members().stream().filter(it -> !isGivenUp(it)).toList();
    if (rest.size() < view.members().size() && rest.getFirst().equals(self.address())) {
      propose(rest);
    }
  }

  /// Brings groups together that hear each other again. The first of their leaders asks the others,
  /// and those whose leader is not heard.
  private void merge() {
    if (!self.isOpen()) {
      return;
    }
    queue().after(mergeDelay(), self.process(), this::merge);
    var leaders = leaders();
    if (!leads() || leaders.getFirst() != self) {
      return;
    }
    var strays = strays(leaders);
    if (leaders.size() > 1 || !strays.isEmpty()) {
      // their leaders are asked as well, and waited for
      var takes = strays.stream().allMatch(it -> isOfOne(it, leaders)) ? 0 : MERGE_PATIENCE;
      queue().after(takes, self.process(), () -> merge(leaders, strays));
    }
  }

  private void merge(List<SimChannel> leaders, List<SimChannel> strays) {
    if (!leads() || !self.isOpen()) {
      return;
    }
    var highest = 0L;
    var parts = new ArrayList<List<Channels.Address>>();
    var takers = new ArrayList<SimChannel>();
    for (var leader : leaders) {
      var theirs = leader.views().current;
      var hears = isHeard(leader.address()); // it answers, or it is not waited for
      if (hears && leader.isOpen() && theirs != null && leader.views().leads()) {
        parts.add(theirs.members().stream().filter(this::isHeard).toList());
        takers.add(leader);
        highest = Math.max(highest, theirs.id().number());
      }
    }
    for (var stray : strays) {
      var theirs = stray.views().current;
      var hears = isHeard(stray.address());
      if (hears && stray.isOpen() && theirs != null && !stray.views().refuses(self.address())) {
        parts.add(List.of(stray.address()));
        takers.add(stray);
        highest = Math.max(highest, theirs.id().number());
      }
    }
    if (takers.size() > 1) {
      parts.sort(
          Comparator.<List<Channels.Address>>comparingInt(List::size)
              .reversed()
              .thenComparing(List::getFirst));
      var members = new LinkedHashSet<Channels.Address>();
      parts.forEach(members::addAll);
      var view = view(highest + 1, List.copyOf(members));
      takers.forEach(it -> hand(view, it));
    }
  }

  /// It may be too late for one, which has given the merge up by then.
  private void hand(Channels.View merged, SimChannel taker) {
    var takes = taker == self ? 0 : installDelay();
    if (takes < MISSED) {
      queue().after(takes, taker.process(), () -> taker.views().take(merged));
    }
  }

  /// Installs a view of several parts, and tells the others of its own part.
  private void take(Channels.View view) {
    var before = current;
    if (before != null && self.isOpen()) {
      var mine = leads() ? before.members() : List.of(self.address());
      for (var member : mine) {
        var peer = network.at(member);
        if (peer == self) {
          accept(view);
        } else if (peer != null && view.members().contains(member) && self.reaches(peer)) {
          queue()
              .after(
                  installDelay(), peer.process(), () -> peer.views().accept(view, self.address()));
        }
      }
    }
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

  private static boolean isOfOne(SimChannel other, List<SimChannel> leaders) {
    var theirs = other.views().current;
    return theirs != null
        && leaders.stream().anyMatch(it -> it.address().equals(theirs.members().getFirst()));
  }

  /// Those heard whose view is none of these leaders'.
  private List<SimChannel> strays(List<SimChannel> leaders) {
    var found = new ArrayList<SimChannel>();
    for (var other : network.live()) {
      var theirs = other.views().current;
      if (theirs != null && !leaders.contains(other) && bothWays(other)) {
        if (leaders.stream().noneMatch(it -> isNamedAs(theirs, it.views().current))) {
          found.add(other);
        }
      }
    }
    return found;
  }

  /// Two views of one name count as the same: more is not told.
  private static boolean isNamedAs(Channels.View one, Channels.@Nullable View other) {
    return other != null && one.id().equals(other.id());
  }

  private boolean isHeard(Channels.Address member) {
    var peer = network.at(member);
    return peer == self || peer != null && bothWays(peer);
  }
}
