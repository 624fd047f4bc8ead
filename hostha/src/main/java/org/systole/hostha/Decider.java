package org.systole.hostha;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeName;
import org.systole.hostha.config.Configuration;
import org.systole.hostha.config.HostEntry;
import org.systole.hostha.config.Setting;
import org.systole.hostha.fsm.FenceReason;
import org.systole.hostha.fsm.HostEvent;
import org.systole.hostha.fsm.HostState;
import org.systole.hostha.fsm.Transitions;

/// Decides what is checked, recovered and fenced: time and answers come in, orders go out.
///
/// It knows no clock, no cluster and no agent, and does the same for the same inputs, to the last
/// order. Times are milliseconds of its owner's clock, which never goes back. It is not for use by
/// several threads.
///
/// A decider acts for one epoch. Its owner claims the durable document for the epoch, gives it what
/// is in there, and has its writes refused once a later epoch has claimed it ([HostRecords]).
public final class Decider {
  private final Desk desk;
  private final Guards guards;
  private final Lives lives;
  private final Checks checks;
  private final PowerWork powerWork;
  private boolean resigned;

  /// @param epoch of its owner's election
  /// @param kept what survived
  /// @param inMaintenance the hosts that are in maintenance now
  /// @param now the time, in milliseconds
  /// @param calendarAtZero what the calendar showed when `now` was zero, in milliseconds
  public Decider(
      long epoch,
      Configuration configuration,
      HostRecords kept,
      Set<NodeName> inMaintenance,
      long now,
      long calendarAtZero) {
    desk = new Desk(epoch, configuration, now, calendarAtZero);
    guards = new Guards(desk);
    var records = new Records(desk);
    lives = new Lives(desk, guards, records);
    powerWork = new PowerWork(desk, lives, guards, records);
    checks = new Checks(desk, lives, guards, powerWork);
    var survivors = kept.records();
    for (var entry : configuration.hosts().values()) {
      var host = new Host(entry, configuration.valuesOf(entry));
      host.maintenance = inMaintenance.contains(entry.name());
      host.since = now;
      restore(host, survivors.remove(entry.name()));
      desk.hosts.put(host.name, host);
    }
    survivors.keySet().forEach(this::forget);
    regroup();
    lives.together(() -> desk.hosts.values().forEach(this::resume));
  }

  /// Says to which hosts the cluster has no connection, before the first [#step].
  public void unconnected(Set<NodeName> names) {
    names.forEach(it -> with(it, host -> connected(host, false)));
  }

  /// Takes the time and something that has happened.
  ///
  /// @param now never less than before
  /// @return what is to be done, in this order
  /// @throws IllegalArgumentException if time went back
  public List<Order> step(long now, Input input) {
    if (now < desk.now) {
      throw new IllegalArgumentException("time went back from %d to %d".formatted(desk.now, now));
    }
    if (resigned) {
      return List.of();
    }
    desk.now = now;
    fire();
    handle(input);
    fire();
    return desk.takeOrders();
  }

  /// When [#step] has to be called again, if nothing happens before; [Long#MAX_VALUE] for never.
  public long nextDue() {
    return resigned ? Long.MAX_VALUE : desk.timers.next();
  }

  public long epoch() {
    return desk.epoch();
  }

  public Configuration configuration() {
    return desk.configuration;
  }

  /// A host as it is; null if there is none of that name.
  public @Nullable HostView view(NodeName name) {
    var host = desk.hosts.get(name);
    return host == null ? null : view(host);
  }

  /// What is kept of a host, or is being written; null if nothing is.
  public @Nullable HostRecord kept(NodeName name) {
    var host = desk.hosts.get(name);
    return host == null ? null : host.recorded;
  }

  /// Whether all that has to last of a host is durable.
  public boolean isRecorded(NodeName name) {
    var host = desk.hosts.get(name);
    return host == null || !host.unwritten;
  }

  /// All hosts, by name.
  public List<HostView> views() {
    return desk.hosts.values().stream().map(Decider::view).toList();
  }

