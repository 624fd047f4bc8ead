package org.systole.controld;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.cib.CibOp;
import org.systole.common.operation.Task;
import org.systole.common.output.Product;
import org.systole.common.values.Version;
import org.systole.common.wire.ClientProtocol.NoEvent;
import org.systole.common.wire.RpcClient;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.schedulerd.client.SchedulerClient;
import org.systole.schedulerd.client.SchedulerMessage;

/// What only the DC does: lets nodes join and has the scheduler plan.
final class Governor implements RpcClient.Listener<NoEvent>, Planning.Host {
  private static final Duration SCHEDULER_PATIENCE = Duration.ofMinutes(10);
  private static final Duration REWRITING = Duration.ofSeconds(1);

  private final World world;
  private final Controller controller;
  private final Joins joins = new Joins();
  private final DcRecords records;
  private final SchedulerClient scheduler;
  private final Planning planning;
  private World.@Nullable Timer joinTimer;
  private boolean finalizing;
  private long plannedIn;
  private int recording;

  Governor(World world, Controller controller) {
    this.world = world;
    this.controller = controller;
    this.records = new DcRecords(world, controller, joins);
    this.scheduler = new SchedulerClient(world, this);
    this.planning = new Planning(world, this);
  }

  DcRecords records() {
    return records;
  }

  Planning planning() {
    return planning;
  }

  void open() {
    scheduler.open();
  }

  void close() {
    scheduler.close();
  }

  @Override
  public void connected() {
    planning.retry();
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
    cancelJoinTimer();
    planning.release();
    joins.restart();
    finalizing = false;
    records.close();
    controller.cib().forgetWaiting();
    controller.cib().setSecondary();
  }

  private void cancelJoinTimer() {
    if (joinTimer != null) {
      joinTimer.cancel();
      joinTimer = null;
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
    cancelJoinTimer();
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
    if (Version.compare(request.featureSet(), Product.FEATURE_SET) < 0) {
      joins.move(node, Joins.Phase.WELCOMED, Joins.Phase.REFUSED);
      var why =
          "feature set %s is older than the DC's %s"
              .formatted(request.featureSet(), Product.FEATURE_SET);
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
      state = state.plus(marked(node, lrm));
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

  /// A node that has lost its memory says so by what it does not say.
  private Element marked(int node, Element lrm) {
    var book = controller.book();
    if (!LostHistory.isLost(records.known(node), lrm, book.isRestarted(node))) {
      return lrm;
    }
    world
        .log()
        .warning(
            "%s does not know what it was doing before; looking for all resources there"
                .formatted(book.name(node)));
    return LostHistory.mark(lrm);
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
    cancelJoinTimer();
    records.recordQuorum(true);
    records.recordNodes();
    controller.fencing().tookOver();
  }

  /// Members whose controller was there, was lost, and may be back in a moment, and those that were
  /// lost themselves and have just come back without having been fenced, as when there was no
  /// quorum: to plan without them would mean to have them fenced.
  List<Integer> awaited() {
    return controller.book().missing().stream().filter(this::isAwaited).toList();
  }

  /// A node that has come into the membership: what is under way ends, and its controller is waited
  /// for if the CIB says that it should have been there all the time.
  void came(int node) {
    if (controller.state().governs() && controller.book().isMissing(node) && isAwaited(node)) {
      controller.offer(new Input.NodesChanged(controller.book().name(node) + " is back, unfenced"));
    }
  }

  private boolean isAwaited(int node) {
    var state = records.known(node);
    return joins.phase(node) == Joins.Phase.NONE
        && state != null
        && (!"0".equals(state.get("crmd", "0")) || "member".equals(state.get("expected")))
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
    if (down != null && down.is(Task.SHUTDOWN)) {
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
      if (down == null) {
        // no plan has counted on it: while the node was still there the last one may have seen more
        // in it than was left
        controller
            .engine()
            .abort(
                TransitionEngine.INFINITY,
                TransitionEngine.Completion.RESTART,
                "Node left as expected");
      }
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

  // What planning needs

  @Override
  public boolean mayPlan() {
    return controller.state() == State.POLICY_ENGINE;
  }

  @Override
  public boolean busy() {
    return controller.engine().busy();
  }

  @Override
  public String nextTransition() {
    return controller.engine().names().next();
  }

  @Override
  public @Nullable Element cib() {
    return controller.cib().cib();
  }

  @Override
  public void whenSettled(Runnable task) {
    controller.cib().whenSettled(task);
  }

  @Override
  public boolean canAsk() {
    return scheduler.isConnected();
  }

  @Override
  public void calculate(String reference, Element cib, Consumer<SchedulerMessage.Calculated> done) {
    plannedIn = controller.membershipNumber();
    scheduler.calculate(reference, cib, world.now(), SCHEDULER_PATIENCE, done);
  }

  /// The number of the membership that the present plan was made in.
  long plannedIn() {
    return plannedIn;
  }

  @Override
  public void offer(Input input) {
    controller.offer(input);
  }

  @Override
  public void abort(String why) {
    controller.engine().abort(TransitionEngine.INFINITY, TransitionEngine.Completion.RESTART, why);
  }

  @Override
  public Duration recheckInterval() {
    return controller.options().recheckInterval();
  }

  @Override
  public long recheckBy() {
    return controller.engine().graph().recheckBy();
  }

  /// Whether nothing is under way or being recorded.
  boolean idle() {
    return controller.state() == State.IDLE && controller.cib().settled();
  }
}
