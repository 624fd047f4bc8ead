package org.systole.controld.hosts;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.cib.CibOp;
import org.systole.common.operation.Task;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.controld.client.CtlMessage;
import org.systole.controld.io.PeerMessage;
import org.systole.controld.remote.RemoteRecords;
import org.systole.hostha.Decider;
import org.systole.hostha.HostRecord;
import org.systole.hostha.HostView;
import org.systole.hostha.Input;
import org.systole.hostha.Order;
import org.systole.hostha.cib.CibRecords;
import org.systole.hostha.cib.HostSetup;
import org.systole.hostha.cib.SetupReader;
import org.systole.hostha.fsm.HostState;

/// One term of host HA: the decider, its clock, and the CIB.
final class HostDesk {
  /// How long what a former DC has said of a host stands against this one's not knowing yet.
  private static final Duration SETTLING = Duration.ofSeconds(60);

  private static final long NANOS = 1_000_000;

  private final World world;
  private final HostHa.Host host;
  private final Consumer<List<String>> complain;
  private final long epoch;
  private final long calendarAtZero;
  private final long settledAt;
  private final Decider decider;
  private final HostOrders orders;
  private final HostTrials trials;
  private final HostBoard board;
  private final PersonsDesk persons;
  private HostSetup setup;
  private HostEntries entries;
  private World.@Nullable Timer timer;
  private long timerDue = Long.MAX_VALUE;
  private boolean publishing;
  private boolean closed;

  private HostDesk(
      World world,
      HostHa.Host host,
      Element cib,
      HostSetup setup,
      Consumer<List<String>> complain) {
    this.world = world;
    this.host = host;
    this.complain = complain;
    this.setup = setup;
    this.epoch = host.epoch();
    this.entries = new HostEntries(cib, host.isInMaintenance());
    this.calendarAtZero = world.now().toEpochMilli() - now();
    this.settledAt = now() + SETTLING.toMillis();
    this.orders = new HostOrders(world, host, setup, entries, this::answered);
    this.trials = new HostTrials(world, orders);
    var hosts = setup.configuration().hosts().keySet();
    this.board = new HostBoard(entries, hosts);
    var records = entries.believed(CibRecords.read(cib).values(), epoch);
    this.decider =
        new Decider(
            epoch, setup.configuration(), records, entries.maintained(), now(), calendarAtZero);
    this.persons = new PersonsDesk(world, host, decider, this::step);
    hosts.forEach(board::check);
    decider.unconnected(entries.unconnected(hosts));
  }

  /// Begins, unless nothing can be done by the configuration and nothing was said of any host.
  ///
  /// @param complain told what makes none
  static @Nullable HostDesk begin(
      World world, HostHa.Host host, Element cib, Consumer<List<String>> complain) {
    var setup = FirstSetup.read(cib, complain);
    if (setup == null) {
      return null;
    }
    HostHa.shortened(setup.doubts()).forEach(it -> world.log().warning("Host HA: " + it));
    var desk = new HostDesk(world, host, cib, setup, complain);
    world
        .log()
        .notice(
            "Host HA looks after %d hosts".formatted(setup.configuration().hosts().size()));
    desk.step(new Input.Tick());
    desk.compareRecords(cib);
    world.after(SETTLING.plusMillis(1), desk::settled);
    return desk;
  }

  long epoch() {
    return epoch;
  }

  void close() {
    closed = true;
    if (timer != null) {
      timer.cancel();
    }
    orders.close();
    persons.close();
  }

  /// Whether nothing is left to be done.
  boolean isIdle() {
    return !board.hasChanges()
        && !publishing
        && decider.count(HostState.DISABLED) == decider.views().size();
  }

  private long now() {
    return world.nanoTime() / NANOS;
  }

  // Deciding

  private void answered(Input input) {
    if (!trials.took(input)) {
      step(input);
    }
  }

  private void step(Input input) {
    if (closed) {
      return;
    }
    for (var order : decider.step(now(), input)) {
      carryOut(order);
    }
    persons.look();
    arm();
    publishSoon();
  }

  private void arm() {
    var due = decider.nextDue();
    if (due == timerDue && timer != null) {
      return;
    }
    if (timer != null) {
      timer.cancel();
      timer = null;
    }
    timerDue = due;
    if (due != Long.MAX_VALUE) {
      timer =
          world.after(
              Duration.ofMillis(Math.max(0, due - now())),
              () -> {
                timer = null;
                step(new Input.Tick());
              });
    }
  }

  private void carryOut(Order order) {
    switch (order) {
      case Order.CheckEligibility it -> orders.eligibility(it);
      case Order.CheckHealth it -> orders.health(it);
      case Order.CheckActivity it -> orders.activity(it);
      case Order.ReadPower it -> orders.power(it);
      case Order.Recover it -> orders.recover(it);
      case Order.Fence it -> orders.fence(it);
      case Order.Abandon it -> orders.abandon(it.id());
      case Order.Write it -> write(it);
      case Order.Moved it -> moved(it);
      case Order.Explained it -> explained(it);
      case Order.Tell it -> tell(it);
    }
  }

