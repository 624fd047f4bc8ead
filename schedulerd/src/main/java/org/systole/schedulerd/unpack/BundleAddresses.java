package org.systole.schedulerd.unpack;

import org.jspecify.annotations.Nullable;
import org.systole.schedulerd.model.Bundle;
import org.systole.schedulerd.model.Replica;
import org.systole.schedulerd.model.Resource;

/// Addresses of connections to containers that have none of their own: the container's host stands
/// in.
public final class BundleAddresses {
  private BundleAddresses() {}

  /// Whether a resource is a connection whose address is wherever its container runs.
  public static boolean needed(Resource resource) {
    return RemoteNodes.isConnection(resource.xml)
        && "#uname".equalsIgnoreCase(resource.parameters(null).get("addr"));
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
    var planned = replica.container.assigned;
    var node = planned != null ? planned.node : replica.container.currentNode();
    return node == null ? null : node.name;
  }

  private static @Nullable Replica replicaOf(Resource connection) {
    if (connection.top(true) instanceof Bundle bundle) {
      for (var replica : bundle.replicas) {
        if (replica.remote == connection) {
          return replica;
        }
      }
    }
    return null;
  }
}
