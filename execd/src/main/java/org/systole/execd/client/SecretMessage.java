package org.systole.execd.client;

import java.util.List;
import org.systole.common.values.NodeName;
import org.systole.common.values.ResourceId;
import org.systole.common.wire.Allowed;
import org.systole.common.wire.ClientProtocol;
import org.systole.common.wire.ClientProtocol.NoEvent;
import org.systole.common.wire.Protocol;

/// What `cibsecret` and the executor of its node say to each other over `secret.sock`. No value
/// goes this way: the executor reads the files itself.
public sealed interface SecretMessage {
  ClientProtocol<Request, Reply, NoEvent> PROTOCOL =
      ClientProtocol.of(
              Protocol.of("secrets", 1, SecretMessage.class), Request.class, Reply.class)
          .withRefusal(Refused::new);
  String SOCKET = "secret";

  sealed interface Request extends SecretMessage {}

  sealed interface Reply extends SecretMessage {}

  /// Which other nodes can be given secrets now? Answered with [Nodes].
  record NodesQuery() implements Request, Allowed.ToNobodyElse {}

  /// @param nodes sorted by node id
  record Nodes(List<NodeName> nodes) implements Reply {}

  /// Gives all other nodes one secret as this node has it, or takes it from them if this node has
  /// none. Answered with [Spreaded] or [Refused].
  record Spread(ResourceId resource, String parameter) implements Request, Allowed.ToNobodyElse {}

  /// Gives all other nodes all secrets of this node, and takes all others from them. Refused where
  /// this node has none, or one of them is not whole.
  record SpreadAll() implements Request, Allowed.ToNobodyElse {}

  /// @param nodes in the order of [Nodes]
  record Spreaded(List<Outcome> nodes) implements Reply {}

  /// @param problem empty, or what went wrong in one line
  record Outcome(NodeName node, String problem) {}

  /// Nothing was done.
  record Refused(String why) implements Reply {}
}
