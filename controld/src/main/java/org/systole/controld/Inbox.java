package org.systole.controld;

import java.time.Duration;
import java.util.Map;
import org.systole.common.operation.HistoryEntry;
import org.systole.common.transition.GraphAction;
import org.systole.common.values.CibNodeId;
import org.systole.common.values.NodeId;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.controld.fsm.Input;
import org.systole.controld.fsm.State;
import org.systole.controld.io.PeerLink;
import org.systole.controld.io.PeerMessage;

/// Hands each message from a controller to the part that it is for.
final class Inbox implements PeerLink.Receiver {
  /// How long a plan waits for the CIB to say what a node has asked for.
  private static final Duration MARKED_WITHIN = Duration.ofSeconds(1);

  private final World world;
  private final Controller it;

  Inbox(World world, Controller it) {
    this.world = world;
    this.it = it;
  }

  @Override
  public void received(NodeId from, PeerMessage message) {
    switch (message) {
      case PeerMessage.Heartbeat(var theirs) -> it.watch.heard(from, theirs);
      case PeerMessage.Vote vote -> voted(from, vote);
      case PeerMessage.NoVote answer -> it.election.gaveWay(from, answer);
      case PeerMessage.Announce(var heard) -> it.watch.announced(from, heard);
      case PeerMessage.Offer(var theirs, var joinId) -> offered(from, theirs, joinId);
      case PeerMessage.Request(var joinId, var featureSet, var names) ->
          it.machine.offer(
              new Input.JoinRequested(from, joinId, featureSet, names == null ? Map.of() : names));
      case PeerMessage.Result(var joinId, var accepted, var why) ->
          it.machine.offer(
              accepted
                  ? new Input.JoinAccepted(from, joinId)
                  : new Input.JoinRefused(from, joinId, why));
      case PeerMessage.Confirm(var joinId, var status, var admitted) -> {
        if (admitted) {
          it.admissions.told(from);
        }
        it.machine.offer(new Input.JoinConfirmed(from, joinId, status));
      }
      case PeerMessage.Execute order -> execute(from, order);
      case PeerMessage.Cluster order -> carryOut(from, order);
      case PeerMessage.Ack(var operation) -> acknowledged(from, operation);
      case PeerMessage.LeaveRequest _ -> wantsToLeave(from);
      case PeerMessage.Arrival arrival -> it.remote.arrives(arrival);
      case PeerMessage.Load(var mode, var jobs) -> {
        it.throttle.report(it.book.name(from), mode, jobs);
        it.engine.pump();
      }
      case PeerMessage.RunAgent order -> runAgent(from, order);
      case PeerMessage.AgentRan answer -> it.hosts.dc().ran(answer);
      case PeerMessage.ReadPower order -> {
        if (isFromDc(from)) {
          it.hosts.powers().read(order, answer -> it.peers.send(from, answer));
        }
      }
      case PeerMessage.PowerRead answer -> it.hosts.dc().powerRead(from, answer);
      case PeerMessage.RunJig order -> ofDc(from, () -> it.jigs.run(order));
      case PeerMessage.AskJig question -> ofDc(from, () -> it.jigs.ask(question));
      case PeerMessage.EndJig order -> ofDc(from, () -> it.jigs.end(order));
      case PeerMessage.CheckJig order -> ofDc(from, () -> it.jigs.check(order));
      case PeerMessage.CheckNews news -> it.roles.checked(from, news);
      case PeerMessage.JigNews news -> it.roles.news(from, news);
      case PeerMessage.Relay relay -> it.commands.relayed(from, relay);
      case PeerMessage.RelayAnswer answer -> it.commands.answered(answer);
    }
  }

  /// What only the DC may order.
  private void ofDc(NodeId from, Runnable order) {
    if (isFromDc(from)) {
      order.run();
    }
  }

  private void voted(NodeId from, PeerMessage.Vote vote) {
    it.watch.voteHeard(vote.epoch());
    if (it.isSelf(from)) {
      return;
    }
    switch (it.machine.state()) {
      case STARTING, RECOVERY, STOPPING, TERMINATE ->
          it.peers.send(from, new PeerMessage.NoVote(vote.round()));
      case PENDING,
          ELECTION,
          NOT_DC,
          INTEGRATION,
          FINALIZE_JOIN,
          POLICY_ENGINE,
          TRANSITION_ENGINE,
          IDLE,
          RELEASE_DC ->
          it.election.heard(from, it.book.name(from), vote);
    }
  }

  /// This node's own offer from before an election that was called meanwhile is void.
  private void offered(NodeId from, long theirs, long joinId) {
    if (!it.isSelf(from) || it.watch.isOwn() && it.machine.state() != State.ELECTION) {
      it.machine.offer(new Input.Offered(from, theirs, joinId));
    }
  }

  private void execute(NodeId from, PeerMessage.Execute order) {
    if (isFromDc(from)) {
      try {
        it.remote.execute(GraphAction.read(xml(order.action())), order.key());
      } catch (XmlException e) {
        world.log().error("Ignoring an order that is no valid action: " + e.getMessage());
      }
    }
  }

  private void carryOut(NodeId from, PeerMessage.Cluster order) {
    if (isFromDc(from)) {
      try {
        it.orders.carryOut(GraphAction.read(xml(order.action())), order.key());
      } catch (XmlException e) {
        world.log().error("Ignoring an order that is no valid action: " + e.getMessage());
      }
    }
  }

  private void runAgent(NodeId from, PeerMessage.RunAgent order) {
    if (isFromDc(from)) {
      it.hosts.requests().run(order, answer -> it.peers.send(from, answer));
    }
  }

  private boolean isFromDc(NodeId from) {
    if (!it.watch.is(from)) {
      world.log().warning("Ignoring an order of node %s, which is not DC".formatted(from));
      return false;
    }
    return true;
  }

  private void acknowledged(NodeId from, String operation) {
    if (!it.watch.isOwn()) {
      return;
    }
    try {
      var entry = new HistoryEntry(xml(operation));
      var node = entry.node();
      var own = node == null || node.equals(it.book.name(from));
      it.engine.operation(own ? CibNodeId.of(from) : CibNodeId.ofRemote(node), entry);
    } catch (XmlException e) {
      world.log().error("Ignoring an acknowledgement that is not XML: " + e.getMessage());
    }
  }

  private static Element xml(String text) throws XmlException {
    return XmlReader.parse(text);
  }

  private void wantsToLeave(NodeId node) {
    if (it.watch.isOwn()) {
      var name = it.book.name(node);
      world.log().info(name + " wants to leave");
      it.attributes.set("shutdown", name, String.valueOf(world.now().getEpochSecond()), false);
      var now = it.cib.cib();
      if (now == null || !Leaving.isMarked(now, node)) {
        // a plan made before that is there could move something to the node, which refuses it
        it.cib.expect(cib -> Leaving.isMarked(cib, node), MARKED_WITHIN, () -> {});
      }
    }
  }
}
