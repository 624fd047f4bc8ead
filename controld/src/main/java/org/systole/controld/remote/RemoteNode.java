package org.systole.controld.remote;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.systole.common.cib.CibOp;
import org.systole.common.operation.AgentName;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.HistoryEntry;
import org.systole.common.operation.OcfCode;
import org.systole.common.operation.OperationRequest;
import org.systole.common.operation.OperationResult;
import org.systole.common.operation.TransitionKey;
import org.systole.common.values.CibNodeId;
import org.systole.common.values.NodeName;
import org.systole.common.values.Numbers;
import org.systole.common.values.OperationName;
import org.systole.common.values.ResourceId;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.controld.operations.HistoryXml;
import org.systole.controld.operations.LeftRunning;
import org.systole.controld.operations.MetadataCache;
import org.systole.controld.operations.OperationRunner;
import org.systole.controld.operations.RemovedResources;
import org.systole.execd.client.remote.RemoteExecutor;
import org.systole.execd.client.remote.RemoteRequest;
import org.systole.execd.client.remote.StartedResource;

/// A remote node that is connected to this member: its operations, and their records.
final class RemoteNode implements OperationRunner.Host, TellingRoom.Part {
  private static final int ADOPTED_MAX = 300;
  private static final String UNHEARD = "the connection to the remote node was lost while it was handed on";
  private static final String LATE = "its end was heard of when the remote node was handed on";

  private final World world;
  private final RemoteHost host;
  private final NodeName name;
  private final RemoteExecutor executor;
  private final OperationRunner runner;
  private long since;
  private final TellingLimit limit;
  private final Duration returnsWithin;
  private final String process;
  private final String address;
  private boolean restoring;
  private @Nullable HandOver handOver; // once another member has connected
  private boolean mayBeTaken; // the connection was lost when it had been given away
  private boolean ready; // it knows all that was known of it before
  private int toAdopt; // so many operations that another member has begun and told nothing of yet
  private List<StartedResource> started = List.of();
  private long presumed; // characters of them

  /// @param address where the connection leads to, as in [Connected]
  /// @param greeting what it says of itself: in what time its executor is there again where it ends, and what that
  ///     has started with which parameters. The cluster may have forgotten that, and have others by now.
  RemoteNode(
      World world,
      RemoteHost host,
      NodeName name,
      String address,
      RemoteExecutor executor,
      MetadataCache metadata,
      RemoteExecutor.Greeting greeting) {
    this.world = world;
    this.host = host;
    this.name = name;
    this.since = world.now().getEpochSecond();
    this.executor = executor;
    this.returnsWithin = greeting.returnsWithin();
    this.process = greeting.process();
    this.address = address;
    this.runner = new OperationRunner(world, this, executor, metadata, executor::isConnected);
    this.limit = new TellingLimit(world, runner::underWay, () -> runner.underWay().size(), () -> runner.knownResources().size());
    presume(greeting.started());
    for (var sent : host.onTheirWay().to(name, host.cib())) {
      if (greeting.started().stream().allMatch(it -> !it.resource().equals(sent.id()) || it.isAs(told(sent)))) { // else it was done with since
        arrives(sent);
      }
    }
    ready = true;
  }

  /// As its executor would tell of it.
  private static StartedResource told(LeftRunning.Resource it) {
    return new StartedResource(it.id(), it.agent(), it.parameters(), it.source());
  }

  /// Takes over which resources may run here with which parameters, of those that the executor does not know of.
  void inherit(RemoteNode before) {
    var known = runner.mayRun().stream().map(LeftRunning.Resource::id).collect(Collectors.toSet());
    var all = new ArrayList<>(started);
    before.runner.mayRun().stream()
        .filter(it -> !known.contains(it.id()))
        .forEach(it -> all.add(told(it)));
    presume(StartedResource.within(all)); // no more than one executor may tell of, however often it comes back
  }

  private void presume(List<StartedResource> all) {
    started = all.stream().filter(it -> runsOnRemoteNodes(it.agent())).toList();
    for (var it : started) {
      runner.presume(new LeftRunning.Resource(it.resource(), it.agent(), it.parameters(), it.source()));
    }
    presumed = started.stream().mapToLong(StartedResource::length).sum();
    host.tellingRoom().holds(this, presumed);
  }

