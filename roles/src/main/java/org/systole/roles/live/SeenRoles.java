package org.systole.roles.live;

import org.jspecify.annotations.Nullable;
import org.systole.common.xml.Element;
import org.systole.roles.document.DocumentFault;
import org.systole.roles.engine.Hooks;
import org.systole.roles.engine.RoleEngine;

/// A cluster's roles as somebody sees them time and again: read and laid out once, then only what has
/// become of noderoles and nodes is taken in. Not safe for use by several threads.
public final class SeenRoles {
  /// They as they were seen last.
  ///
  /// @param engine stands on them; what is tried on it is forgotten with the next look
  public record Seen(Element element, ClusterRoles roles, RoleEngine engine) {}

  private @Nullable Seen last;

  /// Takes them in as they are now.
  ///
  /// @throws DocumentFault if they are damaged; then the next ones are read whole
  public Seen see(Element now) throws DocumentFault {
    var before = last;
    last = null;
    Seen next;
    if (before == null) {
      var roles = ClusterRoles.read(now);
      next = new Seen(now, roles, new RoleEngine(roles.document(), Hooks.none()));
    } else {
      var roles = ClusterRoles.read(now, before.element(), before.roles());
      before.engine().follow(roles.document());
      next = new Seen(now, roles, before.engine());
    }
    last = next;
    return next;
  }

  /// As they were seen last; null if they were not.
  public @Nullable Seen last() {
    return last;
  }

  /// What was seen last; null if there is nothing.
  public @Nullable Element element() {
    return last == null ? null : last.element();
  }

  /// They are not looked at any more for a while.
  public void forget() {
    last = null;
  }
}
