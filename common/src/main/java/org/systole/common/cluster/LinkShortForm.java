package org.systole.common.cluster;

import org.jspecify.annotations.Nullable;
import org.systole.common.wire.FrameReader;
import org.systole.common.wire.FrameWriter;
import org.systole.common.wire.Protocol.ProtocolException;
import org.systole.common.wire.ShortForm;

/// The messages between a daemon and the link that carry others' messages.
final class LinkShortForm implements ShortForm<LinkMessage> {
  private static final int BROADCAST = 1;
  private static final int SEND = 2;
  private static final int DELIVERED = 3;

  @Override
  public boolean write(LinkMessage message, FrameWriter to) {
    switch (message) {
      case LinkMessage.Broadcast(var payload) -> to.octet(BROADCAST).block(payload);
      case LinkMessage.Send(var toId, var payload) -> to.octet(SEND).number(toId).block(payload);
      case LinkMessage.Delivered(var fromId, var broadcast, var payload) ->
          to.octet(DELIVERED).number(fromId).flag(broadcast).block(payload);
      case LinkMessage.Join _,
          LinkMessage.Joined _,
          LinkMessage.MembershipChanged _,
          LinkMessage.GroupChanged _,
          LinkMessage.StatusQuery _,
          LinkMessage.Status _ -> {
        return false;
      }
    }
    return true;
  }

  @Override
  public @Nullable LinkMessage read(int kind, FrameReader from) throws ProtocolException {
    return switch (kind) {
      case BROADCAST -> new LinkMessage.Broadcast(from.block());
      case SEND -> new LinkMessage.Send(from.integer(), from.block());
      case DELIVERED -> new LinkMessage.Delivered(from.integer(), from.flag(), from.block());
      default -> null;
    };
  }
}
