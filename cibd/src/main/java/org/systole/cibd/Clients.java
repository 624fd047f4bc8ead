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
final class Clients implements RpcServer.Handler<CibMessage> {
  private final Cibd cibd;
  private final Subscribers subscribers;
  private @Nullable Element textOf;
  private String text = "";

  Clients(Cibd cibd) {
    this.cibd = cibd;
    this.subscribers = new Subscribers(cibd, this::whole);
  }

  @Override
  public void request(RpcServer.Session<CibMessage> session, long id, CibMessage request) {
    switch (request) {
      case CibMessage.Query(var query, var name) ->
          as(session, name, user -> session.reply(id, query(query, user)));
      case CibMessage.Update update ->
          as(session, update.user(), user -> submit(session, id, update, user));
      case CibMessage.Subscribe(var patient) -> subscribers.subscribe(session, id, patient);
      case CibMessage.SetPrimary(var epoch) -> {
        if (session.peer().privileged()) {
          cibd.primary()
              .setPrimary(epoch, session, (rc, why) -> session.reply(id, answer(rc, why)));
        } else {
          session.reply(id, answer(Rc.EACCES, "only the controller appoints the primary"));
        }
      }
      case CibMessage.SetSecondary _ -> {
        if (session.peer().privileged()) {
          cibd.primary().setSecondary();
          session.reply(id, answer(Rc.OK, ""));
        } else {
          session.reply(id, answer(Rc.EACCES, "only the controller appoints the primary"));
        }
      }
      case CibMessage.Ping _ -> session.reply(id, status());
      case CibMessage.Answer _, CibMessage.Copy _, CibMessage.Changed _, CibMessage.Status _ ->
          session.reply(id, answer(Rc.EPROTO, "that is no request"));
    }
  }

  @Override
  public void closed(RpcServer.Session<CibMessage> session) {
    subscribers.forget(session);
    cibd.requests().forget(session);
    cibd.primary().controllerGone(session);
  }

  /// Finds out whose rights count: those of the user of the connection, except that the cluster's
  /// own may name another.
  private void as(RpcServer.Session<CibMessage> session, String name, Consumer<CibUser> then) {
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
      RpcServer.Session<CibMessage> session, long id, CibMessage.Update update, CibUser user) {
    var named =
        new CibMessage.Update(
            update.operations(),
            update.force(),
            user.name(),
            update.client(),
            update.timeoutMillis(),
            update.dcEpoch());
    cibd.requests().submit(session, id, named, user.groups());
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
