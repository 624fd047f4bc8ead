package org.systole.controld.dc;

import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.transition.TransitionGraph;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.controld.fsm.Input;
import org.systole.controld.transition.CibChange;
import org.systole.schedulerd.client.PackedGraph;
import org.systole.schedulerd.client.SchedulerMessage;

/// Turns a request for a plan into a plan that may be carried out. A request that comes while a
/// plan is made overtakes it: the plan is discarded, because its input is outdated.
public final class Planning {
  private static final int DISCARDED_MAX = 5;
  private static final Duration PAUSE = Duration.ofMillis(25); // doubled each time
  private static final Duration RETRY = Duration.ofSeconds(2); // doubled with each failure
  private static final int RETRY_DOUBLED_MAX = 5;

  /// What planning needs of the DC.
  interface Host {
    /// Whether the state machine waits for a plan.
    boolean mayPlan();

    /// Whether something of the last transition is still under way.
    boolean busy();

    /// The name of the transition that the plan is for.
    String nextTransition();

    @Nullable Element cib();

    /// Runs the task once all that was written is in the copy; it replaces a task that waits.
    void whenSettled(Runnable task);

    /// Whether the scheduler is connected, and all is known that it needs; [#retry] is called when it is.
    boolean canAsk();

    /// Asks the scheduler; `done` is called once, also after a failure.
    void calculate(String reference, Element cib, Consumer<SchedulerMessage.Calculated> done);

    void offer(Input input);

    /// Gives up the transition that has begun, for another plan.
    void abort(String why);

    /// Zero for never.
    Duration recheckInterval();

    /// Seconds since 1970 at which time alone changes the outcome of the last plan; 0 for never.
    long recheckBy();
  }

  private final World world;
  private final Host host;
  private World.@Nullable Timer recheck;
  private World.@Nullable Timer pause;
  private World.@Nullable Timer hold; // a node may come back
  private @Nullable String wanted;
  private long reference; // counts the requests, also those not yet taken up
  private long planned; // the reference of the plan that waits to be carried out
  private String inputFile = "";
  private boolean asking;
  private boolean overtaken; // by more than configuration changes, since the scheduler was asked
  private int failed; // how many plans in a row
  private int discarded; // discarded plans in a row that only configuration changes have overtaken

  Planning(World world, Host host) {
    this.world = world;
    this.host = host;
  }

  /// The scheduler is there, or nothing of the last transition is under way any more.
  public void retry() {
    if (wanted != null && host.mayPlan()) {
      schedule(wanted);
    }
  }

  /// This node is no longer the one that plans.
  void release() {
    cancelRecheck();
    wanted = null;
    reference++;
  }

  private void cancelRecheck() {
    if (recheck != null) {
      recheck.cancel();
      recheck = null;
    }
  }

  /// Asks the scheduler, once nothing of the last transition runs and all writes are in.
  public void schedule(String why) {
    wanted = why;
    overtaken |= !why.equals(CibChange.CONFIGURATION);
    cancelRecheck();
    reference++;
    if (host.busy()) {
      return; // [#retry] is called when nothing runs any more
    }
    host.whenSettled(this::ask);
  }

  /// Makes no plan for a while, counted from now.
  void hold(Duration wait) {
    if (hold != null) {
      hold.cancel();
    }
    hold =
        world.after(
            wait,
            () -> {
              hold = null;
              retry();
            });
  }

  /// The node that was waited for is back.
  void endHold() {
    if (hold != null) {
      hold.cancel();
      hold = null;
      retry();
    }
  }

  /// Another plan is requested: what was planned, or is being planned, no longer holds.
  public void overtake() {
    reference++;
  }

  /// Whether another plan was requested after the one that is to be carried out. The older plan
  /// could have a node fenced whose fencing has just ended.
  public boolean isOvertaken() {
    return planned != reference;
  }

  /// Where the input of the last plan was saved; empty if it was not.
  public String inputFile() {
    return inputFile;
  }

  private void ask() {
    var cib = host.cib();
    if (wanted == null || cib == null || !host.mayPlan()) {
      return;
    }
    if (!host.canAsk() || asking || hold != null || pause != null && !overtaken) {
      return; // connecting, or the answer, or the end of the hold or pause, asks again
    }
    asking = true;
    if (pause != null) {
      pause.cancel();
      pause = null;
    }
    overtaken = false;
    var asked = reference;
    host.calculate(
        host.nextTransition(),
        cib,
        answer -> {
          asking = false;
          if (!host.mayPlan()) {
            return;
          }
          if (asked == reference) {
            discarded = 0;
            take(answer);
          } else if (wanted != null && !host.busy()) {
            takeOrAskAgain(answer, wanted);
          }
        });
  }

  /// A plan that a configuration change has overtaken is discarded, but only so often: a cluster
  /// whose configuration changes all the time must make progress, too. The plan is as good as one
  /// whose transition the next change aborts, so its transition is begun and aborted.
  private void takeOrAskAgain(SchedulerMessage.Calculated answer, String why) {
    if (overtaken) {
      host.whenSettled(this::ask);
      return;
    }
    if (++discarded <= DISCARDED_MAX) {
      pause();
      return;
    }
    discarded = 0;
    take(answer);
    world.post(() -> host.abort(why));
  }

  /// The configuration changes faster than the scheduler can plan, so planning pauses for the next
  /// change.
  private void pause() {
    pause =
        world.after(
            PAUSE.multipliedBy(1L << (discarded - 1)),
            () -> {
              pause = null;
              retry();
            });
  }

  private void take(SchedulerMessage.Calculated answer) {
    if (!answer.failure().isEmpty()) {
      hasNone("The scheduler gives no plan: " + answer.failure());
      return;
    }
    TransitionGraph graph;
    try {
      graph = TransitionGraph.read(PackedGraph.unpack(answer.graph().element()));
    } catch (XmlException e) {
      hasNone("The scheduler's plan cannot be read: " + e.getMessage());
      return;
    }
    wanted = null;
    failed = 0;
    planned = reference;
    inputFile = answer.inputFile();
    host.offer(new Input.Planned(graph));
  }

  /// There is no plan. The scheduler is asked again after a while, unless another request has come
  /// by then.
  private void hasNone(String why) {
    world.log().error(why);
    var asked = reference;
    world.after(
        RETRY.multipliedBy(1L << Math.min(failed++, RETRY_DOUBLED_MAX)),
        () -> {
          if (asked == reference && wanted != null) {
            schedule(wanted);
          }
        });
  }

  /// Nothing is left to do; time alone may change that.
  public void settle() {
    var wait = host.recheckInterval();
    var by = host.recheckBy();
    if (by > 0) {
      var until = Duration.ofSeconds(Math.max(1, by - world.now().getEpochSecond() + 1));
      if (wait.isZero() || until.compareTo(wait) < 0) {
        wait = until;
      }
    }
    if (wait.isZero()) {
      return;
    }
    recheck =
        world.after(
            wait,
            () -> {
              recheck = null;
              host.offer(new Input.ScheduleNeeded("recheck timer"));
            });
  }
}
