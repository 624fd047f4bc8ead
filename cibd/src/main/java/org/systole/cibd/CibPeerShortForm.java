package org.systole.cibd;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.cibd.client.CibShortForm;
import org.systole.common.cluster.Levels;
import org.systole.common.wire.FrameReader;
import org.systole.common.wire.FrameWriter;
import org.systole.common.wire.Protocol.ProtocolException;
import org.systole.common.wire.ShortForm;
import org.systole.common.xml.XmlText;

/// The short forms of the messages between CIB managers that every change needs, and of those that
/// carry a whole CIB.
final class CibPeerShortForm implements ShortForm<CibPeerMessage> {
  private static final int CHANGE = 1;
  private static final int ACK = 2;
  private static final int WHOLE = 3;
  private static final int FORWARD = 4;
  private static final int OUTCOME = 5;

  @Override
  public boolean write(CibPeerMessage message, FrameWriter to) {
    switch (message) {
      case CibPeerMessage.Change it -> {
        to.octet(CHANGE).number(it.term()).number(it.sequence()).text(it.patch().text());
        to.number(it.before()).number(it.after());
        write(it.line(), to);
        to.flag(it.configuration()).texts(it.done());
      }
      case CibPeerMessage.Whole it -> {
        to.octet(WHOLE).number(it.term()).number(it.sequence());
        write(it.line(), to);
        to.number(it.history().size());
        it.history().forEach(span -> to.number(span.term()).number(span.index()));
        to.text(it.xml()).texts(it.done());
      }
      case CibPeerMessage.Forward(var term, var id, var update, var groups) -> {
        to.octet(FORWARD).number(term).text(id);
        CibShortForm.write(update, to);
        to.flag(groups != null).texts(groups == null ? List.of() : groups);
      }
      case CibPeerMessage.Outcome it -> {
        to.octet(OUTCOME).text(it.id()).number(it.rc().code()).text(it.why()).optional(it.xml());
        CibShortForm.write(it.version(), to).number(it.term()).number(it.sequence());
      }
      case CibPeerMessage.Ack(var term, var memory, var disk) ->
          to.octet(ACK).number(term).number(memory).number(disk);
      case CibPeerMessage.Collect _,
          CibPeerMessage.Position _,
          CibPeerMessage.Refuse _,
          CibPeerMessage.Announce _,
          CibPeerMessage.Resign _,
          CibPeerMessage.AskWhole _,
          CibPeerMessage.RolesWhole _ -> {
        return false;
      }
    }
    return true;
  }

  @Override
  public int since(CibPeerMessage message) {
    var later =
        message instanceof CibPeerMessage.Whole
            || message instanceof CibPeerMessage.Forward
            || message instanceof CibPeerMessage.Outcome;
    return later ? Levels.TOLD : 1;
  }

  @Override
  public @Nullable CibPeerMessage read(int kind, FrameReader from) throws ProtocolException {
    return switch (kind) {
      case CHANGE ->
          new CibPeerMessage.Change(
              from.number(),
              from.number(),
              XmlText.of(from.text()),
              from.number(),
              from.number(),
              line(from),
              from.flag(),
              from.texts());
      case ACK -> new CibPeerMessage.Ack(from.number(), from.number(), from.number());
      case WHOLE ->
          new CibPeerMessage.Whole(
              from.number(),
              from.number(),
              line(from),
              history(from),
              from.text(),
              from.texts());
      case FORWARD ->
          new CibPeerMessage.Forward(
              from.number(), from.text(), CibShortForm.update(from), groups(from));
      case OUTCOME ->
          new CibPeerMessage.Outcome(
              from.text(),
              CibShortForm.rc(from),
              from.text(),
              from.optional(),
              CibShortForm.version(from),
              from.number(),
              from.number());
      default -> null;
    };
  }

  private static void write(Line line, FrameWriter to) {
    to.number(line.term()).number(line.index());
    to.number(line.strayTerm()).number(line.stray()).flag(line.left());
  }

  private static List<Line.Span> history(FrameReader from) throws ProtocolException {
    var count = from.count();
    var spans = FrameReader.<Line.Span>room(count);
    for (var left = count; left > 0; left--) {
      spans.add(new Line.Span(from.number(), from.number()));
    }
    return spans;
  }

  private static @Nullable List<String> groups(FrameReader from) throws ProtocolException {
    var known = from.flag();
    var groups = from.texts();
    return known ? groups : null;
  }

  private static Line line(FrameReader from) throws ProtocolException {
    return new Line(from.number(), from.number(), from.number(), from.number(), from.flag());
  }
}
