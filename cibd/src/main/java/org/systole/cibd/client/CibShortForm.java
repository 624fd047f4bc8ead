package org.systole.cibd.client;

import org.jspecify.annotations.Nullable;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibQuery;
import org.systole.common.cib.CibVersion;
import org.systole.common.output.Rc;
import org.systole.common.wire.FrameReader;
import org.systole.common.wire.FrameWriter;
import org.systole.common.wire.Protocol.ProtocolException;
import org.systole.common.wire.ShortForm;
import org.systole.common.xml.XmlText;

/// The short forms of the events for each change, and of commands' requests and their answers: JSON
/// would cost a command a good part of its time.
public final class CibShortForm implements ShortForm<CibMessage> {
  private static final int CHANGED = 1;
  private static final int QUERY = 2;
  private static final int UPDATE = 3;
  private static final int ANSWER = 4;
  private static final int COPY = 5;

  // Kept, because `values()` makes a copy each time.
  private static final class Words {
    static final CibOp.Kind[] KINDS = CibOp.Kind.values();
  }

  // No pattern switch: the JVM would generate its code at the start of each command.
  @Override
  public boolean write(CibMessage message, FrameWriter to) {
    if (message instanceof CibMessage.Changed(var patch, var before, var after)) {
      to.octet(CHANGED).text(patch.text()).number(before).number(after);
    } else if (message instanceof CibMessage.Query(var query, var user)) {
      to.octet(QUERY).text(query.section());
      to.flag(query.byXPath()).flag(query.noChildren()).flag(query.paths()).text(user);
    } else if (message instanceof CibMessage.Update update) {
      write(update, to.octet(UPDATE));
    } else if (message instanceof CibMessage.Answer(var rc, var why, var xml, var version)) {
      write(version, to.octet(ANSWER).number(rc.code()).text(why).optional(xml));
    } else if (message instanceof CibMessage.Copy(var xml)) {
      to.octet(COPY).text(xml);
    } else {
      return false;
    }
    return true;
  }

  public static FrameWriter write(CibVersion version, FrameWriter to) {
    to.number(version.adminEpoch()).number(version.epoch()).number(version.numUpdates());
    return to;
  }

  public static void write(CibMessage.Update update, FrameWriter to) {
    to.number(update.operations().size());
    for (var operation : update.operations()) {
      to.code(operation.kind()).text(operation.section()).flag(operation.byXPath());
      to.optional(operation.xml()).flag(operation.allowCreate()).flag(operation.score());
      to.flag(operation.multiple()).text(operation.schema());
    }
    to.flag(update.force()).text(update.user()).text(update.client());
    to.number(update.timeoutMillis()).number(update.dcEpoch());
  }

  @Override
  public @Nullable CibMessage read(int kind, FrameReader from) throws ProtocolException {
    return switch (kind) {
      case CHANGED -> new CibMessage.Changed(XmlText.of(from.text()), from.number(), from.number());
      case QUERY -> new CibMessage.Query(query(from), from.text());
      case UPDATE -> update(from);
      case ANSWER -> new CibMessage.Answer(rc(from), from.text(), from.optional(), version(from));
      case COPY -> new CibMessage.Copy(from.text());
      default -> null;
    };
  }

  public static Rc rc(FrameReader from) throws ProtocolException {
    var code = from.integer();
    var rc = Rc.of(code);
    if (rc == null) {
      throw new ProtocolException("a result that stands for nothing, " + code);
    }
    return rc;
  }

  private static CibQuery query(FrameReader from) throws ProtocolException {
    return new CibQuery(from.text(), from.flag(), from.flag(), from.flag());
  }

  public static CibVersion version(FrameReader from) throws ProtocolException {
    return new CibVersion(from.integer(), from.integer(), from.integer());
  }

  public static CibMessage.Update update(FrameReader from) throws ProtocolException {
    var count = from.count();
    var operations = FrameReader.<CibOp>room(count);
    for (var left = count; left > 0; left--) {
      operations.add(operation(from));
    }
    return new CibMessage.Update(
        operations, from.flag(), from.text(), from.text(), from.number(), from.number());
  }

  private static CibOp operation(FrameReader from) throws ProtocolException {
    return new CibOp(
        from.coded(Words.KINDS),
        from.text(),
        from.flag(),
        from.optional(),
        from.flag(),
        from.flag(),
        from.flag(),
        from.text());
  }
}
