package org.systole.attrd;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.attrd.client.AttrMessage;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.wire.Protocol;

/// What the attribute managers of a cluster say to each other. All but [Confirm] are broadcast.
sealed interface AttrPeerMessage {
  Protocol<AttrPeerMessage> PROTOCOL = Protocol.of("attributes-peer", 1, AttrPeerMessage.class);

  /// Changes that every manager applies, in this order and as a whole.
  ///
  /// @param number the sender's number for the batch; it rises
  record Batch(long number, List<Apply> updates) implements AttrPeerMessage {}

  /// A change in a [Batch].
  ///
  /// @param request the sender's number for it, 0 if no client waits
  /// @param confirm whether every manager has to answer with [Confirm]
  record Apply(long request, AttrMessage.Update update, boolean confirm) {}

  record Clear(AttrMessage.ClearFailures failures) implements AttrPeerMessage {}

  record Remove(NodeName node, boolean remote) implements AttrPeerMessage {}

  /// The writer writes everything again.
  record Refresh() implements AttrPeerMessage {}

  /// What the sender knows; sent when a manager joins.
  ///
  /// @param fresh the sender has just started: it does not know its own node's values
  /// @param own its own node's values; unless fresh, exactly these hold
  /// @param others values it vouches for besides: those of fresh nodes and of remote nodes
  /// @param present the managers that the sender knew to be there. Who came after it spoke is told
  ///     again, and ignores this one, which may be older than changes that it has heard. Null from
  ///     builds that do not say it, and then it is for all
  record Tell(
      boolean fresh, List<Value> own, List<Value> others, @Nullable List<NodeId> present)
      implements AttrPeerMessage {
    Tell(boolean fresh, List<Value> own, List<Value> others) {
      this(fresh, own, others, null);
    }

    boolean isFor(NodeId node) {
      return present == null || present.contains(node);
    }
  }

  /// Tells the sender of an [Apply] that it has been applied here.
  record Confirm(long request) implements AttrPeerMessage {}

  /// One value of one node with all that is known of its attribute.
  ///
  /// @param counted the last updates that are in it and are done once, oldest first; null for none
  record Value(
      String name,
      AttrMessage.Kind kind,
      long delayMillis,
      NodeName node,
      @Nullable String value,
      boolean remote,
      @Nullable List<String> counted) {
    Value(
        String name,
        AttrMessage.Kind kind,
        long delayMillis,
        NodeName node,
        @Nullable String value,
        boolean remote) {
      this(name, kind, delayMillis, node, value, remote, null);
    }
  }
}
