package org.systole.attrd.client;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.attrd.client.AttrMessage.Change;
import org.systole.attrd.client.AttrMessage.Kind;
import org.systole.attrd.client.AttrMessage.NodeValue;
import org.systole.attrd.client.AttrMessage.Outcome;
import org.systole.attrd.client.AttrMessage.Wait;
import org.systole.common.wire.FrameReader;
import org.systole.common.wire.FrameWriter;
import org.systole.common.wire.Protocol.ProtocolException;
import org.systole.common.wire.ShortForm;

/// The short forms of what agents do all the time: set an attribute, and ask for one.
final class AttrShortForm implements ShortForm<AttrMessage> {
  private static final int UPDATE = 1;
  private static final int DONE = 2;
  private static final int QUERY = 3;
  private static final int VALUES = 4;

  // Kept, because `values()` makes a copy each time.
  private static final class Words {
    static final Change[] CHANGES = Change.values();
    static final Wait[] WAITS = Wait.values();
    static final Outcome[] OUTCOMES = Outcome.values();
  }

  // No pattern switch: the JVM would generate its code at the start of each command.
  @Override
  public boolean write(AttrMessage message, FrameWriter to) {
    if (message instanceof AttrMessage.Update update) {
      if (update.once() != null || update.delayText() != null) {
        return false; // a daemon's, or of a delay; the short form has no room for it
      }
      write(update, to);
    } else if (message instanceof AttrMessage.Done(var outcome, var why)) {
      to.octet(DONE).code(outcome).text(why);
    } else if (message instanceof AttrMessage.Query(var name, var node)) {
      to.octet(QUERY).text(name).node(node);
    } else if (message instanceof AttrMessage.Values(var exists, var values)) {
      to.octet(VALUES).flag(exists).number(values.size());
      for (var value : values) {
        to.node(value.node()).optional(value.value());
      }
    } else {
      return false;
    }
    return true;
  }

  private static void write(AttrMessage.Update update, FrameWriter to) {
    to.octet(UPDATE).code(update.change()).text(update.name()).text(update.pattern());
    to.node(update.node()).optional(update.value()).number(update.delayMillis());
    to.text(update.kind().set()).flag(update.kind().utilization()).flag(update.kind().isPrivate());
    to.flag(update.remote()).code(update.until());
  }

  @Override
  public @Nullable AttrMessage read(int kind, FrameReader from) throws ProtocolException {
    return switch (kind) {
      case UPDATE -> update(from);
      case DONE -> new AttrMessage.Done(from.coded(Words.OUTCOMES), from.text());
      case QUERY -> new AttrMessage.Query(from.text(), from.nodeNameOrNone());
      case VALUES -> new AttrMessage.Values(from.flag(), values(from));
      default -> null;
    };
  }

  private static AttrMessage.Update update(FrameReader from) throws ProtocolException {
    return new AttrMessage.Update(
        from.coded(Words.CHANGES),
        from.text(),
        from.text(),
        from.nodeNameOrNone(),
        from.optional(),
        from.number(),
        new Kind(from.text(), from.flag(), from.flag()),
        from.flag(),
        from.coded(Words.WAITS));
  }

  private static List<NodeValue> values(FrameReader from) throws ProtocolException {
    var count = from.count();
    var values = FrameReader.<NodeValue>room(count);
    for (var left = count; left > 0; left--) {
      values.add(new NodeValue(from.nodeName(), from.optional()));
    }
    return values;
  }
}
