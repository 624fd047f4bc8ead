package org.systole.pacemakerd.qdevice;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// What the server's word is good for, and until when; see [DeviceTiming]. Times are of a clock that
/// goes on while the machine is suspended.
final class Grant {
  private final DeviceTiming timing;
  private @Nullable Side side;
  private boolean held;
  private long heldFor; // the number of the side it was given for
  private long since; // it has been held without a break
  private long until;
  private boolean given; // on the present connection
  private boolean decided; // about the present side
  private boolean connected;

  Grant(DeviceTiming timing) {
    this.timing = timing;
  }

  @Nullable Side side() {
    return side;
  }

  /// This node is on another side now.
  ///
  /// @param inherits nobody but the new side can use what was given to the one before: it has the
  ///     same leader, or who is not in it any more has ended
  void moved(Side to, boolean inherits) {
    if (!inherits) {
      drop();
    }
    side = to;
    decided = false;
  }

  void connected() {
    connected = true;
    given = false;
    decided = false;
  }

  /// The connection is gone. What the server has said stays good for its time: who gains the vote
  /// meanwhile lets that time pass.
  void disconnected() {
    connected = false;
    given = false;
    decided = false;
  }

  /// The server gives the vote to the present side.
  ///
  /// @param asked when the question was sent that it answers, or one it answered before
  void given(long asked, long now) {
    var it = side;
    if (it == null) {
      return;
    }
    renewed(asked, now);
    held = true;
    heldFor = it.number();
    given = true;
    decided = true;
  }

  /// The server has answered and has not taken back what it said.
  void confirmed(long asked, long now) {
    if (held && given) {
      renewed(asked, now);
    }
  }

  private void renewed(long asked, long now) {
    var end = asked + timing.valid().toNanos();
    if (!held || until - now <= 0) {
      since = now;
      until = end;
    } else if (end - until > 0) {
      until = end;
    }
  }

  /// The server refuses.
  ///
  /// @param present whether it has the present side in mind, not one before
  /// @return how long leases may last that were gained with the vote
  Duration refused(boolean present, long now) {
    var inUse = held && until - now > 0;
    drop();
    decided |= present;
    return inUse ? timing.claim() : Duration.ZERO;
  }

  /// The server has not decided yet.
  void undecided() {
    decided = false;
  }

  private void drop() {
    held = false;
    given = false;
  }

  Word word(long now) {
    var awaits = connected && side != null && !decided;
    if (!held || until - now < timing.claim().toNanos()) {
      return new Word(0, Word.Hold.NONE, awaits);
    }
    var settled = now - since >= timing.settling().toNanos();
    return new Word(heldFor, settled ? Word.Hold.SETTLED : Word.Hold.GAINED, awaits);
  }
}
