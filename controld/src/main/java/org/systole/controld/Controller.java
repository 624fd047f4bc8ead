package org.systole.controld;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.systole.attrd.client.AttrMessage;
import org.systole.common.alerts.Alerts;
import org.systole.common.cib.CibOp;
import org.systole.common.cluster.GroupClient;
import org.systole.common.cluster.LinkMessage;
import org.systole.common.cluster.Membership;
import org.systole.common.operation.HistoryEntry;
import org.systole.common.operation.OperationResult;
import org.systole.common.operation.Task;
import org.systole.common.options.ClusterOptions;
import org.systole.common.output.Product;
import org.systole.common.transition.GraphAction;
import org.systole.common.values.Numbers;
import org.systole.common.wire.Protocol;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.common.xml.XmlWriter;

/// The controller of one node: turns what happens around it into inputs of the state machine, and
/// the state machine's effects into deeds. It decides nothing that [Transitions] decides.
final class Controller
    implements Election.Host, LocalExecutor.Host, CibDesk.Listener, GroupClient.Listener {
  private static final Duration LOAD_INTERVAL = Duration.ofSeconds(30);

  /// How long a member's lost controller is waited for before the node counts as failed.
  private static final Duration COMEBACK = Duration.ofSeconds(20);

  private static final int FATAL = 100;
  private static final int PANIC = 101;

  private final World world;
  private final Map<String, String> env;
  private final GroupClient group;
  private final CibDesk cib;
  private final LocalExecutor executor;
  private final AttributeDesk attributes;
  private final FencingDesk fencing;
  private final Governor governor;
  private final TransitionEngine engine;
  private final Orders orders;
  private final CommandDesk commands;
  private final Alerts alerts;
  private final Neighbours neighbours;
  private final Leaving leaving;
  private final LeftRunning leftRunning;
  private final StartState startState;
  private final Map<Integer, World.Timer> comebacks = new TreeMap<>();
  private final NodeBook book = new NodeBook();
  private final DcWatch watch;
  private final Admissions admissions = new Admissions(this);
  private final Throttle throttle = new Throttle();

  private State state = State.STARTING;
  private LinkMessage.@Nullable Joined welcome;
  private @Nullable Membership membership;
  private @Nullable Election election;
  private ClusterOptions options = ClusterOptions.DEFAULTS;
  private boolean inGroup;
  private long bornOn;

  private Throttle.@Nullable Mode lastMode;
  private int lastJobs;

  Controller(World world, Map<String, String> env) {
    this.world = world;
    this.env = env;
    this.group = new GroupClient(world, PeerMessage.GROUP, this);
    this.cib = new CibDesk(world, this);
    this.executor = new LocalExecutor(world, this);
    this.attributes = new AttributeDesk(world);
    this.fencing = new FencingDesk(world, this);
    this.governor = new Governor(world, this);
    this.orders = new Orders(world, this);
    this.engine = new TransitionEngine(world, orders);
    this.commands = new CommandDesk(world, this);
    this.alerts = new Alerts(world, env);
    this.neighbours = new Neighbours(world, why -> offer(new Input.Broken(why)));
    this.leaving = new Leaving(world, this);
    this.leftRunning = new LeftRunning(world, this);
    this.startState = new StartState(world, env, this);
    this.watch = new DcWatch(world, this, book);
  }

  void start() {
    commands.open();
    world.onTerminate(() -> offer(new Input.ShutdownRequested("SIGTERM")));
    offer(new Input.StartUp());
  }

  // The state machine

  /// Tells the state machine something; it is worked off after what was told before.
  @Override
  public void offer(Input input) {
    if (input instanceof Input.ScheduleNeeded) {
      governor.planning().overtake();
    }
    world.post(() -> step(input));
  }

  private void step(Input input) {
    if (isOverdue(input)) {
      world.log().debug(input + " is of before the election");
      return;
    }
    if (input instanceof Input.Planned && governor.planning().isOvertaken()) {
      world.log().info("A plan was overtaken by events before it began; another one is on its way");
      return;
    }
    if (input instanceof Input.ElectionLost(var winner)) {
      watch.beaten(winner);
    }
    var step = Transitions.TABLE.step(state, input);
    if (step.ignored() != null) {
      world.log().debug("%s ignored in %s: %s".formatted(input, state.text(), step.ignored()));
      return;
    }
    if (step.next() != state) {
      world.log().info("%s -> %s (%s)".formatted(state.text(), step.next().text(), name(input)));
    }
    state = step.next(); // before the effects: one of them may offer the next input
    step.effects().forEach(this::carryOut);
    if (!watch.isAwaited() && (state == State.PENDING || state == State.NOT_DC)) {
      watch.await(); // nobody waits for a DC without end
    }
  }

  /// Offers invite only while they hold: this node's own as long as it governs, others' as long as
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

  private boolean governs() {
    return watch.isOwn() && state.governs();
  }

  private static String name(Input input) {
    return input instanceof Input.Planned ? "Planned" : input.toString();
  }

  private void carryOut(Effect effect) {
    switch (effect) {
      case Effect.Connect _ -> connect();
      case Effect.Announce _ -> broadcast(new PeerMessage.Announce(watch.highestEpoch()));
      case Effect.AwaitDc _ -> watch.await();
      case Effect.Vote(var why) -> vote(why);
      case Effect.TakeOver _ -> takeOver();
      case Effect.RetakeCib _ -> governor.takeOver(watch.epoch(), true);
      case Effect.ReleaseDc(var why) -> releaseDc(why);
      case Effect.OfferAll _ -> governor.offerAll();
      case Effect.OfferNew _ -> governor.offerNew();
      case Effect.AnswerOffer(var offer) -> answerOffer(offer);
      case Effect.Admit(var request) -> governor.admit(request);
      case Effect.Finalize _ -> governor.finalizeJoin();
      case Effect.Confirm(var result) -> confirm(result);
      case Effect.Refused(var result) -> refused(result);
      case Effect.RecordNode(var confirmation) -> governor.record(confirmation);
      case Effect.JoinDone _ -> governor.joinDone();
      case Effect.Schedule(var why) -> governor.planning().schedule(why);
      case Effect.RunTransition(var graph) -> engine.begin(graph, governor.planning().inputFile());
      case Effect.Settle _ -> governor.planning().settle();
      case Effect.Halt(var why) ->
          engine.abort(TransitionEngine.INFINITY, TransitionEngine.Completion.WAIT, why);
      case Effect.AskToLeave(var why) -> leaving.ask(why);
      case Effect.Leave(var why) -> {
        watch.stopWaiting();
        leaving.leave(why);
      }
      case Effect.Exit(var inOrder, var why) -> world.exit(inOrder ? 0 : 1, why);
    }
  }

  // Starting

  private void connect() {
    leftRunning.open();
    group.open();
    cib.open();
    executor.open();
    attributes.open();
    fencing.open();
    governor.open();
  }

  private void checkReady() {
    if (state == State.STARTING
        && welcome != null
        && membership != null
        && inGroup
        && cib.isReady()
        && neighbours.isThere(Neighbours.EXECUTOR)) {
      offer(new Input.Ready());
      leaving.ready();
      reportLoad();
    }
  }

  @Override
  public void executorReady() {
    neighbours.ready(Neighbours.EXECUTOR);
    checkReady();
  }

  @Override
  public void executorLost(String why) {
    neighbours.lost(Neighbours.EXECUTOR, why);
  }

  @Override
  public void cibReady() {
    neighbours.ready(Neighbours.CIB);
    readOptions();
    checkReady();
  }

  @Override
  public void cibLost(String why) {
    neighbours.lost(Neighbours.CIB, why);
    offer(new Input.CibLost("lost the CIB manager: " + why));
  }

  @Override
  public void cibEpoch(long highest) {
    watch.heardOf(highest);
  }

  @Override
  public void cibChanged(Element before, Element after) {
    admissions.observe(after);
    leftRunning.check(after);
    fencing.cibChanged();
    if (before.first("configuration") != after.first("configuration")) {
      readOptions();
      if (governs()) {
        governor.records().restoreCluster();
      }
    }
    if (governs() && governor.isReplaced(before, after)) {
      // what it says of the nodes was true on the side it comes from
      offer(new Input.CibLost("the CIB is that of another side of the cluster"));
    } else if (governs()) {
      engine.changed(CibChange.between(before, after));
      governor.records().correctNodes();
      governor.checkIntegrated(); // a node that is waited for may be expected to be down by now
    }
  }

  private void readOptions() {
    var now = cib.cib();
    if (now == null) {
      return;
    }
    options = ClusterOptions.read(now, world.now(), world.zone());
    alerts.configure(now);
    engine.transitionDelay(options.transitionDelay());
    executor.shutdownLocks(options.shutdownLock());
    if (election != null) {
      election.timeout(options.electionTimeout());
    }
  }

  // The cluster below

  @Override
  public void joined(LinkMessage.Joined it) {
    welcome = it;
    book.configured(it.configured());
    var created = new Election(world, this, it.localId());
    created.timeout(options.electionTimeout());
    election = created;
  }

  @Override
  public void lost(String why) {
    offer(new Input.Broken("lost the link: " + why));
  }

  @Override
  public void membership(Membership it) {
    membership = it;
    var self = welcome == null ? null : it.byId(welcome.localId());
    if (self != null) {
      bornOn = bornOn == 0 ? it.number() : Math.max(bornOn, self.sinceNumber());
    }
    var known = book.ids().stream().filter(book::isMember).toList();
    var losses = book.membership(it, nowSeconds());
    for (var member : it.members()) {
      if (!known.contains(member.id())) {
        alerts.node(member.name(), member.id(), "member");
      }
    }
    for (var gone : losses) {
      admissions.left(gone.id());
      if (governor.records().isRecordedDown(gone.id())) {
        book.leftInGoodOrder(gone.id());
      }
      alerts.node(book.name(gone.id()), gone.id(), "lost");
      if (gone.wasOnline()) {
        controllerGone(gone.id());
      } else if (watch.isOwn()) {
        governor.leftMembership(gone.id());
      }
    }
    book.missing().stream().filter(id -> !known.contains(id)).forEach(this::awaitComeback);
    if (election != null) {
      election.voters(book.online());
    }
    if (watch.isOwn()) {
      for (var member : it.members()) {
        governor.records().recordNodeIfNew(member.id());
        if (!known.contains(member.id())) {
          governor.came(member.id());
        }
      }
      governor.records().recordQuorum(false);
    }
    checkReady();
  }

  @Override
  public void group(List<Integer> nodeIds) {
    var before = book.online();
    var gone = book.group(nodeIds, nowSeconds());
    inGroup = welcome != null && nodeIds.contains(welcome.localId());
    watch.left(gone);
    gone.forEach(this::awaitComeback);
    gone.forEach(this::controllerGone);
    if (election != null) {
      election.voters(nodeIds);
    }
    var came = book.online().stream().filter(it -> !before.contains(it)).toList();
    if (!came.isEmpty()) {
      controllersCame(came);
    }
    checkReady();
  }

  /// The supervisor of a member starts a lost controller again; only if that fails is the node
  /// lost.
  private void awaitComeback(int node) {
    var before = comebacks.put(node, world.after(COMEBACK, () -> comebackOver(node)));
    if (before != null) {
      before.cancel();
    }
  }

  private void comebackOver(int node) {
    comebacks.remove(node);
    var hoped = watch.isOwn() && governor.awaited().contains(node);
    book.giveUp(node);
    if (hoped && !book.isOnline(node)) {
      governor.left(node);
    } else if (watch.isOwn()) {
      governor.checkIntegrated();
    }
  }

  private void controllersCame(List<Integer> nodes) {
    nodes.forEach(fencing::appeared);
    if (governs()) {
      broadcast(new PeerMessage.Heartbeat(watch.epoch()));
    }
    if (lastMode != null) {
      broadcast(new PeerMessage.Load(lastMode, lastJobs));
    }
    watch.came(nodes);
  }

  private void controllerGone(int node) {
    var name = book.name(node);
    throttle.forget(name);
    if (isSelf(node)) {
      offer(new Input.Broken("the cluster has dropped this node"));
      return;
    }
    if (watch.isOwn()) {
      governor.left(node);
    }
    watch.lost(node, name);
  }

  @Override
  public void message(int fromId, boolean broadcast, byte[] payload) {
    try {
      received(fromId, PeerMessage.PROTOCOL.decode(payload).body());
    } catch (Protocol.ProtocolException e) {
      world.log().warning("Ignoring a message from node %d: %s".formatted(fromId, e.getMessage()));
    }
  }

  private void received(int from, PeerMessage message) {
    switch (message) {
      case PeerMessage.Heartbeat(var theirs) -> watch.heard(from, theirs);
      case PeerMessage.Vote vote -> heardVote(from, vote);
      case PeerMessage.NoVote answer -> {
        if (election != null) {
          election.gaveWay(from, answer);
        }
      }
      case PeerMessage.Announce(var heard) -> watch.announced(from, heard);
      case PeerMessage.Offer(var theirs, var joinId) -> {
        // This node's own offer of before an election that was called meanwhile invites nobody.
        if (!isSelf(from) || watch.isOwn() && state != State.ELECTION) {
          offer(new Input.Offered(from, theirs, joinId));
        }
      }
      case PeerMessage.Request(var joinId, var featureSet) ->
          offer(new Input.JoinRequested(from, joinId, featureSet));
      case PeerMessage.Result(var joinId, var accepted, var why) ->
          offer(
              accepted
                  ? new Input.JoinAccepted(from, joinId)
                  : new Input.JoinRefused(from, joinId, why));
      case PeerMessage.Confirm(var joinId, var status, var admitted) -> {
        if (admitted) {
          admissions.told(from);
        }
        offer(new Input.JoinConfirmed(from, joinId, status));
      }
      case PeerMessage.Execute it -> execute(from, it);
      case PeerMessage.Cluster it -> executeForCluster(from, it);
      case PeerMessage.Ack(var operation) -> acknowledged(from, operation);
      case PeerMessage.LeaveRequest _ -> wantsToLeave(from);
      case PeerMessage.Load(var mode, var jobs) -> {
        throttle.report(book.name(from), mode, jobs);
        engine.pump();
      }
      case PeerMessage.Relay relay -> commands.relayed(from, relay);
      case PeerMessage.RelayAnswer answer -> commands.answered(answer);
    }
  }

  // Who is DC

  @Override
  public long highestEpoch() {
    return watch.highestEpoch();
  }

  private void heardVote(int from, PeerMessage.Vote vote) {
    watch.voteHeard(vote.epoch());
    if (election == null || welcome == null || isSelf(from)) {
      return;
    }
    switch (state) {
      case STARTING, RECOVERY, STOPPING, TERMINATE ->
          send(from, new PeerMessage.NoVote(vote.round()));
      case PENDING,
          ELECTION,
          NOT_DC,
          INTEGRATION,
          FINALIZE_JOIN,
          POLICY_ENGINE,
          TRANSITION_ENGINE,
          IDLE,
          RELEASE_DC ->
          election.heard(from, book.name(from), vote);
    }
  }

  @Override
  public Election.Claim claim() {
    return new Election.Claim(Product.FEATURE_SET, bornOn, leaving.isWanted(), nodeName());
  }

  private void vote(String why) {
    world.log().info("Calling an election: " + why);
    watch.votes();
    if (election != null) {
      election.vote();
    }
  }

  private void takeOver() {
    watch.takeOver(welcome == null ? null : welcome.localId());
    world.log().notice("This node is DC now (epoch %d)".formatted(watch.epoch()));
    engine.newTerm();
    watch.beat();
    governor.takeOver(watch.epoch(), false);
  }

  private void releaseDc(String why) {
    if (election != null) {
      election.cancel();
    }
    if (watch.isOwn()) {
      world.log().notice("This node is no longer DC: " + why);
      watch.release();
      engine.drop();
      governor.release();
    }
    offer(new Input.Released());
  }

  // Joining, from this node's side

  private void answerOffer(Input.Offered offer) {
    if (election != null) {
      election.cancel();
    }
    watch.follow(offer.from(), offer.epoch());
    send(offer.from(), new PeerMessage.Request(offer.joinId(), Product.FEATURE_SET));
  }

  boolean knowsItself() {
    return welcome != null;
  }

  boolean isSelf(int node) {
    return welcome != null && node == welcome.localId();
  }

  private void confirm(Input.JoinAccepted result) {
    if (!watch.is(result.from())) {
      return;
    }
    if (!watch.isOwn()) {
      world.log().notice("Joined the cluster with DC " + book.name(result.from()));
    }
    startState.apply(() -> sendConfirmation(result));
  }

  private void sendConfirmation(Input.JoinAccepted result) {
    send(
        result.from(),
        new PeerMessage.Confirm(
            result.joinId(), XmlWriter.compact(executor.state()), admissions.hasSelf()));
    if (leaving.isWanted()) {
      send(result.from(), new PeerMessage.LeaveRequest());
    } else if (leaving.wasWanted()) {
      // an earlier controller of this node asked to leave and did; this one is here to stay
      setAttribute("shutdown", nodeName(), "0");
    }
  }

  private void refused(Input.JoinRefused result) {
    if (watch.is(result.from())) {
      offer(new Input.EndNow("the DC turned this node down: " + result.why()));
    }
  }

  // Doing what the DC says

  private void execute(int from, PeerMessage.Execute order) {
    if (!watch.is(from)) {
      world.log().warning("Ignoring an order of node %d, which is not DC".formatted(from));
      return;
    }
    try {
      executor.execute(GraphAction.read(XmlReader.parse(order.action())), order.key());
    } catch (XmlException e) {
      world.log().error("An order is no action: " + e.getMessage());
    }
  }

  private void executeForCluster(int from, PeerMessage.Cluster order) {
    if (!watch.is(from)) {
      world.log().warning("Ignoring an order of node %d, which is not DC".formatted(from));
      return;
    }
    try {
      orders.carryOut(GraphAction.read(XmlReader.parse(order.action())), order.key());
    } catch (XmlException e) {
      world.log().error("An order is no action: " + e.getMessage());
    }
  }

  private void acknowledged(int from, String operation) {
    if (!watch.isOwn()) {
      return;
    }
    try {
      engine.operation(String.valueOf(from), new HistoryEntry(XmlReader.parse(operation)));
    } catch (XmlException e) {
      world.log().error("An acknowledgement is no XML: " + e.getMessage());
    }
  }

  @Override
  public @Nullable String objection(String operation) {
    if (leaving.isWanted() && Task.START.is(operation)) {
      return "this node is shutting down";
    }
    if (Task.STOP.is(operation)) {
      return null;
    }
    return switch (state) {
      case NOT_DC, POLICY_ENGINE, TRANSITION_ENGINE -> null;
      case STARTING,
          PENDING,
          ELECTION,
          INTEGRATION,
          FINALIZE_JOIN,
          IDLE,
          RELEASE_DC,
          RECOVERY,
          STOPPING,
          TERMINATE ->
          "the controller cannot do so in state " + state.text();
    };
  }

  @Override
  public void write(List<CibOp> changes, Runnable done) {
    cib.write(changes, _ -> done.run());
  }

  @Override
  public void acknowledge(HistoryEntry operation) {
    var dc = watch.id();
    if (dc != null) {
      send(dc, new PeerMessage.Ack(XmlWriter.compact(operation.xml())));
    }
  }

  @Override
  public void runs(List<LeftRunning.Resource> resources) {
    leftRunning.keep(resources);
  }

  // Leaving

  private void wantsToLeave(int node) {
    if (!watch.isOwn()) {
      return;
    }
    world.log().info(book.name(node) + " wants to leave");
    setAttribute("shutdown", book.name(node), String.valueOf(nowSeconds()));
  }

  /// A fencing of this node in its present stay has succeeded; it should not be here to hear of it.
  void fencedOurselves(String origin) {
    world.log().critical("This node was fenced, as " + origin + " asked");
    if (!options.panicWhenFenced()) {
      world.exit(FATAL, "this node was fenced");
      return;
    }
    // the supervisor reboots the machine: this daemon may not
    world.exit(PANIC, "this node was fenced");
  }

  // Load

  private void reportLoad() {
    var load = world.load();
    var mode = Throttle.mode(load, options.loadThreshold());
    var jobs = Numbers.parseInt(env.get("PCMK_node_action_limit"), options.nodeActionLimit());
    if (jobs <= 0) {
      jobs = 2 * load.cores();
    }
    if (mode != lastMode || jobs != lastJobs) {
      lastMode = mode;
      lastJobs = jobs;
      broadcast(new PeerMessage.Load(mode, jobs));
    }
    world.after(LOAD_INTERVAL, this::reportLoad);
  }

  // What the parts ask of each other

  Alerts alerts() {
    return alerts;
  }

  @Override
  public void reported(OperationResult result) {
    alerts.resource(nodeName(), result);
  }

  @Override
  public void broadcast(PeerMessage message) {
    group.broadcast(PeerMessage.PROTOCOL.encode(0, message));
  }

  @Override
  public void send(int node, PeerMessage message) {
    if (isSelf(node)) {
      world.post(() -> received(node, message));
    } else {
      group.send(node, PeerMessage.PROTOCOL.encode(0, message));
    }
  }

  void setAttribute(String name, String node, @Nullable String value) {
    attributes.set(name, node, value);
  }

  void clearFailures(AttrMessage.ClearFailures failures) {
    attributes.clearFailures(failures);
  }

  void removeAttributes(String node) {
    attributes.removeNode(node);
  }

  State state() {
    return state;
  }

  boolean isDc() {
    return watch.isOwn();
  }

  @Nullable Integer dcId() {
    return watch.id();
  }

  /// Empty if there is none at present.
  String dcName() {
    var dc = watch.id();
    return dc == null ? "" : book.name(dc);
  }

  long epoch() {
    return watch.epoch();
  }

  boolean quorate() {
    return membership != null && membership.quorate();
  }

  long membershipNumber() {
    return membership == null ? 0 : membership.number();
  }

  String clusterName() {
    return welcome == null ? "" : welcome.clusterName();
  }

  @Override
  public String nodeName() {
    return welcome == null ? "" : welcome.localName();
  }

  @Override
  public String nodeId() {
    return welcome == null ? "" : String.valueOf(welcome.localId());
  }

  ClusterOptions options() {
    return options;
  }

  NodeBook book() {
    return book;
  }

  Admissions admissions() {
    return admissions;
  }

  CibDesk cib() {
    return cib;
  }

  TransitionEngine engine() {
    return engine;
  }

  Governor governor() {
    return governor;
  }

  FencingDesk fencing() {
    return fencing;
  }

  LocalExecutor executor() {
    return executor;
  }

  LeftRunning leftRunning() {
    return leftRunning;
  }

  Leaving leaving() {
    return leaving;
  }

  /// Whether the executor has told what runs here.
  boolean knowsResources() {
    return neighbours.isThere(Neighbours.EXECUTOR);
  }

  Throttle throttle() {
    return throttle;
  }

  private long nowSeconds() {
    return world.now().getEpochSecond();
  }
}
