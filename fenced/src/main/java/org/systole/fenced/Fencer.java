package org.systole.fenced;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.systole.cibd.client.CibReplica;
import org.systole.common.cluster.Group;
import org.systole.common.cluster.Levels;
import org.systole.common.cluster.LinkMessage;
import org.systole.common.cluster.Membership;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.Task;
import org.systole.common.operation.TaskName;
import org.systole.common.options.ClusterOptions;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.wire.Protocol;
import org.systole.common.wire.RpcServer;
import org.systole.common.world.Affair;
import org.systole.common.world.Log;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.fenced.client.FenceMessage;
import org.systole.fenced.client.FenceMessage.FenceRecord;
import org.systole.fenced.client.FenceMessage.Progress;

/// The fencer's core: talks to the other fencers, and runs the operations of which this node is the
/// origin.
final class Fencer implements OperationFencers, LostOperations.Fencers, Orders.Fencers, Watchdogs.Host {
  private static final String HUMAN = "a human";

  /// If there is no CIB after this time, the fencer answers with the devices that clients have
  /// registered.
  private static final Duration CIB_PATIENCE = Duration.ofSeconds(5);

  private final World world;
  private final FenceAgents agents;
  private final Targets targets = new Targets();
  private final Watchdogs watchdogs;
  private final Devices devices;
  private final Topology topology = new Topology();
  private final History history = new History();
  private final Proofs proofs = new Proofs(history, targets);
  private final LostOperations lost;
  private final Orders orders;
  private final Group group;
  private final FenceService service;
  private final Map<String, FenceOperation> operations = new TreeMap<>();
  private final Waiters waiters = new Waiters();
  private final Set<NodeId> present = new TreeSet<>();
  private final List<Runnable> whenConfigured = new ArrayList<>();
  private boolean configured;
  private boolean joined;
  private @Nullable NodeId localId; // null until the link was there for the first time
  private @Nullable NodeName localName; // the same
  private @Nullable Element cib;
  private final CibReading reading;
  private final CibDevices.Last lastDevices = new CibDevices.Last();

  Fencer(World world, FenceAgents agents, Map<String, String> environment) {
    this.world = world;
    this.agents = agents;
    this.watchdogs = new Watchdogs(world, environment, targets, this);
    agents.watchdogs(watchdogs);
    this.reading = new CibReading(world, this::readCib);
    this.devices = new Devices(world, agents, targets);
    this.group = Group.of(world, environment, FencePeerMessage.GROUP, new FromGroup());
    this.lost = new LostOperations(world, this, history);
    this.orders = new Orders(world, this, devices, history, targets);
    this.service = new FenceService(world, this, agents, devices, topology, history);
  }

  void start() {
    group.open();
    if (group.isAlone()) {
      nowConfigured(); // what clients register is all
    } else {
      new CibReplica(world, (_, newest, _) -> cibChanged(newest)).openPatiently();
      world.after(CIB_PATIENCE, this::nowConfigured);
    }
    service.open();
  }

  /// The CIB as it is now.
  private void cibChanged(Element newest) {
    cib = newest;
    if (joined && localName != null && reading.isDue(newest, localName)) {
      readCib();
    }
  }

  private void readCib() {
    if (cib == null || localName == null) {
      return;
    }
    reading.done(cib, localName);
    var read = new CibDevices(cib, localName, world.now(), world.zone());
    topology.configure(read.levels(), read.nodeAttributes());
    watchdogs.configure(ClusterOptions.read(cib, world.now(), world.zone()));
    if (devices.configure(watchdogs.among(read.devices(lastDevices)))) {
      service.tellAll(new FenceMessage.DevicesChanged());
    }
    nowConfigured();
  }

  private void nowConfigured() {
    configured = true;
    var waiting = List.copyOf(whenConfigured);
    whenConfigured.clear();
    waiting.forEach(Runnable::run);
  }

  /// The origin of operations begun here; null without a connection to the cluster, when none can
  /// begin.
  @Nullable NodeName origin() {
    return joined ? localName : null;
  }