  private void moved(Order.Moved it) {
    world
        .log()
        .notice(
            "Host %s: %s -> %s (%s)%s"
                .formatted(
                    it.host(),
                    it.from(),
                    it.to(),
                    it.event().text(),
                    it.why().isEmpty() ? "" : ": " + it.why()));
    if (it.from() == HostState.RECOVERING && it.to() != it.from()) {
      orders.left(it.host(), Task.REBOOT);
    } else if (it.from() == HostState.FENCING && it.to() != it.from()) {
      orders.left(it.host(), Task.OFF);
    }
    board.moved(it, world.now().getEpochSecond());
  }

  private void explained(Order.Explained it) {
    world.log().info("Host %s: %s".formatted(it.host(), it.why()));
    board.check(it.host());
  }

  private void tell(Order.Tell it) {
    if (it.refusal()) {
      world.log().info("Host HA: " + it.text());
      persons.refused(it.text()); // an answer to one person, and news for nobody else
      return;
    }
    if (it.alert()) {
      world.log().warning("Host HA: " + it.text());
    } else {
      world.log().info("Host HA: " + it.text());
    }
    host.alert(it.host(), it.text());
  }

  private void write(Order.Write it) {
    var cib = host.cib();
    if (cib == null) {
      return; // written again, as what is not answered is
    }
    var changes = new ArrayList<>(CibRecords.changes(cib, it.host(), it.kept(), it.maintenance()));
    var kept = it.kept();
    if (kept != null && kept.state().isDurable()) {
      changes.addAll(together(cib, kept));
    }
    Consumer<Boolean> done =
        written -> {
          if (!written) {
            board.refused(it.host());
            persons.refused(it.host());
          }
          step(
              new Input.Written(
                  it.host(), it.revision(), written, written ? "" : "the CIB refused it"));
          if (written && Boolean.FALSE.equals(it.maintenance()) && host.isInMaintenance()) {
            step(new Input.Maintenance(it.host(), true)); // its own has ended, the cluster's has not
          }
        };
    if (changes.isEmpty()) {
      world.post(() -> done.accept(true));
    } else {
      host.writeAsDc(changes, done);
    }
  }

  /// What is written of a host in one change with its record: that it is down and nothing runs there any more, or that
  /// something is being done to it. A record alone proves neither.
  private List<CibOp> together(Element cib, HostRecord kept) {
    var name = kept.host();
    var changes = new ArrayList<CibOp>();
    var fenced = kept.state() == HostState.FENCED;
    if (fenced && !board.saysFenced(name)) {
      host.forgetAttributes(name);
      changes.addAll(RemoteRecords.fenced(cib, name, world.now().getEpochSecond()));
      board.check(name);
    }
    var recorded = fenced ? Set.of(name) : Set.<NodeName>of();
    changes.addAll(board.publish(views(Set.of(name)), recorded, calendarAtZero, _ -> false));
    return changes;
  }

  // What is published

  private void publishSoon() {
    if (!publishing && board.hasChanges()) {
      publishing = true;
      world.post(
          () -> {
            publishing = false;
            if (!closed) {
              publish();
            }
          });
    }
  }

  private void settled() {
    if (!closed) {
      publishSoon();
    }
  }

  private void publish() {
    var hosts = board.changes();
    var changes =
        board.publish(
            views(hosts), entries.recordedFenced(), calendarAtZero, this::isSettling);
    if (!changes.isEmpty()) {
      host.writeAsDc(
          changes,
          written -> {
            if (!written) {
              hosts.forEach(board::refused); // the next step tries again
            }
          });
    }
  }

  /// Whether it may only not be known yet that a host is eligible. One whose connection was stopped in order
  /// is not: a connection that is made anew and fails is no affair of host HA.
  private boolean isSettling(NodeName host) {
    return now() < settledAt && entries.isStarted(host);
  }

  private Map<NodeName, HostView> views(Set<NodeName> hosts) {
    var views = new TreeMap<NodeName, HostView>();
    for (var name : hosts) {
      var view = decider.view(name);
      if (view != null) {
        views.put(name, view);
      }
    }
    return views;
  }

  // The CIB

