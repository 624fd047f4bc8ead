package org.systole.controld.remote;

import java.time.Duration;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.systole.common.cib.CibOp;
import org.systole.common.operation.AgentName;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.OcfCode;
import org.systole.common.operation.OperationResult;
import org.systole.common.operation.Task;
import org.systole.common.values.NodeName;
import org.systole.common.values.ResourceId;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.controld.operations.MetadataCache;
import org.systole.controld.operations.OperationRunner;
import org.systole.execd.client.remote.RemoteExecutor;

/// One resource of the agent `ocf:pacemaker:remote` on this member: the connection to the remote node of its name. One that is lost
/// stays lost until the cluster stops and starts the resource: until then nobody knows what the node runs.
final class RemoteConnection implements ConnectionMonitors.Host, HostHold.Way, Attempt.Owner {
  private final World world;
  private final RemoteHost host;
  private final MetadataCache metadata;
  private final NodeName node;
  private final ResourceId resource;
  private final OperationRunner operations; // of connections
  private final ConnectionMonitors monitors;
  private final HostHold hold;
  private final ExecutorReturn returning;
  private final GivingAway giving;
  private final UnmadeMove unmade;
  private @Nullable Asked started; // the last start
  private @Nullable Opening opening;
  private @Nullable Attempt attempt;
  private @Nullable RemoteNode remote; // while it is connected
  private boolean overtaken; // another member has done so unasked

  /// @param operations of connections, told of each one's end
  /// @param calls numbers for results that change
  RemoteConnection(
      World world, RemoteHost host, MetadataCache metadata, ResourceId resource, NodeName node, OperationRunner operations, LongSupplier calls) {
    this.world = world;
    this.host = host;
    this.metadata = metadata;
    this.resource = resource;
    this.node = node;
    this.operations = operations;
    this.monitors = new ConnectionMonitors(world, this, calls);
    this.hold = new HostHold(world, host, node, this);
    this.returning = new ExecutorReturn(world, node, this);
    this.giving = new GivingAway(world, host, node, resource, operations, (was, why, how) -> lost(was, null, why, how));
    this.unmade = new UnmadeMove(world, host, node, operations);
  }

  /// The node, if it is connected; null if not.
  @Nullable RemoteNode remote() {
    return remote;
  }

  /// @param made whether the configuration has the resource, or implies it
  void cibChanged(Element cib, boolean made) {
    if (opening != null && opening.isOverAs(made) && remote == null) {
      giveUpOpening("its resource was deleted before it was there"); // nobody wants it any more, and many wait for its end
    }
    keptIf(giving.cibChanged(cib, remote != null));
    if (remote != null && opening == null && !giving.isOn() && RemoteRecords.state(cib, node) == null) { // not while it is being written
      remote.restore();
    }
    if (hold.isFencedAway(cib, remote != null && opening == null) && attempt != null) {
      breakOff(attempt, "host HA holds it to be fenced");
    }
    if (remote == null && RemoteRecords.isFenced(cib, node) && returning.fenced()) { // not if it answers: it is back from that
      giveUpOpening(null);
    }
    hold.cibChanged(cib);
    passOn(giving.isTaken());
  }

  /// The member that it was given to has it.
  private void passOn(boolean taken) {
    var was = remote;
    var which = attempt;
    var executor = which == null ? null : which.executor;
    if (giving.isOn() && was != null && executor != null && taken) {
      remote = null;
      giving.pass(was, executor, () -> closeIf(which));
    } else if (taken && was == null) {
      giving.named();
      if (isOver()) {
        world.post(this::letGo);
      }
    }
  }

  private void closeIf(@Nullable Attempt which) {
    if (attempt == which) {
      close();
    }
  }

  /// Whether another member has overtaken this one, as the CIB says: what this one knows of the connection is to be forgotten.
  boolean isOver() {
    return remote == null && opening == null && !hold.isOn() && giving.isOver();
  }

  /// Whether it is lost after it was given away: another member may have the node, though this one does not know yet.
  boolean mayBeTaken() {
    return giving.isOn() && remote == null;
  }

  /// Whether another member is to take it over, and has not yet.
  boolean isToBeTaken() {
    return giving.isOn() && !giving.isTaken();
  }