  @Override
  public @Nullable NodeName localName() {
    return localName;
  }

  @Override
  public Set<NodeId> present() {
    return present;
  }

  @Override
  public boolean carries(String operation) {
    return operations.containsKey(operation);
  }

  @Override
  public boolean isLocal(NodeId nodeId) {
    return nodeId.equals(localId);
  }

  @Override
  public NodeName nameOf(NodeId nodeId) {
    return targets.nameOf(nodeId);
  }

  /// Starts a fencing operation, or joins one of the same kind that is under way; the client is
  /// answered at its end. One that may have acted before the target came back is not joined.
  ///
  /// @param named its target, by name or by id
  void fence(
      RpcServer.Call<FenceMessage.Reply> call,
      FenceMessage.Fence asked,
      NodeName named,
      NodeName origin) {
    var target = targets.resolve(named);
    var action = asked.action();
    if (asked.membership() > 0
        && Device.isFencing(action)
        && targets.isBackSince(target, asked.membership())) {
      world.log().notice("Not fencing (" + action + ") " + target + ": it has come back");
      call.reply(new FenceMessage.Refused(ExecStatus.CANCELLED, Reasons.isBack(target)));
      return;
    }
    var recent = proofs.of(asked, target, world.now().toEpochMilli());
    if (recent != null) {
      log(recent.record().id())
          .notice("Not fencing (" + action + ") " + target + " again for " + asked.client());
      call.reply(new FenceMessage.Outcome(recent.record(), recent.rc(), recent.status()));
      return;
    }
    var same = history.pending(target, action, targets.stay(target));
    if (same != null) {
      log(same.id()).notice(Reasons.merged(asked.client(), same));
      waiters.add(same.id(), call, asked.client());
      var joined = operations.get(same.id());
      if (joined != null) {
        joined.joined(asked.client());
      }
      return;
    }
    var record = begun(target, asked, origin);
    log(record.id()).notice("Fencing (%s) %s for %s".formatted(action, target, asked.client()));
    waiters.add(record.id(), call, asked.client());
    var asksMillis = FencingTimes.query(asked).toMillis();
    operations.put(
        record.id(),
        new FenceOperation(
            world, this, record, asked, topology.levels(target), present.isEmpty() ? ownFencer() : present));
    broadcast(
        new FencePeerMessage.Query(record, asked.selfFencing(), asksMillis, targets.stay(target)));
  }

  private FenceRecord begun(NodeName target, FenceMessage.Fence asked, NodeName origin) {
    var membership = Math.max(asked.membership(), targets.number());
    return new FenceRecord(
        newId(), target, asked.action(), origin, "", asked.client(), Progress.QUERYING, 0, "", membership);
  }

  /// A client has given up what it asked for, at times right after that: a fencer may have stood still.
  void withdraw(FenceMessage.Withdraw it) {
    List.copyOf(operations.values()).forEach(operation -> operation.withdraw(it));
  }

  private String newId() {
    return "%016x%016x".formatted(world.random().nextLong(), world.random().nextLong());
  }

  private Log log(String operation) {
    return world.log().about(Affair.ofFencing(operation));
  }

  /// A person confirms that a node is down.
  ///
  /// @return why the confirmation is refused, null if it is accepted
  @Nullable String confirm(NodeName target, NodeName origin, String client) {
    var node = targets.resolve(target);
    if (targets.isMember(node)) {
      world.log().warning(client + " confirms that " + node + " is down, but it is a member");
      return node
          + " is a member of the cluster: only a node that has left can be confirmed as down";
    }
    world.log().warning(client + " confirms that " + node + " is down: the cluster relies on that");
    var record =
        new FenceRecord(
            newId(),
            node,
            TaskName.OFF,
            origin,
            HUMAN,
            client,
            Progress.DONE,
            world.now().toEpochMilli(),
            "",
            targets.number());
    broadcast(new FencePeerMessage.Ended(record, 0, ExecStatus.DONE));
    return null;
  }

  void clearHistory(String target) {
    var of = NodeName.of(target);
    var name = of == null ? target : targets.resolve(of).text();
    broadcast(new FencePeerMessage.HistoryCleared(name));
  }

