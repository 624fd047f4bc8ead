package org.systole.fenced.client;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.OcfCode;
import org.systole.common.values.NodeName;
import org.systole.common.wire.Allowed;
import org.systole.common.wire.ClientProtocol;
import org.systole.common.wire.Coded;
import org.systole.common.wire.Protocol;

/// What clients and the fencer of one node say to each other over `fence.sock`.
///
/// Only root and the cluster's own user may ask for what changes anything.
public sealed interface FenceMessage {
  ClientProtocol<Request, Reply, Event> PROTOCOL =
      ClientProtocol.of(
              Protocol.of("fencer", 1, FenceMessage.class, new FenceShortForm()),
              Request.class,
              Reply.class,
              Event.class)
          .withRefusal(why -> new Refused(ExecStatus.INVALID, why));
  String SOCKET = "fence";

  sealed interface Request extends FenceMessage {}

  sealed interface Reply extends FenceMessage {}

  sealed interface Event extends FenceMessage {}

  /// Asks for events from now on: [Fenced], [HistoryChanged], [DevicesChanged]. Answered with [Ok].
  record Subscribe() implements Request, Allowed.ToMembers {}

  /// The client has no right to this request; nothing was done. One line says why.
  record Denied(String why) implements Reply {}

  /// The request was not understood or could not be carried out; one line says why.
  record Refused(ExecStatus status, String why) implements Reply {}

  /// Done as asked.
  record Ok() implements Reply {}

  /// Has a node fenced, by any device on any node that can do it. Answered with [Outcome] when it
  /// is done or has failed; every subscriber on every node gets the [Fenced] event.
  ///
  /// @param target the node's name, or its id in digits; without one it is refused
  /// @param action `reboot`, `off` or `on`
  /// @param timeoutMillis for the whole operation; the fencer may stretch it if the devices' own
  ///     timeouts ask for more
  /// @param delaySeconds added to the devices' delays; -1 switches all delays off
  /// @param toleranceMillis a success of the same kind no longer ago than this answers the request;
  ///     0 to fence in any case
  /// @param client who asks, for history and logs, such as `stonith_admin.4711`
  /// @param selfFencing whether a node may be the one to fence itself
  /// @param membership the number of the membership that the caller decided from: if the target has
  ///     begun another stay since, it is not fenced, and the outcome is `CANCELLED`; 0 to fence it
  ///     as it is now
  /// @param tied whether it is wanted no longer than its client stays connected: then it is given up
  ///     as by a [Withdraw] that is meant wholly
  record Fence(
      @Nullable NodeName target,
      String action,
      long timeoutMillis,
      int delaySeconds,
      long toleranceMillis,
      String client,
      boolean selfFencing,
      long membership,
      boolean tied)
      implements Request, Allowed.ToNobodyElse {
    /// It goes on without its client.
    public Fence(
        @Nullable NodeName target,
        String action,
        long timeoutMillis,
        int delaySeconds,
        long toleranceMillis,
        String client,
        boolean selfFencing,
        long membership) {
      this(
          target, action, timeoutMillis, delaySeconds, toleranceMillis, client, selfFencing, membership, false);
    }

    /// The same, wanted as long as its client stays connected.
    public Fence tiedToItsClient() {
      return new Fence(
          target, action, timeoutMillis, delaySeconds, toleranceMillis, client, selfFencing, membership, true);
    }
  }

  /// Says that what this client asked for is not wanted any more, unless another client waits for it, too.
  /// Without `wholly` that counts as long as no device was told to act. Answered with [Ok], whatever
  /// comes of it; the request itself is answered as it ends.
  ///
  /// @param client as in the request
  /// @param wholly it is not wanted later, either: what a device does now is carried through, and
  ///     after a failure neither another device nor another node is tried
  record Withdraw(NodeName target, String action, String client, boolean wholly)
      implements Request, Allowed.ToNobodyElse {}

  /// @param record the operation as it stands in the history
  /// @param rc the agent's exit status, 0 for success
  record Outcome(FenceRecord record, int rc, ExecStatus status) implements Reply {
    public boolean succeeded() {
      return status == ExecStatus.DONE && OcfCode.OK.is(rc);
    }

    /// What went wrong with one that has not succeeded, in words.
    public String failure() {
      return record.failure(rc, status);
    }
  }

  /// Event: a fencing operation of any node has ended.
  record Fenced(FenceRecord record, int rc, ExecStatus status) implements Event {
    public boolean succeeded() {
      return status == ExecStatus.DONE && OcfCode.OK.is(rc);
    }

    /// What went wrong with one that has not succeeded, in words.
    public String failure() {
      return record.failure(rc, status);
    }
  }

  /// Event: the history changed other than by an operation's end, such as by a new pending one.
  record HistoryChanged() implements Event {}

  /// Event: devices or topology changed.
  record DevicesChanged() implements Event {}

  /// How far a fencing operation is.
  enum Progress implements Coded {
    QUERYING(0),
    EXECUTING(1),
    DONE(2),
    /// Its result is that of an identical operation that was under way.
    DUPLICATE(3),
    FAILED(4);

