package org.systole.attrd;

import org.systole.attrd.client.AttrMessage;
import org.systole.common.values.NodeName;

/// Small changes to an update.
final class Updates {
  private Updates() {}

  /// The update of one of the attributes that its pattern finds.
  static AttrMessage.Update named(AttrMessage.Update it, String name, AttrMessage.Wait until) {
    return new AttrMessage.Update(
        it.change(),
        name,
        "",
        it.node(),
        it.value(),
        it.delayMillis(),
        it.kind(),
        it.remote(),
        until,
        it.once());
  }

  static AttrMessage.Update forNode(AttrMessage.Update it, NodeName node) {
    return new AttrMessage.Update(
        it.change(),
        it.name(),
        it.pattern(),
        node,
        it.value(),
        it.delayMillis(),
        it.kind(),
        it.remote(),
        it.until(),
        it.once());
  }
}
