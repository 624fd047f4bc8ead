package org.systole.pacemakerd.client;

import org.systole.common.wire.Protocol;

/// What commands ask the supervisor over `pacemakerd.sock`.
public sealed interface PacemakerdMessage {
  Protocol<PacemakerdMessage> PROTOCOL = Protocol.of("pacemakerd", 1, PacemakerdMessage.class);
  String SOCKET = "pacemakerd";

  /// Asks for [State].
  record Ping() implements PacemakerdMessage {}

  /// @param state `init`, `starting_daemons`, `running`, `shutting_down` or `shutdown_complete`
  /// @param updatedSeconds when the daemons were last known to be as the state says, seconds since
  ///     1970
  record State(String state, long updatedSeconds) implements PacemakerdMessage {}

  /// Asks the node to stop; answered with [State] at once. The connection closes when it is down.
  record Shutdown() implements PacemakerdMessage {}
}
