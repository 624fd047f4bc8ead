package org.systole.attrd;

import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.systole.attrd.client.AttrMessage;
import org.systole.common.values.NodeName;

/// The limits on attributes. All of them together have to fit one message, because a node that
/// joins is sent the whole table in one.
final class AttrLimits {
  /// The limit for one update, in bytes.
  static final int UPDATE_MAX = 1 << 20;

  /// The limit for all values and for the updates of this node's clients that are not applied yet.
  /// It is lower than the table's own limit, because clients of other nodes set values at the same
  /// time.
  static final int ALL_MAX = 24 << 20;

  private final AttributeTable table;
  private final AttrOutbox outbox;

  AttrLimits(AttributeTable table, AttrOutbox outbox) {
    this.table = table;
    this.outbox = outbox;
  }

  /// Why an update is refused, as one line; null if it is not.
  ///
  /// @param node the node that is updated; null while this node does not know its own name
  @Nullable String problem(AttrMessage.Update update, @Nullable NodeName node) {
    var length = TextLength.of(update);
    if (length > UPDATE_MAX) {
      return tooLong("the update", length, UPDATE_MAX);
    }
    var growth = node == null ? length : table.growth(update, node);
    var would = table.bytes() + outbox.bytes() + growth;
    return growth > 0 && would > ALL_MAX ? tooLong("all attributes", would, ALL_MAX) : null;
  }

  private static String tooLong(String what, long would, int most) {
    return String.format(
        Locale.ROOT,
        "%s would have %,d bytes, at most %,d are taken; delete attributes or shorten them",
        what,
        would,
        most);
  }
}
