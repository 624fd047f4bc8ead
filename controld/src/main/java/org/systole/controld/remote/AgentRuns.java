package org.systole.controld.remote;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.OcfCode;
import org.systole.common.operation.OperationRequest;
import org.systole.common.operation.OperationResult;
import org.systole.common.operation.TransitionKey;
import org.systole.common.values.NodeName;
import org.systole.common.values.ResourceId;
import org.systole.common.world.World;
import org.systole.controld.io.PeerMessage.AgentCall;
import org.systole.execd.client.ExecMessage;
import org.systole.execd.client.NodeExecutor;

/// Single actions of agents that are nobody's resource: their results are answers, and stand in no
/// history.
public final class AgentRuns {
  private static final Duration SLACK = Duration.ofSeconds(2);
  private static final int RUNS_MAX = 1000;
  private static final int NUMBER_MAX = 0x3fff_ffff;

  private record Run(OperationRequest request, Consumer<OperationResult> done, World.Timer limit) {}

  private final World world;
  private final Map<String, Run> runs = new LinkedHashMap<>();
  private int lastNumber;

  public AgentRuns(World world) {
    this.world = world;
    // what an earlier controller of this member had asked may still be answered
    this.lastNumber = (int) (world.now().toEpochMilli() & NUMBER_MAX);
  }

  /// Has an executor run an action.
  ///
  /// @param node whose executor that is; what other nodes tell is no answer
  /// @param name what the executor is to call it by; runs of one name wait for each other
  /// @param done told once, also if nothing came of it
  void run(
      NodeExecutor executor,
      NodeName node,
      ResourceId name,
      AgentCall call,
      Duration timeout,
      Consumer<OperationResult> done) {
    lastNumber = lastNumber == NUMBER_MAX ? 1 : lastNumber + 1;
    var key = TransitionKey.unplanned(lastNumber, OcfCode.OK.number()).toString();
    var request =
        new OperationRequest(
            name, call.agent(), call.action(), 0, timeout.toMillis(), 0, call.parameters(), key);
    if (runs.size() >= RUNS_MAX) {
      var result = made(request, ExecStatus.ERROR, "too many agents are running for host HA");
      world.post(() -> done.accept(result));
      return;
    }
    var id = id(node, request);
    var limit =
        world.after(
            timeout.plus(SLACK),
            () -> finish(id, made(request, ExecStatus.TIMEOUT, "no answer in time")));
    runs.put(id, new Run(request, done, limit));
    executor.execute(
        request,
        answer -> {
          if (answer instanceof ExecMessage.Refused(var why)) {
            finish(id, made(request, ExecStatus.NOT_CONNECTED, why));
          }
        });
  }

  /// Takes a result that is that of such a run.
  ///
  /// @param node that tells it
  /// @return whether it is
  public boolean took(NodeName node, OperationResult result) {
    return finish(id(node, result.request()), result);
  }

  private boolean finish(String id, OperationResult result) {
    var run = runs.remove(id);
    if (run == null) {
      return false;
    }
    run.limit().cancel();
    run.done().accept(result);
    return true;
  }

  private static String id(NodeName node, OperationRequest request) {
    return node + " " + request.resource() + " " + request.transitionKey();
  }

  private OperationResult made(OperationRequest request, ExecStatus status, String why) {
    return OperationResult.made(
        request, OcfCode.UNKNOWN_ERROR, status, why, world.now().getEpochSecond());
  }
}
