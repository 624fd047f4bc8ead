package org.systole.scheduler.operations;

import org.jspecify.annotations.Nullable;
import org.systole.common.xml.Element;
import org.systole.scheduler.model.Bundle;
import org.systole.scheduler.model.Replica;
import org.systole.scheduler.model.Resource;

/// Addresses of connections to containers that have none of their own: the container's host stands
/// in.
public final class BundleAddresses {
  private BundleAddresses() {}

  /// Whether a resource is a connection whose address is wherever its container runs.
  public static boolean needed(Resource resource) {
    return isConnection(resource.xml())
        && "#uname".equalsIgnoreCase(resource.parameters(null).get("addr"));
  }

  /// Whether a resource is configured as a connection to a remote node.
  public static boolean isConnection(Element resource) {
    return "remote".equalsIgnoreCase(resource.get("type"))
        && "ocf".equalsIgnoreCase(resource.get("class"))
        && "pacemaker".equalsIgnoreCase(resource.get("provider"));
  }

  /// The host of the container behind such a connection, as planned or else as it is now; null if
  /// it is not known or not needed.
  public static @Nullable String host(Resource resource) {
    if (!needed(resource)) {
      return null;
    }
    var replica = replicaOf(resource);
    if (replica == null) {
      return null;
    }
    var planned = replica.container().assigned();
    var node = planned != null ? planned.node() : replica.container().currentNode();
    return node == null ? null : node.name();
  }

  /// Whether the container behind such a connection runs on a host that it is to leave. As long as it is there that host's address is what
  /// the connection failed with.
  public static boolean isToChange(Resource resource) {
    var replica = needed(resource) ? replicaOf(resource) : null;
    var now = replica == null ? null : replica.container().currentNode();
    return now != null && !now.name().equals(host(resource));
  }

  private static @Nullable Replica replicaOf(Resource connection) {
    if (connection.top(true) instanceof Bundle bundle) {
      for (var replica : bundle.replicas()) {
        if (replica.remote() == connection) {
          return replica;
        }
      }
    }
    return null;
  }
}
