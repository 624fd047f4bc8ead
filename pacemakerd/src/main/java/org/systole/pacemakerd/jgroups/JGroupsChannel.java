package org.systole.pacemakerd.jgroups;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jgroups.BytesMessage;
import org.jgroups.JChannel;
import org.jgroups.Message;
import org.jgroups.Receiver;
import org.jgroups.stack.Protocol;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.Channels;
import org.systole.common.world.Channels.Address;
import org.systole.common.world.World;

/// One JGroups channel. Every peer has a sender of its own, so that a peer that does not read does
/// not delay the others; this also keeps the order between messages and broadcasts. Messages that
/// wait for a peer are sent together, because each one on its way wakes three threads.
final class JGroupsChannel implements Channels.Channel, Receiver {
  private static final long WAITING_MAX = 128L << 20;
  private static final byte[] END = new byte[0];
  private static final int TOGETHER_MAX = 64; // messages, and bytes, that go as one
  private static final int TOGETHER_BYTES = 64 << 10;

  /// The messages that wait for one peer.
  private static final class Sender {
    private final org.jgroups.Address to;
    private final LinkedBlockingQueue<byte[]> queue = new LinkedBlockingQueue<>();
    private final AtomicLong waiting = new AtomicLong();

    Sender(org.jgroups.Address to) {
      this.to = to;
    }
  }

  /// What the stack does when the configuration changes.
  interface Change {
    void use(Channels.Network network);
  }

  private final World world;
  private final String cluster;
  private final String node;
  private final Channels.Listener listener;
  private final Map<Address, Sender> senders = new ConcurrentHashMap<>();
  private final LoyaltyProtocol loyalty;
  private final Object changes = new Object(); // one after the other
  private volatile Change change = _ -> {};
  private volatile Consumer<org.jgroups.Address> doubt = _ -> {};
  private volatile @Nullable PeerRoutes routes;
  private volatile @Nullable JChannel channel;
  private volatile @Nullable Address self;
  private volatile boolean opened;

  JGroupsChannel(World world, String cluster, String node, Channels.Listener listener) {
    this.world = world;
    this.cluster = cluster;
    this.node = node;
    this.listener = listener;
    this.loyalty = new LoyaltyProtocol(world);
  }

  /// The part of the stack that knows the leader this process follows.
  LoyaltyProtocol loyalty() {
    return loyalty;
  }

  /// @param doubt what is done where a member is to count as lost that answers all the same
  void onDoubt(Consumer<org.jgroups.Address> doubt) {
    this.doubt = doubt;
  }

  @Override
  public void doubt(Address member) {
    var sender = senders.get(member);
    if (sender != null) {
      Thread.ofVirtual().name("doubt").start(() -> doubt.accept(sender.to));
    }
  }

  /// @param change what is done when the nodes or the token time change; it may wait for the network
  void onChange(Change change) {
    this.change = change;
  }

  @Override
  public void use(Channels.Network network) {
    Thread.ofVirtual()
        .name("reconfigure")
        .start(
            () -> {
              synchronized (changes) {
                change.use(network);
              }
            });
  }

  void routes(PeerRoutes it) {
    routes = it;
  }

  @Override
  public List<Channels.LinkState> links() {
    var present = routes;
    return present == null ? List.of() : present.states();
  }

  /// Connects in the background: it takes up to a second and waits for the network.
  void open(List<Protocol> stack) {
    Thread.ofPlatform()
        .daemon()
        .name("connect")
        .start(
            () -> {
              try {
                var opening = new JChannel(stack);
                opening.setName(node);
                opening.setReceiver(this);
                channel = opening;
                opening.connect(cluster);
              } catch (Exception e) {
                var cause = e.getCause() == null ? e : e.getCause();
                world.post(() -> listener.closed("it cannot be opened: " + cause.getMessage()));
              }
            });
  }

  static Address address(org.jgroups.Address it) {
    return new Address(
        it instanceof org.jgroups.util.UUID uuid ? uuid.toStringLong() : it.toString());
  }

