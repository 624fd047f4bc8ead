package org.systole.controld;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.cib.CibOp;
import org.systole.common.values.Version;
import org.systole.common.wire.RpcClient;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.schedulerd.client.SchedulerClient;
import org.systole.schedulerd.client.SchedulerMessage;

/// What only the DC does: lets nodes join and asks the scheduler.
final class Governor implements RpcClient.Listener<SchedulerMessage> {
  private static final int THROWN_AWAY_MAX = 5;
  private static final Duration PAUSE = Duration.ofMillis(25); // doubled each time
  private static final Duration SCHEDULER_PATIENCE = Duration.ofMinutes(10);
  private static final Duration RETRY = Duration.ofSeconds(2);
  private static final Duration REWRITING = Duration.ofSeconds(1);

  private final World world;
  private final Controller controller;
  private final Joins joins = new Joins();
  private final DcRecords records;
  private final SchedulerClient scheduler;
  private World.@Nullable Timer joinTimer;
  private World.@Nullable Timer recheck;
  private @Nullable String wanted;
  private long reference;
  private boolean finalizing;
  private boolean asking;
  private boolean overtaken; // by more than the configuration, since the scheduler was asked
  private int thrownAway; // plans in a row that only the configuration has overtaken
  private int needs; // for another plan, said and not heard yet
  private long planned; // the reference of the plan that waits to be carried out
  private World.@Nullable Timer pause;
  private int recording;

  Governor(World world, Controller controller) {
    this.world = world;
    this.controller = controller;
    this.records = new DcRecords(world, controller, joins);
    this.scheduler = new SchedulerClient(world, this);
  }

  DcRecords records() {
    return records;
  }

  void open() {
    scheduler.open();
  }

  void close() {
    scheduler.close();
  }

  @Override
  public void connected() {
    if (wanted != null) {
      schedule(wanted);
    }
  }

  // Taking over and handing over

  /// Begins the term, or goes on with it.
  ///
  /// @param again the CIB manager is another process
  void takeOver(long epoch, boolean again) {
    joins.restart();
    finalizing = false;
    records.close();
    controller
        .cib()
        .setPrimary(
            epoch,
            problem -> {
              if (!controller.isDc() || controller.epoch() != epoch) {
                return;
              }
              if (problem != null) {
                world.log().error("This node's CIB cannot become the primary one: " + problem);
                controller.offer(new Input.ReleaseCalled("the CIB cannot be taken over"));
                return;
              }
              if (!again) {
                tookOver();
                return;
              }
              // if nobody else had the status, the attribute managers write again what they know
              world.after(
                  controller.book().online().size() > 1 ? REWRITING : REWRITING.multipliedBy(2),
                  () -> {
                    if (controller.isDc() && controller.epoch() == epoch && !records.isOpen()) {
                      tookOver();
                    }
                  });
            });
  }

  private void tookOver() {
    records.open();
    if (finalizing) {
      finalizeJoin();
    }
  }

  /// Whether this node's CIB gave way to one that another side of the cluster, or a disk, had: it
  /// does not know the DC that it has.
  boolean isReplaced(Element before, Element after) {
    var own = controller.nodeId();
    return records.isOpen()
        && own.equals(before.get("dc-uuid"))
        && !own.equals(after.get("dc-uuid"));
  }

  void release() {
    cancelTimers();
    wanted = null;
    reference++;
    joins.restart();
    finalizing = false;
    records.close();
    controller.cib().forgetWaiting();
    controller.cib().setSecondary();
  }

  private void cancelTimers() {
    if (joinTimer != null) {
      joinTimer.cancel();
      joinTimer = null;
    }
    if (recheck != null) {
      recheck.cancel();
      recheck = null;
    }
  }

  // Joining

  void offerAll() {
    joins.restart();
    offer(joins.invite(controller.book().online()));
  }

  void offerNew() {
    offer(joins.invite(controller.book().online()));
  }

