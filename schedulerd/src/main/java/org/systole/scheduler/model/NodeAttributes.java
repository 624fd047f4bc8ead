package org.systole.scheduler.model;

import org.jspecify.annotations.Nullable;

/// Attributes of a node as a resource on it sees them.
public final class NodeAttributes {
  private NodeAttributes() {}

  /// The value of an attribute, null if it is not set.
  ///
  /// @param target `host` if a bundle wants the attributes of the container's host, else anything
  /// @param planned whether the host is where the container is to be, instead of where it is
  public static @Nullable String get(
      Node node, String name, @Nullable String target, boolean planned) {
    if (!node.isGuest() || !"host".equalsIgnoreCase(target)) {
      return node.attributes().get(name);
    }
    var host = host(node, planned);
    return host == null ? null : host.attributes().get(name);
  }

  private static @Nullable Node host(Node guest, boolean planned) {
    var container = guest.remote() == null ? null : guest.remote().launcher();
    if (container == null) {
      return null;
    }
    if (planned) {
      return container.assigned() == null ? null : container.assigned().node();
    }
    return container.active().isEmpty() ? null : container.active().getFirst();
  }
}