  private static boolean runsOnRemoteNodes(AgentName agent) {
    return !agent.isFenceAgent() && !agent.isRemoteConnection();
  }

  /// Something is about to be moved here live. Another member may be connected before anybody has asked for it: the executor tells that one.
  void arrives(LeftRunning.Resource sent) {
    runner.arrives(sent);
    var source = sent.source();
    if (source != null) {
      executor.arrives(sent.id(), sent.agent(), new RemoteRequest.Arriving(sent.parameters(), source));
    }
  }

  /// The CIB says that the node is connected. What the executor has started, and what is not configured any more, is
  /// probed: nobody else asks for it.
  void lookForRemoved() {
    RemovedResources.look(runner, host.cib());
  }

  /// The host has told what came of an operation. By a clock that is ahead a failure would be one of the future, and
  /// no failure-timeout would be over before that has come.
  ///
  /// @return why it is not to be listened to any more, null if all is well
  @Nullable String told(OperationResult itSays) {
    var result = itSays.noLaterThan(world.now().getEpochSecond());
    var wrong = limit.objection(result);
    var asked = runner.underWay(result);
    if (wrong == null && (asked != null || runner.looksFor(result) || isAnothers(result))) {
      var same = asked != null && asked.equals(result.request());
      host.tellingRoom().holds(this, presumed + limit.kept(result, same));
      adoptIfBegun(asked, result);
      runner.result(same ? result.of(asked) : result); // kept once
    }
    return wrong;
  }

  /// Whether it may be of an operation that the DC had another member ask for. What another member asks for by itself, such
  /// as a check for host HA, is no resource's operation: it stands in no history, where its failure would have the node
  /// fenced. And the node says itself which agents those resources have.
  private static boolean isAnothers(OperationResult result) {
    var key = TransitionKey.parse(result.transitionKey());
    return key != null && key.isPlanned() && runsOnRemoteNodes(result.agent());
  }

  /// The member that had the node has begun what recurs, and handed the node on before its first result.
  private void adoptIfBegun(@Nullable OperationRequest asked, OperationResult result) {
    var request = result.request();
    if (asked == null && request.recurs() && result.status() == ExecStatus.DONE && toAdopt > 0) {
      toAdopt--;
      runner.adopt(request.resource(), request.agent(), result.callId(), List.of(request));
    }
  }

  /// Another member has connected, and is to have the node: what it does not hear of is still this one's.
  void handOn(HandOver to) {
    if (handOver == null) {
      handOver = to;
      runner.handOn("the remote node was handed on to another member");
    }
  }

  /// The connection was lost after another member had taken the node, and before all that was told over it was heard.
  ///
  /// @param overheard whether the other member hears of the end of all that the executor had taken
  void unheard(boolean overheard) {
    runner.unheard(overheard, UNHEARD);
  }

  @Override
  public boolean isConnected() {
    return executor.isConnected();
  }

  @Override
  public void cutOff() {
    world.log().warning("Cutting off remote node %s: what all have told fills the memory, and its is most".formatted(name));
    executor.close();
  }

  OperationRunner runner() {
    return runner;
  }

  /// The connection is closed in good order.
  void close() {
    host.onTheirWay().forget(name);
    runner.abandon("the connection to the remote node was closed");
  }

  /// The connection is lost.
  ///
  /// @param givenAway whether another member may have taken it by then: what is under way is that one's, then, and has not
  ///     failed
  /// @param fenced whether it was fenced by then: what was under way has ended with it, and has not failed
  void abandon(boolean givenAway, boolean fenced, String why) {
    mayBeTaken = givenAway;
    if (fenced) {
      runner.disown(ExecutorReturn.FENCED);
    } else {
      runner.abandon(why);
    }
  }

  /// Whether its executor is that process, as far as executors say which they are.
  boolean isOf(String other) {
    return process.equals(other);
  }

  Duration returnsWithin() {
    return returnsWithin;
  }

  /// What makes the CIB know of the connection that was made.
  ///
  /// @param move whether another member was to hand it over
  List<List<CibOp>> made(boolean move, @Nullable String startState) {
    var changes = new ArrayList<List<CibOp>>();
    if (!move || isOfItsOwn()) {
      changes.addAll(StartStates.changes(world, host, name, startState));
      changes.add(up());
    } else {
      adopt();
      changes.add(taken());
    }
    return changes;
  }