  /// Before this member is let in: what makes the CIB know of the connection, where another side's has won.
  List<CibOp> rejoined() {
    hold.rejoined();
    return remote == null || opening != null || giving.isOn() ? List.of() : remote.rejoined();
  }

  /// Whether there is nothing to be remembered of it.
  boolean isIdle() {
    return opening == null && attempt == null && monitors.isEmpty() && !isHeld() && !giving.isWaiting() && !returning.insists();
  }

  /// Whether it is not there, and has not failed either.
  private boolean isHeld() {
    return hold.isOn() || returning.isOn();
  }

  /// Has something done once it is known whether the executor comes back, or that another member has the node; false if nobody waits.
  boolean afterwards(Runnable task) {
    return returning.afterwards(task) || giving.afterwards(task);
  }

  void execute(Asked asked) {
    if (remote == null && giving.refuses(asked) || asked.is(Task.MIGRATE_TO) && (returning.afterwards(() -> execute(asked)) || remote != null && remote.afterAnnounced(() -> execute(asked)))) {
      return;
    }
    switch (asked.request().task()) {
      case START, MIGRATE_FROM -> open(asked);
      case STOP -> stop(asked);
      case MONITOR -> monitor(asked);
      case MIGRATE_TO -> {
        monitors.cancelAll();
        giving.begin(remote == null ? null : asked);
        end(asked.ended(world, remote != null, "the node is not connected to this member"));
      }
      case RELOAD, RELOAD_AGENT -> end(asked.ended(world, true, ""));
      case null, default ->
          end(asked.ended(world, OcfCode.UNIMPLEMENTED, ExecStatus.DONE, "a connection cannot do that"));
    }
  }

  @Override
  public void end(OperationResult result) {
    world.post(() -> operations.result(result));
  }

  private void open(Asked asked) {
    returning.end();
    giving.endWaiting();
    hold.end(); // before it hears that its own attempt has ended: a failure told now would count as later than this start
    giveUpOpening(null);
    if (remote == null || giving.isBegun()) {
      close();
    }
    giving.forget();
    started = asked;
    if (remote != null) {
      end(asked.ended(world, true, ""));
      return;
    }
    var made = RemoteRecords.madeBy(host.cib(), node) != null;
    connect(new Opening(world, asked, asked.deadline(world), null, made));
  }

  /// Whether it is lost, and the cluster is not having it made.
  boolean isLost() {
    return remote == null && (opening == null || returning.insists());
  }

  /// The cluster cannot have it made: it is tried all the same.
  void insist() {
    if (isLost()) {
      returning.insist();
    }
  }

  boolean isOpening() {
    return opening != null;
  }

  @Override
  public boolean isVisited() {
    return host.isVisited(node);
  }

  @Override
  public void reopen(Duration within, ConnectionMonitors.Told done) {
    if (started == null || opening != null) {
      world.post(() -> done.accept("it is being made already"));
      return;
    }
    connect(new Opening(world, started, world.nanoTime() + within.toNanos(), done, false));
  }

  private void connect(Opening by) {
    opening = by;
    var objection = RemoteAddresses.objection(world, host.cib(), node, by);
    if (objection != null) {
      world.post(() -> failed(by, objection));
      return;
    }
    var now = new Attempt(world, host, node, by, this);
    now.executor = new RemoteExecutor(world, host.network(), by.server(node), by.port(), host.nodeName().text(), now);
    attempt = now;
    now.executor.open(by.forAttempt(world));
  }

  private void failed(Opening by, String why) {
    if (by != opening) {
      return;
    }
    var kept = UnmadeMove.isKept(host, node, by);
    if (!kept && by.mayBeHeld(world) && hold.begin(why)) {
      opening = null; // somebody looks after it: it need not be there
      end(by.asked.ended(world, true, ""));
      return;
    }
    if (by.isTriedAgain(world)) {
      world.log().info("Cannot connect to %s, trying again: %s".formatted(node, why));
      by.tryAgain(why, world.after(Opening.RETRY, () -> connect(by)));
      return;
    }
    opening = null;
    if (kept) {
      unmade.tell(by, by.reason(why));
    } else {
      by.ended(this::end, false, by.isDeleted() ? ExecStatus.ERROR : ExecStatus.TIMEOUT, by.reason(why));
    }
  }

