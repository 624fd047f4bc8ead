package org.systole.controld;

import java.util.Map;
import java.util.function.Supplier;
import org.systole.common.alerts.Alerts;
import org.systole.common.cluster.GroupClient;
import org.systole.common.cluster.LinkMessage;
import org.systole.common.options.ClusterOptions;
import org.systole.common.sbd.SbdSettings;
import org.systole.common.rules.DatedRules;
import org.systole.common.values.NodeId;
import org.systole.common.world.SecureStreams;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.controld.dc.Admissions;
import org.systole.controld.dc.Dc;
import org.systole.controld.dc.DcRecords;
import org.systole.controld.dc.Departures;
import org.systole.controld.dc.JoinClient;
import org.systole.controld.dc.Joins;
import org.systole.controld.dc.Members;
import org.systole.controld.dc.NodeBook;
import org.systole.controld.dc.Planner;
import org.systole.controld.election.DcWatch;
import org.systole.controld.election.Election;
import org.systole.controld.fsm.Effect;
import org.systole.controld.fsm.Input;
import org.systole.controld.fsm.State;
import org.systole.controld.fsm.StateMachine;
import org.systole.controld.io.AttributeLink;
import org.systole.controld.io.CibLink;
import org.systole.controld.io.CommandServer;
import org.systole.controld.io.FencerLink;
import org.systole.controld.io.PeerLink;
import org.systole.controld.io.PeerMessage;
import org.systole.controld.operations.LeftRunning;
import org.systole.controld.operations.LocalOperations;
import org.systole.controld.proxy.CibPort;
import org.systole.controld.remote.Connections;
import org.systole.controld.roles.RoleDirector;
import org.systole.controld.roles.RoleRunner;
import org.systole.controld.transition.CibChange;
import org.systole.controld.transition.LoadReport;
import org.systole.controld.transition.Orders;
import org.systole.controld.transition.Throttle;
import org.systole.controld.transition.TransitionEngine;

/// The controller of one node: puts its parts together, and carries out the state machine's
/// effects. Decisions are made in `fsm.Transitions`.
///
/// The parts know each other through narrow interfaces only; [Wiring] implements them.
final class Controller implements StateMachine.Host, CibLink.Listener {
  final World world;
  final LinkMessage.Joined self;
  final StateMachine machine;
  final NodeBook book = new NodeBook();
  final Throttle throttle = new Throttle();
  final PeerLink peers;
  final CibLink cib;
  final AttributeLink attributes;
  final FencerLink fencing;
  final CommandServer commands;
  final Alerts alerts;
  private final DatedRules datedRules;
  final Inbox inbox;
  final LocalOperations operations;
  final Connections connections;
  final WorkWiring work;
  final RemoteWiring remote;
  final HostWiring hosts;
  final LeftRunning leftRunning;
  final TransitionEngine engine;
  final Orders orders;
  final Election election;
  final DcWatch watch;
  final Joins joins = new Joins();
  final Admissions admissions;
  final DcRecords records;
  final Planner planner;
  final Dc dc;
  final Members members;
  final JoinClient joining;
  final Neighbours neighbours;
  final Leaving leaving;
  final StartState startState;
  final LoadReport load;
  private final RoleWiring roleWiring;
  final RoleDirector roles;
  final RoleRunner jigs;
  final boolean hasWatchdog;
  ClusterOptions options = ClusterOptions.DEFAULTS;
  final Departures departures;
  private final CibPort visits; // of commands of other machines