  private Connected connection() {
    return new Connected(host.nodeName(), since, process, address);
  }

  /// What makes the CIB know of a connection that was not handed over. The node's attributes are true as long as its executor
  /// is the one that a member was connected to all the while, however that member was lost. That it was asked to end
  /// is over then: it ends with its last connection.
  private List<CibOp> up() {
    var stays = connection().isToTheSame(host.cib(), name);
    if (stays) {
      host.setAttribute(RemoteRecords.STOP_ASKED, name, null);
    } else {
      host.forgetAttributes(name);
    }
    var changes = new ArrayList<>(RemoteRecords.up(host.cib(), name, connection(), stays));
    changes.add(GivenAway.madeElsewhere(name, host.nodeId()));
    return changes;
  }

  /// Whether no other member has done anything over it, as far as the CIB says; or nobody may have heard of an end.
  boolean isOfItsOwn() {
    return isAnother() || RemoteRecords.isLast(host.cib(), name, host.nodeName());
  }

  void hearOfOthers() {
    executor.hearOfOthers();
  }

  /// Whether its executor is not the one that the member had which hands the node over: what the CIB says of what runs
  /// here, and what recurs, is of that one.
  private boolean isAnother() {
    return connection().isToAnother(host.cib(), name);
  }

  /// What makes the CIB know of a connection that was handed over.
  private List<CibOp> taken() {
    var changes = new ArrayList<>(RemoteRecords.taken(host.cib(), name, connection()));
    changes.add(GivenAway.failedNoMore(name, host.nodeId()));
    return changes;
  }

  /// Writes the node's entry again if the status section has lost it, as when all CIB managers were
  /// lost at the same time.
  void restore() {
    if (restoring) {
      return;
    }
    var lrm = runner.state().first("lrm");
    if (lrm != null) {
      restoring = true;
      host.write(
          RemoteRecords.again(name, connection(), lrm), () -> restoring = false);
    }
  }

  /// What makes the CIB know of this connection, where it is that of another side or from before it.
  List<CibOp> rejoined() {
    return RemoteRecords.rejoined(host.cib(), name, connection(), HistoryXml.lastKey(runner.state()));
  }

  /// Takes over what another member has had done here, as the CIB says.
  private void adopt() {
    var recurring = new ArrayList<OperationRequest>();
    var state = RemoteRecords.state(host.cib(), name);
    since = Math.max(1, Numbers.whole(RemoteRecords.since(state), since));
    var resources = state == null ? null : state.path("lrm", "lrm_resources");
    if (resources != null) {
      resources.children("lrm_resource").forEach(it -> adopt(it, recurring));
    }
    toAdopt = ADOPTED_MAX;
    executor.hearOfOthers();
    new UnheardMigrations(world, host, name, executor, runner, () -> handOver == null && executor.isConnected()).begin();
    if (!recurring.isEmpty()) {
      executor.goesOn(there -> endMissing(recurring, there == null ? null : there.recurring()));
    }
  }

  /// What recurs as the CIB says, and does not. The node has ended it, as nobody was connected for long while the connection moved, or
  /// its executor is another one: without an entry in the history the cluster has it begun again.
  ///
  /// @param there the keys of all that recurs; null if the executor does not say
  private void endMissing(List<OperationRequest> adopted, @Nullable List<String> there) {
    if (there == null) {
      return;
    }
    var known = Set.copyOf(there);
    for (var it : adopted) {
      if (!known.contains(it.key())) {
        var ended = OperationResult.made(it, OcfCode.OK, ExecStatus.CANCELLED, "", world.now().getEpochSecond());
        if (it.equals(runner.underWay(ended))) {
          runner.result(ended);
        }
        host.write(List.of(GivenAway.recursNoMore(name, it)), () -> {});
      }
    }
  }

