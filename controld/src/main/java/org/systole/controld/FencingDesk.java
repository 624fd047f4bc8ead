package org.systole.controld;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.systole.common.cib.CibOp;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.Task;
import org.systole.common.transition.GraphAction;
import org.systole.common.values.Numbers;
import org.systole.common.world.Affair;
import org.systole.common.world.Log;
import org.systole.common.world.World;
import org.systole.fenced.client.FenceClient;
import org.systole.fenced.client.FenceMessage;
import org.systole.fenced.client.FenceMessage.FenceRecord;

/// Fencing as the controller sees it: asks for it when the plan says so, and takes note of every
/// fencing in the cluster, whoever asked.
final class FencingDesk implements FenceClient.Listener {
  private static final Duration SLACK = Duration.ofSeconds(60);

  private final World world;
  private final Controller controller;
  private final FenceClient fencer;
  private final String clientName;
  private final Map<String, Attempts> failures = new HashMap<>();

  /// By kind and node: what the fencer was asked for last.
  private final Map<String, Request> underWay = new HashMap<>();

  /// Fenced, and not yet seen to be written down. The DC that hears of it does so; if it is lost
  /// first, the next one does.
  private final Map<String, FenceRecord> unrecorded = new TreeMap<>();

  /// Failed attempts to end one stay of a node; a node that is back begins anew.
  private record Attempts(long stay, int count) {}

  /// What a transition waits for.
  private record Asked(GraphAction action, int transition) {}

  /// What the fencer was asked for.
  ///
  /// @param membership it was decided in; a later stay of the target is not meant
  private record Request(String kind, String target, long membership, List<Asked> waiting) {
    boolean isUnfencing() {
      return Task.ON.is(kind);
    }

    String key() {
      return kind + " " + target;
    }
  }

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

  private Log log() {
    return controller.engine().names().log();
  }

  /// Asks the fencer, unless it is doing just that to the node as it is now.
  void fence(GraphAction action, int transition) {
    var kind = action.meta("stonith_action");
    var asked = new Asked(action, transition);
    var request =
        new Request(
            kind == null ? Task.REBOOT.text() : kind,
            action.node(),
            controller.governor().plannedIn(),
            new ArrayList<>(List.of(asked)));
    var present = underWay.get(request.key());
    if (present != null && stay(present.target()) <= present.membership()) {
      log()
          .notice(
              "Fencing (%s) of node %s is under way already"
                  .formatted(present.kind(), present.target()));
      present.waiting().add(asked);
      return;
    }
    underWay.put(request.key(), request);
    var timeout = controller.engine().graph().fencingTimeout();
    var delay = Numbers.parseInt(action.meta("priority_fencing_delay"), 0);
    log().notice("Requesting fencing (%s) of node %s".formatted(request.kind(), request.target()));
    fencer.fence(
        new FenceMessage.Fence(
            request.target(),
            request.kind(),
            timeout.toMillis(),
            delay,
            0,
            clientName,
            true,
            request.membership()),
        timeout.multipliedBy(3).plus(SLACK).plusSeconds(Math.max(0, delay)),
        answer -> answered(request, answer));
  }

  /// The present stay of a node, or its last one; 0 for what is no cluster node.
  private long stay(String target) {
    var id = controller.book().id(target);
    return id == null ? 0 : controller.book().stay(id);
  }

  private void answered(Request request, FenceMessage answer) {
    underWay.remove(request.key(), request);
    if (!controller.isDc()) {
      return;
    }
    var target = request.target();
    var engine = controller.engine();
    var waiting = stillWaiting(request);
    if (isVoid(request, answer)) {
      giveUp(request);
    } else if (answer instanceof FenceMessage.Outcome outcome && outcome.succeeded()) {
      failures.remove(target);
      if (request.isUnfencing()) {
        request.waiting().forEach(it -> unfenced(it.action()));
      } else {
        recordDown(outcome.record());
      }
      waiting.forEach(it -> engine.ended(it.transition(), it.action().id(), true));
      if (waiting.isEmpty()) {
        // asked for by a transition that is over: no plan made since knows how it ended
        restart("Fencing of an earlier transition ended");
      }
    } else {
      failed(target, answer, waiting);
    }
  }

  private List<Asked> stillWaiting(Request request) {
    var engine = controller.engine();
    return request.waiting().stream()
        .filter(it -> engine.busy() && engine.names().number() == it.transition())
        .toList();
  }