    private final int code;

    Progress(int code) {
      this.code = code;
    }

    @Override
    public int code() {
      return code;
    }
  }

  /// An operation as the history keeps it.
  ///
  /// @param id the same on every node
  /// @param origin the node whose fencer was asked
  /// @param delegate the node that carried it out, empty while not known; `a human` if confirmed by
  ///     hand
  /// @param completedMillis when it ended, milliseconds since 1970; 0 while it is pending
  /// @param exitReason what went wrong, empty if nothing
  /// @param membership the operation is about stays of the target that began with this membership
  ///     or before, and says nothing about later ones
  record FenceRecord(
      String id,
      NodeName target,
      String action,
      NodeName origin,
      String delegate,
      String client,
      Progress progress,
      long completedMillis,
      String exitReason,
      long membership) {
    public boolean pending() {
      return progress == Progress.QUERYING || progress == Progress.EXECUTING;
    }

    /// An agent that was run may have failed all the same, and say nothing of it.
    private String failure(int rc, ExecStatus status) {
      if (!exitReason.isEmpty()) {
        return exitReason;
      }
      return status == ExecStatus.DONE ? "the fence agent failed with exit status " + rc : status.text();
    }

    /// Whether a success means that this stay of the target is over, see [Stays].
    public boolean covers(long stay) {
      return stay <= membership;
    }
  }

  /// Asks for the history, latest first. Answered with [History].
  ///
  /// @param target only of this node; null for all
  /// @param refresh also asks all fencers for their histories; they come too late for this answer
  record HistoryQuery(@Nullable NodeName target, boolean refresh)
      implements Request, Allowed.ToMembersInPart {
    @Override
    public boolean isForMembers() {
      return !refresh;
    }
  }

  record History(List<FenceRecord> records) implements Reply {}

  /// Drops ended operations from the history of all nodes. Answered with [Ok].
  ///
  /// @param target only of this node; empty for all. A text rather than null, as a request that
  ///     lacks it must not mean all
  record HistoryCleanup(String target) implements Request, Allowed.ToNobodyElse {}

  /// A person says that the node is safely down; it counts as fenced. Answered with [Ok], or
  /// [Refused] while the node is a member of the cluster.
  record Confirm(NodeName target, String client) implements Request, Allowed.ToNobodyElse {}

  /// Makes a device known to this node's fencer only, in addition to those of the CIB. Answered
  /// with [Ok].
  ///
  /// @param agent such as `fence_xvm`
  record RegisterDevice(String device, String agent, Map<String, String> parameters)
      implements Request, Allowed.ToNobodyElse {}

  /// Answered with [Ok]. A device of the CIB stays usable, but no longer counts as verified.
  record DeregisterDevice(String device) implements Request, Allowed.ToNobodyElse {}

  /// @param target a node's name, `@PATTERN`, or `ATTRIBUTE=VALUE`
  /// @param index 1 to 9
  record RegisterLevel(String target, int index, List<String> devices)
      implements Request, Allowed.ToNobodyElse {}

  /// @param index 1 to 9, or 0 for all levels of the target
  record DeregisterLevel(String target, int index) implements Request, Allowed.ToNobodyElse {}

  /// Asks for the devices this node's fencer knows. Answered with [Devices].
  ///
  /// @param target only those that can fence this node, asking the devices themselves where that is
  ///     how they are set up; null for all
  record DeviceQuery(@Nullable NodeName target, long timeoutMillis)
      implements Request, Allowed.ToMembersInPart {
    @Override
    public boolean isForMembers() {
      return target == null;
    }
  }

  /// @param devices sorted by name
  record Devices(List<Device> devices) implements Reply {}

  /// @param verified whether it is monitored from this node with success
  record Device(String name, String agent, boolean verified) {}

  /// Has a device's agent carry out `monitor`, `list` or `status` on this node. Answered with
  /// [DeviceResult].
  ///
  /// @param target the node whose status is asked for; null otherwise
  record RunDevice(String device, String action, @Nullable NodeName target, long timeoutMillis)
      implements Request, Allowed.ToNobodyElse {}

  /// @param output what the agent wrote on standard output
  record DeviceResult(int rc, ExecStatus status, String exitReason, String output)
      implements Reply {
    public boolean succeeded() {
      return status == ExecStatus.DONE && OcfCode.OK.is(rc);
    }
  }

  /// Asks a fence agent for its metadata. Answered with [Metadata].
  record MetadataQuery(String agent, long timeoutMillis) implements Request, Allowed.ToMembers {}

  /// @param xml the metadata, empty if there is none
  /// @param why empty, or one line about what went wrong
  record Metadata(String xml, ExecStatus status, String why) implements Reply {}

  /// Has a fence agent check parameters without a device being set up. Answered with [Validated].
  ///
  /// @param device the device's name, may be empty
  record Validate(String agent, String device, Map<String, String> parameters, long timeoutMillis)
      implements Request, Allowed.ToNobodyElse {}

  record Validated(int rc, ExecStatus status, String output, String errors) implements Reply {}
}
