package org.systole.cibd.client;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibQuery;
import org.systole.common.cib.CibVersion;
import org.systole.common.output.Rc;
import org.systole.common.values.NodeId;
import org.systole.common.wire.Allowed;
import org.systole.common.wire.ClientProtocol;
import org.systole.common.wire.Protocol;
import org.systole.common.world.Connection;
import org.systole.common.xml.XmlText;

/// What clients and the CIB manager say to each other over `cib.sock`.
public sealed interface CibMessage {
  ClientProtocol<Request, Reply, Event> PROTOCOL =
      ClientProtocol.of(
              Protocol.of("cib", 1, CibMessage.class, new CibShortForm()),
              Request.class,
              Reply.class,
              Event.class)
          .withLongGuestFrames(Connection.FRAME_MAX); // a writer may replace all
  String SOCKET = "cib";

  sealed interface Request extends CibMessage {}

  sealed interface Reply extends CibMessage {}

  sealed interface Event extends CibMessage {}

  /// Answered with [Answer] from this node's copy.
  ///
  /// @param user whose rights count; empty for the user of the connection. Only privileged users
  ///     may name another
  record Query(CibQuery query, String user) implements Request, Allowed.WithinLists {}

  /// Changes the CIB: all the operations or none. Answered with [Answer] once the change is
  /// committed or refused.
  ///
  /// @param force also without quorum
  /// @param user as in [Query]; written into the CIB as `update-user`
  /// @param client the program that asks, written into the CIB as `update-client`
  /// @param timeoutMillis after this the answer is ETIME or NO_DC; without a DC the change waits so
  ///     long for one
  /// @param dcEpoch of the DC that writes as such: refused once there is a later DC; 0 for a change
  ///     that is valid under any DC
  record Update(
      List<CibOp> operations,
      boolean force,
      String user,
      String client,
      long timeoutMillis,
      long dcEpoch)
      implements Request, Allowed.WithinLists {
    public Update(
        List<CibOp> operations, boolean force, String user, String client, long timeoutMillis) {
      this(operations, force, user, client, timeoutMillis, 0);
    }
  }

  /// @param why one line for the user where `rc` alone says too little, else empty
  /// @param xml the result of a query, or the part of an update that failed
  /// @param version of the CIB that was asked, or after the update
  record Answer(Rc rc, String why, @Nullable String xml, CibVersion version) implements Reply {}

  /// Asks for the whole CIB, answered with [Copy], and from then on for every change as [Changed]
  /// or [Copy] events.
  ///
  /// @param patient changes that follow closely may come a little later
  record Subscribe(boolean patient) implements Request, Allowed.WithinLists {
    public Subscribe() {
      this(false);
    }
  }

  /// The whole CIB. As an event: the CIB was replaced, this is the new one.
  record Copy(String xml) implements Reply, Event {}

  /// Event: the patchset leads from the CIB whose content hash is `before` to that of `after`.
  record Changed(XmlText patch, long before, long after) implements Event {}

  /// Asks for the cluster's roles, see `org.systole.roles.live.ClusterRoles`. Answered with [Answer],
  /// without XML if it has none.
  ///
  /// @param user as in [Query]
  /// @param known the content hash of the roles as the client has them, of an earlier answer; then what
  ///     leads on from there may be answered, a [RolesPatch] with the content hash of what it leads to
  ///     (`after`). A CIB manager that does not know this answers with the whole
  record RolesQuery(String user, @Nullable Long known) implements Request, Allowed.WithinLists {
    public RolesQuery(String user) {
      this(user, null);
    }
  }

  /// Event, to the controller of the DC: the cluster has roles, or they changed.
  record RolesChanged() implements Event {}

  /// From the controller of the DC: this node's CIB manager is the primary from now on. Answered
  /// with [Answer] once it has taken over.
  ///
  /// @param epoch the DC's epoch; the highest one counts
  record SetPrimary(long epoch) implements Request, Allowed.ToNobodyElse {}

  /// From a controller that is no longer DC. Answered with [Answer].
  record SetSecondary() implements Request, Allowed.ToNobodyElse {}

  /// Answered with [Status].
  record Ping() implements Request, Allowed.ToMembers {}

  /// @param primary whether this node's CIB manager is the primary
  /// @param primaryId the primary's node id, null while there is none
  /// @param term the term of the last primary this CIB manager has followed or been; 0 if none
  ///     since it started
  /// @param quorateLine false if the CIB holds a change of the configuration made without quorum
  /// @param epoch the highest epoch of a DC heard of
  /// @param digest as `cibadmin --md5-sum-versioned` prints it
  record Status(
      CibVersion version,
      boolean primary,
      @Nullable NodeId primaryId,
      long term,
      boolean quorateLine,
      long epoch,
      String digest)
      implements Reply {}
}
