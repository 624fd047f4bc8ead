package org.systole.controld.io;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.Task;
import org.systole.common.transition.GraphAction;
import org.systole.common.values.NodeName;
import org.systole.common.values.Numbers;
import org.systole.common.values.OneLine;
import org.systole.common.world.Affair;
import org.systole.common.world.Log;
import org.systole.common.world.World;
import org.systole.controld.client.CtlMessage;
import org.systole.fenced.client.FenceClient;
import org.systole.fenced.client.FenceMessage;
import org.systole.fenced.client.FenceMessage.FenceRecord;

/// Fencing as the controller sees it: requests it when the plan says so, and notes every fencing in
/// the cluster, whichever process requested it.
public final class FencerLink implements FenceClient.Listener {
  private static final Duration SLACK = Duration.ofSeconds(60);

  /// The longest time that a device is given when it is seen whether it answers; it may have it twice,
  /// and who asks from another member waits a minute.
  private static final Duration LOOK = Duration.ofSeconds(25);

  /// What a fence agent's status says of a node that is off.
  private static final int SAYS_OFF = 2;

  /// How much of what a device says of its failure is passed on.
  private static final int REASON_MAX = 300;

  /// How long to wait before a fencer that could not be reached is asked again.
  private static final Duration RETRY = Duration.ofSeconds(2);

  /// Who asks the fencer in the name of host HA.
  public static final String HOST_HA = "pacemaker-controld.host-ha";

  /// What fencing needs of the controller.
  public interface Host {
    NodeName nodeName();

    boolean isDc();

    /// How often a node's fencing may fail before it is given up for the time being.
    int fencingMaxAttempts();

    /// The number of the membership that the present plan was made in.
    long plannedIn();

    /// How long the present plan gives a fencing.
    Duration fencingTimeout();

    /// The present stay of a node, or its last one; 0 for what is no cluster node.
    long stay(NodeName node);

    /// Whether this transition is still being carried out.
    boolean isUnderWay(int transition);

    /// For lines about the present transition.
    Log transitionLog();

    /// An action of a transition is over.
    void ended(int transition, int action, boolean succeeded);

    /// Aborts the present transition, for another plan.
    void restart(String why);

    /// Aborts the present transition; another plan would have the same result.
    void giveUp(String why);

    /// Whether the CIB says that a node is down and runs nothing.
    boolean isRecordedDown(NodeName node);

    /// Records that a node is down and runs nothing.
    void recordDown(NodeName node);

    /// Somebody else than the cluster and host HA had a node fenced.
    void fencedByOthers(NodeName node, String why);

    void setAttribute(String name, NodeName node, @Nullable String value);

    /// Runs the alert agents.
    void alert(FenceMessage.Fenced event, String text);

    /// This node was fenced in its present stay.
    void fencedOurselves(NodeName origin);
  }

  private final World world;
  private final Host host;
  private final FenceClient fencer;
  private final String clientName;
  private final Map<NodeName, Attempts> failures = new HashMap<>();

  /// By kind and node: what the fencer was asked for last.
  private final Map<String, Request> underWay = new HashMap<>();

  /// Fenced, and not yet recorded as down in the CIB. The DC records it; if it is lost before, the
  /// next one does.
  private final Map<NodeName, FenceRecord> unrecorded = new TreeMap<>();

  /// Runs while a plan waits for a fencer that cannot be asked.
  private World.@Nullable Timer retry;

  /// Failed attempts to end one stay of a node; for a node that is back the count begins again.
  private record Attempts(long stay, int count) {}

  /// What a transition waits for.
  private record Asked(GraphAction action, int transition) {}

  /// What the fencer was asked for.
  ///
  /// @param membership in which it was decided; it is not about a later stay of the target
  private record Request(String kind, NodeName target, long membership, List<Asked> waiting) {
    boolean isUnfencing() {
      return Task.ON.is(kind);
    }

    String key() {
      return kind + " " + target;
    }
  }

  public FencerLink(World world, Host host) {
    this.world = world;
    this.host = host;
    this.fencer = new FenceClient(world, this);
    this.clientName = "pacemaker-controld." + Math.abs(world.random().nextInt(1_000_000));
  }

  public void open() {
    fencer.open();
  }

  void close() {
    fencer.close();
  }

  @Override
  public void connected() {
    world.log().info("Connected to the fencer");
    askAgain();
  }

  @Override
  public void disconnected(String why) {
    world.log().warning("Lost the fencer: " + why);
  }

  private Log log() {
    return host.transitionLog();
  }