  /// Whether an answer is about an earlier stay of a node that has been back since.
  private boolean isVoid(Request request, FenceMessage answer) {
    if (request.isUnfencing()) {
      return false;
    }
    return switch (answer) {
      case FenceMessage.Outcome(var record, _, var status) ->
          status == ExecStatus.CANCELLED || !record.covers(stay(request.target()));
      case FenceMessage.Refused(var status, _) -> status == ExecStatus.CANCELLED;
      case FenceMessage _ -> false;
    };
  }

  /// What was to be fenced is back, and what it does now is for the next plan to judge.
  private void giveUp(Request request) {
    var waiting = stillWaiting(request);
    request.waiting().clear();
    if (waiting.isEmpty()) {
      return;
    }
    world
        .log()
        .notice(
            "Node %s has come back while it was to be fenced: planning again"
                .formatted(request.target()));
    restart(request.target() + " is back");
    waiting.forEach(it -> controller.engine().ended(it.transition(), it.action().id(), false));
  }

  private void restart(String why) {
    controller.engine().abort(TransitionEngine.INFINITY, TransitionEngine.Completion.RESTART, why);
  }

  private void failed(String target, FenceMessage answer, List<Asked> waiting) {
    var status =
        switch (answer) {
          case FenceMessage.Outcome it -> it.status();
          case FenceMessage.Refused it -> it.status();
          case FenceMessage _ -> ExecStatus.ERROR;
        };
    var count = count(target);
    log()
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

  /// Counts a failed attempt.
  ///
  /// @return how many there have been in the target's present stay
  private int count(String target) {
    var stay = stay(target);
    var before = failures.get(target);
    var count = before == null || before.stay() != stay ? 1 : before.count() + 1;
    failures.put(target, new Attempts(stay, count));
    return count;
  }

  private void unfenced(GraphAction action) {
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
        .about(Affair.ofFencing(record.id()))
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
    if (Task.ON.is(record.action())) {
      return;
    }
    if (!record.covers(stay(target))) {
      world.log().notice("Node %s has been back since: that was an earlier stay".formatted(target));
    } else if (event.succeeded() && target.equals(controller.nodeName())) {
      controller.fencedOurselves(record.origin());
    } else if (!controller.isDc()) {
      remember(event);
    } else if (event.succeeded() && !record.client().equals(clientName)) {
      failures.remove(target);
      recordDown(record);
      restart("External fencing operation");
    }
  }

  /// The DC writes it down, unless it is lost before.
  private void remember(FenceMessage.Fenced event) {
    var target = event.record().target();
    if (event.succeeded()) {
      failures.remove(target);
      unrecorded.put(target, event.record());
    } else {
      count(target);
    }
  }

  /// A node's controller is there: it is not down, and what is left of a fencing from before it
  /// came back is not waited for.
  void appeared(int node) {
    var name = controller.book().name(node);
    unrecorded.remove(name);
    if (!controller.isDc()) {
      return;
    }
    for (var request : List.copyOf(underWay.values())) {
      if (request.target().equals(name)
          && !request.isUnfencing()
          && request.membership() < controller.book().stay(node)) {
        giveUp(request);
      }
    }
  }

  /// The CIB has changed: what it says of fenced nodes need not be written down any more.
  void cibChanged() {
    unrecorded.keySet().removeIf(this::isRecorded);
  }

  private boolean isRecorded(String target) {
    var id = controller.book().id(target);
    var state = id == null ? null : controller.governor().records().known(id);
    return id == null
        || state != null
            && "down".equals(state.get("expected"))
            && "0".equals(state.get("in_ccm"))
            && "0".equals(state.get("crmd"))
            && state.first("lrm") == null;
  }

  /// This node is DC now: what was fenced in between is written down.
  void tookOver() {
    for (var record : List.copyOf(unrecorded.values())) {
      if (record.covers(stay(record.target())) && !isRecorded(record.target())) {
        recordDown(record);
      }
    }
  }

  /// Only for the stay that has ended: of a node that is back it would have its resources started
  /// elsewhere. Nor may it be carried out under a later DC, which may have let the node in.
  private void recordDown(FenceRecord record) {
    var id = controller.book().id(record.target());
    if (id == null) {
      world.log().warning("Node " + record.target() + " was fenced, but is not a cluster node");
      return;
    }
    unrecorded.put(record.target(), record);
    controller.book().expect(id, "down");
    controller
        .governor()
        .records()
        .write(
            List.of(
                CibOp.put("status", controller.book().downState(id, "send_stonith_update")),
                CibOp.deleteAllXPath("//node_state[@id='%d']/lrm".formatted(id)),
                CibOp.deleteAllXPath("//node_state[@id='%d']/transient_attributes".formatted(id))),
            () -> {});
  }
}
