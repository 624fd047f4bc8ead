package org.systole.cibd;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.systole.cibd.client.CibMessage;
import org.systole.common.cib.CibVersion;
import org.systole.common.cluster.GroupClient;
import org.systole.common.cluster.LinkMessage;
import org.systole.common.cluster.Membership;
import org.systole.common.wire.Protocol.ProtocolException;
import org.systole.common.wire.RpcServer;
import org.systole.common.world.World;
import org.systole.common.xml.Element;

/// The CIB manager's core: brings together this node's copy, its disk, its clients, the other nodes
/// and, on the DC's node, the work of the primary.
final class Cibd {
  private final World world;
  private final Peers peers = new Peers();
  private final GroupClient group;
  private final CibDisk disk;
  private final Clients clients;
  private final Requests requests;
  private final Follower follower;
  private final Primary primary;
  private CibCopy copy;
  private long promised;
  private long saves;
  private final TreeMap<Long, List<Runnable>> afterSave = new TreeMap<>();

  Cibd(World world) {
    this.world = world;
    this.disk = new CibDisk(world, this::saved);
    this.group = new GroupClient(world, CibPeerMessage.GROUP, new FromGroup());
    this.requests = new Requests(this);
    this.clients = new Clients(this);
    this.follower = new Follower(this);
    this.primary = new Primary(this);
    this.copy = new CibCopy(Element.of("cib"), Line.NONE, List.of());
  }

  void start() {
    var image = disk.load();
    copy = new CibCopy(image.cib(), image.line(), image.history());
    promised = image.promised();
    world.log().notice("The configuration is version " + CibVersion.of(copy.cib()));
    RpcServer.serve(world, CibMessage.SOCKET, World.Access.GROUP, CibMessage.PROTOCOL, clients);
    group.open();
    world.onTerminate(() -> disk.whenIdle(() -> world.exit(0, "asked to end")));
  }

  World world() {
    return world;
  }

  Peers peers() {
    return peers;
  }

  CibCopy copy() {
    return copy;
  }

  CibDisk disk() {
    return disk;
  }

  Clients clients() {
    return clients;
  }

  Requests requests() {
    return requests;
  }

  Follower follower() {
    return follower;
  }

  Primary primary() {
    return primary;
  }

  boolean isJoined() {
    return group.isJoined();
  }

  /// Sends to one node; to this one too, without the way through the link.
  void send(int to, CibPeerMessage message) {
    if (to == peers.localId()) {
      world.post(() -> receive(to, message));
    } else {
      group.send(to, CibPeerMessage.PROTOCOL.encode(0, message));
    }
  }

  void broadcast(CibPeerMessage message) {
    group.broadcast(CibPeerMessage.PROTOCOL.encode(0, message));
  }

  // Terms

  /// The latest term this node has promised itself to: it takes changes of no earlier one.
  long promised() {
    return promised;
  }

  /// Promises, and runs `then` once that is on disk.
  void promise(long term, Runnable then) {
    if (term > promised) {
      promised = term;
      save(then);
    } else if (afterSave.isEmpty()) {
      then.run();
    } else {
      afterSave.lastEntry().getValue().add(then);
    }
  }

  /// Promises; with the next write it is on disk.
  void promise(long term) {
    promised = Math.max(promised, term);
  }

  /// Writes the copy as it is now to disk.
  void save(Runnable then) {
    var number = ++saves;
    var waiting = new ArrayList<Runnable>();
    waiting.add(then);
    afterSave.put(number, waiting);
    disk.save(new CibDisk.Image(copy.cib(), copy.line(), copy.history(), promised, number));
  }

  private void saved(long number) {
    var before = afterSave.headMap(number, true);
    var tasks = new ArrayList<Runnable>();
    before.values().forEach(tasks::addAll);
    before.clear();
    tasks.forEach(Runnable::run);
  }

  /// Puts a configuration that is about to be replaced aside, if the cluster's history does not
  /// have it.
  void keepIfLost(Element next, List<Line.Span> history) {
    var mine = copy.cib().first("configuration");
    if (copy.line().isPartOf(history) || mine == null || mine.equals(next.first("configuration"))) {
      return;
    }
    var name = disk.keepAside(copy.cib());
    world
        .log()
        .critical(
            "The configuration of this node, version "
                + CibVersion.of(copy.cib())
                + ", was changed apart from the quorate cluster and lost to its version "
                + CibVersion.of(next)
                + "; it is kept in "
                + name
                + ". Compare the two (crm_diff) and make lost changes anew");
  }

  private void receive(int from, CibPeerMessage message) {
    switch (message) {
      case CibPeerMessage.Collect it -> follower.collect(from, it);
      case CibPeerMessage.Announce it -> follower.announce(from, it);
      case CibPeerMessage.Resign it -> follower.resigned(from, it);
      case CibPeerMessage.Change it -> follower.change(from, it);
      case CibPeerMessage.AskWhole it -> follower.askWhole(from, it);
      case CibPeerMessage.Whole it -> {
        if (!primary.whole(from, it)) {
          follower.whole(from, it);
        }
      }
      case CibPeerMessage.Position it -> primary.position(from, it);
      case CibPeerMessage.Refuse it -> primary.refuse(from, it);
      case CibPeerMessage.Hold it -> primary.hold(from, it);
      case CibPeerMessage.Ask it -> primary.ask(from, it);
      case CibPeerMessage.Done it -> requests.done(it);
    }
  }

  private final class FromGroup implements GroupClient.Listener {
    @Override
    public void joined(LinkMessage.Joined welcome) {
      peers.joined(welcome);
    }

    @Override
    public void membership(Membership membership) {
      peers.membership(membership);
      primary.quorumChanged();
    }

    @Override
    public void group(List<Integer> nodeIds) {
      var before = peers.group();
      peers.group(nodeIds);
      follower.groupChanged();
      primary.groupChanged(nodeIds.stream().filter(id -> !before.contains(id)).toList());
    }

    @Override
    public void message(int fromId, boolean broadcast, byte[] payload) {
      CibPeerMessage message;
      try {
        message = CibPeerMessage.PROTOCOL.decode(payload).body();
      } catch (ProtocolException e) {
        world.log().error("Not understood, from " + peers.name(fromId) + ": " + e.getMessage());
        return;
      }
      receive(fromId, message);
    }

    @Override
    public void lost(String why) {
      world.log().warning("The link to the cluster is gone: " + why);
      peers.lost();
      follower.groupChanged();
      primary.linkLost();
    }
  }
}
