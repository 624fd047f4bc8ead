package org.systole.cibd;

import java.time.Duration;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
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
import org.systole.common.xml.XmlText;
import org.systole.common.xml.XmlWriter;

/// Clients that follow the CIB. Those that may see everything get each change as a patchset; the
/// others get a copy of what they may see, a moment after it has changed.
///
/// A change after a pause is sent at once, and those that follow closely are sent together, because
/// each event wakes up several daemons on every node. The pause is shortest beside the DC, where
/// changes are waited for, and longest for patient subscribers.
final class Subscribers {
  private static final Duration GATHER = Duration.ofMillis(300);
  private static final Duration PAUSE_AT_PRIMARY = Duration.ofMillis(5);
  private static final Duration PAUSE = Duration.ofMillis(25);
  private static final Duration PAUSE_OF_PATIENT = Duration.ofMillis(100);
  private static final Element NOTHING = Element.of("cib");

  private static final class Subscriber {
    private final CibUser user;
    private @Nullable Element sent; // the part of the CIB it has; null if it has all

    Subscriber(CibUser user) {
      this.user = user;
    }
  }

  private final World world;
  private final CibCopy copy;
  private final CibText text;
  private final Views views;
  private final BooleanSupplier isPrimary;
  private final Map<RpcServer.Session<CibMessage.Event>, Subscriber> all = new LinkedHashMap<>();
  private final Lane quick = new Lane(false);
  private final Lane patient = new Lane(true);
  private World.@Nullable Timer gathering;
  private long tooEarly; // for another look, until this moment

  /// Changes that have not been sent.
  ///
  /// @param before what the subscribers have
  /// @param patch of the change, null if there are several
  private record Waiting(Element before, @Nullable XmlText patch) {}

  /// @param isPrimary whether this node is the primary
  Subscribers(Node node, CibText text, Views views, BooleanSupplier isPrimary) {
    this.views = views;
    this.world = node.world();
    this.copy = node.copy();
    this.text = text;
    this.isPrimary = isPrimary;
  }

  /// @param isPatient changes that follow closely may come later, and more of them together
  void subscribe(
      RpcServer.Session<CibMessage.Event> session,
      RpcServer.Call<CibMessage.Reply> call,
      boolean isPatient) {
    tellWaiting(); // so that all continue from the same copy
    forget(session);
    var peer = session.peer();
    var user = new CibUser(peer.user(), peer.privileged() ? null : peer.groups());
    var cib = copy.cib();
    var access = CibAccess.of(cib, user);
    var subscriber = new Subscriber(user);
    if (access == null) {
      call.reply(new CibMessage.Copy(text.whole()));
    } else {
      var visible = views.of(user);
      if (visible == null) {
        call.reply(new CibMessage.Answer(Rc.EACCES, "", null, CibVersion.of(cib)));
        return;
      }
      subscriber.sent = visible;
      call.reply(new CibMessage.Copy(XmlWriter.compact(visible)));
    }
    all.put(session, subscriber);
    (isPatient ? patient : quick).sessions.add(session);
  }

  void forget(RpcServer.Session<CibMessage.Event> session) {
    all.remove(session);
    quick.sessions.remove(session);
    patient.sessions.remove(session);
  }

  void changed(XmlText patch, Element before, Element after) {
    quick.changed(patch, before, after);
    patient.changed(patch, before, after);
  }

  private void tellWaiting() {
    quick.tellWaiting();
    patient.tellWaiting();
  }

  void replaced() {
    quick.waiting = null;
    patient.waiting = null;
    if (!all.isEmpty()) {
      tell(new CibMessage.Copy(text.whole()), all.keySet());
    }
  }

  private void tell(CibMessage.Event event, Set<RpcServer.Session<CibMessage.Event>> sessions) {
    var frame = CibMessage.PROTOCOL.event(event);
    var cib = copy.cib();
    for (var session : sessions) {
      var subscriber = all.get(session);
      if (subscriber == null) {
        continue;
      }
      if (subscriber.sent == null && CibAccess.of(cib, subscriber.user) == null) {
        session.eventEncoded(frame);
      } else if (gathering == null) {
        var pause = Duration.ofNanos(tooEarly - world.nanoTime());
        gathering = world.after(pause.compareTo(GATHER) > 0 ? pause : GATHER, this::tellRestricted);
      }
    }
  }

  /// Subscribers that get their events at the same time.
  private final class Lane {
    private final boolean isPatient;
    private final Set<RpcServer.Session<CibMessage.Event>> sessions = new LinkedHashSet<>();
    private boolean pausing;
    private @Nullable Waiting waiting;

    Lane(boolean isPatient) {
      this.isPatient = isPatient;
    }

    void changed(XmlText patch, Element before, Element after) {
      if (sessions.isEmpty()) {
        waiting = null;
        return;
      }
      if (pausing) {
        var first = waiting;
        waiting = first == null ? new Waiting(before, patch) : new Waiting(first.before(), null);
      } else {
        tell(new CibMessage.Changed(patch, before.contentHash(), after.contentHash()), sessions);
        pause();
      }
    }

    private void pause() {
      pausing = true;
      world.after(
          length(),
          () -> {
            pausing = false;
            if (waiting != null) {
              tellWaiting();
              pause();
            }
          });
    }

    private Duration length() {
      if (isPatient) {
        return PAUSE_OF_PATIENT;
      }
      return isPrimary.getAsBoolean() ? PAUSE_AT_PRIMARY : PAUSE;
    }

    void tellWaiting() {
      var told = waiting;
      waiting = null;
      var now = copy.cib();
      if (told == null || sessions.isEmpty() || told.before().equals(now)) {
        return;
      }
      var patch = told.patch();
      if (patch == null) {
        var made = CibPatch.exact(told.before(), now);
        patch = made == null ? null : XmlText.of(made);
      }
      tell(
          patch == null
              ? new CibMessage.Copy(text.whole())
              : new CibMessage.Changed(patch, told.before().contentHash(), now.contentHash()),
          sessions);
    }
  }

  /// Sends copies to restricted subscribers. To find what each may see takes time, so at least four
  /// times as long passes before the next time.
  private void tellRestricted() {
    var began = world.nanoTime();
    var cib = copy.cib();
    var frames = new IdentityHashMap<Element, byte[]>();
    for (var it : all.entrySet()) {
      var subscriber = it.getValue();
      if (CibAccess.of(cib, subscriber.user) == null) {
        if (subscriber.sent != null) { // from now on it follows the patchsets
          subscriber.sent = null;
          it.getKey().event(new CibMessage.Copy(text.whole()));
        }
        continue;
      }
      var visible = views.of(subscriber.user);
      var shown = visible == null ? NOTHING : visible;
      if (!shown.equals(subscriber.sent)) {
        subscriber.sent = shown;
        it.getKey().eventEncoded(frames.computeIfAbsent(shown, Subscribers::copyOf));
      }
    }
    gathering = null;
    tooEarly = world.nanoTime() + 4 * (world.nanoTime() - began);
  }

  private static byte[] copyOf(Element shown) {
    return CibMessage.PROTOCOL.event(new CibMessage.Copy(XmlWriter.compact(shown)));
  }
}