  /// A node without DC asks to be let in; it may have been here before and have started anew.
  void announced(int node) {
    if (!controller.state().governs() || !controller.book().isOnline(node)) {
      return;
    }
    if (joins.phase(node) == Joins.Phase.WELCOMED) {
      controller.send(node, new PeerMessage.Offer(controller.epoch(), joins.joinId(node)));
      return;
    }
    joins.gone(node);
    controller.offer(new Input.NodesChanged(controller.book().name(node) + " announced itself"));
  }

  private void offer(List<Integer> nodes) {
    for (var node : nodes) {
      controller.send(node, new PeerMessage.Offer(controller.epoch(), joins.joinId(node)));
    }
    var round = joins.joinId();
    world.log().info("Join %d: %d nodes invited".formatted(round, nodes.size()));
    limit(
        controller.options().integrationTimeout(),
        () -> {
          for (var late : joins.in(Joins.Phase.WELCOMED)) {
            world.log().warning(controller.book().name(late) + " does not answer the invitation");
            joins.gone(late);
          }
          controller.offer(new Input.Integrated(round));
        });
    checkIntegrated();
  }

  private void limit(Duration time, Runnable then) {
    if (joinTimer != null) {
      joinTimer.cancel();
    }
    joinTimer =
        world.after(
            time,
            () -> {
              joinTimer = null;
              then.run();
            });
  }

  void admit(Input.JoinRequested request) {
    var node = request.from();
    if (!joins.isCurrent(node, request.joinId()) || !controller.book().isOnline(node)) {
      world.log().debug("Ignoring a join request of an older round from node " + node);
      return;
    }
    if (Version.compare(request.featureSet(), HistoryXml.FEATURE_SET) < 0) {
      joins.move(node, Joins.Phase.WELCOMED, Joins.Phase.REFUSED);
      var why =
          "feature set %s is older than the DC's %s"
              .formatted(request.featureSet(), HistoryXml.FEATURE_SET);
      world.log().error("Turning down " + controller.book().name(node) + ": " + why);
      controller.send(node, new PeerMessage.Result(request.joinId(), false, why));
    } else {
      joins.move(node, Joins.Phase.WELCOMED, Joins.Phase.INTEGRATED);
      if (controller.state() == State.FINALIZE_JOIN) {
        finalizeJoin();
      }
    }
    checkIntegrated();
  }

  void checkIntegrated() {
    if (controller.state() == State.INTEGRATION
        && !joins.any(Joins.Phase.WELCOMED)
        && awaited().isEmpty()) {
      controller.offer(new Input.Integrated(joins.joinId()));
    }
  }

  /// Gives those who asked their place, as soon as the CIB is this node's to give out.
  void finalizeJoin() {
    finalizing = true;
    if (!records.isOpen()) {
      return;
    }
    for (var node : joins.in(Joins.Phase.INTEGRATED)) {
      controller.book().expect(node, "member");
      joins.move(node, Joins.Phase.INTEGRATED, Joins.Phase.FINALIZED);
      controller.send(node, new PeerMessage.Result(joins.joinId(node), true, ""));
    }
    var round = joins.joinId();
    limit(
        controller.options().finalizationTimeout(),
        () -> {
          for (var late : joins.in(Joins.Phase.FINALIZED)) {
            world.log().warning(controller.book().name(late) + " does not confirm its place");
            joins.gone(late);
          }
          controller.offer(new Input.Finalized(round));
        });
    checkFinalized();
  }

