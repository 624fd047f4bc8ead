package org.systole.attrd.client;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeName;
import org.systole.common.values.ResourceId;
import org.systole.common.wire.Allowed;
import org.systole.common.wire.ClientProtocol;
import org.systole.common.wire.ClientProtocol.NoEvent;
import org.systole.common.wire.Coded;
import org.systole.common.wire.Protocol;

/// What clients and the attribute manager of one node say to each other over `attr.sock`.
///
/// Requests are [Update], [ClearFailures], [RemoveNode], [Refresh], answered with [Done], and
/// [Query], answered with [Values].
public sealed interface AttrMessage {
  int GUEST_FRAME_MAX = 1 << 20; // room for a long value

  ClientProtocol<Request, Reply, NoEvent> PROTOCOL =
      ClientProtocol.of(
              Protocol.of("attributes", 1, AttrMessage.class, new AttrShortForm()),
              Request.class,
              Reply.class)
          .withLongGuestFrames(GUEST_FRAME_MAX)
          .withRefusal(why -> new Done(Outcome.REFUSED, why));
  String SOCKET = "attr";

  sealed interface Request extends AttrMessage {}

  sealed interface Reply extends AttrMessage {}

  /// What an update changes.
  enum Change implements Coded {
    /// The value; a delay counts only if the attribute is new.
    VALUE(0),
    /// The value and the delay.
    VALUE_AND_DELAY(1),
    /// The delay of an attribute that exists.
    DELAY(2);

    private final int code;

    Change(int code) {
      this.code = code;
    }

    @Override
    public int code() {
      return code;
    }
  }

  /// When an update is answered.
  enum Wait implements Coded {
    /// Once it is queued.
    NO(0),
    /// Once this node's attribute manager has applied it.
    LOCAL(1),
    /// Once every node's attribute manager has applied it.
    CLUSTER(2);

    private final int code;

    Wait(int code) {
      this.code = code;
    }

    @Override
    public int code() {
      return code;
    }
  }

  /// How an attribute is kept.
  ///
  /// @param set the id of the attribute set it is written to, empty for the usual one
  /// @param utilization a utilization attribute, not a node attribute
  /// @param isPrivate known to the attribute managers only, never written to the CIB
  record Kind(String set, boolean utilization, boolean isPrivate) {
    public static final Kind TRANSIENT = new Kind("", false, false);
  }

  /// Sets or deletes an attribute of one node.
  ///
  /// @param name the attribute; empty if `pattern` is given
  /// @param pattern an extended regular expression; every attribute whose name it matches is
  ///     updated
  /// @param node null for the local one
  /// @param value null deletes; `value++` and `value+=N` count up from the present value
  /// @param delayMillis how long to wait for further changes before writing; -1 to leave the delay
  ///     as it is
  /// @param remote the node is a Pacemaker Remote node
  /// @param once what tells this update from every other one, at most [#ONCE_MAX] letters, digits
  ///     and dashes: who asks again without knowing whether it was done says the same again, and it
  ///     is done once; null for an update that may be done again
  /// @param delayText the delay as it was asked for, where it is none or changes one; for the log
  record Update(
      Change change,
      String name,
      String pattern,
      @Nullable NodeName node,
      @Nullable String value,
      long delayMillis,
      Kind kind,
      boolean remote,
      Wait until,
      @Nullable String once,
      @Nullable String delayText)
      implements Request, Allowed.WithinLists {
    /// Of characters.
    public static final int ONCE_MAX = 40;

    /// An update whose delay is not told to the log as it was asked for.
    public Update(
        Change change,
        String name,
        String pattern,
        @Nullable NodeName node,
        @Nullable String value,
        long delayMillis,
        Kind kind,
        boolean remote,
        Wait until,
        @Nullable String once) {
      this(change, name, pattern, node, value, delayMillis, kind, remote, until, once, null);
    }

    /// An update that may be done again.
    public Update(
        Change change,
        String name,
        String pattern,
        @Nullable NodeName node,
        @Nullable String value,
        long delayMillis,
        Kind kind,
        boolean remote,
        Wait until) {
      this(change, name, pattern, node, value, delayMillis, kind, remote, until, null);
    }
  }

  /// Forgets failures: the failcount and last-failure attributes.
  ///
  /// @param resource whose; null for all
  /// @param operation only of this operation; empty for all
  /// @param node only on this node; null for all
  record ClearFailures(
      @Nullable ResourceId resource, String operation, long intervalMillis, @Nullable NodeName node)
      implements Request, Allowed.WithinLists {}

  /// Forgets every value of a node that is gone.
  ///
  /// @param remote it is a Pacemaker Remote node
  record RemoveNode(NodeName node, boolean remote) implements Request, Allowed.ToNobodyElse {}

  /// Has every attribute written to the CIB again.
  record Refresh() implements Request, Allowed.ToMembers {}

  /// @param node null for all nodes, `localhost` for the local one
  record Query(String name, @Nullable NodeName node) implements Request, Allowed.WithinLists {}

  enum Outcome implements Coded {
    OK(0),
    /// There is no such attribute.
    MISSING(1),
    /// The request is invalid or exceeds a limit; see the reason.
    REFUSED(2),
    /// Not all nodes confirmed in time, too many updates wait, or the cluster was lost; see the
    /// reason.
    FAILED(3),
    /// The client has no right to this; see the reason.
    DENIED(4);

    private final int code;

    Outcome(int code) {
      this.code = code;
    }

    @Override
    public int code() {
      return code;
    }
  }

  /// @param why empty after a success, else one line
  record Done(Outcome outcome, String why) implements Reply {}

  /// @param exists whether the attribute is known at all
  record Values(boolean exists, List<NodeValue> values) implements Reply {}

  /// @param value null if the node has none
  record NodeValue(NodeName node, @Nullable String value) {}
}