  public List<QueueView> queues() {
    var all = new ArrayList<QueueView>();
    for (var queue : desk.queues.values()) {
      all.add(new QueueView(queue.kind(), queue.waiting(), queue.running(), queue.refused()));
    }
    return all;
  }

  /// How many hosts are in a state.
  public long count(HostState state) {
    return desk.in(state);
  }

  private static HostView view(Host host) {
    var it = host.investigation;
    return new HostView(
        host.name,
        host.state,
        host.isInvestigated() ? it.suspectSince() : host.since,
        host.reason,
        host.attempts,
        it.looks(),
        it.failures(),
        it.blind(),
        host.powerRead ? host.power : null,
        host.powerReadFrom,
        host.isInMaintenance(),
        host.held);
  }

  private void restore(Host host, @Nullable HostRecord record) {
    if (record == null) {
      return;
    }
    host.recorded = record;
    host.attempts = record.attempts();
    host.held = record.held();
    if (!record.state().isDurable()) {
      if (host.held != null && record.state().isManaged()) {
        suspect(host, record, "a person holds it, and a new DC has not heard of it yet"); // no affair of the cluster's either
      } else if (record.state() == HostState.SUSPECT) { // it may work: nothing that is said of its power, say, hands it over
        var before = record.begun() ? "the cluster's start" : "this DC's time";
        suspect(host, record, "it did not answer before " + before);
      }
      return; // found out anew, as of hosts without a record
    }
    host.state = record.state();
    host.begun = record.begun();
    host.ordered = record.begun();
    host.fenceReason = record.reason();
    host.forced = // a person's order outlives a DC
        record.reason() == FenceReason.A_PERSON
            && record.held() == null
            && (host.state == HostState.RECOVERING || host.state == HostState.FENCING);
    host.failing = record.begun(); // what was begun was decided
    host.believeFrom =
        desk.now + host.values.ms(Setting.RECOVERY_MIN);
    if (host.state != HostState.RECOVERED) { // which has all its time again
      host.since = record.since() * 1000 - desk.calendarAtZero;
    }
  }

  private void suspect(Host host, HostRecord record, String why) {
    host.state = HostState.SUSPECT;
    host.reason = why;
    host.doubtedSince = record.since() * 1000 - desk.calendarAtZero;
    host.investigation = new Investigation(desk.now);
    host.alive = record.alive();
  }

  private void resume(Host host) {
    if (host.state == HostState.SUSPECT) {
      lives.want(host, WorkKind.HEALTH);
      lives.arm(host);
    } else if (host.state == HostState.RECOVERING && host.begun) {
      lives.offer(host, HostEvent.RECOVERY_INTERRUPTED, "a former DC began its recovery");
    } else {
      lives.offer(host, HostEvent.RESUMED, "a new DC looks after it");
    }
    lives.reconsider(host);
  }

  private void forget(NodeName gone) {
    desk.order(new Order.Write(desk.nextRevision(), gone, null, null));
  }

  /// Puts the hosts into the partitions of the configuration, and counts them there.
  private void regroup() {
    var configuration = desk.configuration;
    var told = new TreeMap<String, Boolean>();
    desk.hosts
        .values()
        .forEach(host -> host.domains.forEach(it -> told.put(it.name(), it.told)));
    var domains = new TreeMap<String, Domain>();
    var cluster = new Domain("the cluster", configuration.values());
    cluster.told = told.getOrDefault(cluster.name(), false);
    for (var name : configuration.partitions().keySet()) {
      var domain = new Domain(name, configuration.valuesIn(name));
      domain.told = told.getOrDefault(name, false);
      domains.put(name, domain);
    }
    for (var host : desk.hosts.values()) {
      host.domains = domainsOf(host.entry, domains, cluster);
      host.neighbourhood().members.put(host.name, host);
      host.domains.forEach(it -> it.count(host, true));
    }
    var all = new ArrayList<>(domains.values());
    all.add(cluster);
    guards.counted(all);
  }

