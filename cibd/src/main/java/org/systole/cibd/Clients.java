package org.systole.cibd;

import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.cibd.client.CibMessage;
import org.systole.common.cib.CibAccess;
import org.systole.common.cib.CibDigest;
import org.systole.common.cib.CibQuery;
import org.systole.common.cib.CibUpdate;
import org.systole.common.cib.CibUser;
import org.systole.common.cib.CibVersion;
import org.systole.common.output.Rc;
import org.systole.common.wire.RpcServer;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlWriter;

/// This node's clients: answers their queries, passes their changes on, tells subscribers.
final class Clients
    implements RpcServer.Handler<CibMessage.Request, CibMessage.Reply, CibMessage.Event> {
  private final Cibd cibd;
  private final Subscribers subscribers;
  private @Nullable Element textOf;
  private String text = "";

  Clients(Cibd cibd) {
    this.cibd = cibd;
    this.subscribers = new Subscribers(cibd, this::whole);
  }

  @Override
  public void request(
      RpcServer.Session<CibMessage.Event> session,
      RpcServer.Call<CibMessage.Reply> call,
      CibMessage.Request request) {
    switch (request) {
      case CibMessage.Query(var query, var name) ->
          as(session, name, user -> call.reply(query(query, user)));
      case CibMessage.Update update ->
          as(session, update.user(), user -> submit(call, update, user));
      case CibMessage.Subscribe(var patient) -> subscribers.subscribe(session, call, patient);
      case CibMessage.SetPrimary(var epoch) -> {
        if (session.peer().privileged()) {
          cibd.primary().setPrimary(epoch, session, (rc, why) -> call.reply(answer(rc, why)));
        } else {
          call.reply(answer(Rc.EACCES, "only the controller appoints the primary"));
        }
      }
      case CibMessage.SetSecondary _ -> {
        if (session.peer().privileged()) {
          cibd.primary().setSecondary();
          call.reply(answer(Rc.OK, ""));
        } else {
          call.reply(answer(Rc.EACCES, "only the controller appoints the primary"));
        }
      }
      case CibMessage.Ping _ -> call.reply(status());
    }
  }

  @Override
  public void closed(RpcServer.Session<CibMessage.Event> session) {
    subscribers.forget(session);
    cibd.requests().forget(session);
    cibd.primary().controllerGone(session);
  }

  /// Finds out whose rights count: those of the user of the connection, except that the cluster's
  /// own may name another.
  private void as(
      RpcServer.Session<CibMessage.Event> session, String name, Consumer<CibUser> then) {
    var peer = session.peer();
    if (!peer.privileged()) {
      then.accept(new CibUser(peer.user(), peer.groups()));
    } else if (name.isEmpty() || name.equals(peer.user())) {
      then.accept(new CibUser(peer.user(), null));
    } else if (CibUser.isExempt(name)) {
      then.accept(new CibUser(name, null));
    } else if (CibAccess.isEnforced(cibd.copy().cib())) {
      cibd.world().groupsOf(name, groups -> then.accept(new CibUser(name, groups)));
    } else {
      then.accept(new CibUser(name, List.of()));
    }
  }

  private void submit(
      RpcServer.Call<CibMessage.Reply> call, CibMessage.Update update, CibUser user) {
    var named =
        new CibMessage.Update(
            update.operations(),
            update.force(),
            user.name(),
            update.client(),
            update.timeoutMillis(),
            update.dcEpoch());
    cibd.requests().submit(call, named, user.groups());
  }

  private CibMessage.Answer answer(Rc rc, String why) {
    return new CibMessage.Answer(rc, why, null, CibVersion.of(cibd.copy().cib()));
  }

  private CibMessage.Answer query(CibQuery query, CibUser user) {
    var cib = cibd.copy().cib();
    var found = CibUpdate.query(cib, query, user);
    var xml =
        found.output() == null
            ? null
            : found.output() == cib ? whole() : XmlWriter.compact(found.output());
    return new CibMessage.Answer(found.rc(), "", xml, CibVersion.of(cib));
  }

  private CibMessage.Status status() {
    var copy = cibd.copy();
    return new CibMessage.Status(
        CibVersion.of(copy.cib()),
        cibd.primary().isPrimary(),
        cibd.follower().primaryId(),
        cibd.follower().term(),
        !copy.line().left(),
        cibd.follower().highestEpoch(),
        CibDigest.versioned(copy.cib()));
  }

  /// The whole CIB as text, made once per version.
  String whole() {
    var cib = cibd.copy().cib();
    if (textOf != cib) {
      text = XmlWriter.compact(cib);
      textOf = cib;
    }
    return text;
  }

  /// Tells subscribers of a change that has been made to the copy.
  void changed(String patch, Element before, Element after) {
    subscribers.changed(patch, before, after);
  }

  /// Tells subscribers that the copy was replaced.
  void replaced() {
    subscribers.replaced();
  }
}