  /// A node's own word about itself replaces what the CIB said of it.
  void record(Input.JoinConfirmed confirmation) {
    var node = confirmation.from();
    if (!joins.isCurrent(node, confirmation.joinId())
        || !joins.move(node, Joins.Phase.FINALIZED, Joins.Phase.CONFIRMED)) {
      world.log().debug("Ignoring a join confirmation out of turn from node " + node);
      return;
    }
    Element status;
    try {
      status = XmlReader.parse(confirmation.status());
    } catch (XmlException e) {
      world.log().error("Node %d sent a status that is no XML: %s".formatted(node, e.getMessage()));
      joins.gone(node);
      checkFinalized();
      return;
    }
    var state = controller.book().state(node, true, "do_lrm_query_internal", status);
    var lrm = status.first("lrm");
    if (state != null && lrm != null) {
      state = state.plus(lrm);
    }
    var old =
        controller.options().shutdownLock()
            ? "//node_state[@id='%d']/lrm/lrm_resources/lrm_resource[not(@shutdown-lock)]"
            : "//node_state[@id='%d']/lrm";
    recording++;
    var changes = new ArrayList<CibOp>();
    changes.add(CibOp.deleteAllXPath(old.formatted(node)));
    if (state != null) {
      changes.add(CibOp.put("status", state));
    }
    records.write(
        changes,
        () -> {
          recording--;
          checkFinalized();
        });
  }

  private void checkFinalized() {
    if (controller.state() == State.FINALIZE_JOIN
        && finalizing
        && records.isOpen()
        && recording == 0
        && !joins.any(Joins.Phase.WELCOMED)
        && !joins.any(Joins.Phase.INTEGRATED)
        && !joins.any(Joins.Phase.FINALIZED)) {
      controller.offer(new Input.Finalized(joins.joinId()));
    }
  }

  void joinDone() {
    finalizing = false;
    if (joinTimer != null) {
      joinTimer.cancel();
      joinTimer = null;
    }
    records.recordQuorum(true);
    records.recordNodes();
    controller.fencing().tookOver();
  }

  /// Members whose controller was there, was lost, and may be back in a moment: to plan without
  /// them would mean to have them fenced.
  List<Integer> awaited() {
    return controller.book().missing().stream().filter(this::isAwaited).toList();
  }

  private boolean isAwaited(int node) {
    var state = records.known(node);
    return joins.phase(node) == Joins.Phase.NONE
        && state != null
        && !"0".equals(state.get("crmd", "0"))
        && !"down".equals(state.get("expected"))
        && !controller.book().isExpectedDown(node);
  }

  boolean isJoined(int node) {
    return joins.phase(node) == Joins.Phase.CONFIRMED;
  }

  List<Integer> joined() {
    return joins.in(Joins.Phase.CONFIRMED);
  }

  // Nodes coming and going

  void left(int node) {
    joins.gone(node);
    var id = String.valueOf(node);
    var name = controller.book().name(node);
    var down = controller.engine().downing(id);
    if (down == null && controller.book().isMissing(node) && isAwaited(node)) {
      world
          .log()
          .warning("The controller of %s is gone; waiting for it to come back".formatted(name));
      controller.engine().nodeLost(id, name);
      controller.offer(new Input.NodesChanged("the controller of " + name + " is gone"));
      return;
    }
    var expected = down != null || controller.book().isExpectedDown(node);
    if (down != null && down.task().equals("do_shutdown")) {
      controller.book().expect(node, "down");
      world.log().notice("Shutdown of " + name + " is complete");
      controller.engine().nodeLost(id, name); // it took what else it was asked for with it
    } else if (!expected) {
      world.log().warning("Node " + name + " left the cluster unexpectedly");
      controller.engine().nodeLost(id, name);
      controller
          .engine()
          .abort(TransitionEngine.INFINITY, TransitionEngine.Completion.RESTART, "Node failure");
    } else {
      controller.engine().nodeLost(id, name);
    }
    records.recordNode(node, "peer_update_callback");
    checkIntegrated();
    checkFinalized();
  }

  /// A member whose controller was away already has left the membership, too.
  void leftMembership(int node) {
    records.recordNode(node, "post_cache_update");
    checkIntegrated();
  }

  // Planning

  /// Asks the scheduler, once nothing of the last transition runs and all writes are in.
  void schedule(String why) {
    wanted = why;
    overtaken |= !why.equals(CibChange.CONFIGURATION);
    if (recheck != null) {
      recheck.cancel();
      recheck = null;
    }
    reference++;
    if (controller.engine().busy()) {
      return; // it tells when nothing runs any more
    }
    controller.cib().whenSettled(this::ask);
  }

  void planNeeded() {
    needs++;
  }

