package org.systole.cibd.client;

import org.jspecify.annotations.Nullable;
import org.systole.common.wire.FrameReader;
import org.systole.common.wire.FrameWriter;
import org.systole.common.wire.Protocol.ProtocolException;
import org.systole.common.wire.ShortForm;

/// What tells every follower of the CIB of each change.
final class CibShortForm implements ShortForm<CibMessage> {
  private static final int CHANGED = 1;

  @Override
  public boolean write(CibMessage message, FrameWriter to) {
    if (!(message instanceof CibMessage.Changed(var patch, var before, var after))) {
      return false;
    }
    to.octet(CHANGED).text(patch).number(before).number(after);
    return true;
  }

  @Override
  public @Nullable CibMessage read(int kind, FrameReader from) throws ProtocolException {
    return kind == CHANGED
        ? new CibMessage.Changed(from.text(), from.number(), from.number())
        : null;
  }
}
