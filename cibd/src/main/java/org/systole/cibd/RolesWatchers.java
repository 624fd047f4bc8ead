package org.systole.cibd;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.systole.cibd.client.CibMessage;
import org.systole.common.wire.RpcServer;

/// Clients that are told when the cluster's roles change: the controller that made this node's CIB
/// manager the primary. What they are then, it asks. In a cluster without roles it hears nothing.
final class RolesWatchers {
  private final Set<RpcServer.Session<CibMessage.Event>> all = new LinkedHashSet<>();

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

  void changed() {
    List.copyOf(all).forEach(it -> it.event(new CibMessage.RolesChanged()));
  }
}
