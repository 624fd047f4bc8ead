package org.systole.tools.pacemakerd;

import org.jspecify.annotations.Nullable;
import org.systole.common.wire.FrameReader;
import org.systole.common.wire.FrameWriter;
import org.systole.common.wire.Protocol.ProtocolException;
import org.systole.common.wire.ShortForm;
import org.systole.common.world.Channels.Address;

/// The messages between links that carry the daemons' messages.
final class LinkPeerShortForm implements ShortForm<LinkPeerMessage> {
  private static final int SUBMIT = 1;
  private static final int ORDERED = 2;
  private static final int DIRECT = 3;

  @Override
  public boolean write(LinkPeerMessage message, FrameWriter to) {
    switch (message) {
      case LinkPeerMessage.Submit(var number, var item) ->
          write(item, to.octet(SUBMIT).number(number));
      case LinkPeerMessage.Ordered(var number, var sequence, var origin, var item) ->
          write(item, to.octet(ORDERED).number(number).number(sequence).number(origin));
      case LinkPeerMessage.Direct it ->
          to.octet(DIRECT)
              .number(it.number())
              .number(it.sequence())
              .number(it.origin())
              .number(it.id())
              .text(it.group())
              .block(it.payload());
      case LinkPeerMessage.Ping _,
          LinkPeerMessage.Pong _,
          LinkPeerMessage.Confirm _,
          LinkPeerMessage.Prepare _,
          LinkPeerMessage.Prepared _,
          LinkPeerMessage.Install _,
          LinkPeerMessage.Leaving _ -> {
        return false;
      }
    }
    return true;
  }

  private static void write(LinkPeerMessage.Item item, FrameWriter to) {
    to.number(item.id())
        .octet(item.kind().ordinal())
        .text(item.group())
        .block(item.payload())
        .text(item.to().text())
        .number(item.direct());
  }

  @Override
  public @Nullable LinkPeerMessage read(int kind, FrameReader from) throws ProtocolException {
    return switch (kind) {
      case SUBMIT -> new LinkPeerMessage.Submit(from.number(), item(from));
      case ORDERED ->
          new LinkPeerMessage.Ordered(from.number(), from.number(), from.integer(), item(from));
      case DIRECT ->
          new LinkPeerMessage.Direct(
              from.number(),
              from.number(),
              from.integer(),
              from.number(),
              from.text(),
              from.block());
      default -> null;
    };
  }

  private static LinkPeerMessage.Item item(FrameReader from) throws ProtocolException {
    var id = from.number();
    var kind = from.octet();
    var kinds = LinkPeerMessage.Kind.values();
    if (kind >= kinds.length) {
      throw new ProtocolException("an item of an unknown kind " + kind);
    }
    return new LinkPeerMessage.Item(
        id, kinds[kind], from.text(), from.block(), new Address(from.text()), from.number());
  }
}
