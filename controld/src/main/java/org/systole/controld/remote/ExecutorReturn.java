package org.systole.controld.remote;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeName;
import org.systole.common.world.World;
import org.systole.execd.client.remote.RemoteExecutor;

/// A connection that breaks while its host's executor is one that is started again where it ends. It does
/// not count as failed before that had its time: the host goes on meanwhile, and so does what runs there.
/// Nothing of that is taken for stopped, and nothing is started elsewhere.
///
/// Once it is connected again, all is probed, as after any start of a connection. That proves as much as
/// it does on a member whose executor is killed: before the new executor serves anybody, it has ended
/// what the one before left in the middle of an operation. An executor that does not do so says nothing of
/// coming back.
///
/// It also insists on a connection that the cluster cannot make anew: nobody may fence the node, and what cannot be
/// stopped there keeps its connection from being stopped.
final class ExecutorReturn {
  /// How long a host may have its own loss waited for, whatever it says.
  static final Duration WITHIN_MAX = Duration.ofSeconds(60);

  /// An executor that does not live longer is not waited for again.
  static final Duration LIVES = Duration.ofSeconds(60);

  private static final Duration AGAIN = Duration.ofSeconds(10);
  static final String FENCED = "the remote node was fenced";

  private final World world;
  private final NodeName node;
  private final HostHold.Way way;
  private final WaitingTasks waiting;
  private @Nullable RemoteNode lost; // while it is waited for
  private @Nullable Long returned; // when last, on the monotonic clock
  private String why = "";
  private boolean left; // by this member itself, as another had connected: the executor has not ended
  private boolean insists;
  private World.@Nullable Timer again;

  ExecutorReturn(World world, NodeName node, HostHold.Way way) {
    this.world = world;
    this.node = node;
    this.way = way;
    this.waiting = new WaitingTasks(world);
  }

  /// Whether the executor is waited for.
  boolean isOn() {
    return lost != null;
  }

  /// Whether an executor that answers cannot be the one that is waited for: it says nothing of coming back, so
  /// agents that the one before left in the middle of an operation may run on, and no probe finds that.
  ///
  /// @param greeting what it says of itself
  boolean isAnother(RemoteExecutor.Greeting greeting) {
    return lost != null && greeting.returnsWithin().isZero() && !(left && lost.isOf(greeting.process()));
  }

  /// It is connected: what may run there with which parameters is known from before, where that is waited for. An
  /// executor that is back as another process does not know.
  RemoteNode heir(RemoteNode now) {
    if (lost != null) {
      now.inherit(lost);
      lost.runner().tellUnread();
    }
    return now;
  }

  /// The connection has broken.
  ///
  /// @param was what it led to
  /// @return whether the executor is waited for, and nothing has failed yet
  boolean begin(RemoteNode was, String reason, HowLost how) {
    var still = how == HowLost.LEFT;
    var said = still ? AGAIN : was.returnsWithin();
    if (how == HowLost.BROKEN || said.isZero() || lost != null) {
      return false;
    }
    if (!still && returned != null && world.nanoTime() - returned < LIVES.toNanos()) {
      world.log().warning("The executor of %s was lost again at once".formatted(node));
      return false;
    }
    var within = said.compareTo(WITHIN_MAX) < 0 ? said : WITHIN_MAX;
    lost = was;
    left = still;
    why = reason;
    var what = still ? "Connecting anew to %s, up to %d s" : "Waiting for the executor of %s to come back, up to %d s";
    world.log().notice(what.formatted(node, within.toSeconds()));
    way.reopen(within, this::reopened);
    return true;
  }

  private void reopened(@Nullable String wrong) {
    var was = lost;
    if (was == null) {
      return;
    }
    if (wrong != null) {
      end();
      way.failed("lost: %s; again: %s".formatted(why, wrong));
      return;
    }
    lost = null;
    returned = left ? returned : Long.valueOf(world.nanoTime());
    world.log().notice("%s of %s is back; what runs there is looked for".formatted(left ? "The connection" : "The executor", node));
    was.runner().disown(left ? "the connection to the remote node was made anew" : "the executor of the remote node was lost, and is back");
    waiting.release();
  }

  /// Tries to connect again until that is done, or the cluster begins something else with the connection.
  void insist() {
    if (!insists && lost == null) {
      insists = true;
      world.log().notice("Trying to connect to %s again until it is there".formatted(node));
      tryAgain();
    }
  }

  boolean insists() {
    return insists;
  }

  private void tryAgain() {
    again = world.after(AGAIN, () -> way.reopen(AGAIN, this::tried));
  }

  private void tried(@Nullable String wrong) {
    if (insists && wrong != null) {
      tryAgain();
    } else {
      insists = false;
    }
  }

  /// The node was fenced, as the CIB says: no executor comes back that was there, nothing runs that a new one would have to be asked
  /// for, and what was under way has not failed. The cluster goes on without it.
  ///
  /// @return false if it was not waited for
  boolean fenced() {
    var was = lost;
    lost = null;
    if (was == null) {
      return false;
    }
    was.runner().disown(FENCED);
    waiting.release();
    way.failed("lost: %s; %s".formatted(why, FENCED));
    return true;
  }

  /// It is waited for no more: what was under way there has failed.
  void end() {
    insists = false;
    if (again != null) {
      again.cancel();
      again = null;
    }
    var was = lost;
    lost = null;
    if (was != null) {
      was.runner().abandon("the connection to the remote node was lost: " + why);
      waiting.release();
    }
  }

  /// Has something done once it is back, or is waited for no more.
  ///
  /// @return whether it will be; false if it is not waited for, or too much waits already
  boolean afterwards(Runnable task) {
    return lost != null && waiting.add(task);
  }
}