  @Override
  public void viewAccepted(org.jgroups.View installed) {
    var present = channel;
    if (present == null) {
      return;
    }
    var members = installed.getMembers().stream().map(JGroupsChannel::address).toList();
    self = address(present.getAddress());
    for (var member : installed.getMembers()) {
      var address = address(member);
      senders.computeIfAbsent(
          address, it -> address.equals(self) ? new Sender(member) : start(new Sender(member)));
    }
    for (var it : senders.entrySet()) {
      if (!members.contains(it.getKey())) {
        senders.remove(it.getKey());
        it.getValue().queue.clear();
        it.getValue().queue.add(END);
      }
    }
    var id = installed.getViewId();
    var view =
        new Channels.View(new Channels.ViewId(address(id.getCreator()), id.getId()), members);
    var first = !opened;
    opened = true;
    world.post(
        () -> {
          if (first) {
            listener.opened(address(present.getAddress()));
          }
          listener.view(view);
        });
  }

  private Sender start(Sender sender) {
    new PeerThread(sender.to, () -> work(sender)).start();
    return sender;
  }

  private void work(Sender sender) {
    try {
      var together = new ArrayList<byte[]>();
      while (true) {
        var message = sender.queue.take();
        var bytes = 0;
        while (message != END && message != null) {
          together.add(message);
          bytes += message.length;
          var room = together.size() < TOGETHER_MAX && bytes < TOGETHER_BYTES;
          message = room ? sender.queue.poll() : null;
        }
        var present = channel;
        if (present == null) {
          return;
        }
        sender.waiting.addAndGet(-bytes);
        if (!together.isEmpty()) {
          present.send(InReader.marked(new BytesMessage(sender.to, Packing.pack(together))));
          together.clear();
        }
        if (message == END) {
          return;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Exception e) {
      world.post(() -> world.log().debug("Sending to a peer ends: " + e.getMessage()));
    }
  }

  @Override
  public void receive(Message message) {
    var from = address(message.getSrc());
    List<byte[]> together;
    try {
      together = Packing.unpack(message.getArray(), message.getOffset(), message.getLength());
    } catch (java.util.zip.DataFormatException e) {
      world.post(
          () -> world.log().error("Ignoring a message of %s: %s".formatted(from, e.getMessage())));
      return;
    }
    world.post(() -> together.forEach(it -> listener.message(from, it)));
  }

  void ended(org.jgroups.Address peer) {
    var address = address(peer);
    world.post(() -> listener.ended(address));
  }

  void silent(org.jgroups.Address peer, boolean silent) {
    var address = address(peer);
    world.post(() -> listener.silent(address, silent));
  }

  @Override
  public void broadcast(byte[] message) {
    senders.keySet().forEach(it -> send(it, message));
  }

  @Override
  public void send(Address to, byte[] message) {
    if (to.equals(self)) {
      world.post(() -> listener.message(to, message)); // no need for the network
      return;
    }
    var sender = senders.get(to);
    if (sender != null) {
      queue(sender, message);
    }
  }

  private void queue(Sender sender, byte[] message) {
    if (sender.waiting.addAndGet(message.length) > WAITING_MAX) {
      sender.waiting.addAndGet(-message.length);
      world.log().error("A peer does not take its messages; dropping one");
      return;
    }
    sender.queue.add(message);
  }

  @Override
  public void follow(Channels.@Nullable Allegiance allegiance) {
    loyalty.follow(allegiance);
  }

  @Override
  public void close() {
    Thread.ofPlatform()
        .daemon()
        .name("disconnect")
        .start(
            () -> {
              awaitSenders();
              var present = channel;
              if (present != null) {
                present.close();
              }
              world.post(() -> listener.closed("closed"));
            });
  }

  /// Waits briefly for the senders, so that the last messages still go out.
  private void awaitSenders() {
    try {
      for (var round = 0; round < 20; round++) {
        if (senders.values().stream().allMatch(it -> it.queue.isEmpty())) {
          break;
        }
        Thread.sleep(10);
      }
      Thread.sleep(20);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
