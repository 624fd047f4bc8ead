package org.systole.controld.remote;

import java.util.ArrayList;
import java.util.List;
import org.systole.common.world.World;

/// What is to be done once something is known of a connection, in the order in which it was asked for. There is a limit.
///
/// Lives on the owner's loop.
final class WaitingTasks {
  private static final int MAX = 1_000;

  private final World world;
  private final List<Runnable> tasks = new ArrayList<>();

  WaitingTasks(World world) {
    this.world = world;
  }

  /// @return whether it waits; false if too much does already
  boolean add(Runnable task) {
    return tasks.size() < MAX && tasks.add(task);
  }

  /// It is known. None is done from within this call.
  void release() {
    var all = List.copyOf(tasks);
    tasks.clear();
    all.forEach(world::post);
  }
}
