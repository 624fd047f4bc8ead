package org.systole.cibd;

import org.jspecify.annotations.Nullable;
import org.systole.common.wire.FrameReader;
import org.systole.common.wire.FrameWriter;
import org.systole.common.wire.Protocol.ProtocolException;
import org.systole.common.wire.ShortForm;

/// The messages between CIB managers that every change needs.
final class CibPeerShortForm implements ShortForm<CibPeerMessage> {
  private static final int CHANGE = 1;
  private static final int ACK = 2;

  @Override
  public boolean write(CibPeerMessage message, FrameWriter to) {
    switch (message) {
      case CibPeerMessage.Change it -> {
        to.octet(CHANGE).number(it.term()).number(it.sequence()).text(it.patch());
        to.number(it.before()).number(it.after());
        var line = it.line();
        to.number(line.term()).number(line.index());
        to.number(line.strayTerm()).number(line.stray()).flag(line.left());
        to.flag(it.configuration()).texts(it.done());
      }
      case CibPeerMessage.Ack(var term, var memory, var disk) ->
          to.octet(ACK).number(term).number(memory).number(disk);
      case CibPeerMessage.Collect _,
          CibPeerMessage.Position _,
          CibPeerMessage.Refuse _,
          CibPeerMessage.Announce _,
          CibPeerMessage.Resign _,
          CibPeerMessage.AskWhole _,
          CibPeerMessage.Whole _,
          CibPeerMessage.Forward _,
          CibPeerMessage.Outcome _ -> {
        return false;
      }
    }
    return true;
  }

  @Override
  public @Nullable CibPeerMessage read(int kind, FrameReader from) throws ProtocolException {
    return switch (kind) {
      case CHANGE ->
          new CibPeerMessage.Change(
              from.number(),
              from.number(),
              from.text(),
              from.number(),
              from.number(),
              line(from),
              from.flag(),
              from.texts());
      case ACK -> new CibPeerMessage.Ack(from.number(), from.number(), from.number());
      default -> null;
    };
  }

  private static Line line(FrameReader from) throws ProtocolException {
    return new Line(from.number(), from.number(), from.number(), from.number(), from.flag());
  }
}
