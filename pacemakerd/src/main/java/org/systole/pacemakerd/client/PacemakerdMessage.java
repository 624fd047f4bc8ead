package org.systole.pacemakerd.client;

import org.systole.common.wire.Allowed;
import org.systole.common.wire.ClientProtocol;
import org.systole.common.wire.ClientProtocol.NoEvent;
import org.systole.common.wire.Protocol;

/// What commands ask the supervisor over `pacemakerd.sock`.
public sealed interface PacemakerdMessage {
  ClientProtocol<Request, Reply, NoEvent> PROTOCOL =
      ClientProtocol.of(
          Protocol.of("pacemakerd", 1, PacemakerdMessage.class), Request.class, Reply.class);
  String SOCKET = "pacemakerd";

  sealed interface Request extends PacemakerdMessage {}

  sealed interface Reply extends PacemakerdMessage {}

  /// Asks for [State].
  record Ping() implements Request, Allowed.ToMembers {}

  /// @param state `init`, `starting_daemons`, `running`, `shutting_down` or `shutdown_complete`
  /// @param updatedSeconds when the daemons were last known to be as the state says, seconds since
  ///     1970
  record State(String state, long updatedSeconds) implements Reply {}

  /// The client has no right to this request; nothing was done.
  ///
  /// @param why one line
  record Denied(String why) implements Reply {}

  /// Switches debugging messages of all the node's daemons on or off; answered with [State].
  ///
  /// @param daemons as [org.systole.common.world.World#setDebug] has it
  record Debug(String daemons) implements Request, Allowed.ToNobodyElse {}

  /// Asks the node to stop; answered with [State] at once. The connection closes when it is down.
  record Shutdown() implements Request, Allowed.ToNobodyElse {}
}
