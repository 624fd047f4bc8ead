package org.systole.pacemakerd.client;

import java.util.List;
import org.systole.common.values.NodeId;
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

  /// Has all members read their cluster configuration files anew; answered with [ReadAnew].
  record ReadConfiguration() implements Request, Allowed.ToNobodyElse {}

  /// Asks what is in force of the cluster configuration file; answered with [Configuration].
  record ConfigurationQuery() implements Request, Allowed.ToMembers {}

  /// @param text the file as it was when what is in force was read; empty if it is not known
  /// @param waiting whether `wait_for_all` still keeps this node from having quorum
  record Configuration(String text, boolean waiting) implements Reply {}

  /// Has the members wait for no others any more, where `wait_for_all` has them wait; answered with
  /// [State]. Whoever asks has seen to it that the others are off.
  record EndWait() implements Request, Allowed.ToNobodyElse {}

  /// Asks for the state of the links to the other nodes; answered with [Links]. Not known to builds
  /// before the one that had several links.
  record LinksQuery() implements Request, Allowed.ToMembers {}

  /// @param states none where each node has one link: it is up to those that are members
  record Links(List<LinkState> states) implements Reply {}

  /// A link to another node.
  record LinkState(NodeId node, int link, boolean up) {}

  /// @param done whether all members have taken what they have read; if not, nothing was changed
  ///     anywhere
  /// @param lines for people: what is wrong, or why it is not in force yet
  record ReadAnew(boolean done, List<String> lines) implements Reply {}

  /// Asks the node to stop; answered with [State] at once. The connection closes when it is down.
  record Shutdown() implements Request, Allowed.ToNobodyElse {}

  /// From the guardian of the node's watchdog, again and again: may it feed the device? Answered with
  /// [Permit]. The first one says that the device is armed.
  ///
  /// @param disks whether most of the disks for messages answer; false if there are none
  record MayFeed(boolean disks) implements Request, Allowed.ToNobodyElse {}

  /// @param millis how long the permit holds, counted from the moment it was asked for; it is for
  ///     feeding once
  record Permit(long millis, Order order) implements Reply {}

  /// What the guardian is to do.
  enum Order {
    /// Feed, within the permit's time.
    FEED,
    /// Not feed now, and ask again.
    WAIT,
    /// Never feed again, and reset the machine at once where that can be done.
    RESET,
    /// Disarm the device and end.
    DISARM
  }
}
