package org.systole.scheduler.unpack;

import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.systole.scheduler.model.ClusterFlag;
import org.systole.scheduler.model.NoQuorumPolicy;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.WorkingSet;
import org.systole.scheduler.operations.BundleAddresses;

/// What must be given before a resource may be started or recovered (`requires`).
final class Requirements {
  private final WorkingSet ws;

  Requirements(WorkingSet ws) {
    this.ws = ws;
  }

  void apply(Resource resource, @Nullable String value) {
    var wanted = value == null ? "" : value.toLowerCase(Locale.ROOT);
    switch (wanted) {
      case "nothing" -> {}
      case "quorum" -> resource.set(ResourceFlag.NEEDS_QUORUM);
      case "fencing" -> {
        resource.set(ResourceFlag.NEEDS_FENCING);
        if (!ws.is(ClusterFlag.FENCING_ENABLED)) {
          ws.configWarning(resource.id() + " requires fencing but fencing is disabled");
        }
      }
      case "unfencing" -> unfencing(resource);
      default -> {
        var fallback = fallback(resource);
        if (value != null) {
          ws.configError(
              "unpack_requires",
              "Resetting 'requires' for "
                  + resource.id()
                  + " to '"
                  + fallback
                  + "' because '"
                  + value
                  + "' is not valid");
        }
        apply(resource, fallback);
      }
    }
  }

  private void unfencing(Resource resource) {
    var obstacle =
        resource.is(ResourceFlag.FENCE_DEVICE)
            ? "fencing devices cannot require unfencing"
            : !ws.is(ClusterFlag.FENCING_ENABLED) ? "fencing is disabled" : null;
    if (obstacle != null) {
      ws.configWarning(
          "Resetting \"requires\" for " + resource.id() + " to \"quorum\" because " + obstacle);
      resource.set(ResourceFlag.NEEDS_QUORUM);
      return;
    }
    resource.set(ResourceFlag.NEEDS_FENCING);
    resource.set(ResourceFlag.NEEDS_UNFENCING);
  }

  private String fallback(Resource resource) {
    if (resource.is(ResourceFlag.FENCE_DEVICE)
        || resource.isPrimitive() && BundleAddresses.isConnection(resource.xml())) {
      return "quorum";
    }
    if (ws.is(ClusterFlag.ENABLE_UNFENCING)) {
      return "unfencing";
    }
    if (ws.is(ClusterFlag.FENCING_ENABLED)) {
      return "fencing";
    }
    return ws.noQuorumPolicy() == NoQuorumPolicy.IGNORE ? "nothing" : "quorum";
  }
}
