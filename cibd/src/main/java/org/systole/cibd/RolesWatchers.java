package org.systole.cibd;

import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.systole.cibd.client.CibMessage;
import org.systole.cibd.client.RolesPatch;
import org.systole.common.wire.RpcServer;
import org.systole.common.xml.Element;

/// Clients that are told when the cluster's roles change: the controller that made this node's CIB
/// manager the primary. What they are then, it asks. In a cluster without roles it hears nothing.
final class RolesWatchers {
  private static final int TOLD_MAX = 4;

  private final Set<RpcServer.Session<CibMessage.Event>> all = new LinkedHashSet<>();
  private final ArrayDeque<Element> told = new ArrayDeque<>(); // the latest last

  /// @param any whether there are roles: it is told so
  void add(RpcServer.Session<CibMessage.Event> session, boolean any) {
    all.add(session);
    if (any) {
      session.event(new CibMessage.RolesChanged());
    }
  }

  void forget(RpcServer.Session<CibMessage.Event> session) {
    all.remove(session);
  }

  /// What leads from what a client has to the roles as they are, if it was told that by this.
  ///
  /// @param known the content hash of what it has; null if it has to be told the whole
  Element since(@Nullable Long known, Element now) {
    if (known == null) {
      return now;
    }
    var from = told.stream().filter(it -> it.contentHash() == known).findFirst();
    if (told.peekLast() != now) {
      told.add(now);
    }
    if (told.size() > TOLD_MAX) {
      told.remove();
    }
    return from
        .map(it -> RolesPatch.between(it, now).with("after", Long.toString(now.contentHash())))
        .orElse(now);
  }

  void changed() {
    List.copyOf(all).forEach(it -> it.event(new CibMessage.RolesChanged()));
  }
}