  private List<Domain> domainsOf(
      HostEntry entry, SortedMap<String, Domain> domains, Domain cluster) {
    var around = new ArrayList<Domain>();
    for (var partition : desk.configuration.around(entry)) {
      var domain = domains.get(partition.name());
      if (domain != null) {
        around.add(domain);
      }
    }
    around.add(cluster);
    return around;
  }

  /// Does what is due and begins what there is a place for, until nothing is left of either.
  private void fire() {
    do {
      for (var kind : WorkKind.values()) {
        pump(kind);
      }
    } while (desk.timers.fire(desk.now));
  }

  private void pump(WorkKind kind) {
    var queue = desk.queue(kind);
    while (!queue.isEmpty()
        && queue.running() < desk.configuration.values().count(kind.concurrent())) {
      var host = queue.take();
      switch (kind) {
        case ELIGIBILITY -> checks.beginEligibility(host);
        case HEALTH -> checks.beginHealth(host);
        case ACTIVITY -> checks.beginActivity(host);
        case RECOVERY, FENCE -> powerWork.begin(host, kind);
        case POWER -> checks.beginPower(host);
      }
    }
  }

  private void handle(Input input) {
    switch (input) {
      case Input.Tick _ -> {}
      case Input.Configure it -> configure(it.configuration());
      case Input.Eligible it ->
          answered(it.id(), WorkKind.ELIGIBILITY, w -> checks.eligibility(w, it.yes(), it.why()));
      case Input.Health it ->
          answered(it.id(), WorkKind.HEALTH, w -> checks.health(w, it.passed(), it.why()));
      case Input.Activity it ->
          answered(it.id(), WorkKind.ACTIVITY, w -> checks.activity(w, it));
      case Input.Power it ->
          answered(it.id(), WorkKind.POWER, w -> checks.power(w, it.state()));
      case Input.Cycled it ->
          answered(it.id(), WorkKind.RECOVERY, w -> powerWork.cycled(w, it.done(), it.why()));
      case Input.Fenced it ->
          answered(it.id(), WorkKind.FENCE, w -> powerWork.fenced(w, it.proof(), it.why()));
      case Input.Written it -> with(it.host(), host -> powerWork.written(it, host));
      case Input.Superseded _ -> resigned = true;
      case Input.Altered it -> {
        var host = desk.hosts.get(it.host());
        if (host != null) {
          powerWork.altered(host);
        }
      }
      case Input.Maintenance it -> with(it.host(), host -> maintenance(host, it.on()));
      case Input.Connected it -> with(it.host(), host -> connected(host, it.on()));
      case Input.Hold it -> with(it.host(), host -> hold(host, it.why()));
      case Input.Release it -> with(it.host(), host -> hold(host, null));
      case Input.ForceRecovery it -> with(it.host(), host -> force(host, HostEvent.FORCE_RECOVERY));
      case Input.ForceFencing it -> with(it.host(), host -> force(host, HostEvent.FORCE_FENCING));
      case Input.Confirm it -> with(it.host(), this::confirm);
      case Input.FencedByOthers it -> fencedByOthers(desk.hosts.get(it.host()), it.why());
      case Input.Clear it -> with(it.host(), this::clear);
      case Input.CheckNow it -> with(it.host(), lives::checkNow);
    }
  }

  private void answered(long id, WorkKind kind, Consumer<Work> then) {
    var work = desk.works.get(id);
    if (work != null && work.kind == kind) {
      then.accept(work);
    }
  }

  private void with(NodeName name, Consumer<Host> then) {
    var host = desk.hosts.get(name);
    if (host == null) {
      desk.refuse(null, "There is no host " + name + ": nothing is done.");
    } else {
      then.accept(host);
    }
  }

