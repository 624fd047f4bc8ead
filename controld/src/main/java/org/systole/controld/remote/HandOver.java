package org.systole.controld.remote;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.World;
import org.systole.execd.client.ExecMessage;
import org.systole.execd.client.remote.RemoteExecutor;

/// A connection that another member takes over, on the side of the one that gives it away.
///
/// The remote node does what the newest connection asks for, and tells its results to all. So from the moment when the
/// other member has connected, what this one has asked for is either refused, or its end is told to the other one,
/// too. This one stays connected until the CIB names the other one, and until it has heard all that was told before:
/// what was refused was not done, and the DC is told so once it can ask the other member.
///
/// Lives on the owner's loop.
final class HandOver {
  /// How long the CIB may take to tell of the other member.
  static final Duration PATIENCE = Duration.ofSeconds(5);

  private static final Duration LAST = Duration.ofSeconds(10); // a member that is to stop waits so long

  private final World world;
  private final WaitingTasks waiting;
  private final List<Runnable> ending = new ArrayList<>();
  private World.@Nullable Timer patience; // while the CIB does not know yet
  private @Nullable RemoteNode begun;
  private boolean passing;
  private boolean noticed; // the remote node has said that the other member has connected
  private boolean heard; // all that this one was told

  HandOver(World world) {
    this.world = world;
    this.waiting = new WaitingTasks(world);
  }

  /// The other member has connected, as the remote node says. What this one was told before it has heard by now.
  void noticed(RemoteNode node) {
    noticed = true;
    begin(node);
  }

  private void begin(RemoteNode node) {
    if (begun != node) {
      begun = node;
      node.handOn(this);
      if (patience != null) {
        patience.cancel();
      }
      patience = world.after(PATIENCE, this::release);
    }
  }

  /// Whether the other member has connected.
  boolean isBegun() {
    return begun != null;
  }

  /// The CIB names the other member. What this one was told until now is still to be heard: the remote node says so before it
  /// answers. What is under way there is the other one's, too, but for what is just being asked for, or was told to this one only.
  ///
  /// @param done run at the end, unless that was lost before
  void pass(RemoteNode node, RemoteExecutor executor, Runnable done) {
    begin(node);
    passing = true;
    named();
    executor.poke(
        LAST,
        answer -> {
          if (begun == node) {
            heard = answer instanceof ExecMessage.Ok;
            if (heard) {
              node.runner().handedOn();
            }
            done.run();
          }
        });
  }

  /// The CIB names the other member.
  void named() {
    release();
  }

  /// Whether the remote node has said that the other member has connected: of what it tells after that the other one hears, too.
  boolean isNoticed() {
    return noticed;
  }

  boolean isPassing() {
    return passing;
  }

  /// The node whose last results are still heard; null if there is none.
  @Nullable RemoteNode node() {
    return passing ? begun : null;
  }

  /// Has something done once the CIB names the other member.
  ///
  /// @return whether it will be; false if nobody waits for that, or too much waits already
  boolean afterwards(Runnable task) {
    return patience != null && waiting.add(task);
  }

  /// Has something done once this member has heard all, now if it has.
  void atEnd(Runnable task) {
    if (passing) {
      ending.add(task);
    } else {
      task.run();
    }
  }

  /// It is over, however it went.
  void end() {
    over();
    release();
  }

  /// The connection is lost. What the DC is told waits all the same until the CIB names the other member.
  ///
  /// @param node null if this member had none any more, or was not to give it to another
  void lost(@Nullable RemoteNode node) {
    if (node != null) {
      begin(node);
      passing = true;
    }
    over();
  }

  private void over() {
    if (begun != null && passing && !heard) {
      begun.unheard(noticed);
    }
    begun = null;
    passing = false;
    noticed = false;
    heard = false;
    var tasks = List.copyOf(ending);
    ending.clear();
    tasks.forEach(Runnable::run);
  }

  private void release() {
    if (patience != null) {
      patience.cancel();
      patience = null;
    }
    waiting.release();
  }
}
