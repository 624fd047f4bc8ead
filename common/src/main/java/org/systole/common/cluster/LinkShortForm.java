package org.systole.common.cluster;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.wire.FrameReader;
import org.systole.common.wire.FrameWriter;
import org.systole.common.wire.Protocol.ProtocolException;
import org.systole.common.wire.ShortForm;

/// The messages between a daemon and the link that carry others' messages, and what commands ask.
final class LinkShortForm implements ShortForm<LinkMessage> {
  private static final int BROADCAST = 1;
  private static final int SEND = 2;
  private static final int DELIVERED = 3;
  private static final int STATUS_QUERY = 4;
  private static final int STATUS = 5;

  // No pattern switch: a command would have the JVM write its code.
  @Override
  public boolean write(LinkMessage message, FrameWriter to) {
    if (message instanceof LinkMessage.Broadcast(var payload)) {
      to.octet(BROADCAST).block(payload);
    } else if (message instanceof LinkMessage.Send(var toId, var payload)) {
      to.octet(SEND).node(toId).block(payload);
    } else if (message instanceof LinkMessage.Delivered(var fromId, var broadcast, var payload)) {
      to.octet(DELIVERED).node(fromId).flag(broadcast).block(payload);
    } else if (message instanceof LinkMessage.StatusQuery) {
      to.octet(STATUS_QUERY);
    } else if (message instanceof LinkMessage.Status status) {
      write(status, to.octet(STATUS));
    } else {
      return false;
    }
    return true;
  }

  private static void write(LinkMessage.Status status, FrameWriter to) {
    to.node(status.localId()).node(status.localName()).text(status.clusterName());
    to.number(status.configured().size());
    for (var node : status.configured()) {
      to.node(node.id()).node(node.name()).number(node.votes());
    }
    to.number(status.membership().number()).number(status.membership().members().size());
    for (var member : status.membership().members()) {
      to.node(member.id()).node(member.name()).number(member.sinceNumber());
    }
    to.flag(status.membership().quorate()).number(status.expectedVotes());
    to.number(status.totalVotes()).number(status.quorumVotes()).texts(status.flags());
  }

  @Override
  public @Nullable LinkMessage read(int kind, FrameReader from) throws ProtocolException {
    return switch (kind) {
      case BROADCAST -> new LinkMessage.Broadcast(from.block());
      case SEND -> new LinkMessage.Send(from.nodeId(), from.block());
      case DELIVERED -> new LinkMessage.Delivered(from.nodeId(), from.flag(), from.block());
      case STATUS_QUERY -> new LinkMessage.StatusQuery();
      case STATUS -> status(from);
      default -> null;
    };
  }

  private static LinkMessage.Status status(FrameReader from) throws ProtocolException {
    return new LinkMessage.Status(
        from.nodeId(),
        from.nodeName(),
        from.text(),
        configured(from),
        new Membership(from.number(), members(from), from.flag()),
        from.integer(),
        from.integer(),
        from.integer(),
        from.texts());
  }

  private static List<LinkMessage.ConfiguredNode> configured(FrameReader from)
      throws ProtocolException {
    var count = from.count();
    var nodes = FrameReader.<LinkMessage.ConfiguredNode>room(count);
    for (var left = count; left > 0; left--) {
      nodes.add(new LinkMessage.ConfiguredNode(from.nodeId(), from.nodeName(), from.integer()));
    }
    return nodes;
  }

  private static List<Member> members(FrameReader from) throws ProtocolException {
    var count = from.count();
    var members = FrameReader.<Member>room(count);
    for (var left = count; left > 0; left--) {
      members.add(new Member(from.nodeId(), from.nodeName(), from.number()));
    }
    return members;
  }
}
