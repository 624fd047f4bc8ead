package org.systole.controld.dc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibXPath;
import org.systole.common.operation.Task;
import org.systole.common.values.CibNodeId;
import org.systole.common.values.NodeId;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.controld.fsm.Input;
import org.systole.controld.fsm.State;
import org.systole.controld.io.CibLink;
import org.systole.controld.io.PeerMessage;
import org.systole.controld.operations.HalfMoved;
import org.systole.controld.operations.HistoryXml;
import org.systole.controld.transition.TransitionEngine;

/// What only the DC does: it takes the CIB over, lets nodes join, and reacts when they leave.
public final class Dc {
  private static final Duration REWRITING = Duration.ofSeconds(1);

  /// How long a node that cannot be fenced has to come back: the service manager waits two seconds,
  /// the programs have to start, and to find the others.
  private static final Duration RETURN = Duration.ofSeconds(10);

  /// What the DC needs of the controller.
  public interface Host {
    State state();

    void offer(Input input);

    void send(NodeId node, PeerMessage message);

    boolean isDc();

    /// Of this node's term as DC.
    long epoch();

    /// How long nodes have to answer an offer.
    Duration integrationTimeout();

    /// How long nodes have to confirm that they were let in.
    Duration finalizationTimeout();

    /// Whether resources stay locked to a node that was shut down.
    boolean shutdownLock();

    /// Whether lost nodes are fenced.
    boolean fences();

    /// Whether a member has been let in by a side with quorum during its present stay.
    boolean isAdmitted(NodeId node);

    /// A join round has ended, the first of this term or a later one.
    void joinDone();
  }

  private final World world;
  private final Host host;
  private final String self;
  private final NodeBook book;
  private final CibLink cib;
  private final TransitionEngine engine;
  private final Joins joins;
  private final DcRecords records;
  private final Planning planning;
  private final Objections objections;
  private World.@Nullable Timer joinTimer;
  private final Set<NodeId> returning = new TreeSet<>();
  private boolean finalizing;
  private int recording;

  /// @param self this node's id
  public Dc(
      World world,
      Host host,
      NodeId self,
      NodeBook book,
      CibLink cib,
      TransitionEngine engine,
      Joins joins,
      DcRecords records,
      Planning planning) {
    this.world = world;
    this.host = host;
    this.self = String.valueOf(self);
    this.book = book;
    this.cib = cib;
    this.engine = engine;
    this.joins = joins;
    this.records = records;
    this.planning = planning;
    this.objections = new Objections(host, book, self);
  }

  DcRecords records() {
    return records;
  }

  // Taking over and handing over

