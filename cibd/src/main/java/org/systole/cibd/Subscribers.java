package org.systole.cibd;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.systole.cibd.client.CibMessage;
import org.systole.common.cib.CibAccess;
import org.systole.common.cib.CibUser;
import org.systole.common.cib.CibVersion;
import org.systole.common.output.Rc;
import org.systole.common.wire.RpcServer;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlWriter;

/// Clients that follow the CIB. Whose rights count for everything get each change as a patchset;
/// the others a copy of what they may see, a moment after it has changed.
final class Subscribers {
  private static final Duration GATHER = Duration.ofMillis(300);
  private static final Element NOTHING = Element.of("cib");

  private static final class Subscriber {
    private final CibUser user;
    private @Nullable Element sent; // what it has seen of the CIB, null for all of it

    Subscriber(CibUser user) {
      this.user = user;
    }
  }

  private final Cibd cibd;
  private final Supplier<String> whole;
  private final Map<RpcServer.Session<CibMessage>, Subscriber> all = new LinkedHashMap<>();
  private World.@Nullable Timer gathering;

  /// @param whole gives the CIB as text
  Subscribers(Cibd cibd, Supplier<String> whole) {
    this.cibd = cibd;
    this.whole = whole;
  }

  void subscribe(RpcServer.Session<CibMessage> session, long id) {
    var peer = session.peer();
    var user = new CibUser(peer.user(), peer.privileged() ? null : peer.groups());
    var cib = cibd.copy().cib();
    var access = CibAccess.of(cib, user);
    var subscriber = new Subscriber(user);
    if (access == null) {
      session.reply(id, new CibMessage.Copy(whole.get()));
    } else {
      var visible = access.visible(cib);
      if (visible == null) {
        session.reply(id, new CibMessage.Answer(Rc.EACCES, "", null, CibVersion.of(cib)));
        return;
      }
      subscriber.sent = visible;
      session.reply(id, new CibMessage.Copy(XmlWriter.compact(visible)));
    }
    all.put(session, subscriber);
  }

  void forget(RpcServer.Session<CibMessage> session) {
    all.remove(session);
  }

  void changed(String patch, long before, long after) {
    tell(new CibMessage.Changed(patch, before, after));
  }

  void replaced() {
    if (!all.isEmpty()) {
      tell(new CibMessage.Copy(whole.get()));
    }
  }

  private void tell(CibMessage event) {
    if (all.isEmpty()) {
      return;
    }
    var frame = CibMessage.PROTOCOL.encode(0, event);
    var cib = cibd.copy().cib();
    for (var it : all.entrySet()) {
      if (it.getValue().sent == null && CibAccess.of(cib, it.getValue().user) == null) {
        it.getKey().eventEncoded(frame);
      } else if (gathering == null) {
        gathering = cibd.world().after(GATHER, this::tellRestricted);
      }
    }
  }

  private void tellRestricted() {
    gathering = null;
    var cib = cibd.copy().cib();
    for (var it : all.entrySet()) {
      var subscriber = it.getValue();
      var access = CibAccess.of(cib, subscriber.user);
      if (access == null) {
        if (subscriber.sent != null) { // from now on it follows the patchsets
          subscriber.sent = null;
          it.getKey().event(new CibMessage.Copy(whole.get()));
        }
        continue;
      }
      var visible = access.visible(cib);
      var shown = visible == null ? NOTHING : visible;
      if (!shown.equals(subscriber.sent)) {
        subscriber.sent = shown;
        it.getKey().event(new CibMessage.Copy(XmlWriter.compact(shown)));
      }
    }
  }
}
