package org.systole.fenced;

import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.cluster.LinkMessage;
import org.systole.common.operation.ExecStatus;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.wire.RpcClient;
import org.systole.common.wire.RpcClient.Answer;
import org.systole.common.world.Processes;
import org.systole.common.world.World;

/// Waits until a node has certainly been reset by its watchdog.
///
/// The time counts from when the node is no member any more, or later: from then on nobody feeds its
/// watchdog beyond the lease it may still hold. A member is told to reset itself. At the end the
/// link of this node is asked: only if it answers, and has quorum without the target, the target
/// counts as fenced. What this fencer heard last may be old.
final class WatchdogWait implements Processes.Running {
  private static final Duration LOOK = Duration.ofMillis(250);
  private static final Duration TELL = Duration.ofSeconds(2);
  private static final Duration ANSWER = Duration.ofSeconds(2);
  private static final String TWO_NODES = "2Node";

  private final World world;
  private final Targets targets;
  private final Watchdogs.Host host;
  private final NodeName target;
  private final NodeId targetId;
  private final Duration wait;
  private final Duration lease;
  private final Consumer<Outcome> done;
  private final long beganNanos;
  private final RpcClient<LinkMessage.Request, LinkMessage.Reply, LinkMessage.Event> link;
  private @Nullable Runnable whenConnected;
  private World.@Nullable Timer timer;
  private long toldNanos;
  private boolean told;
  private boolean over;

  WatchdogWait(
      World world,
      Targets targets,
      Watchdogs.Host host,
      NodeName target,
      NodeId targetId,
      Duration wait,
      Duration lease,
      Consumer<Outcome> done) {
    this.world = world;
    this.targets = targets;
    this.host = host;
    this.target = target;
    this.targetId = targetId;
    this.wait = wait;
    this.lease = lease;
    this.done = done;
    this.beganNanos = world.nanoTime();
    this.link = new RpcClient<>(world, LinkMessage.SOCKET, LinkMessage.PROTOCOL, new FromLink());
  }

  private final class FromLink implements RpcClient.Listener<LinkMessage.Event> {
    @Override
    public void connected() {
      var task = whenConnected;
      whenConnected = null;
      if (task != null) {
        task.run();
      }
    }
  }

  void begin() {
    whenConnected = () -> ask(this::first);
    timer = world.after(ANSWER, () -> fail("the link of this node does not answer"));
    link.open();
  }

  private void ask(Consumer<LinkMessage.Status> then) {
    link.call(
        new LinkMessage.StatusQuery(),
        ANSWER,
        answer -> {
          if (over) {
            return;
          }
          if (answer instanceof Answer.Got<LinkMessage.Reply>(LinkMessage.Status status)) {
            then.accept(status);
          } else {
            fail("the link of this node does not answer");
          }
        });
  }

  private void first(LinkMessage.Status status) {
    if (status.flags().contains(TWO_NODES)) {
      fail(
          "with two_node each half of the cluster has quorum, and its watchdogs reset nobody; use a"
              + " third node, or SBD with a disk");
    } else if (!status.membership().quorate()) {
      fail("this side has no quorum");
    } else {
      look();
    }
  }

  /// A member is fed as long as it is one.
  private void look() {
    if (!targets.isMember(target)) {
      count();
      return;
    }
    var now = world.nanoTime();
    if (now - beganNanos > Watchdogs.LEAVING.toNanos()) {
      fail(target + " is still a member: it was told to reset itself, and has not");
      return;
    }
    if (host.present().contains(targetId) && (!told || now - toldNanos > TELL.toNanos())) {
      told = true;
      toldNanos = now;
      host.send(targetId, new FencePeerMessage.ResetYourself(target, targets.number()));
    }
    later(LOOK, this::look);
  }

  private void count() {
    world
        .log()
        .notice(
            "Waiting %d ms for %s to be reset by its watchdog"
                .formatted(wait.plus(lease).toMillis(), target));
    later(wait.plus(lease), () -> ask(this::last));
  }

  private void last(LinkMessage.Status status) {
    if (!status.membership().quorate()) {
      fail("this side has lost quorum");
    } else if (status.membership().byId(targetId) != null || targets.isMember(target)) {
      fail(target + " is back");
    } else {
      end(Outcome.ok());
    }
  }

  private void later(Duration time, Runnable task) {
    if (timer != null) {
      timer.cancel();
    }
    timer = world.after(time, task);
  }

  void fail(String why) {
    end(Outcome.error(ExecStatus.ERROR, why));
  }

  private void end(Outcome outcome) {
    if (!over) {
      over = true;
      if (timer != null) {
        timer.cancel();
      }
      link.close();
      world.post(() -> done.accept(outcome));
    }
  }

  boolean isOver() {
    return over;
  }

  // As an agent that runs

  @Override
  public long pid() {
    return 0;
  }

  @Override
  public boolean isAlive() {
    return !over;
  }

  @Override
  public void whenGone(Runnable what) {
    world.post(what);
  }

  @Override
  public void tell(String line) {
    throw new UnsupportedOperationException("it is no daemon");
  }

  @Override
  public void terminate() {
    kill();
  }

  @Override
  public void kill() {
    fail("the wait was ended");
  }
}
