package org.systole.cibd;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.systole.cibd.client.CibMessage;
import org.systole.common.cib.CibVersion;
import org.systole.common.cluster.Group;
import org.systole.common.cluster.LinkMessage;
import org.systole.common.cluster.Membership;
import org.systole.common.cluster.Terms;
import org.systole.common.values.NodeId;
import org.systole.common.wire.Protocol.ProtocolException;
import org.systole.common.wire.RpcServer;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlText;

/// The CIB manager's core: creates its parts and connects them with clients and the group.
final class Cibd implements Outbox {
  private final World world;
  private final Peers peers = new Peers();
  private final Group group;
  private final InStep inStep;
  private final Durable durable;
  private final CibCopy copy;
  private final Subscribers subscribers;
  private final Requests requests;
  private final Follower follower;
  private final Primary primary;
  private final RolesWatchers watchers = new RolesWatchers();
  private final Clients clients;

  /// @param environment what the daemon was started with
  Cibd(World world, Map<String, String> environment) {
    this.world = world;
    this.durable = new Durable(world);
    this.copy = durable.copy();
    this.group = Group.of(world, environment, CibPeerMessage.GROUP, new FromGroup());
    this.inStep = new InStep(peers, group::inStep);
    var node = new Node(world, peers, copy, durable, this, inStep);
    var text = new CibText(copy);
    var changes = new ToClients();
    this.follower = new Follower(node, text, changes, this::primary);
    this.primary = new Primary(node, follower, changes, group);
    this.requests = new Requests(node, follower);
    var views = new Views(copy);
    this.subscribers = new Subscribers(node, text, views, primary::isPrimary);
    this.clients = new Clients(node, text, views, subscribers, watchers, requests, follower, primary, group.isAlone());
  }

  void start() {
    world.log().notice("The configuration is version " + CibVersion.of(copy.cib()));
    RpcServer.serve(world, CibMessage.SOCKET, World.Access.GROUP, CibMessage.PROTOCOL, clients);
    group.open();
    world.onTerminate(() -> durable.whenIdle(() -> world.exit(0, "asked to end")));
  }

  CibCopy copy() {
    return copy;
  }

  Follower follower() {
    return follower;
  }

  Primary primary() {
    return primary;
  }

  @Override
  public void send(NodeId to, CibPeerMessage message) {
    if (peers.isLocal(to)) {
      world.post(() -> receive(to, message));
    } else {
      group.send(to, CibPeerMessage.PROTOCOL.encode(0, message, group.level()));
    }
  }

  @Override
  public void broadcast(CibPeerMessage message) {
    group.broadcast(CibPeerMessage.PROTOCOL.encode(0, message, group.level()));
  }

  @Override
  public boolean speaks(int level) {
    return group.speaks(level);
  }

  private void receive(NodeId from, CibPeerMessage message) {
    switch (message) {
      case CibPeerMessage.Collect it -> follower.collect(from, it);
      case CibPeerMessage.Announce it -> follower.announce(from, it);
      case CibPeerMessage.Resign it -> follower.resigned(from, it);
      case CibPeerMessage.Change it -> follower.change(from, it);
      case CibPeerMessage.AskWhole it -> follower.askWhole(from, it);
      case CibPeerMessage.RolesWhole it -> follower.rolesWhole(it);
      case CibPeerMessage.Whole it -> {
        if (!primary.whole(from, it)) {
          follower.whole(from, it);
        }
      }
      case CibPeerMessage.Position it -> primary.position(from, it);
      case CibPeerMessage.Refuse it -> primary.refuse(from, it);
      case CibPeerMessage.Ack it -> primary.ack(from, it);
      case CibPeerMessage.Forward it -> primary.forwarded(from, it);
      case CibPeerMessage.Outcome it -> requests.outcome(it);
    }
  }

  /// Whether a peer can say that; what it says of takeovers is counted on from.
  private boolean isPossible(CibPeerMessage message) {
    var known = Math.max(durable.promised(), durable.leastTerm());
    return switch (message) {
      case CibPeerMessage.Collect it -> isPossible(it.term(), known, it.epoch());
      case CibPeerMessage.Announce it -> isPossible(it.term(), known, it.epoch());
      case CibPeerMessage.Refuse it -> Terms.isPlausible(it.promised(), known);
      default -> true;
    };
  }

  private boolean isPossible(long term, long known, long epoch) {
    return Terms.isPlausible(term, known) && Terms.isPlausible(epoch, follower.highestEpoch());
  }

  private final class FromGroup implements Group.Listener {
    @Override
    public void joined(LinkMessage.Joined welcome) {
      peers.joined(welcome);
    }

    @Override
    public void configured(List<LinkMessage.ConfiguredNode> nodes) {
      peers.configured(nodes);
    }

    @Override
    public void quorumDue(boolean due) {
      peers.quorumDue(due);
    }

    @Override
    public void counted(List<List<NodeId>> lists) {
      peers.counted(lists);
    }

    @Override
    public void coming(List<List<LinkMessage.ConfiguredNode>> lists) {
      peers.coming(lists);
    }

    @Override
    public void membership(Membership membership) {
      var again = peers.isAnotherOfTheSame(membership);
      peers.membership(membership);
      primary.quorumChanged();
      if (again && primary.isEstablished()) {
        primary.announce(); // the votes may change once the members have what was acknowledged until now
      }
    }

    @Override
    public void group(List<NodeId> nodeIds) {
      var before = peers.group();
      peers.group(nodeIds);
      follower.groupChanged();
      primary.groupChanged(nodeIds.stream().filter(id -> !before.contains(id)).toList());
    }

    @Override
    public void message(NodeId fromId, boolean broadcast, byte[] payload) {
      CibPeerMessage message;
      try {
        message = CibPeerMessage.PROTOCOL.decode(payload).body();
      } catch (ProtocolException e) {
        world.log().error("Ignoring a message of " + peers.name(fromId) + ": " + e.getMessage());
        return;
      }
      if (isPossible(message)) {
        receive(fromId, message);
      } else {
        world.log().error("Ignoring a takeover that cannot be of %s".formatted(peers.name(fromId)));
      }
    }

    @Override
    public void lost(String why) {
      world.log().warning("The link to the cluster is gone: " + why);
      peers.lost();
      inStep.linkLost();
      follower.groupChanged();
      primary.linkLost();
    }
  }

  /// Passes changes of the copy and of the primary on to subscribers and requests.
  private final class ToClients implements Follower.Listener {
    @Override
    public void changed(XmlText patch, Element before, Element after) {
      subscribers.changed(patch, before, after);
    }

    @Override
    public Collection<String> outstanding() {
      return requests.outstanding();
    }

    @Override
    public void replaced() {
      subscribers.replaced();
    }

    @Override
    public void rolesChanged() {
      watchers.changed();
    }

    @Override
    public void advanced() {
      requests.advanced();
    }

    @Override
    public void primaryKnown() {
      if (follower.isInStep()) {
        primary.copyIsInStep();
      }
      requests.primaryKnown();
    }

    @Override
    public void primaryLost(long term) {
      requests.primaryLost(term);
    }
  }
}