  private void opened(Opening by, RemoteExecutor executor, RemoteExecutor.Greeting greeting) {
    world.log().notice("Connected to remote node %s (protocol %s)".formatted(node, greeting.version()));
    var now = returning.heir(new RemoteNode(world, host, node, by.address(host.cib(), node), executor, metadata, greeting));
    remote = now;
    giving.connected();
    overtaken = false;
    BooleanSupplier wanted = () -> opening == by && remote == now;
    Reading.before(host, by, now, wanted, () -> tell(by, now, wanted, now.made(by.isMove(), greeting.startState())));
  }

  /// The connection is not there before the CIB has it: it would be used by what the CIB says of the time before.
  private void tell(Opening by, RemoteNode now, BooleanSupplier wanted, List<List<CibOp>> changes) {
    Consumer<Boolean> done =
        told -> {
          if (!wanted.getAsBoolean()) {
            return;
          }
          opening = null;
          if (told) {
            now.lookForRemoved();
          } else {
            close();
          }
          by.ended(this::end, told, ExecStatus.ERROR, "the CIB cannot be told that it is connected");
        };
    UntilWritten.write(world, host, changes, wanted, by.deadline, done);
  }

  /// @param why null if another start takes its place: of the one before, whose DC is lost, a failure would count against the node
  private void giveUpOpening(@Nullable String why) {
    var was = opening;
    opening = null;
    if (was != null) {
      was.retryNoMore();
      close();
      if (was.told != null) {
        was.told.accept(why == null ? "another start was asked for" : why);
      } else if (why != null && was.isDeleted() && UnmadeMove.isKept(host, node, was)) {
        unmade.tell(was, why);
      } else if (why != null && !(was.isDeleted() && was.asked.is(Task.START) && operations.withdraw(was.asked.request(), why))) {
        end(was.asked.givenUp(world, why)); // not a start of what is deleted: as a failure it would have the node fenced
      }
    }
  }

  /// The cluster has to do what is more urgent, does not wait for this, and will ask for it again.
  void giveUpStart() {
    var was = remote == null ? opening : null;
    if (was != null && was.told == null && was.asked.is(Task.START)) {
      giveUpOpening(null);
      operations.withdraw(was.asked.request(), was.reason("it is to be made later"));
    }
  }

  private void close() {
    var was = attempt;
    var there = remote;
    attempt = null;
    remote = null;
    if (there != null) {
      there.close();
    }
    if (was != null && was.executor != null) {
      was.executor.close();
    }
    giving.end();
  }

  private void stop(Asked asked) {
    returning.end();
    hold.end(); // before it hears of this, too
    giveUpOpening("it was stopped before it was there");
    monitors.cancelAll();
    passOn(giving.isTaken() || giving.isBegun() && !giving.isWaiting());
    var away = giving.isOn();
    var untold = giving.endWaiting();
    giving.forget();
    if (away && remote == null && !untold) {
      giving.atEnd(() -> end(asked.ended(world, true, "")));
      return;
    }
    var there = remote != null; // one that is lost long since may run anything
    close();
    if (away || overtaken || started == null || giving.isTaken()) { // forgotten since it was given away, as somebody refreshed all: another one has it
      RemoteRecords.writeDownUnlessTaken(host, node, there, () -> end(asked.ended(world, true, "")));
      return;
    }
    RemoteRecords.writeDown(world, host, node, there, () -> remote == null && opening == null, asked.deadline(world), () -> end(asked.ended(world, true, "")));
  }

  /// Forgets what recurs, and that it is to be made: the cluster makes it now, on whichever member. One that is there stays.
  void forget() {
    monitors.forget();
    if (returning.insists()) {
      returning.end();
      giveUpOpening(null);
    }
  }

  private void monitor(Asked asked) {
    if (asked.request().recurs()) {
      monitors.begin(asked, this::keep);
      return;
    }
    var there = remote != null && opening == null || isHeld() && !hold.isAnothers();
    end(asked.ended(world, there ? OcfCode.OK : OcfCode.NOT_RUNNING, ExecStatus.DONE, ""));
  }

  /// The cluster counts on it, so whoever was to take it over has not: it is this member's again.
  private void keep() {
    keptIf((attempt != null || giving.isWaiting()) && giving.keep());
  }

  private void keptIf(boolean kept) {
    if (kept && attempt != null && giving.isBegun()) {
      leave(attempt, "another member had connected to the node", HowLost.LEFT); // the node may do only what that one asks for
    }
  }

