package org.systole.hostha;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeName;
import org.systole.hostha.fsm.HostEvent;
import org.systole.hostha.fsm.HostState;

/// Everything a decider can want done. An order with an id is answered by an [Input] with the same
/// id; one that is not answered in its time is abandoned, and told so.
public sealed interface Order {
  record CheckEligibility(long id, NodeName host) implements Order {}

  record CheckHealth(long id, NodeName host) implements Order {}

  /// A neighbour is to look for signs of a host's life.
  record CheckActivity(long id, NodeName host, NodeName neighbour, List<String> volumes)
      implements Order {}

  /// @param operation such as `CYCLE`
  /// @param neighbour who is to do it if the provider does; null if nobody can
  record Recover(long id, NodeName host, String operation, @Nullable NodeName neighbour)
      implements Order {}

  /// @param operation such as `OFF`
  /// @param neighbour who is to do it if the provider does; null if nobody can
  record Fence(long id, NodeName host, String operation, @Nullable NodeName neighbour)
      implements Order {}

  record ReadPower(long id, NodeName host) implements Order {}

  /// Nobody waits for the answer to an order any more.
  record Abandon(long id, NodeName host) implements Order {}

  /// A host's record is to be made durable, in place of the one before, in one step with its
  /// maintenance, and only if no decider of a later epoch has written yet.
  ///
  /// @param kept null if there is nothing to keep
  /// @param maintenance what its maintenance is to be; null to leave it alone
  record Write(
      long revision, NodeName host, @Nullable HostRecord kept, @Nullable Boolean maintenance)
      implements Order {}

  /// A host has come into another state. Nothing is to be done, but seen.
  record Moved(NodeName host, HostState from, HostState to, HostEvent event, String why)
      implements Order {}

  /// A host stays in its state for another reason than before. Nothing is to be done, but seen.
  record Explained(NodeName host, String why) implements Order {}

  /// People are to be told.
  ///
  /// @param host null if it is about more than one
  /// @param refusal whether that is the answer to a person's order, of which nothing came
  record Tell(@Nullable NodeName host, boolean alert, boolean refusal, String text) implements Order {}
}