  void refreshHistory() {
    broadcast(new FencePeerMessage.HistoryWanted(false));
  }

  @Override
  public boolean knowWithdrawals() {
    return group.speaks(Levels.FENCING_WITHDRAWN);
  }

  @Override
  public void ended(FenceOperation operation, Outcome outcome) {
    var record = operation.ended(outcome, world.now().toEpochMilli(), targets);
    var message = new FencePeerMessage.Ended(record, outcome.rc(), outcome.status());
    operations.remove(operation.id());
    if (joined) {
      broadcast(message);
    } else {
      operationEnded(message.record(), message.rc(), message.status());
    }
  }

  /// The fencers to ask as long as the link has not reported any other.
  private Set<NodeId> ownFencer() {
    return localId == null ? Set.of() : Set.of(localId);
  }

  @Override
  public void broadcast(FencePeerMessage message) {
    group.broadcast(FencePeerMessage.PROTOCOL.encode(0, message));
  }

  @Override
  public void send(NodeId nodeId, FencePeerMessage message) {
    if (isLocal(nodeId)) {
      world.post(() -> received(nodeId, message));
    } else {
      group.send(nodeId, FencePeerMessage.PROTOCOL.encode(0, message));
    }
  }

  private void received(NodeId from, FencePeerMessage message) {
    switch (message) {
      case FencePeerMessage.Query query -> asked(from, query);
      case FencePeerMessage.Offers(var id, var offers) -> {
        var operation = operations.get(id);
        if (operation != null) {
          operation.offers(from, offers);
        }
      }
      case FencePeerMessage.Execute order -> orders.carryOut(from, order);
      case FencePeerMessage.TakenBack order -> orders.takeBack(order);
      case FencePeerMessage.Executed(var id, var attempt, var rc, var status, var reason) -> {
        var operation = operations.get(id);
        if (operation != null) {
          operation.executed(attempt, new Outcome(rc, status, reason, ""));
        }
      }
      case FencePeerMessage.Ended(var record, var rc, var status) ->
          operationEnded(record, rc, status);
      case FencePeerMessage.Guards it -> {
        if (watchdogs.heard(from, it)) {
          readCib(); // the time to wait hangs on it
        }
      }
      case FencePeerMessage.ResetYourself it -> watchdogs.ordered(nameOf(from), it);
      case FencePeerMessage.History(var past) -> heardHistory(from, past);
      case FencePeerMessage.HistoryWanted(var fresh) -> {
        if (!isLocal(from)) {
          if (fresh) {
            lost.endOf(nameOf(from));
          }
          send(from, new FencePeerMessage.History(history.all()));
        }
      }
      case FencePeerMessage.HistoryCleared(var target) -> {
        history.clear(target);
        service.tellAll(new FenceMessage.HistoryChanged());
      }
    }
  }

  /// Of two operations of the same kind about the same stay of their target, the one whose query is
  /// delivered first stands for both.
  private void asked(NodeId from, FencePeerMessage.Query query) {
    var record = query.record();
    var same = history.pending(record.target(), record.action(), query.stay());
    if (same != null && !same.id().equals(record.id())) {
      var mine = operations.remove(record.id());
      if (mine != null) {
        mine.discard();
        log(same.id()).notice(Reasons.merged(record.client(), same));
        waiters.join(record.id(), same.id());
      }
      return;
    }
    if (isLocal(from) && !carries(record.id())) {
      lost.end(record); // it ended before this came back
      return;
    }
    history.put(new FencePeerMessage.Past(record, 0, ExecStatus.PENDING));
    service.tellAll(new FenceMessage.HistoryChanged());
    lost.watch();
    if (!present.contains(from)) {
      lost.endGone();
    }
    if (Device.isFencing(record.action()) && record.covers(targets.stay(record.target()))) {
      nothingSwitchesOn(record.target(), record.id());
    }
    Runnable answer =
        () ->
            devices.offers(
                record.target(),
                record.action(),
                query.selfFencing(),
                Duration.ofMillis(query.timeoutMillis()),
                offers -> send(from, new FencePeerMessage.Offers(record.id(), offers)));
    if (configured) {
      answer.run();
    } else {
      whenConfigured.add(answer);
    }
  }