  /// Asks a device for the power of a node, to see whether the device answers here. One that cannot tell
  /// the power, and is monitored here, may answer its monitor.
  ///
  /// @param done told once: why not; empty if it answers
  public void ask(CtlMessage.AskDevice it, Consumer<String> done) {
    var timeout = Duration.ofMillis(Math.clamp(it.timeoutMillis(), 1, LOOK.toMillis()));
    fencer.run(
        it.device(),
        Task.STATUS.text(),
        it.target(),
        timeout,
        said -> {
          if (told(said)) {
            done.accept("");
          } else if (said.status() == ExecStatus.NO_FENCE_DEVICE) {
            done.accept("it may not be used there");
          } else {
            fencer.run(
                it.device(),
                Task.MONITOR.text(),
                null,
                timeout,
                monitored -> done.accept(monitored.succeeded() ? "" : cause(said)));
          }
        });
  }

  private static boolean told(FenceMessage.DeviceResult said) {
    var answered = said.status() == ExecStatus.DONE || said.status() == ExecStatus.ERROR;
    return said.succeeded() || answered && said.rc() == SAYS_OFF;
  }

  private static String cause(FenceMessage.DeviceResult said) {
    return said.exitReason().isEmpty()
        ? "its status ended with %d (%s)".formatted(said.rc(), said.status())
        : said.exitReason();
  }