  @Override
  public void poke(Duration within, ConnectionMonitors.Told told) {
    if (isHeld() || giving.isWaiting()) {
      told.accept(null);
      return;
    }
    check(within, (it, wrong) -> told.accept(it != null || isHeld() ? null : wrong));
  }

  void check(Duration within, BiConsumer<@Nullable RemoteExecutor, String> told) {
    if (attempt == null || remote == null) {
      told.accept(null, "the node is not connected");
    } else {
      attempt.check(within, told);
    }
  }

  /// Ends a recurring monitor; false if there was none.
  boolean cancel(String kind) {
    return monitors.cancel(kind);
  }

  @Override
  public void lost(Attempt which, String why, HowLost how) {
    if (attempt != which) {
      return;
    }
    attempt = null;
    var was = remote;
    var by = opening;
    remote = null;
    var known = was == null || by != null || hold.isFor() || RemoteRecords.isFenced(host.cib(), node);
    if (!known && giving.awaits(was, started, why, how)) {
      return;
    }
    var meant = by == null && giving.isAnothers();
    giving.lost(meant ? was : null);
    if (was != null && meant) {
      passOn(giving.isTaken()); // the other member has it, and hears of what the node has taken
    } else if (was != null) {
      lost(was, by, why, how);
    } else if (by != null) {
      failed(by, why);
    }
  }

  private void lost(RemoteNode was, @Nullable Opening by, String why, HowLost how) {
    world.log().error("Lost the connection to remote node %s: %s".formatted(node, why));
    var fenced = RemoteRecords.isFenced(host.cib(), node);
    if (by == null && !giving.isOn() && !hold.isFor() && !fenced && returning.begin(was, why, how)) {
      return;
    }
    was.abandon(giving.isOn() || by != null && by.isMove(), fenced, "the connection to the remote node was lost: " + why);
    if (by != null && by.isMove() && !overtaken) {
      failed(by, "lost again at once: " + why); // nobody was told of it, and who has given it away may have it still
    } else if (by != null) {
      opening = null;
      var held = by.told == null && !overtaken && hold.beginLost(why);
      by.ended(this::end, held, ExecStatus.ERROR, "lost again at once: " + why);
    } else if (!hold.beginLost(why)) {
      failed("lost: " + why);
    }
  }

  @Override
  public void failed(String why) {
    if (monitors.isEmpty()) {
      operations.recordPretendedFailure(resource, AgentName.REMOTE); // no monitor could tell
    } else {
      monitors.fail(why);
    }
  }

  @Override
  public void letGo() {
    if (isOver() || remote == null && opening == null && !giving.isOn()) {
      world.log().notice("The connection to %s is another member's by now".formatted(node));
      hold.end();
      giving.forget();
      operations.forget(List.of(resource), _ -> {});
    }
  }

  /// Another member has connected. It was meant to, or the cluster has given this one up: two must not use the node at once.
  @Override
  public void overtaken(Attempt which) {
    if (attempt != which || remote == null || giving.noticed(remote)) {
      return;
    }
    world.log().warning("Another member has connected to remote node " + node);
    overtaken = true;
    if (opening == null && !hold.isFor()) {
      giving.overtaken(started);
    }
    breakOff(which, "another member has connected to the node");
    hold.overtaken();
  }

  /// A node that does not answer is as one that is not there: nothing under way is waited for.
  @Override
  public void breakOff(Attempt which, String why) {
    leave(which, why, HowLost.BROKEN);
  }

  private void leave(Attempt which, String why, HowLost how) {
    var closing = which.executor;
    lost(which, why, how);
    if (closing != null) {
      closing.close();
    }
  }

  @Override
  public boolean isCurrent(Attempt which) {
    return attempt == which;
  }

  @Override
  public void connected(Attempt which, RemoteExecutor.Greeting greeting) {
    if (returning.isAnother(greeting)) {
      breakOff(which, "its executor does not end what the one before left under way");
    } else if (attempt == which && opening == which.by && which.executor != null) {
      opened(which.by, which.executor, greeting);
    }
  }

  @Override
  public @Nullable RemoteNode hears(Attempt which) {
    return attempt != which ? null : remote == null ? giving.node() : remote;
  }
}
