package org.systole.hostha;

import java.util.SortedMap;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeName;
import org.systole.hostha.config.Configuration;

/// Everything a decider can be told. An answer names the order it is to; one to an order that is over
/// changes nothing.
public sealed interface Input {
  /// Only the time has gone on.
  record Tick() implements Input {}

  record Configure(Configuration configuration) implements Input {}

  /// @param why why not, or empty
  record Eligible(long id, boolean yes, String why) implements Input {}

  /// @param why what is wrong, or empty
  record Health(long id, boolean passed, String why) implements Input {}

  /// What a neighbour saw.
  ///
  /// @param volumes by name
  /// @param error why it could not look at all; null if it could
  record Activity(long id, SortedMap<String, VolumeRead> volumes, @Nullable String error)
      implements Input {}

  /// A power cycle has ended.
  record Cycled(long id, boolean done, String why) implements Input {}

  record Fenced(long id, Proof proof, String why) implements Input {}

  record Power(long id, PowerState state) implements Input {}

  /// A record is durable, or was refused.
  record Written(NodeName host, long revision, boolean done, String why) implements Input {}

  /// What is kept of a host is not what was written: somebody has removed all attributes of a node, say, or put those of
  /// a backup in their place.
  record Altered(NodeName host) implements Input {}

  /// A host was put into maintenance, or taken out of it.
  record Maintenance(NodeName host, boolean on) implements Input {}

  /// The cluster has a connection to a host, or means to have it again; or it has none, and the host
  /// may be stopped now.
  record Connected(NodeName host, boolean on) implements Input {}

  /// A person does not want the host recovered or fenced.
  record Hold(NodeName host, String why) implements Input {}

  record Release(NodeName host) implements Input {}

  /// A person wants the host recovered, whatever its neighbours see and guards say.
  record ForceRecovery(NodeName host) implements Input {}

  /// A person wants the host fenced, whatever its neighbours see and guards say.
  record ForceFencing(NodeName host) implements Input {}

  /// A person has seen that the power of a host that is being fenced is off.
  record Confirm(NodeName host) implements Input {}

  /// The host was fenced, and not by the decider's order.
  record FencedByOthers(NodeName host, String why) implements Input {}

  /// A person has looked after a fenced host.
  record Clear(NodeName host) implements Input {}

  /// A person does not want to wait for the next check.
  record CheckNow(NodeName host) implements Input {}

  /// There is a decider of a later epoch: this one does nothing any more.
  record Superseded() implements Input {}
}
