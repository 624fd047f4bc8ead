package org.systole.pacemakerd.link;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeId;
import org.systole.common.wire.FrameReader;
import org.systole.common.wire.FrameWriter;
import org.systole.common.wire.Protocol.ProtocolException;
import org.systole.common.wire.ShortForm;
import org.systole.common.world.Channels.Address;
import org.systole.common.world.Channels.ViewId;

/// The short forms of the messages between links that carry the daemons' messages, and of those of
/// the rounds, which never stop.
final class LinkPeerShortForm implements ShortForm<LinkPeerMessage> {
  private static final int SUBMIT = 1;
  private static final int ORDERED = 2;
  private static final int DIRECT = 3;
  private static final int PING = 4;
  private static final int PONG = 5;
  private static final int CONFIRM = 6;
  private static final int TOLD = 7;

  @Override
  public boolean write(LinkPeerMessage message, FrameWriter to) {
    switch (message) {
      case LinkPeerMessage.Submit(var number, var item) ->
          write(item, to.octet(SUBMIT).number(number));
      case LinkPeerMessage.Ordered it -> write(it, to.octet(ORDERED));
      case LinkPeerMessage.Told(var number, var it) -> write(it, to.octet(TOLD).number(number));
      case LinkPeerMessage.Direct it ->
          to.octet(DIRECT)
              .number(it.number())
              .number(it.sequence())
              .node(it.origin())
              .number(it.id())
              .text(it.group())
              .block(it.payload());
      case LinkPeerMessage.Ping(var view, var number, var round, var stable) ->
          write(view, to.octet(PING)).number(number).number(round).number(stable);
      case LinkPeerMessage.Pong it -> write(it, to.octet(PONG));
      case LinkPeerMessage.Confirm it -> write(it, to.octet(CONFIRM));
      case LinkPeerMessage.Prepare _,
          LinkPeerMessage.Prepared _,
          LinkPeerMessage.Tell _,
          LinkPeerMessage.Install _,
          LinkPeerMessage.Misfit _,
          LinkPeerMessage.NotListed _,
          LinkPeerMessage.ReadAnew _,
          LinkPeerMessage.HasRead _,
          LinkPeerMessage.Take _,
          LinkPeerMessage.HasTaken _,
          LinkPeerMessage.UseKey _,
          LinkPeerMessage.Dropped _,
          LinkPeerMessage.Propose _,
          LinkPeerMessage.Kept _,
          LinkPeerMessage.Settled _,
          LinkPeerMessage.DeviceSide _,
          LinkPeerMessage.DeviceAnswer _,
          LinkPeerMessage.Leaving _ -> {
        return false;
      }
    }
    return true;
  }

  private static FrameWriter write(ViewId view, FrameWriter to) {
    return to.text(view.creator().text()).number(view.number());
  }

  private static void write(LinkPeerMessage.Pong pong, FrameWriter to) {
    write(pong.view(), to)
        .number(pong.round())
        .node(pong.nodeId())
        .number(pong.number())
        .number(pong.highest())
        .number(pong.delivered())
        .flag(pong.astray())
        .nodes(pong.unheard())
        .flag(pong.young())
        .number(pong.expected());
  }

  private static void write(LinkPeerMessage.Confirm confirm, FrameWriter to) {
    var quorum = confirm.quorum();
    to.number(confirm.number())
        .number(confirm.round())
        .nodes(confirm.answered())
        .flag(confirm.carried())
        .number(quorum.configuredVotes())
        .number(quorum.expectedVotes())
        .number(quorum.quorumVotes())
        .number(quorum.totalVotes())
        .flag(quorum.waiting())
        .flag(quorum.quorate())
        .nodes(confirm.apart().stream().map(LinkPeerMessage.Pair::one).toList())
        .nodes(confirm.apart().stream().map(LinkPeerMessage.Pair::other).toList());
  }

  private static void write(LinkPeerMessage.Ordered it, FrameWriter to) {
    write(it.item(), to.number(it.number()).number(it.sequence()).node(it.origin()));
  }

  private static void write(LinkPeerMessage.Item item, FrameWriter to) {
    to.number(item.id())
        .code(item.kind())
        .text(item.group())
        .block(item.payload())
        .text(item.to().text())
        .number(item.direct());
  }

  @Override
  public @Nullable LinkPeerMessage read(int kind, FrameReader from) throws ProtocolException {
    return switch (kind) {
      case SUBMIT -> new LinkPeerMessage.Submit(from.number(), item(from));
      case ORDERED -> ordered(from);
      case TOLD -> new LinkPeerMessage.Told(from.number(), ordered(from));
      case DIRECT ->
          new LinkPeerMessage.Direct(
              from.number(),
              from.number(),
              from.nodeId(),
              from.number(),
              from.text(),
              from.block());
      case PING ->
          new LinkPeerMessage.Ping(view(from), from.number(), from.number(), from.number());
      case PONG -> pong(from);
      case CONFIRM -> confirm(from);
      default -> null;
    };
  }

  private static ViewId view(FrameReader from) throws ProtocolException {
    return new ViewId(new Address(from.text()), from.number());
  }

  private static LinkPeerMessage.Pong pong(FrameReader from) throws ProtocolException {
    return new LinkPeerMessage.Pong(
        view(from),
        from.number(),
        from.nodeId(),
        from.number(),
        from.number(),
        from.number(),
        from.flag(),
        from.nodeIds(),
        from.flag(),
        from.integer());
  }

  private static LinkPeerMessage.Confirm confirm(FrameReader from) throws ProtocolException {
    return new LinkPeerMessage.Confirm(
        from.number(),
        from.number(),
        from.nodeIds(),
        from.flag(),
        new QuorumState(
            from.integer(),
            from.integer(),
            from.integer(),
            from.integer(),
            from.flag(),
            from.flag()),
        pairs(from.nodeIds(), from.nodeIds()));
  }

  private static List<LinkPeerMessage.Pair> pairs(List<NodeId> ones, List<NodeId> others)
      throws ProtocolException {
    if (ones.size() != others.size()) {
      throw new ProtocolException("half a pair of nodes");
    }
    var pairs = new ArrayList<LinkPeerMessage.Pair>();
    for (var index = 0; index < ones.size(); index++) {
      pairs.add(new LinkPeerMessage.Pair(ones.get(index), others.get(index)));
    }
    return pairs;
  }

  private static LinkPeerMessage.Ordered ordered(FrameReader from) throws ProtocolException {
    return new LinkPeerMessage.Ordered(from.number(), from.number(), from.nodeId(), item(from));
  }

  private static LinkPeerMessage.Item item(FrameReader from) throws ProtocolException {
    var id = from.number();
    var kind = from.coded(LinkPeerMessage.Kind.values());
    return new LinkPeerMessage.Item(
        id, kind, from.text(), from.block(), new Address(from.text()), from.number());
  }
}
