package org.systole.pacemakerd.link;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.cluster.ClusterConfig;
import org.systole.common.world.Channels.Address;
import org.systole.common.world.Channels.Allegiance;
import org.systole.common.world.Channels.Channel;
import org.systole.common.world.Channels.LinkState;
import org.systole.common.world.Channels.Network;
import org.systole.common.world.Channels.View;
import org.systole.common.world.Channels.ViewId;

/// This link's channel to the others: its own address, and the view it holds.
final class LinkWire {
  private @Nullable Channel channel;
  private @Nullable Address self;
  private @Nullable View view;
  private Runnable whenUsed = () -> {};

  void opening(Channel opening) {
    channel = opening;
  }

  void opened(Address address) {
    self = address;
  }

  void installed(View installed) {
    view = installed;
  }

  /// This process.
  ///
  /// @throws IllegalStateException before the channel is open
  Address self() {
    if (self == null) {
      throw new IllegalStateException("the channel is not open");
    }
    return self;
  }

  boolean isSelf(Address address) {
    return address.equals(self);
  }

  /// Whether a process is the first of the view that is held here.
  boolean leads(Address process, ViewId id) {
    return view != null && view.id().equals(id) && view.members().getFirst().equals(process);
  }

  void send(Address to, LinkPeerMessage message) {
    if (channel != null) {
      channel.send(to, LinkPeerMessage.PROTOCOL.encode(0, message));
    }
  }

  void broadcast(LinkPeerMessage message) {
    if (channel != null) {
      channel.broadcast(LinkPeerMessage.PROTOCOL.encode(0, message));
    }
  }

  void follow(@Nullable Allegiance allegiance) {
    if (channel != null) {
      channel.follow(allegiance);
    }
  }

  void doubt(Address member) {
    if (channel != null) {
      channel.doubt(member);
    }
  }

  /// The cluster configuration changed.
  void use(ClusterConfig config) {
    if (channel != null) {
      channel.use(network(config));
    }
    whenUsed.run();
  }

  static Network network(ClusterConfig config) {
    return new Network(
        config.nodes().stream().map(ClusterConfig.Node::addresses).toList(),
        config.priorities(),
        config.tokenMillis());
  }

  List<LinkState> links() {
    return channel == null ? List.of() : channel.links();
  }

  /// @param changed called when another cluster configuration is in force
  void onUse(Runnable changed) {
    whenUsed = changed;
  }

  void close() {
    if (channel != null) {
      channel.close();
    }
  }
}
