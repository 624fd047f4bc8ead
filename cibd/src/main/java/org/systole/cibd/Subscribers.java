package org.systole.cibd;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.systole.cibd.client.CibMessage;
import org.systole.common.cib.CibAccess;
import org.systole.common.cib.CibPatch;
import org.systole.common.cib.CibUser;
import org.systole.common.cib.CibVersion;
import org.systole.common.output.Rc;
import org.systole.common.wire.RpcServer;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlWriter;

/// Clients that follow the CIB. Whose rights count for everything get each change as a patchset;
/// the others a copy of what they may see, a moment after it has changed.
///
/// A change after a pause is told at once, those that follow closely together: to follow is to wake
/// up, and on every node several daemons do. Beside the DC nobody waits for news.
final class Subscribers {
  private static final Duration GATHER = Duration.ofMillis(300);
  private static final Duration PAUSE_AT_PRIMARY = Duration.ofMillis(5);
  private static final Duration PAUSE = Duration.ofMillis(25);
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
  private boolean pausing;
  private @Nullable Waiting waiting;

  /// Changes that have not been told.
  ///
  /// @param before what the subscribers have
  /// @param patch of the only one of them, null if there are several
  private record Waiting(Element before, @Nullable String patch) {}

  /// @param whole gives the CIB as text
  Subscribers(Cibd cibd, Supplier<String> whole) {
    this.cibd = cibd;
    this.whole = whole;
  }

  void subscribe(RpcServer.Session<CibMessage> session, long id) {
    tellWaiting(); // all go on from the same copy
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

  void changed(String patch, Element before, Element after) {
    if (all.isEmpty()) {
      return;
    }
    if (pausing) {
      var first = waiting;
      waiting = first == null ? new Waiting(before, patch) : new Waiting(first.before(), null);
    } else {
      tell(new CibMessage.Changed(patch, before.contentHash(), after.contentHash()));
      pause();
    }
  }

  private void pause() {
    pausing = true;
    cibd.world()
        .after(
            cibd.primary().isPrimary() ? PAUSE_AT_PRIMARY : PAUSE,
            () -> {
              pausing = false;
              if (waiting != null) {
                tellWaiting();
                pause();
              }
            });
  }

  private void tellWaiting() {
    var told = waiting;
    waiting = null;
    var now = cibd.copy().cib();
    if (told == null || all.isEmpty() || told.before().equals(now)) {
      return;
    }
    var text = told.patch();
    if (text == null) {
      var patch = CibPatch.exact(told.before(), now);
      text = patch == null ? null : XmlWriter.compact(patch);
    }
    tell(
        text == null
            ? new CibMessage.Copy(whole.get())
            : new CibMessage.Changed(text, told.before().contentHash(), now.contentHash()));
  }

  void replaced() {
    waiting = null;
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