  void planAskedFor() {
    needs--;
  }

  /// Whether another plan was asked for since the one came that is to be carried out. That one could
  /// have a node fenced whose fencing has just ended.
  boolean isOvertaken() {
    return needs > 0 || planned != reference;
  }

  void quiet() {
    if (wanted != null && controller.state() == State.POLICY_ENGINE) {
      schedule(wanted);
    }
  }

  private void ask() {
    var cib = controller.cib().cib();
    if (wanted == null || cib == null || controller.state() != State.POLICY_ENGINE) {
      return;
    }
    if (!scheduler.isConnected() || asking || pause != null && !overtaken) {
      return; // connecting, or the answer, or the end of the pause, asks again
    }
    asking = true;
    if (pause != null) {
      pause.cancel();
      pause = null;
    }
    overtaken = false;
    var mine = "%d-%d".formatted(controller.epoch(), reference);
    var asked = reference;
    scheduler.calculate(
        mine,
        cib,
        world.now(),
        SCHEDULER_PATIENCE,
        answer -> {
          asking = false;
          if (controller.state() != State.POLICY_ENGINE) {
            return;
          }
          if (asked == reference) {
            thrownAway = 0;
            planned(answer);
          } else if (wanted != null && !controller.engine().busy()) {
            takeOrAskAgain(answer, wanted);
          }
        });
  }

  /// A plan that the configuration has overtaken is thrown away, but not for ever: a cluster whose
  /// configuration changes all the time has to get on as well. The plan is as good as one whose
  /// transition the next change aborts, and so that is what it becomes.
  private void takeOrAskAgain(SchedulerMessage.Calculated answer, String why) {
    if (overtaken) {
      controller.cib().whenSettled(this::ask);
      return;
    }
    if (++thrownAway <= THROWN_AWAY_MAX) {
      pause();
      return;
    }
    thrownAway = 0;
    planned(answer);
    world.post(
        () ->
            controller
                .engine()
                .abort(TransitionEngine.INFINITY, TransitionEngine.Completion.RESTART, why));
  }

  /// The configuration changes faster than it can be planned for: what comes next is awaited.
  private void pause() {
    pause =
        world.after(
            PAUSE.multipliedBy(1L << (thrownAway - 1)),
            () -> {
              pause = null;
              quiet();
            });
  }

  private void planned(SchedulerMessage.Calculated answer) {
    if (!answer.failure().isEmpty()) {
      world.log().error("The scheduler gives no plan: " + answer.failure());
      var asked = reference;
      world.after(
          RETRY,
          () -> {
            if (asked == reference && wanted != null) {
              schedule(wanted);
            }
          });
      return;
    }
    answer.errors().forEach(it -> world.log().error("Scheduler: " + it));
    answer.warnings().forEach(it -> world.log().warning("Scheduler: " + it));
    Graph graph;
    try {
      graph = Graph.read(XmlReader.parse(answer.graph()));
    } catch (XmlException e) {
      world.log().error("The scheduler's plan is no XML: " + e.getMessage());
      return;
    }
    wanted = null;
    if (!answer.inputFile().isEmpty()) {
      world.log().notice("Calculated a transition, saving inputs in " + answer.inputFile());
    }
    planned = reference;
    controller.offer(new Input.Planned(graph));
  }

  /// Nothing is left to do; time alone may change that.
  void settle() {
    var wait = controller.options().recheckInterval();
    var by = controller.engine().graph().recheckBy();
    if (by > 0) {
      var until = Duration.ofSeconds(Math.max(1, by - world.now().getEpochSecond() + 1));
      if (wait.isZero() || until.compareTo(wait) < 0) {
        wait = until;
      }
    }
    if (wait.isZero()) {
      return;
    }
    recheck =
        world.after(
            wait,
            () -> {
              recheck = null;
              controller.offer(new Input.ScheduleNeeded("it was time to look again"));
            });
  }

  /// Whether nothing is under way or being recorded.
  boolean idle() {
    return controller.state() == State.IDLE && controller.cib().settled();
  }
}
