package org.systole.attrd.client;

import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeName;

/// The usual updates, so that callers need not spell out every field.
public final class AttrUpdates {
  private AttrUpdates() {}

  /// Sets an attribute that lasts until its node leaves; null deletes it.
  ///
  /// @param node null for the local one
  public static AttrMessage.Update set(
      String name, @Nullable NodeName node, @Nullable String value) {
    return set(name, node, value, false);
  }

  /// @param remote the node is a Pacemaker Remote node
  public static AttrMessage.Update set(
      String name, @Nullable NodeName node, @Nullable String value, boolean remote) {
    return new AttrMessage.Update(
        AttrMessage.Change.VALUE,
        name,
        "",
        node,
        value,
        -1,
        AttrMessage.Kind.TRANSIENT,
        remote,
        AttrMessage.Wait.NO);
  }

  /// The same update, answered once `until` is reached.
  public static AttrMessage.Update waiting(AttrMessage.Update it, AttrMessage.Wait until) {
    return with(it, until, it.once());
  }

  /// Whether a value is counted up from the present one: done twice it counts twice.
  public static boolean countsUp(@Nullable String value) {
    return value != null && (value.equals("value++") || value.startsWith("value+="));
  }

  /// The same update, done once however often it is asked for.
  ///
  /// @param once see [AttrMessage.Update]
  public static AttrMessage.Update once(AttrMessage.Update it, String once) {
    return with(it, it.until(), once);
  }

  private static AttrMessage.Update with(
      AttrMessage.Update it, AttrMessage.Wait until, @Nullable String once) {
    return new AttrMessage.Update(
        it.change(),
        it.name(),
        it.pattern(),
        it.node(),
        it.value(),
        it.delayMillis(),
        it.kind(),
        it.remote(),
        until,
        once,
        it.delayText());
  }
}
