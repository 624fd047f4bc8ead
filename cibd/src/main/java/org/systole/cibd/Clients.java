package org.systole.cibd;

import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.systole.cibd.client.CibMessage;
import org.systole.common.cib.CibDigest;
import org.systole.common.cib.CibQuery;
import org.systole.common.cib.CibUpdate;
import org.systole.common.cib.CibVersion;
import org.systole.common.output.Rc;
import org.systole.common.wire.RpcServer;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlWriter;

/// This node's clients: answers their queries, passes their changes on, tells subscribers.
final class Clients implements RpcServer.Handler<CibMessage> {
  private final Cibd cibd;
  private final Set<RpcServer.Session<CibMessage>> subscribers = new LinkedHashSet<>();
  private @Nullable Element textOf;
  private String text = "";

  Clients(Cibd cibd) {
    this.cibd = cibd;
  }

  @Override
  public void request(RpcServer.Session<CibMessage> session, long id, CibMessage request) {
    switch (request) {
      case CibMessage.Query(var query, var user) -> {
        if (mayBe(session, user)) {
          session.reply(id, query(query));
        } else {
          session.reply(id, answer(Rc.EACCES, notAs(session, user)));
        }
      }
      case CibMessage.Update update -> {
        if (mayBe(session, update.user())) {
          cibd.requests().submit(session, id, as(session, update));
        } else {
          session.reply(id, answer(Rc.EACCES, notAs(session, update.user())));
        }
      }
      case CibMessage.Subscribe _ -> {
        subscribers.add(session);
        session.reply(id, new CibMessage.Copy(whole()));
      }
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
    subscribers.remove(session);
    cibd.requests().forget(session);
    cibd.primary().controllerGone(session);
  }

  private static boolean mayBe(RpcServer.Session<CibMessage> session, String user) {
    return user.isEmpty() || session.peer().privileged() || user.equals(session.peer().user());
  }

  private static String notAs(RpcServer.Session<CibMessage> session, String user) {
    return session.peer().user() + " may not act as " + user;
  }

  private static CibMessage.Update as(
      RpcServer.Session<CibMessage> session, CibMessage.Update update) {
    var user = update.user().isEmpty() ? session.peer().user() : update.user();
    return new CibMessage.Update(
        update.operations(), update.force(), user, update.client(), update.timeoutMillis());
  }

  private CibMessage.Answer answer(Rc rc, String why) {
    return new CibMessage.Answer(rc, why, null, CibVersion.of(cibd.copy().cib()));
  }

  private CibMessage.Answer query(CibQuery query) {
    var cib = cibd.copy().cib();
    var found = CibUpdate.query(cib, query);
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
  void changed(String patch, long before, long after) {
    if (!subscribers.isEmpty()) {
      tell(new CibMessage.Changed(patch, before, after));
    }
  }

  /// Tells subscribers that the copy was replaced.
  void replaced() {
    if (!subscribers.isEmpty()) {
      tell(new CibMessage.Copy(whole()));
    }
  }

  private void tell(CibMessage event) {
    var frame = CibMessage.PROTOCOL.encode(0, event);
    subscribers.forEach(session -> session.eventEncoded(frame));
  }
}
