package org.systole.controld.remote;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/// Lets a member that takes a remote node over read all that the CIB had when it was asked for that, before it says what it has taken.
///
/// Its copy may be a moment behind. Who has given the node away may have connected to another process of the executor just before, and have
/// begun something there: to who reads of the former process what runs there is new, so that it deletes what the CIB has of the node, and does
/// not listen to what comes of it.
final class Reading {
  /// Where the CIB does not say in that time that the move has begun, it is believed as it is.
  private static final Duration LIMIT = Duration.ofSeconds(2);

  private Reading() {}

  /// @param wanted whether the connection is still to be taken
  /// @param then run once that is read, or need not be
  static void before(RemoteHost host, Opening by, RemoteNode taken, BooleanSupplier wanted, Runnable then) {
    var known = host.cib();
    if (!by.isMove() || !taken.isOfItsOwn() || known != null && by.isBegun(known, host.nodeId())) {
      then.run();
      return;
    }
    taken.hearOfOthers();
    host.expect(
        cib -> !wanted.getAsBoolean() || by.isBegun(cib, host.nodeId()),
        LIMIT,
        () -> {
          if (wanted.getAsBoolean()) {
            then.run();
          }
        });
  }
}
