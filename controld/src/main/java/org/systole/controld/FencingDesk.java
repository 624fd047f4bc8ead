package org.systole.controld;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.systole.common.cib.CibOp;
import org.systole.common.values.ExecStatus;
import org.systole.common.values.Numbers;
import org.systole.common.world.World;
import org.systole.fenced.client.FenceClient;
import org.systole.fenced.client.FenceMessage;

/// Fencing as the controller sees it: asks for it when the plan says so, and takes note of every
/// fencing in the cluster, whoever asked.
final class FencingDesk implements FenceClient.Listener {
  private static final Duration SLACK = Duration.ofSeconds(60);

  private final World world;
  private final Controller controller;
  private final FenceClient fencer;
  private final String clientName;
  private final Map<String, Integer> failures = new HashMap<>();

  /// By kind and node: what waits for a fencing that the fencer was asked for.
  private final Map<String, List<Asked>> underWay = new HashMap<>();

  /// Fenced while there was no DC to write it down; whoever becomes DC does.
  private final Set<String> unrecorded = new TreeSet<>();

  FencingDesk(World world, Controller controller) {
    this.world = world;
    this.controller = controller;
    this.fencer = new FenceClient(world, this);
    this.clientName = "pacemaker-controld." + Math.abs(world.random().nextInt(1_000_000));
  }

  void open() {
    fencer.open();
  }

  void close() {
    fencer.close();
  }

  @Override
  public void connected() {
    world.log().info("Connected to the fencer");
  }

  @Override
  public void disconnected(String why) {
    world.log().warning("Lost the fencer: " + why);
  }

  /// What a transition waits for.
  private record Asked(Graph.Action action, int transition) {}

  /// Asks the fencer, unless it is doing just that: a node that was let in again meanwhile, and is
  /// gone again because its power went, is off.
  void fence(Graph.Action action, int transition) {
    var kind = action.meta("stonith_action");
    var target = action.node();
    var asked = new Asked(action, transition);
    var key = kind + " " + target;
    var present = underWay.get(key);
    if (present != null) {
      world.log().notice("Fencing (%s) of node %s is under way already".formatted(kind, target));
      present.add(asked);
      return;
    }
    underWay.put(key, new ArrayList<>(List.of(asked)));
    var timeout = controller.engine().graph().fencingTimeout();
    var delay = Numbers.parseInt(action.meta("priority_fencing_delay"), 0);
    world.log().notice("Requesting fencing (%s) of node %s".formatted(kind, target));
    fencer.fence(
        new FenceMessage.Fence(
            target, kind == null ? "reboot" : kind, timeout.toMillis(), delay, 0, clientName, true),
        timeout.multipliedBy(3).plus(SLACK).plusSeconds(Math.max(0, delay)),
        answer -> answered(action, taken(key), answer));
  }

  private List<Asked> taken(String key) {
    var all = underWay.remove(key);
    return all == null ? List.of() : all;
  }

  private void answered(Graph.Action action, List<Asked> all, FenceMessage answer) {
    if (!controller.isDc()) {
      return;
    }
    var target = action.node();
    var engine = controller.engine();
    var waiting =
        all.stream().filter(it -> engine.busy() && engine.number() == it.transition()).toList();
    if (answer instanceof FenceMessage.Outcome outcome && outcome.succeeded()) {
      failures.remove(target);
      if ("on".equals(action.meta("stonith_action"))) {
        unfenced(action);
      } else {
        recordDown(target);
      }
      waiting.forEach(it -> engine.ended(it.transition(), it.action().id(), true));
      if (waiting.isEmpty()) {
        // asked for by a transition that is over: no plan made since knows how it ended
        engine.abort(
            TransitionEngine.INFINITY,
            TransitionEngine.Completion.RESTART,
            "Fencing of an earlier transition ended");
      }
      return;
    }
    failed(target, answer, waiting);
  }

