package org.systole.fenced.client;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.wire.FrameReader;
import org.systole.common.wire.FrameWriter;
import org.systole.common.wire.Protocol.ProtocolException;
import org.systole.common.wire.ShortForm;
import org.systole.fenced.client.FenceMessage.FenceRecord;
import org.systole.fenced.client.FenceMessage.Progress;

/// The short form of what every status command asks the fencer, and of the answer.
final class FenceShortForm implements ShortForm<FenceMessage> {
  private static final int HISTORY_QUERY = 1;
  private static final int HISTORY = 2;

  @Override
  public boolean write(FenceMessage message, FrameWriter to) {
    if (message instanceof FenceMessage.HistoryQuery(var target, var refresh)) {
      to.octet(HISTORY_QUERY).node(target).flag(refresh);
    } else if (message instanceof FenceMessage.History(var records)) {
      to.octet(HISTORY).number(records.size());
      for (var record : records) {
        write(record, to);
      }
    } else {
      return false;
    }
    return true;
  }

  private static void write(FenceRecord record, FrameWriter to) {
    to.text(record.id()).node(record.target()).text(record.action()).node(record.origin());
    to.text(record.delegate()).text(record.client()).code(record.progress());
    to.number(record.completedMillis()).text(record.exitReason()).number(record.membership());
  }

  @Override
  public @Nullable FenceMessage read(int kind, FrameReader from) throws ProtocolException {
    return switch (kind) {
      case HISTORY_QUERY -> new FenceMessage.HistoryQuery(from.nodeNameOrNone(), from.flag());
      case HISTORY -> new FenceMessage.History(records(from));
      default -> null;
    };
  }

  private static List<FenceRecord> records(FrameReader from) throws ProtocolException {
    var count = from.count();
    var records = FrameReader.<FenceRecord>room(count);
    for (var left = count; left > 0; left--) {
      records.add(record(from));
    }
    return records;
  }

  private static FenceRecord record(FrameReader from) throws ProtocolException {
    return new FenceRecord(
        from.text(),
        from.nodeName(),
        from.text(),
        from.nodeName(),
        from.text(),
        from.text(),
        from.coded(Progress.values()),
        from.number(),
        from.text(),
        from.number());
  }
}