  /// @param self which node this is
  /// @param group joined already
  /// @param network the way to remote nodes
  /// @param visitors how commands of other machines come
  Controller(
      World world,
      Map<String, String> env,
      LinkMessage.Joined self,
      GroupClient group,
      Supplier<SecureStreams> network,
      Supplier<SecureStreams> visitors) {
    work = new WorkWiring(world, this);
    remote = new RemoteWiring(world, this, network);
    var cluster = new ClusterWiring(world, this);
    var id = self.localId();
    this.world = world;
    this.self = self;
    this.hasWatchdog = env.containsKey(SbdSettings.ARMED);
    book.localNode(id);
    book.configured(self.configured());
    machine = new StateMachine(world, this);
    inbox = new Inbox(world, this);
    peers = new PeerLink(world, group, id, inbox);
    cib = new CibLink(world, this);
    book.cib(cib::cib);
    attributes = new AttributeLink(world);
    fencing = new FencerLink(world, work);
    commands = new CommandServer(world, work);
    alerts = new Alerts(world, env);
    datedRules = new DatedRules(world, this::readOptions);
    operations = new LocalOperations(world, work);
    connections = new Connections(world, remote, operations.metadata());
    hosts = new HostWiring(world, this);
    leftRunning = new LeftRunning(world, work, id);
    orders = new Orders(world, work, work, cib, throttle);
    engine = new TransitionEngine(world, orders);
    election = new Election(world, cluster, id);
    watch = new DcWatch(world, cluster, id);
    admissions = new Admissions(cluster, id, book);
    records = new DcRecords(world, cluster, self, book, joins, cib, engine);
    planner = new Planner(world, cluster, cib, engine);
    dc = new Dc(world, cluster, id, book, cib, engine, joins, records, planner.planning());
    members = new Members(world, cluster, id, book, dc, election, watch, admissions);
    joining = new JoinClient(world, cluster, election, watch, admissions);
    neighbours = new Neighbours(world, why -> machine.offer(new Input.Broken(why)));
    leaving = new Leaving(world, cluster, id);
    startState = new StartState(world, env, cib, self);
    load = new LoadReport(world, env, work, peers::broadcast);
    roleWiring = new RoleWiring(world, this);
    roles = new RoleDirector(world, roleWiring);
    jigs = new RoleRunner(world, this::toDc, () -> roleWiring.isLeftAlone(id));
    departures = new Departures(world, work);
    visits = new CibPort(world, visitors, env);
    election.timeout(options.electionTimeout());
  }

  private void toDc(PeerMessage message) {
    var to = watch.id();
    if (to != null) {
      peers.send(to, message);
    }
  }

  boolean isSelf(NodeId node) {
    return node.equals(self.localId());
  }

  boolean governs() {
    return watch.isOwn() && machine.state().governs();
  }

  // The state machine

  @Override
  public void offered(Input input) {
    if (input instanceof Input.ScheduleNeeded) {
      planner.planning().overtake();
    }
  }

  @Override
  public boolean holds(Input input) {
    if (isOverdue(input)) {
      world.log().debug(input + " is from before the election");
      return false;
    }
    if (input instanceof Input.Planned && planner.planning().isOvertaken()) {
      world.log().info("A plan was outdated before it began; another one is being made");
      return false;
    }
    if (input instanceof Input.ElectionLost(var winner)) {
      watch.beaten(winner);
    }
    return true;
  }

  /// An offer is valid only for a time: this node's own as long as it governs, another's as long as
  /// no later DC was heard of.
  private boolean isOverdue(Input input) {
    if (!(input instanceof Input.Offered(var from, var theirs, var _))) {
      return false;
    }
    if (isSelf(from)) {
      return !governs();
    }
    return theirs < watch.highestEpoch() || governs();
  }

  @Override
  public void stepped(State now) {
    if (!watch.isAwaited() && (now == State.PENDING || now == State.NOT_DC)) {
      watch.await(); // no node waits for a DC for ever
    }
  }

