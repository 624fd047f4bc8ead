package org.systole.cts.sim;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.Channels;

/// One process on the simulated transport.
final class SimChannel implements Channels.Channel {
  private static final long OPEN_MIN = 20_000_000;
  private static final long OPEN_SPREAD = 200_000_000;
  private static final long LOCAL_DELAY = 50_000;
  private static final long ENDED_MIN = 100_000_000;
  private static final long ENDED_SPREAD = 300_000_000;

  /// What may wait for a cut line to be mended.
  private static final int BACKLOG_MAX = 20_000;

  private final SimNetwork network;
  private final SimProcess process;
  private final Channels.Address address;
  private final Channels.Listener listener;
  private final SimViews views;
  private final SimPaths paths;
  private final Map<Channels.Address, Arrival> lastArrival = new LinkedHashMap<>();
  private final Map<Channels.Address, Deque<byte[]>> backlog = new LinkedHashMap<>();
  private boolean open;
  private boolean silent;
  private boolean gone;

  SimChannel(
      SimNetwork network,
      SimProcess process,
      Channels.Address address,
      Channels.Listener listener) {
    this.network = network;
    this.process = process;
    this.address = address;
    this.listener = listener;
    this.views = new SimViews(network, this);
    this.paths = new SimPaths(network, this, network.configured(process.node()));
  }

  SimProcess process() {
    return process;
  }

  Channels.Address address() {
    return address;
  }

  SimViews views() {
    return views;
  }

  private SimQueue queue() {
    return network.cluster().queue();
  }

  void open() {
    process.onEnd((_, _) -> ended());
    var takes = OPEN_MIN + network.random().nextLong(OPEN_SPREAD);
    queue()
        .after(
            takes,
            process,
            () -> {
              if (!gone) {
                open = true;
                listener.opened(address);
                views.begin();
                paths.begin();
              }
            });
  }

  boolean isOpen() {
    return open && !gone;
  }

  /// Whether what this process sends can arrive at `to` now.
  boolean reaches(SimChannel to) {
    return isOpen()
        && to.isOpen()
        && !process.isStopped()
        && carries(to);
  }

  private boolean carries(SimChannel to) {
    return network.reaches(process.node(), to.process.node()) && paths.carry(to);
  }

  @Override
  public void doubt(Channels.Address member) {
    views.suspect(member);
  }

  /// Inside the process: a view is installed.
  void install(Channels.View view) {
    backlog.keySet().removeIf(it -> !view.members().contains(it));
    network
        .cluster()
        .trace()
        .add(queue().now(), process.node().name(), "channel", "view " + describe(view));
    listener.view(view);
  }

  private static String describe(Channels.View view) {
    return view.id().creator() + "/" + view.id().number() + " " + view.members();
  }

  @Override
  public void broadcast(byte[] message) {
    var view = views.current();
    if (gone || view == null) {
      return;
    }
    for (var member : view.members()) {
      transmit(member, message);
    }
  }

  @Override
  public void send(Channels.Address to, byte[] message) {
    var view = views.current();
    if (!gone && view != null && view.members().contains(to)) {
      transmit(to, message);
    }
  }

  private void transmit(Channels.Address to, byte[] message) {
    if (to.equals(address)) {
      arriveAt(this, message, LOCAL_DELAY);
      return;
    }
    var peer = network.at(to);
    if (peer == null) {
      return;
    }
    var waiting = backlog.get(to);
    if (waiting != null || !carries(peer)) {
      var queued = backlog.computeIfAbsent(to, _ -> new ArrayDeque<>());
      if (queued.size() < BACKLOG_MAX) {
        queued.add(message);
      }
      return;
    }
    arriveAt(peer, message, network.delay(message.length));
  }

  private void arriveAt(SimChannel peer, byte[] message, long delay) {
    var last = lastArrival.computeIfAbsent(peer.address, _ -> new Arrival());
    last.at = Math.max(queue().now() + delay, last.at);
    queue().at(last.at, peer.process, () -> peer.receive(address, message));
  }

  /// When what was sent last to a peer gets there: nothing overtakes it.
  private static final class Arrival {
    private long at;
  }

  private void receive(Channels.Address from, byte[] message) {
    if (!isOpen()) {
      return;
    }
    if (views.knows(from) || views.knew(from)) {
      listener.message(from, message);
    } else {
      views.early(from, message);
    }
  }

  /// Inside the process: a message that came before the view with its sender.
  void deliverEarly(Channels.Address from, byte[] message) {
    listener.message(from, message);
  }

  /// The line to a peer may be mended: what waited is sent again.
  void flush() {
    for (var to : new ArrayList<>(backlog.keySet())) {
      var peer = network.at(to);
      if (peer == null) {
        backlog.remove(to);
      } else if (carries(peer)) {
        var queued = backlog.remove(to);
        if (queued != null) {
          queued.forEach(it -> arriveAt(peer, it, network.delay(it.length)));
        }
      }
    }
  }

  @Override
  public void follow(Channels.@Nullable Allegiance allegiance) {
    views.follow(allegiance);
  }

  @Override
  public void use(Channels.Network network) {
    views.silenceAfter(network.tokenMillis());
    paths.use(network);
  }

  @Override
  public List<Channels.LinkState> links() {
    return List.of();
  }

  /// Inside the process: another one is not heard, or is heard again.
  void tellSilent(Channels.Address peer, boolean isSilent) {
    listener.silent(peer, isSilent);
  }

  /// Inside the process: another one is said to have ended.
  void tellEnded(Channels.Address peer) {
    if (isOpen() && views.knows(peer)) {
      listener.ended(peer);
    }
  }

  @Override
  public void close() {
    if (!gone) {
      leave(0);
      queue().after(0, process, () -> listener.closed("closed here"));
    }
  }

  /// The machine loses its power: no peer is told.
  void vanish() {
    silent = true;
  }

  private void ended() {
    if (!gone) {
      leave(ENDED_MIN);
    }
  }

  /// Goes; the others' systems notice the closed connections unless the machine is silent.
  private void leave(long noticedAfter) {
    gone = true;
    network.forget(this);
    if (silent) {
      return;
    }
    for (var other : List.copyOf(network.live())) {
      if (other.views.knows(address) && network.reaches(process.node(), other.process.node())) {
        var after =
            noticedAfter == 0
                ? network.delay()
                : noticedAfter + network.random().nextLong(ENDED_SPREAD);
        queue().after(after, other.process, () -> other.peerEnded(address, noticedAfter > 0));
      }
    }
  }

  /// Inside the process: the connection to another one is closed.
  ///
  /// @param died its system has said so
  void peerEnded(Channels.Address peer, boolean died) {
    if (isOpen() && views.knows(peer)) {
      if (died) {
        listener.ended(peer);
      }
      views.suspect(peer);
    }
  }

  @Nullable SimChannel peer(Channels.Address at) {
    return network.at(at);
  }

  @Override
  public String toString() {
    return address.text();
  }
}
