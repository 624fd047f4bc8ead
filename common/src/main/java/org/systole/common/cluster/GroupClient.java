package org.systole.common.cluster;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeId;
import org.systole.common.wire.RpcClient;
import org.systole.common.world.World;

/// A daemon's place in one named group of the cluster, through the node's link.
///
/// If the link dies, the daemon hears [Listener#lost] and must take
/// itself for cut off: not quorate, alone, nothing it sends arrives. The client reconnects and
/// joins again by itself; then [Listener#joined] comes anew, followed by the present membership and
/// group.
public final class GroupClient implements Group {
  private static final Duration JOIN_TIMEOUT = Duration.ofSeconds(10);

  private final World world;
  private final String group;
  private final Listener listener;
  private final RpcClient<LinkMessage.Request, LinkMessage.Reply, LinkMessage.Event> link;
  private LinkMessage.@Nullable Joined welcome;
  private int level = Levels.UNTOLD.newest();

  public GroupClient(World world, String group, Listener listener) {
    this.world = world;
    this.group = group;
    this.listener = listener;
    this.link = new RpcClient<>(world, LinkMessage.SOCKET, LinkMessage.PROTOCOL, new FromLink());
  }

  /// Starts connecting to the link and joining.
  @Override
  public void open() {
    link.open();
  }

  @Override
  public boolean isAlone() {
    return false;
  }

  @Override
  public boolean isJoined() {
    return welcome != null;
  }

  @Override
  public int level() {
    return level;
  }

  @Override
  public void broadcast(byte[] payload) {
    if (fits(payload)) {
      link.tell(new LinkMessage.Broadcast(payload));
    }
  }

  @Override
  public void send(NodeId toId, byte[] payload) {
    if (fits(payload)) {
      link.tell(new LinkMessage.Send(toId, payload));
    }
  }

  @Override
  public void inStep(long membership) {
    if (speaks(Levels.STATE_BEFORE_VOTES)) {
      link.tell(new LinkMessage.InStep(membership));
    }
  }

  private boolean fits(byte[] payload) {
    var fits = payload.length <= LinkMessage.PAYLOAD_MAX;
    if (!fits) {
      link.refuseToTell(
          "a message of %d bytes in group %s is too long".formatted(payload.length, group));
    }
    return fits;
  }

  public void close() {
    link.close();
  }

  private final class FromLink implements RpcClient.Listener<LinkMessage.Event> {
    @Override
    public void connected() {
      link.call(
          new LinkMessage.Join(group),
          JOIN_TIMEOUT,
          answer -> {
            switch (answer) {
              case RpcClient.Answer.Got<LinkMessage.Reply>(LinkMessage.Joined it) -> {
                welcome = it;
                listener.joined(it);
              }
              case RpcClient.Answer.Got<LinkMessage.Reply>(var other) ->
                  world.log().error("The link answered a join with " + other);
              case RpcClient.Answer.TimedOut<LinkMessage.Reply>() ->
                  world.exit(1, "the link did not answer the join of group " + group);
              case RpcClient.Answer.Lost<LinkMessage.Reply>(var _) -> {}
            }
          });
    }

    @Override
    public void disconnected(String why) {
      var was = welcome;
      welcome = null;
      level = Levels.UNTOLD.newest();
      if (was != null) {
        listener.lost(why);
      }
    }

    @Override
    public void event(LinkMessage.Event event) {
      switch (event) {
        case LinkMessage.Delivered(var from, var broadcast, var payload) ->
            listener.message(from, broadcast, payload);
        case LinkMessage.MembershipChanged(var membership, var spoken, var due, var counted, var coming) -> {
          listener.quorumDue(Boolean.TRUE.equals(due));
          listener.counted(counted == null ? List.of() : counted);
          listener.coming(coming == null ? List.of() : coming);
          level = spoken == null ? Levels.UNTOLD.newest() : spoken;
          listener.membership(membership);
        }
        case LinkMessage.ConfiguredChanged(var nodes) -> listener.configured(nodes);
        case LinkMessage.GroupChanged(var nodeIds) -> listener.group(nodeIds);
      }
    }
  }
}
