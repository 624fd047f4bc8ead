package org.systole.attrd;

import org.jspecify.annotations.Nullable;
import org.systole.attrd.client.AttrMessage;
import org.systole.common.values.NodeName;

/// Small changes to an update.
final class Updates {
  /// A request may say so for its own node.
  static final NodeName LOCALHOST = new NodeName("localhost");

  private Updates() {}

  /// What a user of a remote node asks: where no other node is named, that one is meant.
  static AttrMessage.Request from(NodeName node, AttrMessage.Request request) {
    return switch (request) {
      case AttrMessage.Update it when it.node() == null || isLocal(it.node()) -> remote(it, node);
      case AttrMessage.Query(var name, var on) when on != null && isLocal(on) ->
          new AttrMessage.Query(name, node);
      case AttrMessage.ClearFailures it when it.node() != null && isLocal(it.node()) ->
          new AttrMessage.ClearFailures(it.resource(), it.operation(), it.intervalMillis(), node);
      default -> request;
    };
  }

  private static boolean isLocal(NodeName node) {
    return node.equalsIgnoreCase(LOCALHOST);
  }

  private static AttrMessage.Update remote(AttrMessage.Update it, NodeName node) {
    return new AttrMessage.Update(
        it.change(),
        it.name(),
        it.pattern(),
        node,
        it.value(),
        it.delayMillis(),
        it.kind(),
        true,
        it.until(),
        it.once(),
        it.delayText());
  }

  /// The update without a delay that is none.
  static AttrMessage.Update told(AttrMessage.Update it) {
    return it.delayMillis() >= 0 || it.delayText() == null
        ? it
        : named(it, it.name(), it.pattern(), it.until(), null);
  }

  private static AttrMessage.Update named(
      AttrMessage.Update it,
      String name,
      String pattern,
      AttrMessage.Wait until,
      @Nullable String delayText) {
    return new AttrMessage.Update(
        it.change(),
        name,
        pattern,
        it.node(),
        it.value(),
        it.delayMillis(),
        it.kind(),
        it.remote(),
        until,
        it.once(),
        delayText);
  }

  /// The update of one of the attributes that its pattern finds.
  static AttrMessage.Update named(AttrMessage.Update it, String name, AttrMessage.Wait until) {
    return named(it, name, "", until, it.delayText());
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
        it.once(),
        it.delayText());
  }
}
