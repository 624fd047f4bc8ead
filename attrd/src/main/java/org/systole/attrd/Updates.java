package org.systole.attrd;

import org.systole.attrd.client.AttrMessage;

/// Small changes to an update.
final class Updates {
  private Updates() {}

  static AttrMessage.Update forNode(AttrMessage.Update it, String node) {
    return new AttrMessage.Update(
        it.change(),
        it.name(),
        it.pattern(),
        node,
        it.value(),
        it.delayMillis(),
        it.kind(),
        it.remote(),
        it.until());
  }
}