  @Override
  public void carryOut(Effect effect) {
    switch (effect) {
      case Effect.Connect _ -> connect();
      case Effect.Announce _ -> peers.broadcast(new PeerMessage.Announce(watch.highestEpoch()));
      case Effect.AwaitDc _ -> watch.await();
      case Effect.Vote(var why) -> vote(why);
      case Effect.TakeOver _ -> takeOver();
      case Effect.RetakeCib _ -> dc.takeOver(watch.epoch(), true);
      case Effect.ReleaseDc(var why) -> releaseDc(why);
      case Effect.OfferAll _ -> dc.offerAll();
      case Effect.OfferNew _ -> dc.offerNew();
      case Effect.AnswerOffer(var offer) -> joining.answer(offer);
      case Effect.Admit(var request) -> dc.admit(request);
      case Effect.Finalize _ -> dc.finalizeJoin();
      case Effect.Confirm(var result) -> joining.confirm(result);
      case Effect.Refused(var result) -> joining.refused(result);
      case Effect.RecordNode(var confirmation) -> dc.record(confirmation);
      case Effect.JoinDone _ -> dc.joinDone();
      case Effect.Schedule(var why) -> planner.planning().schedule(why);
      case Effect.RunTransition(var graph) -> engine.begin(graph, planner.planning().inputFile());
      case Effect.Settle _ -> planner.planning().settle();
      case Effect.Halt(var why) ->
          engine.abort(TransitionEngine.INFINITY, TransitionEngine.Completion.WAIT, why);
      case Effect.AskToLeave(var why) -> leaving.ask(why);
      case Effect.Leave(var why) -> {
        watch.stopWaiting();
        leaving.leave(why);
      }
      case Effect.Exit(var end, var why) -> world.exit(end.status(), why);
    }
  }

  private void connect() {
    leftRunning.open();
    cib.open();
    operations.open();
    attributes.open();
    fencing.open();
    planner.open();
  }

  private void vote(String why) {
    world.log().info("Calling an election: " + why);
    watch.votes();
    election.vote();
  }

  private void takeOver() {
    watch.takeOver();
    world.log().notice("This node is DC now (epoch %d)".formatted(watch.term()));
    engine.newTerm();
    watch.beat();
    dc.takeOver(watch.epoch(), false);
  }

  private void releaseDc(String why) {
    election.cancel();
    if (watch.isOwn()) {
      world.log().notice("This node is no longer DC: " + why);
      watch.release();
      engine.drop();
      hosts.release();
      dc.release();
      roles.end();
    }
    machine.offer(new Input.Released());
  }

  /// Goes on once everything is there that this node needs to work in the cluster.
  void checkReady() {
    if (machine.state() == State.STARTING
        && members.isComplete()
        && cib.isReady()
        && neighbours.isThere(Neighbours.EXECUTOR)) {
      machine.offer(new Input.Ready());
      leaving.ready();
      load.begin();
    }
  }

  // The CIB

  @Override
  public void cibReady() {
    neighbours.ready(Neighbours.CIB);
    readOptions();
    checkReady();
  }

  @Override
  public void rolesChanged() {
    roles.changed();
  }

  @Override
  public void cibLost(String why) {
    roles.cibLost();
    neighbours.lost(Neighbours.CIB, why);
    machine.offer(new Input.CibLost("lost the CIB manager: " + why));
  }

  @Override
  public void cibEpoch(long highest) {
    watch.heardOf(highest);
  }

  @Override
  public void cibChanged(Element before, Element after) {
    admissions.observe(after);
    leftRunning.check(after);
    remote.noticeReturns(before, after);
    if (machine.state() == State.NOT_DC || machine.state().governs()) {
      operations.runner().cibChanged();
      connections.cibChanged(after);
    }
    fencing.cibChanged();
    visits.changed(after);
    commands.cibChanged();
    roleWiring.cibChanged(before, after);
    if (before.first("configuration") != after.first("configuration")) {
      readOptions();
      if (governs()) {
        records.restoreCluster();
      }
    }
    jigs.cibChanged();
    if (governs() && dc.isReplaced(before, after)) {
      // its node states are those of the side it comes from
      machine.offer(new Input.CibLost("the CIB is that of another side of the cluster"));
    } else if (governs()) {
      records.restoreStates(before);
      engine.changed(CibChange.between(before, after));
      records.correctNodes();
      hosts.dc().cibChanged(before, after);
      dc.checkIntegrated(); // a node that was waited for may now be expected to be down
    }
  }

  private void readOptions() {
    var now = cib.cib();
    if (now == null) {
      return;
    }
    options = ClusterOptions.read(now, world.now(), world.zone());
    alerts.configure(now);
    datedRules.watch(now);
    engine.transitionDelay(options.transitionDelay());
    operations.runner().shutdownLocks(options.shutdownLock());
    election.timeout(options.electionTimeout());
    roles.membersChanged();
  }
}