  /// Takes another configuration: what is set differently counts from now on, for waits that have
  /// begun, too.
  private void configure(Configuration configuration) {
    desk.configuration = configuration;
    for (var gone : List.copyOf(desk.hosts.values())) {
      if (!configuration.hosts().containsKey(gone.name)) {
        remove(gone);
      }
    }
    for (var entry : configuration.hosts().values()) {
      var host = desk.hosts.get(entry.name());
      if (host == null) {
        host = new Host(entry, configuration.valuesOf(entry));
        host.since = desk.now;
        desk.hosts.put(host.name, host);
      } else {
        host.entry = entry;
        host.values = configuration.valuesOf(entry);
      }
    }
    regroup();
    desk.hosts.values().forEach(lives::arm);
    lives.together(() -> desk.hosts.values().forEach(lives::reconsider));
  }

  private void remove(Host host) {
    for (var work : List.copyOf(desk.works.values())) {
      if (work.host == host) {
        desk.order(new Order.Abandon(work.id, host.name));
        desk.end(work);
      }
    }
    lives.remove(host);
    if (host.state.isSick()) {
      var text = "Resource %s is no host any more, and was %s: the cluster does what it does without host HA.";
      desk.tell(null, true, text.formatted(host.name, host.state));
    }
    desk.hosts.remove(host.name);
    if (host.recorded != null) {
      forget(host.name);
    }
  }

  private void maintenance(Host host, boolean on) {
    if (host.maintenance == on) {
      return;
    }
    lives.recount(host, () -> host.maintenance = on);
    lives.reconsider(host);
    if (!on && host.state == HostState.INELIGIBLE) {
      lives.want(host, WorkKind.ELIGIBILITY);
    }
  }

  private void connected(Host host, boolean on) {
    if (host.connected == on) {
      return;
    }
    lives.recount(host, () -> host.connected = on);
    lives.reconsider(host);
    if (on && host.state == HostState.INELIGIBLE) {
      lives.want(host, WorkKind.ELIGIBILITY);
    }
  }

  private void hold(Host host, @Nullable String why) {
    if (why == null && host.held == null) {
      desk.refuse(host, "Resource " + host.name + " is not held: nothing is done.");
      return;
    }
    if (why == null || !why.isEmpty() || host.held == null) { // held again without a reason, it is held for the first one
      host.held = why;
    }
    if (why != null && host.forced) {
      regret(host); // what was wanted last counts
    }
    host.holds = 0;
    host.notBefore = 0;
    lives.recordChanged(host);
    if (why == null && (host.state == HostState.RECOVERING || host.state == HostState.FENCING)) {
      lives.wantPower(host);
    }
  }

  /// A person's order is taken back, with all that it passed by: the host is asked before it is done after all.
  private static void regret(Host host) {
    host.forced = false;
    host.regretted = true;
    host.failing = false;
    host.fenceReason = null;
    if (host.powerWork == null) {
      host.ordered = false;
      host.begun = false;
    }
  }

  private void clear(Host host) {
    if (!isIgnored(host, HostEvent.CLEARED)) {
      lives.offer(host, HostEvent.CLEARED, "a person cleared it");
    }
  }

  /// Whether what a person wants changes nothing; then that is told.
  private boolean isIgnored(Host host, HostEvent event) {
    var ignored = Transitions.TABLE.step(host.state, event).ignored();
    if (ignored != null) {
      desk.refuse(host, "Resource %s: nothing is done: %s.".formatted(host.name, ignored));
    }
    return ignored != null;
  }

  private void force(Host host, HostEvent event) {
    if (isIgnored(host, event)) {
      return;
    }
    host.forced = true;
    host.regretted = false;
    host.notBefore = 0;
    host.fenceReason = FenceReason.A_PERSON;
    lives.offer(host, event, "a person wants it");
  }

  private void confirm(Host host) {
    if (host.state == HostState.FENCING) {
      powerWork.isFenced(host, "a person has seen that its power is off");
    } else {
      desk.refuse(host, "Resource " + host.name + " is not being fenced: nothing is done.");
    }
  }

  /// Elsewhere than in FENCING what was done to it shows in its power and its health.
  private void fencedByOthers(@Nullable Host host, String why) {
    if (host != null && host.state == HostState.FENCING) {
      powerWork.isFenced(host, why);
    }
  }
}
