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

/// Resources being looked for on this node without the DC having asked. What runs is recorded; what
/// does not is as if it had not been looked for.
final class ResourceSearch {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private final World world;

  /// Who waits for what is found.
  private final Map<ResourceId, Runnable> waiting = new TreeMap<>();

  ResourceSearch(World world) {
    this.world = world;
  }

  /// How a resource is looked for.
  ///
  /// @param key of a transition, though no plan asks for it
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

  /// @return whether the result was of a search, and does not say that the resource runs
  boolean wasInVain(OperationResult result) {
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
