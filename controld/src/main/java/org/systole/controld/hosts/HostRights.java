package org.systole.controld.hosts;

import org.jspecify.annotations.Nullable;
import org.systole.common.cib.CibAccess.Mode;
import org.systole.common.cib.CibGrants;
import org.systole.common.cib.CibUser;
import org.systole.common.world.Connection.Credentials;
import org.systole.common.xml.Element;
import org.systole.controld.client.CtlMessage;
import org.systole.controld.client.CtlMessage.HostOrder;

/// What others than the cluster's own may ask about hosts. All members may see them, within the access
/// control lists; orders are for those to whom the lists give them by the object type `hosts`.
public final class HostRights {
  private static final String HOSTS = "hosts";
  private static final String ORDER = "order";
  private static final String POWER = "power";

  private HostRights() {}

  /// Why a request is not its sender's to make; null if it is, or is not about hosts.
  ///
  /// @param cib null while it is not known; then nobody has rights by it
  public static @Nullable String denied(
      @Nullable Element cib, Credentials peer, CtlMessage.Request request) {
    if (peer.privileged()) {
      return null;
    }
    return switch (request) {
      case CtlMessage.HostsQuery _ -> mayRead(cib, peer) ? null : why(peer, CibGrants.SEE);
      case CtlMessage.TryHost _ -> mayOrder(cib, peer, ORDER) ? null : why(peer, ORDER);
      case CtlMessage.OrderHost it -> {
        var part = part(it.what());
        yield mayOrder(cib, peer, part) ? null : why(peer, part);
      }
      default -> null;
    };
  }

  private static String part(HostOrder what) {
    return switch (what) {
      case HOLD, RELEASE, CLEAR, CHECK -> ORDER;
      case RECOVER, FENCE, CONFIRM -> POWER;
    };
  }

  private static String why(Credentials peer, String part) {
    return "user %s may not do this: only root, the cluster's own user, and who has the right by the access control lists (object-type=\"hosts\" attribute=\"%s\")"
        .formatted(peer.user(), part);
  }

  private static boolean mayRead(@Nullable Element cib, Credentials peer) {
    return cib != null && CibGrants.maySee(cib, user(peer), HOSTS);
  }

  private static boolean mayOrder(@Nullable Element cib, Credentials peer, String part) {
    var grants = cib == null || peer.node() != null ? null : CibGrants.of(cib, user(peer), HOSTS);
    return grants != null && grants.of(part) == Mode.WRITABLE;
  }

  private static CibUser user(Credentials peer) {
    return new CibUser(peer.user(), peer.groups());
  }
}
