package org.systole.controld.proxy;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.systole.common.world.World;

/// The groups of a remote node's users, as this member has them. They are looked up one at a time: each
/// takes a process of this member, and a node could begin commands of ever new users without end.
///
/// Lives on the owner's loop.
final class GroupLookups {
  private record Wanted(String user, Consumer<List<String>> done) {}

  private final World world;
  private final Map<String, Wanted> waiting = new LinkedHashMap<>(); // by session
  private boolean isLooking;

  GroupLookups(World world) {
    this.world = world;
  }

  /// Looks a user up when it is his session's turn.
  ///
  /// @param done told once, never from within this call; not if the session ends before its turn
  void of(String session, String user, Consumer<List<String>> done) {
    waiting.put(session, new Wanted(user, done));
    next();
  }

  /// A session is over.
  void forget(String session) {
    waiting.remove(session);
  }

  private void next() {
    var session = isLooking || waiting.isEmpty() ? null : waiting.keySet().iterator().next();
    var wanted = session == null ? null : waiting.remove(session);
    if (wanted != null) {
      isLooking = true;
      world.groupsOf(
          wanted.user,
          groups -> {
            isLooking = false;
            wanted.done.accept(groups);
            next();
          });
    }
  }
}
