package org.systole.pacemakerd.link;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.wire.Protocol.ProtocolException;
import org.systole.common.world.Channels.Address;
import org.systole.common.world.Channels.Allegiance;
import org.systole.common.world.Channels.Channel;
import org.systole.common.world.Channels.LinkState;
import org.systole.common.world.Channels.Network;

/// A channel that leads nowhere and keeps what is said on it.
final class SaidOnChannel implements Channel {
  /// @param to null for all processes
  record Said(@Nullable Address to, LinkPeerMessage message) {}

  private final List<Said> said = new ArrayList<>();
  final List<Address> doubted = new ArrayList<>();
  private boolean closed;

  /// All of one kind, in order.
  <T extends LinkPeerMessage> List<T> said(Class<T> kind) {
    return said.stream().map(Said::message).filter(kind::isInstance).map(kind::cast).toList();
  }

  /// All of one kind to one process, in order.
  <T extends LinkPeerMessage> List<T> saidTo(Address to, Class<T> kind) {
    return said.stream()
        .filter(it -> to.equals(it.to()))
        .map(Said::message)
        .filter(kind::isInstance)
        .map(kind::cast)
        .toList();
  }

  /// Forgets what was said until now.
  void forget() {
    said.clear();
  }

  private static LinkPeerMessage decode(byte[] message) {
    try {
      return LinkPeerMessage.PROTOCOL.decode(message).body();
    } catch (ProtocolException e) {
      throw new IllegalStateException("that is no message", e);
    }
  }

  @Override
  public void broadcast(byte[] message) {
    said.add(new Said(null, decode(message)));
  }

  @Override
  public void send(Address to, byte[] message) {
    said.add(new Said(to, decode(message)));
  }

  @Override
  public void follow(@Nullable Allegiance allegiance) {}

  @Override
  public void doubt(Address first) {
    doubted.add(first);
  }

  @Override
  public void use(Network network) {}

  @Override
  public List<LinkState> links() {
    return List.of();
  }

  @Override
  public void close() {
    closed = true;
  }

  boolean isClosed() {
    return closed;
  }
}
