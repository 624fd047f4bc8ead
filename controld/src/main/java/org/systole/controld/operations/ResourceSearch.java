package org.systole.controld.operations;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.OperationRequest;
import org.systole.common.operation.OperationResult;
import org.systole.common.operation.Task;
import org.systole.common.output.Product;
import org.systole.common.values.ResourceId;
import org.systole.common.world.World;

/// Probes of resources on this node that the DC has not asked for. A resource that runs is
/// recorded; for one that does not, the probe leaves no trace.
final class ResourceSearch {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private final World world;

  /// What to run once a resource's probe has ended.
  private final Map<ResourceId, Runnable> waiting = new TreeMap<>();

  ResourceSearch(World world) {
    this.world = world;
  }

  /// Begins the probe of a resource.
  ///
  /// @param key a transition key that belongs to no plan
  /// @param done called once it is known whether it runs, or cannot be known
  OperationRequest begin(LeftRunning.Resource resource, String key, Runnable done) {
    waiting.put(resource.id(), done);
    var parameters = new LinkedHashMap<>(resource.parameters());
    parameters.put(OperationRequest.FEATURE_SET, Product.FEATURE_SET);
    parameters.put(OperationRequest.meta("timeout"), String.valueOf(TIMEOUT.toMillis()));
    parameters.put(OperationRequest.meta("record_pending"), "false");
    return OperationRequest.of(
        resource.id(), resource.agent(), Task.MONITOR.operation(), 0, parameters, key);
  }

  /// @return whether the result is of such a probe and says that the resource does not run
  boolean foundNothing(OperationResult result) {
    var done = result.request().isProbe() ? waiting.remove(result.resource()) : null;
    if (done == null) {
      return false;
    }
    world.post(done);
    return switch (result.status() == ExecStatus.DONE ? result.code() : null) {
      case OK, RUNNING_PROMOTED, DEGRADED, DEGRADED_PROMOTED -> false;
      case NOT_INSTALLED, NOT_RUNNING -> {
        world.log().notice(result.resource() + " does not run here any more");
        yield true;
      }
      case null, default -> {
        world
            .log()
            .error(
                "Cannot tell whether %s, which is no longer configured, still runs here%s; it is to"
                        .formatted(result.resource(), result.reasonInBrackets())
                    + " be stopped");
        yield false;
      }
    };
  }
}