  /// Asks the fencer, unless it is already fencing the node's present stay in this way.
  public void fence(GraphAction action, int transition) {
    var kind = action.meta("stonith_action");
    var asked = new Asked(action, transition);
    var target = action.node();
    if (target == null) {
      world.post(() -> nameless(asked));
      return;
    }
    var request =
        new Request(
            kind == null ? Task.REBOOT.text() : kind,
            target,
            host.plannedIn(),
            new ArrayList<>(List.of(asked)));
    var present = underWay.get(request.key());
    if (present != null && host.stay(present.target()) <= present.membership()) {
      log()
          .notice(
              "Fencing (%s) of node %s is under way already"
                  .formatted(present.kind(), present.target()));
      present.waiting().add(asked);
      return;
    }
    underWay.put(request.key(), request);
    var timeout = host.fencingTimeout();
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

  private void nameless(Asked asked) {
    if (host.isDc() && host.isUnderWay(asked.transition())) {
      host.giveUp("The plan fences a node without a valid name: check the nodes in the CIB");
      host.ended(asked.transition(), asked.action().id(), false);
    }
  }

  private void answered(Request request, FenceMessage answer) {
    underWay.remove(request.key(), request);
    if (!host.isDc()) {
      return;
    }
    var target = request.target();
    var waiting = stillWaiting(request);
    if (isVoid(request, answer)) {
      giveUp(request);
    } else if (answer instanceof FenceMessage.Outcome outcome && outcome.succeeded()) {
      failures.remove(target);
      if (request.isUnfencing()) {
        request.waiting().forEach(it -> unfenced(target, it.action()));
      } else {
        recordDown(outcome.record());
      }
      waiting.forEach(it -> host.ended(it.transition(), it.action().id(), true));
      if (waiting.isEmpty()) {
        // asked for by a transition that is over: no plan made since knows how it ended
        host.restart("Fencing of an earlier transition ended");
      }
    } else if (answer instanceof FenceMessage.Refused(var status, var why)
        && status == ExecStatus.NOT_CONNECTED) {
      unreachable(request, why, waiting);
    } else {
      failed(target, answer, waiting);
    }
  }

  private List<Asked> stillWaiting(Request request) {
    return request.waiting().stream().filter(it -> host.isUnderWay(it.transition())).toList();
  }

  /// Whether an answer is about an earlier stay of a node that has been back since.
  private boolean isVoid(Request request, FenceMessage answer) {
    if (request.isUnfencing()) {
      return false;
    }
    return switch (answer) {
      case FenceMessage.Outcome(var record, _, var status) ->
          status == ExecStatus.CANCELLED || !record.covers(host.stay(request.target()));
      case FenceMessage.Refused(var status, _) -> status == ExecStatus.CANCELLED;
      case FenceMessage _ -> false;
    };
  }

  /// The target is back, so the next plan decides about it.
  private void giveUp(Request request) {
    var waiting = stillWaiting(request);
    request.waiting().clear();
    if (waiting.isEmpty()) {
      return;
    }
    world
        .log()
        .notice(
            "Node %s has come back before it was fenced: planning again"
                .formatted(request.target()));
    host.restart(request.target() + " is back");
    waiting.forEach(it -> host.ended(it.transition(), it.action().id(), false));
  }

  /// The fencer was not there, or was lost meanwhile. That says nothing about the devices, so it
  /// does not count as an attempt: the target is fenced once the fencer can be asked.
  private void unreachable(Request request, String why, List<Asked> waiting) {
    log()
        .error(
            "Cannot have %s fenced: %s; asking again when the fencer is there"
                .formatted(request.target(), why));
    if (waiting.isEmpty()) {
      return;
    }
    if (retry == null) {
      retry = world.after(RETRY, this::askAgain);
    }
    host.giveUp("The fencer cannot be asked to fence " + request.target());
    waiting.forEach(it -> host.ended(it.transition(), it.action().id(), false));
  }

  private void askAgain() {
    if (retry == null) {
      return; // nothing waits for the fencer
    }
    retry.cancel();
    retry = null;
    if (host.isDc()) {
      host.restart("Fencing that could not be asked for");
    }
  }

  private void failed(NodeName target, FenceMessage answer, List<Asked> waiting) {
    var status =
        switch (answer) {
          case FenceMessage.Outcome it -> it.status();
          case FenceMessage.Refused it -> it.status();
          case FenceMessage _ -> ExecStatus.ERROR;
        };
    var count = count(target);
    var why = answer instanceof FenceMessage.Outcome it ? it.failure() : status.text();
    log()
        .error(
            "Fencing of %s failed (%s), attempt %d".formatted(target, OneLine.of(why, REASON_MAX), count));
    if (waiting.isEmpty()) {
      return;
    }
    if (status == ExecStatus.NO_FENCE_DEVICE) {
      host.giveUp("No device can fence " + target + ", giving up until something changes");
    } else if (count >= host.fencingMaxAttempts()) {
      host.giveUp("Fencing of %s failed %d times, giving up for now".formatted(target, count));
    } else {
      host.restart("Fencing failed");
    }
    for (var asked : waiting) {
      host.ended(asked.transition(), asked.action().id(), false);
    }
  }

  /// Counts a failed attempt.
  ///
  /// @return how many there have been in the target's present stay
  private int count(NodeName target) {
    var stay = host.stay(target);
    var before = failures.get(target);
    var count = before == null || before.stay() != stay ? 1 : before.count() + 1;
    failures.put(target, new Attempts(stay, count));
    return count;
  }

  private void unfenced(NodeName node, GraphAction action) {
    var now = String.valueOf(world.now().getEpochSecond());
    host.setAttribute("#node-unfenced", node, now);
    var all = action.meta("digests_all");
    if (all != null) {
      host.setAttribute("#digests-all", node, all);
    }
    var secure = action.meta("digests_secure");
    if (secure != null) {
      host.setAttribute("#digests-secure", node, secure);
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
    host.alert(
        event,
        "Operation %s of %s by %s for %s@%s: %s (ref=%s)"
            .formatted(
                record.action(),
                target,
                record.delegate().isEmpty() ? "the cluster" : record.delegate(),
                record.client(),
                record.origin(),
                event.succeeded() ? "OK" : OneLine.of(event.failure(), REASON_MAX),
                record.id()));
    if (Task.ON.is(record.action())) {
      return;
    }
    if (record.client().equals(HOST_HA)) {
      return; // it says itself what a fencing means for its host
    }
    if (!record.covers(host.stay(target))) {
      world.log().notice("Ignoring a fencing of %s: it has come back since".formatted(target));
    } else if (event.succeeded() && target.equals(host.nodeName())) {
      host.fencedOurselves(record.origin());
    } else if (!host.isDc()) {
      remember(event);
    } else if (event.succeeded() && !record.client().equals(clientName)) {
      failures.remove(target);
      recordDown(record);
      host.fencedByOthers(
          target, "it was fenced (%s) for %s@%s".formatted(record.action(), record.client(), record.origin()));
      host.restart("External fencing operation");
    }
  }

  /// Remembers a fencing that the DC records, in case the DC is lost before.
  private void remember(FenceMessage.Fenced event) {
    var target = event.record().target();
    if (event.succeeded()) {
      failures.remove(target);
      unrecorded.put(target, event.record());
    } else {
      count(target);
    }
  }

  /// A node's controller is there: the node is not down, and a fencing from before it came back is
  /// not waited for.
  public void appeared(NodeName name) {
    unrecorded.remove(name);
    if (!host.isDc()) {
      return;
    }
    for (var request : List.copyOf(underWay.values())) {
      if (request.target().equals(name)
          && !request.isUnfencing()
          && request.membership() < host.stay(name)) {
        giveUp(request);
      }
    }
  }

  /// The CIB has changed: nodes that it has as down need not be recorded any more.
  public void cibChanged() {
    unrecorded.keySet().removeIf(host::isRecordedDown);
  }

  /// This node is DC now: it records nodes that were fenced in between.
  public void tookOver() {
    for (var record : List.copyOf(unrecorded.values())) {
      if (record.covers(host.stay(record.target())) && !host.isRecordedDown(record.target())) {
        recordDown(record);
      }
    }
  }

  /// Only for a stay that has ended: if the node is back, its resources would be started a second
  /// time elsewhere. Nor is it written under a later DC, which may have let the node in.
  private void recordDown(FenceRecord record) {
    unrecorded.put(record.target(), record);
    host.recordDown(record.target());
  }
}