  private void adopt(Element resource, List<OperationRequest> done) {
    var id = ResourceId.of(resource.id());
    if (id == null) {
      return;
    }
    var agent = AgentName.of(resource);
    var recurring = new ArrayList<OperationRequest>();
    var pending = new HashSet<String>(); // somebody waits for what comes of it
    var lastCall = 0L;
    for (var xml : resource.children(HistoryEntry.ELEMENT)) {
      var entry = new HistoryEntry(xml);
      lastCall = Math.max(lastCall, Numbers.whole(xml.get("call-id"), 0));
      var operation = OperationName.of(entry.operation());
      if (operation != null && entry.intervalMillis() > 0) {
        if (entry.isPending()) {
          pending.add(xml.get("transition-key", ""));
        }
        recurring.add(
            OperationRequest.of(
                id,
                agent,
                operation,
                entry.intervalMillis(),
                Map.of(),
                xml.get("transition-key", "")));
      }
    }
    executor.presume(id, agent);
    runner.adopt(id, agent, lastCall, recurring);
    recurring.stream().filter(it -> !pending.contains(it.transitionKey())).forEach(done::add);
  }

  @Override
  public NodeName nodeName() {
    return name;
  }

  @Override
  public CibNodeId nodeId() {
    return CibNodeId.ofRemote(name);
  }

  @Override
  public boolean isRemote() {
    return true;
  }

  @Override
  public void write(List<CibOp> changes, Runnable done) {
    host.write(changes, done);
  }

  /// Once the node was handed on, the other member may have recorded something later.
  @Override
  public void record(OperationResult result, Element state, Runnable done) {
    if (!mayBeAnothers()) {
      OperationRunner.Host.super.record(result, state, done);
      return;
    }
    var isOthers = handOver != null && handOver.isNoticed();
    Consumer<Boolean> told =
        made -> {
          if (made && result.status() != ExecStatus.PENDING) {
            host.reported(name, result);
          } else if (!made && mayBeTaken) {
            runner.unheard(result.request(), UNHEARD); // another has the node, and nothing has failed
          } else if (!made && !isOthers && isEnd(result)) {
            runner.unheard(result.request(), LATE); // it has ended before the other one connected, who does not hear of it
          }
          done.run();
        };
    var self = host.nodeName();
    var change =
        mayBeTaken
            ? GivenAway.failed(name, self, state)
            : GivenAway.ended(name, self, result, state);
    host.writeIfThere(List.of(change), told);
  }

  /// As of a member: the one that has asked for a migration may be lost before the CIB says so, and who has the node after it finds nothing there,
  /// and looks nowhere else.
  @Override
  public void announce(OperationResult pending, Element state, Runnable written, Consumer<@Nullable String> then) {
    host.sends(name, pending.request());
    Consumer<Boolean> told =
        known -> {
          written.run();
          then.accept(known ? objection(pending.request()) : "the CIB could not be told of it");
        };
    if (mayBeAnothers()) {
      host.writeIfThere(List.of(GivenAway.ended(name, host.nodeName(), pending, state)), told);
    } else {
      host.writeAndTell(List.of(CibOp.put("status", state)), told);
    }
  }

  /// Has something done once the node was asked for all live migrations that wait for the CIB; false if none does. Given away before, it would
  /// be asked for them by a member that has it no more.
  boolean afterAnnounced(Runnable task) {
    return runner.afterAnnounced(task);
  }

  private @Nullable String objection(OperationRequest migration) {
    return mayBeTaken ? "another member may have the node by now" : host.objection(migration);
  }

  private static boolean isEnd(OperationResult result) {
    return !result.request().recurs() && result.status() != ExecStatus.PENDING && result.status() != ExecStatus.CANCELLED;
  }

  /// The DC asks the other member for what was not done, once it knows that this has the node.
  @Override
  public void acknowledge(HistoryEntry operation) {
    var notDone = operation.status() == ExecStatus.INVALID;
    if (handOver == null || !notDone || !handOver.afterwards(() -> host.acknowledge(operation))) {
      host.acknowledge(operation);
    }
  }

  @Override
  public @Nullable Element cib() {
    return host.cib();
  }

  @Override
  public void expect(Predicate<Element> written, Duration limit, Runnable then) {
    host.expect(written, limit, then);
  }

  @Override
  public @Nullable String objection(OperationName operation) {
    return host.objection(operation);
  }

  @Override
  public void runs(List<LeftRunning.Resource> resources) {
    if (ready && executor.isConnected()) {
      host.onTheirWay().settle(name, resources);
    }
  }

  @Override
  public void reported(OperationResult result) {
    if (!mayBeAnothers()) {
      host.reported(name, result);
    }
  }

  private boolean mayBeAnothers() {
    return handOver != null || mayBeTaken;
  }
}