  void cibChanged(Element before, Element after) {
    if (before.first("status") == after.first("status")
        && before.first("configuration") == after.first("configuration")) {
      return;
    }
    var was = entries;
    entries = new HostEntries(after, host.isInMaintenance(), was);
    if (before.first("configuration") != after.first("configuration")) {
      configure(after);
    }
    orders.use(setup, entries);
    for (var name : entries.maintainedOtherwise(was)) {
      step(new Input.Maintenance(name, entries.maintained().contains(name)));
    }
    for (var name : setup.configuration().hosts().keySet()) {
      if (was.isStarted(name) != entries.isStarted(name)) {
        step(new Input.Connected(name, entries.isStarted(name)));
      }
    }
    for (var name : entries.lost()) {
      if (!was.lost().contains(name)) {
        step(new Input.CheckNow(name));
      }
    }
    if (before.first("configuration") != after.first("configuration")) {
      compareRecords(after);
    }
    board.compare(was, entries);
    publishSoon(); // a record may have made room for it
  }

  /// What the CIB keeps of hosts is what this decider has had written, and nothing that somebody has put there: a backup of
  /// the configuration may call a host fenced that runs things.
  private void compareRecords(Element cib) {
    var hosts = setup.configuration().hosts().keySet();
    var all = new TreeSet<>(hosts);
    all.addAll(entries.records().keySet());
    for (var name : all) {
      if (!hosts.contains(name)) {
        host.writeAsDc(CibRecords.changes(cib, name, null, null), _ -> {});
      } else if (!CibRecords.isAsWritten(entries.records().get(name), decider.kept(name))) {
        step(new Input.Altered(name));
      }
    }
  }

  private void configure(Element cib) {
    var read = SetupReader.read(cib);
    complain.accept(FirstSetup.complaints(read));
    var next = read.toGoBy(this::isManaged);
    for (var gone : setup.configuration().hosts().keySet()) {
      if (!next.configuration().hosts().containsKey(gone) && board.forget(gone)) {
        takeBack(cib, gone);
      }
    }
    var before = setup.configuration().hosts().keySet();
    setup = next;
    orders.use(setup, entries);
    step(new Input.Configure(setup.configuration()));
    for (var added : setup.configuration().hosts().keySet()) {
      if (!before.contains(added)) {
        step(new Input.Connected(added, entries.isStarted(added)));
      }
    }
  }

  private boolean isManaged(NodeName name) {
    var view = decider.view(name);
    return view != null && view.state().isManaged();
  }

  /// What was said of a host that is none any more would stand for ever, also for one that gets its
  /// name.
  private void takeBack(Element cib, NodeName gone) {
    var status = cib.first("status");
    if (status != null && status.first("node_state", gone.text()) != null) {
      host.writeAsDc(List.of(HostBoard.nothingOf(gone)), _ -> {});
    }
  }

  void ran(PeerMessage.AgentRan ran) {
    if (!closed) {
      orders.ran(ran);
    }
  }

  void powerRead(NodeId from, PeerMessage.PowerRead read) {
    if (!closed) {
      orders.powerRead(from, read);
    }
  }

  void fencedByOthers(NodeName name, String why) {
    if (!entries.isConnected(name)) {
      step(new Input.FencedByOthers(name, why));
    }
  }

  // Commands

  /// @param complaint what keeps the settings from being followed; null if nothing does
  CtlMessage.Reply hosts(CtlMessage.HostsQuery query, @Nullable String complaint) {
    var doubts = new ArrayList<>(HostHa.shortened(setup.doubts()));
    if (complaint != null) {
      doubts.addFirst(complaint);
    }
    return new HostsShown(decider, setup, board, calendarAtZero).answer(query, doubts);
  }

  /// @param answer told once, when what has to last of the order is on record
  void order(CtlMessage.OrderHost it, Consumer<CtlMessage.Reply> answer) {
    if (decider.view(it.host()) == null) {
      answer.accept(new CtlMessage.Refused(CtlMessage.Reason.UNKNOWN, HostHa.noHost(it.host())));
      return;
    }
    if (it.what() == CtlMessage.HostOrder.CONFIRM && entries.isConnected(it.host())) {
      var why = "%s is connected to %s, which may not be off: if it is, that ends within a minute; try again then";
      answer.accept(
          new CtlMessage.Refused(CtlMessage.Reason.NOT_NOW, why.formatted(entries.member(it.host()), it.host())));
      return;
    }
    persons.order(it, answer);
  }

  /// Does all checks of a host once, and has nothing follow from them.
  ///
  /// @param done told once
  void tryOut(NodeName name, Consumer<CtlMessage.Reply> done) {
    var entry = setup.configuration().hosts().get(name);
    if (entry == null) {
      done.accept(
          new CtlMessage.Refused(CtlMessage.Reason.UNKNOWN, HostHa.noHost(name)));
      return;
    }
    NodeName neighbour = null;
    for (var view : decider.views()) {
      var other = setup.configuration().hosts().get(view.name());
      if (neighbour == null
          && other != null
          && !view.name().equals(name)
          && view.state() == HostState.AVAILABLE
          && Objects.equals(other.partition(), entry.partition())) {
        neighbour = view.name();
      }
    }
    trials.begin(name, neighbour, entry.volumes(), done);
  }
}
