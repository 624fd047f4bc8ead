package org.systole.cibd;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.cibd.client.CibMessage;
import org.systole.common.cib.CibAccess;
import org.systole.common.cib.CibQuery;
import org.systole.common.cib.CibUpdate;
import org.systole.common.cib.CibUser;
import org.systole.common.cib.CibVersion;
import org.systole.common.output.Rc;
import org.systole.common.wire.RpcServer;
import org.systole.common.world.World;
import org.systole.common.xml.XmlWriter;

/// Serves this node's clients: answers queries, passes changes on, and manages subscriptions.
final class Clients
    implements RpcServer.Handler<CibMessage.Request, CibMessage.Reply, CibMessage.Event> {
  private static final int FOUND_MAX = 40 << 20; // bytes of XML; a CIB at its limit is less
  private final World world;
  private final CibCopy copy;
  private final CibText text;
  private final Views views;
  private final GuestTurns guests;
  private final Set<RpcServer.Session<CibMessage.Event>> here =
      Collections.newSetFromMap(new IdentityHashMap<>());
  private final Subscribers subscribers;
  private final RolesWatchers watchers;
  private final Requests requests;
  private final Follower follower;
  private final Primary primary;
  private final boolean alone;

  /// @param alone whether there is no cluster: nobody's quorum is asked for then
  Clients(
      Node node,
      CibText text,
      Views views,
      Subscribers subscribers,
      RolesWatchers watchers,
      Requests requests,
      Follower follower,
      Primary primary,
      boolean alone) {
    this.world = node.world();
    this.copy = node.copy();
    this.text = text;
    this.views = views;
    this.guests = new GuestTurns(world);
    this.subscribers = subscribers;
    this.watchers = watchers;
    this.requests = requests;
    this.follower = follower;
    this.primary = primary;
    this.alone = alone;
  }

  @Override
  public void opened(RpcServer.Session<CibMessage.Event> session) {
    here.add(session);
  }

  @Override
  public void request(
      RpcServer.Session<CibMessage.Event> session,
      RpcServer.Call<CibMessage.Reply> call,
      CibMessage.Request request) {
    var peer = session.peer();
    if (peer.privileged()) {
      serve(session, call, request);
    } else if (!guests.add(peer.who(), () -> serveGuest(session, call, request))) {
      call.reply(answer(Rc.EBUSY, "too many requests of this user are waiting; try again later"));
    }
  }

  private void serveGuest(
      RpcServer.Session<CibMessage.Event> session,
      RpcServer.Call<CibMessage.Reply> call,
      CibMessage.Request request) {
    if (here.contains(session)) {
      serve(session, call, request);
    }
  }

  private void serve(
      RpcServer.Session<CibMessage.Event> session,
      RpcServer.Call<CibMessage.Reply> call,
      CibMessage.Request request) {
    switch (request) {
      case CibMessage.Query(var query, var name) ->
          as(session, name, user -> call.reply(query(query, user)));
      case CibMessage.Update update ->
          as(session, update.user(), user -> submit(session, call, update, user));
      case CibMessage.Subscribe(var patient) -> subscribers.subscribe(session, call, patient);
      case CibMessage.SetPrimary(var epoch) ->
          primary.setPrimary(
              epoch,
              session,
              (rc, why) -> {
                call.reply(answer(rc, why));
                if (rc.isOk()) {
                  watchers.add(session, copy.roles() != null);
                }
              });
      case CibMessage.SetSecondary _ -> {
        watchers.forget(session);
        primary.setSecondary();
        call.reply(answer(Rc.OK, ""));
      }
      case CibMessage.RolesQuery(var name, var known) ->
          as(session, name, user -> call.reply(roles(user, known)));
      case CibMessage.Ping _ -> call.reply(status());
    }
  }

  @Override
  public CibMessage.Reply denied(CibMessage.Request request, String why) {
    return answer(Rc.EACCES, why);
  }

  @Override
  public CibMessage.@Nullable Reply tooLong(CibMessage.Request request, String why) {
    return switch (request) {
      case CibMessage.Query _, CibMessage.Update _ -> answer(Rc.E2BIG, why);
      default -> null;
    };
  }

  @Override
  public void closed(RpcServer.Session<CibMessage.Event> session) {
    here.remove(session);
    subscribers.forget(session);
    requests.forget(session);
    watchers.forget(session);
    primary.controllerGone(session);
  }

  /// Finds the user whose rights count: that of the connection, or the one named by a privileged
  /// user.
  private void as(
      RpcServer.Session<CibMessage.Event> session, String name, Consumer<CibUser> then) {
    var peer = session.peer();
    if (!peer.privileged()) {
      then.accept(new CibUser(peer.user(), peer.groups()));
    } else if (name.isEmpty() || name.equals(peer.user())) {
      then.accept(new CibUser(peer.user(), null));
    } else if (CibUser.isExempt(name)) {
      then.accept(new CibUser(name, null));
    } else if (CibAccess.isEnforced(copy.cib())) {
      world.groupsOf(name, groups -> then.accept(new CibUser(name, groups)));
    } else {
      then.accept(new CibUser(name, List.of()));
    }
  }

  private void submit(
      RpcServer.Session<CibMessage.Event> session,
      RpcServer.Call<CibMessage.Reply> call,
      CibMessage.Update update,
      CibUser user) {
    var named =
        new CibMessage.Update(
            update.operations(),
            update.force() || alone,
            user.name(),
            update.client(),
            update.timeoutMillis(),
            update.dcEpoch());
    requests.submit(session, call, named, user.groups());
  }

  private CibMessage.Answer answer(Rc rc, String why) {
    return new CibMessage.Answer(rc, why, null, CibVersion.of(copy.cib()));
  }

  private CibMessage.Answer query(CibQuery query, CibUser user) {
    var cib = copy.cib();
    var visible = views.of(user);
    if (visible == null) {
      return answer(Rc.EACCES, "");
    }
    var found = CibUpdate.query(visible, query);
    if (!found.problems().isEmpty()) {
      return answer(found.rc(), String.join("\n", found.problems()));
    }
    var output = found.output();
    if (output == null || output == cib) {
      var whole = output == null ? null : text.whole();
      return new CibMessage.Answer(found.rc(), "", whole, CibVersion.of(cib));
    }
    var length = output.textLength();
    if (length > FOUND_MAX) {
      return answer(
          Rc.E2BIG,
          String.format(
              Locale.ROOT,
              "what was found has %,d bytes of XML, an answer at most %,d",
              length,
              FOUND_MAX));
    }
    return new CibMessage.Answer(found.rc(), "", XmlWriter.compact(output), CibVersion.of(cib));
  }

  /// The cluster's roles as a user may see them: all or nothing.
  private CibMessage.Answer roles(CibUser user, @Nullable Long known) {
    var roles = copy.roles();
    return RoleRights.mayRead(copy.cib(), user)
        ? new CibMessage.Answer(
            Rc.OK,
            copy.rolesLost() ? RolesLost.WHY : "",
            roles == null ? null : XmlWriter.compact(watchers.since(known, roles)),
            CibVersion.of(copy.cib()))
        : answer(Rc.EACCES, "");
  }

  private CibMessage.Status status() {
    return new CibMessage.Status(
        CibVersion.of(copy.cib()),
        primary.isPrimary(),
        follower.primaryId(),
        follower.term(),
        !copy.line().left(),
        follower.highestEpoch(),
        text.digest());
  }
}