  private void nothingSwitchesOn(NodeName target, String otherThan) {
    for (var operation : List.copyOf(operations.values())) {
      if (operation.target().equals(target) && !operation.id().equals(otherThan)) {
        operation.targetIsToBeFenced();
      }
    }
    devices.targetIsToBeFenced(target);
  }

  private void operationEnded(FenceRecord record, int rc, ExecStatus status) {
    var past = new FencePeerMessage.Past(record, rc, status);
    if (!history.put(past)) {
      return;
    }
    var outcome = new Outcome(rc, status, record.exitReason(), "");
    proofs.ended(past, outcome);
    new FenceLog(world, record).over(outcome, waiters.clients(record.id()));
    waiters.answer(record.id(), new FenceMessage.Outcome(record, rc, status));
    service.tellAll(new FenceMessage.Fenced(record, rc, status));
    if (outcome.isSuccess() && record.delegate().equals(HUMAN)) {
      for (var mine : List.copyOf(operations.values())) {
        if (mine.target().equals(record.target())
            && !Task.ON.is(mine.action())
            && record.covers(targets.stay(record.target()))) {
          mine.settle(Outcome.ok(), HUMAN);
        }
      }
    }
  }

  private void heardHistory(NodeId from, List<FencePeerMessage.Past> past) {
    var news = false;
    for (var entry : past) {
      news |= history.put(entry);
    }
    if (news) {
      service.tellAll(new FenceMessage.HistoryChanged());
    }
    lost.told(from, past);
  }

  private void groupChanged(List<NodeId> nodeIds) {
    var before = new LinkedHashSet<>(present);
    present.clear();
    present.addAll(nodeIds);
    for (var node : nodeIds) {
      if (!before.contains(node) && !isLocal(node)) {
        send(node, new FencePeerMessage.History(history.all()));
        send(node, watchdogs.told());
      }
    }
    lost.endGone();
    for (var operation : List.copyOf(operations.values())) {
      operation.groupChanged(nodeIds);
    }
  }

  private final class FromGroup implements Group.Listener {
    @Override
    public void joined(LinkMessage.Joined welcome) {
      joined = true;
      localId = welcome.localId();
      localName = welcome.localName();
      devices.localNode(welcome.localName());
      targets.joined(welcome);
      watchdogs.joined(welcome.localId(), welcome.tokenMillis());
      broadcast(new FencePeerMessage.HistoryWanted(true));
      readCib();
    }

    @Override
    public void configured(List<LinkMessage.ConfiguredNode> nodes) {
      targets.configured(nodes);
    }

    @Override
    public void membership(Membership membership) {
      targets.membership(membership);
      watchdogs.quorum(membership.quorate());
      for (var operation : List.copyOf(operations.values())) {
        if (targets.isBackSince(operation.target(), operation.membership())) {
          operation.targetIsBack();
        }
      }
      devices.targetIsBack();
    }

    @Override
    public void group(List<NodeId> nodeIds) {
      groupChanged(nodeIds);
    }

    @Override
    public void message(NodeId fromId, boolean broadcast, byte[] payload) {
      try {
        received(fromId, FencePeerMessage.PROTOCOL.decode(payload).body());
      } catch (Protocol.ProtocolException e) {
        var sender = nameOf(fromId);
        world
            .log()
            .warning("Ignoring a message of the fencer on %s: %s".formatted(sender, e.getMessage()));
      }
    }

    @Override
    public void lost(String why) {
      joined = false;
      present.clear();
      targets.lost();
      proofs.lost();
      watchdogs.quorum(false);
      for (var operation : List.copyOf(operations.values())) {
        operation.settle(
            Outcome.error(ExecStatus.NOT_CONNECTED, "Lost the connection to the cluster"), "");
      }
      waiters.answerAll(new FenceMessage.Refused(ExecStatus.NOT_CONNECTED, why));
    }
  }
}
