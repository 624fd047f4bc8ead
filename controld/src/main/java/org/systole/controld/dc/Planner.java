package org.systole.controld.dc;

import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.wire.ClientProtocol.NoEvent;
import org.systole.common.wire.RpcClient;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.controld.fsm.Input;
import org.systole.controld.fsm.State;
import org.systole.controld.io.CibLink;
import org.systole.controld.transition.TransitionEngine;
import org.systole.schedulerd.client.SchedulerClient;
import org.systole.schedulerd.client.SchedulerMessage;

/// What the DC plans with: the scheduler of its node, the CIB, and the transition that may be under
/// way.
public final class Planner implements Planning.Host {
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  /// What the planner needs of the controller.
  public interface Host {
    State state();

    void offer(Input input);

    /// The number of the present membership.
    long membershipNumber();

    /// Whether there was quorum and it is lost.
    boolean hasLostQuorum();

    /// Whether the roles are known that keep resources from nodes; [Planning#retry] is called when they are.
    boolean knowsRoles();

    /// Whether the quorum is about to come: a plan without it would stop everything for a moment.
    boolean isQuorumDue();

    /// The CIB as a plan is to see it: by what is known of roles by now.
    Element withRoles(Element cib);

    /// After so long idle the DC asks the scheduler again; zero for never.
    Duration recheckInterval();
  }

  private final World world;
  private final Host host;
  private final CibLink cib;
  private final TransitionEngine engine;
  private final SchedulerClient scheduler;
  private final Planning planning;
  private long plannedIn;

  public Planner(World world, Host host, CibLink cib, TransitionEngine engine) {
    this.world = world;
    this.host = host;
    this.cib = cib;
    this.engine = engine;
    this.scheduler = new SchedulerClient(world, new FromScheduler());
    this.planning = new Planning(world, this);
  }

  public void open() {
    scheduler.open();
  }

  public Planning planning() {
    return planning;
  }

  /// The number of the membership in which the present plan was made.
  public long plannedIn() {
    return plannedIn;
  }

  @Override
  public boolean mayPlan() {
    return host.state() == State.POLICY_ENGINE;
  }

  @Override
  public boolean busy() {
    return engine.busy();
  }

  @Override
  public String nextTransition() {
    return engine.names().next();
  }

  @Override
  public @Nullable Element cib() {
    return cib.cib();
  }

  @Override
  public void whenSettled(Runnable task) {
    cib.whenSettled(task);
  }

  @Override
  public boolean canAsk() {
    return scheduler.isConnected() && host.knowsRoles() && !host.isQuorumDue();
  }

  @Override
  public void calculate(
      String reference, Element input, Consumer<SchedulerMessage.Calculated> done) {
    plannedIn = host.membershipNumber();
    // `no-quorum-policy=fence` depends on this: a side that is just forming must not fence itself
    var known = host.withRoles(input);
    var from = host.hasLostQuorum() ? known.with("no-quorum-panic", "1") : known;
    scheduler.calculate(reference, from, world.now(), PATIENCE, done);
  }

  @Override
  public void offer(Input input) {
    host.offer(input);
  }

  @Override
  public void abort(String why) {
    engine.abort(TransitionEngine.INFINITY, TransitionEngine.Completion.RESTART, why);
  }

  @Override
  public Duration recheckInterval() {
    return host.recheckInterval();
  }

  @Override
  public long recheckBy() {
    return engine.graph().recheckBy();
  }

  private final class FromScheduler implements RpcClient.Listener<NoEvent> {
    @Override
    public void connected() {
      planning.retry();
    }
  }
}