  private void failed(String target, FenceMessage answer, List<Asked> waiting) {
    var status =
        switch (answer) {
          case FenceMessage.Outcome it -> it.status();
          case FenceMessage.Refused it -> it.status();
          case FenceMessage _ -> ExecStatus.ERROR;
        };
    var count = failures.merge(target, 1, Integer::sum);
    world
        .log()
        .error(
            "Fencing of %s failed (%s), for the %d. time".formatted(target, status.text(), count));
    if (waiting.isEmpty()) {
      return;
    }
    var then = TransitionEngine.Completion.RESTART;
    var why = "Fencing failed";
    if (status == ExecStatus.NO_FENCE_DEVICE) {
      then = TransitionEngine.Completion.WAIT;
      why = "No device can fence " + target + ", giving up until something changes";
    } else if (count >= controller.options().fencingMaxAttempts()) {
      then = TransitionEngine.Completion.WAIT;
      why = "Fencing of %s failed %d times, giving up for now".formatted(target, count);
    }
    controller.engine().abort(TransitionEngine.INFINITY, then, why);
    for (var asked : waiting) {
      controller.engine().ended(asked.transition(), asked.action().id(), false);
    }
  }

  private void unfenced(Graph.Action action) {
    var now = String.valueOf(world.now().getEpochSecond());
    controller.setAttribute("#node-unfenced", action.node(), now);
    var all = action.meta("digests_all");
    if (all != null) {
      controller.setAttribute("#digests-all", action.node(), all);
    }
    var secure = action.meta("digests_secure");
    if (secure != null) {
      controller.setAttribute("#digests-secure", action.node(), secure);
    }
  }

  @Override
  public void fenced(FenceMessage.Fenced event) {
    var record = event.record();
    var target = record.target();
    world
        .log()
        .notice(
            "Node %s was%s fenced (%s) by %s for %s@%s%s"
                .formatted(
                    target,
                    event.succeeded() ? "" : " not",
                    record.action(),
                    record.delegate().isEmpty() ? "the cluster" : record.delegate(),
                    record.client(),
                    record.origin(),
                    record.exitReason().isEmpty() ? "" : ": " + record.exitReason()));
    controller
        .alerts()
        .fencing(
            target,
            record.action(),
            "Operation %s of %s by %s for %s@%s: %s (ref=%s)"
                .formatted(
                    record.action(),
                    target,
                    record.delegate().isEmpty() ? "the cluster" : record.delegate(),
                    record.client(),
                    record.origin(),
                    event.succeeded() ? "OK" : event.status().text(),
                    record.id()),
            event.rc());
    if (record.action().equals("on")) {
      return;
    }
    if (event.succeeded() && target.equals(controller.nodeName())) {
      controller.fencedOurselves(record.origin());
      return;
    }
    if (!controller.isDc()) {
      if (event.succeeded()) {
        failures.remove(target);
        if (controller.dcName().isEmpty() || controller.dcName().equals(target)) {
          unrecorded.add(target);
        }
      } else {
        failures.merge(target, 1, Integer::sum);
      }
      return;
    }
    if (event.succeeded() && !record.client().equals(clientName)) {
      recordDown(target);
      controller
          .engine()
          .abort(
              TransitionEngine.INFINITY,
              TransitionEngine.Completion.RESTART,
              "External fencing operation");
    }
  }

  /// A node that is back is not down.
  void appeared(String node) {
    unrecorded.remove(node);
  }

  /// There is a DC that knows of all this.
  void dcKnown() {
    unrecorded.clear();
  }

  /// This node is DC now: what was fenced in between is written down.
  void tookOver() {
    for (var node : List.copyOf(unrecorded)) {
      recordDown(node);
    }
    unrecorded.clear();
  }

  private void recordDown(String target) {
    var id = controller.book().id(target);
    if (id == null) {
      world.log().warning("Node " + target + " was fenced, but is not a cluster node");
      return;
    }
    controller.book().expect(id, "down");
    controller
        .cib()
        .write(
            List.of(
                CibOp.put("status", controller.book().downState(id, "send_stonith_update")),
                CibOp.deleteAllXPath("//node_state[@id='%d']/lrm".formatted(id)),
                CibOp.deleteAllXPath("//node_state[@id='%d']/transient_attributes".formatted(id))),
            _ -> {});
  }
}