  /// Begins the term, or goes on with it.
  ///
  /// @param again whether the term goes on with a new process of the CIB manager
  public void takeOver(long epoch, boolean again) {
    if (!again) {
      book.newTerm();
    }
    joins.restart();
    finalizing = false;
    records.close();
    cib
        .setPrimary(
            epoch,
            problem -> {
              if (!host.isDc() || host.epoch() != epoch) {
                return;
              }
              if (problem != null) {
                world.log().error("This node's CIB cannot become the primary one: " + problem);
                host.offer(new Input.ReleaseCalled("the CIB cannot be taken over"));
                return;
              }
              if (!again) {
                tookOver();
                return;
              }
              // if no other node had the status, the attribute managers write again what they know
              world.after(
                  book.online().size() > 1 ? REWRITING : REWRITING.multipliedBy(2),
                  () -> {
                    if (host.isDc() && host.epoch() == epoch && !records.isOpen()) {
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

  /// Whether this node's CIB was replaced by that of another side of the cluster, or of a disk:
  /// such a CIB does not name the present DC.
  public boolean isReplaced(Element before, Element after) {
    return records.isOpen()
        && self.equals(before.get("dc-uuid"))
        && !self.equals(after.get("dc-uuid"));
  }

  public void release() {
    cancelJoinTimer();
    planning.release();
    joins.restart();
    finalizing = false;
    records.close();
    cib.forgetWaiting();
    cib.setSecondary();
  }

  private void cancelJoinTimer() {
    if (joinTimer != null) {
      joinTimer.cancel();
      joinTimer = null;
    }
  }

  // Joining

  public void offerAll() {
    joins.restart();
    offer(joins.invite(book.online()));
  }

  public void offerNew() {
    offer(joins.invite(book.online()));
  }

  /// A node without a DC asks to be let in; it may have joined before and have restarted.
  public void announced(NodeId node) {
    if (!host.state().governs() || !book.isOnline(node)) {
      return;
    }
    if (joins.phase(node) == Joins.Phase.WELCOMED) {
      host.send(node, new PeerMessage.Offer(host.epoch(), joins.joinId(node)));
      return;
    }
    joins.gone(node);
    host.offer(new Input.NodesChanged(book.name(node) + " announced itself"));
  }

  private void offer(List<NodeId> nodes) {
    for (var node : nodes) {
      host.send(node, new PeerMessage.Offer(host.epoch(), joins.joinId(node)));
    }
    var round = joins.joinId();
    world.log().info("Join %d: %d nodes invited".formatted(round, nodes.size()));
    limit(
        host.integrationTimeout(),
        () -> {
          for (var late : joins.in(Joins.Phase.WELCOMED)) {
            world.log().warning(book.name(late) + " does not answer the invitation");
            joins.gone(late);
          }
          host.offer(new Input.Integrated(round));
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

  public void admit(Input.JoinRequested request) {
    var node = request.from();
    if (!joins.isCurrent(node, request.joinId()) || !book.isOnline(node)) {
      world.log().debug("Ignoring a join request of an older round from node " + node);
      return;
    }
    var own = objections.toThisNode(request);
    if (own != null) {
      host.offer(new Input.TurnedDown(own));
      return;
    }
    var why = objections.to(request);
    if (why != null) {
      joins.move(node, Joins.Phase.WELCOMED, Joins.Phase.REFUSED);
      world.log().error("Turning down " + book.name(node) + ": " + why);
      host.send(node, new PeerMessage.Result(request.joinId(), false, why));
    } else {
      joins.move(node, Joins.Phase.WELCOMED, Joins.Phase.INTEGRATED);
      if (host.state() == State.FINALIZE_JOIN) {
        finalizeJoin();
      }
    }
    checkIntegrated();
  }

  public void checkIntegrated() {
    if (host.state() == State.INTEGRATION
        && !joins.any(Joins.Phase.WELCOMED)
        && awaited().isEmpty()) {
      host.offer(new Input.Integrated(joins.joinId()));
    }
  }

  /// Lets in the nodes that asked, as soon as this node's CIB is the primary one.
  public void finalizeJoin() {
    finalizing = true;
    if (!records.isOpen()) {
      return;
    }
    for (var node : joins.in(Joins.Phase.INTEGRATED)) {
      book.expect(node, "member");
      joins.move(node, Joins.Phase.INTEGRATED, Joins.Phase.FINALIZED);
      host.send(node, new PeerMessage.Result(joins.joinId(node), true, ""));
    }
    var round = joins.joinId();
    limit(
        host.finalizationTimeout(),
        () -> {
          for (var late : joins.in(Joins.Phase.FINALIZED)) {
            world.log().warning(book.name(late) + " does not confirm its place");
            joins.gone(late);
          }
          host.offer(new Input.Finalized(round));
        });
    checkFinalized();
  }

  /// What a node reports of itself replaces its status in the CIB.
  public void record(Input.JoinConfirmed confirmation) {
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
      world.log().error("Node %s sent a status that is no XML: %s".formatted(node, e.getMessage()));
      joins.gone(node);
      checkFinalized();
      return;
    }
    var state = book.state(node, true, "do_lrm_query_internal", status);
    var known = records.known(node);
    var told = status.first("lrm");
    var lrm = told == null ? null : HalfMoved.withoutForgotten(known, told);
    if (state != null && lrm != null) {
      state = state.plus(marked(node, lrm));
    }
    recording++;
    var changes = new ArrayList<>(HalfMoved.lookAgain(cib.cib(), known, lrm));
    changes.addAll(withoutHistory(node));
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

  /// Deletes what is known of a node's resources, but for a mark that their history is lost, which may
  /// come with a clean-up just now: see [LostHistory].
  private List<CibOp> withoutHistory(NodeId node) {
    var lrm = "//node_state[@id=%s]/lrm".formatted(CibXPath.literal(node.toString()));
    if (host.shutdownLock()) {
      var unlocked = "/lrm_resources/lrm_resource[not(@shutdown-lock) or @shutdown-lock='0']";
      return List.of(CibOp.deleteAllXPath(lrm + unlocked));
    }
    var over = LostHistory.isOver(records.known(node));
    return List.of(CibOp.deleteAllXPath(over ? lrm : lrm + "/lrm_resources"));
  }

  /// Marks the history of a node that has lost part of it, which shows by what the node does not
  /// report.
  private Element marked(NodeId node, Element lrm) {
    var known = records.known(node);
    var restarted = book.isRestarted(node);
    if (!LostHistory.isLost(known, lrm, restarted)) {
      return lrm;
    }
    if (LostHistory.isNews(known, lrm, restarted)) {
      world
          .log()
          .warning(
              "%s has lost its resource history; probing all resources there"
                  .formatted(book.name(node)));
    }
    return HistoryXml.lost(lrm);
  }

  private void checkFinalized() {
    if (host.state() == State.FINALIZE_JOIN
        && finalizing
        && records.isOpen()
        && recording == 0
        && !joins.any(Joins.Phase.WELCOMED)
        && !joins.any(Joins.Phase.INTEGRATED)
        && !joins.any(Joins.Phase.FINALIZED)) {
      host.offer(new Input.Finalized(joins.joinId()));
    }
  }

  public void joinDone() {
    finalizing = false;
    cancelJoinTimer();
    records.recordQuorum(true);
    records.recordNodes();
    records.forgetStopsOver();
    host.joinDone();
  }

  /// The members whose controllers are waited for: those whose controller was lost and may be back
  /// in a moment, and those that were lost and have come back unfenced, as when there was no
  /// quorum. A plan without them would have them fenced.
  List<NodeId> awaited() {
    return book.missing().stream().filter(this::isAwaited).toList();
  }

  /// A node has come into the membership. If the CIB says that it should have been there all the
  /// time, the transition is halted and its controller is waited for.
  void came(NodeId node) {
    if (host.state().governs() && book.isMissing(node) && isAwaited(node)) {
      host.offer(new Input.NodesChanged(book.name(node) + " is back, unfenced"));
    }
  }

  private boolean isAwaited(NodeId node) {
    if (joins.phase(node) != Joins.Phase.NONE || book.isExpectedDown(node)) {
      return false;
    }
    var state = records.known(node);
    if (!NodeBook.hasState(state)) {
      return book.isRestarted(node); // somebody has deleted its state
    }
    var expected = state.get("expected", "");
    return !expected.equals("down") && (expected.equals("member") || !"0".equals(state.get("crmd", "0")));
  }

  boolean isJoined(NodeId node) {
    return joins.phase(node) == Joins.Phase.CONFIRMED;
  }

  public List<NodeId> joined() {
    return joins.in(Joins.Phase.CONFIRMED);
  }

  // Nodes coming and going

  void left(NodeId node) {
    joins.gone(node);
    var name = book.name(node);
    var down = engine.downing(CibNodeId.of(node));
    if (down == null && book.isMissing(node) && isAwaited(node)) {
      world
          .log()
          .warning("The controller of %s is gone; waiting for it to come back".formatted(name));
      engine.nodeLost(node, name);
      host.offer(new Input.NodesChanged("the controller of " + name + " is gone"));
      return;
    }
    var expected = down != null || book.isExpectedDown(node);
    if (down != null && down.is(Task.SHUTDOWN)) {
      book.expect(node, "down");
      world.log().notice("Shutdown of " + name + " is complete");
      engine.nodeLost(node, name); // its other actions will not be answered any more
    } else if (!expected) {
      world.log().warning("Node " + name + " left the cluster unexpectedly");
      engine.nodeLost(node, name);
      engine.abort(
          TransitionEngine.INFINITY, TransitionEngine.Completion.RESTART, "Node failure");
      engine.hurry();
    } else {
      engine.nodeLost(node, name);
      if (down == null) {
        // no plan has foreseen it: the last one may count on resources that the node no longer runs
        engine.abort(
            TransitionEngine.INFINITY,
            TransitionEngine.Completion.RESTART,
            "Node left as expected");
      }
    }
    records.recordNode(node, "peer_update_callback");
    records.forgetStopsOver();
    checkIntegrated();
    checkFinalized();
  }

  /// A node was lost that was not expected to leave; called whether or not this node is DC. If
  /// fencing is off, its resources may still run there unsupervised, as when only its supervisor
  /// was killed. The supervisor comes back within seconds and takes them over; to start them
  /// elsewhere meanwhile would make a second copy.
  void lost(NodeId node) {
    if (!host.fences()) {
      world
          .log()
          .notice(
              "Fencing is off: waiting %d s for %s to come back before what it ran is recovered"
                  .formatted(RETURN.toSeconds(), book.name(node)));
      returning.add(node);
      planning.hold(RETURN);
    }
  }

  /// A node is a member again. Its controller is waited for as [#awaited] says.
  void returned(NodeId node) {
    if (returning.remove(node) && returning.isEmpty()) {
      planning.endHold();
    }
  }

  /// A member whose controller had gone before has now left the membership as well.
  void leftMembership(NodeId node) {
    records.recordNode(node, "post_cache_update");
    checkIntegrated();
  }

  /// Whether nothing is under way or being recorded.
  public boolean idle() {
    return host.state() == State.IDLE && cib.settled();
  }
}
