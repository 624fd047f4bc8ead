package org.systole.pacemakerd.link;

import org.jspecify.annotations.Nullable;
import org.systole.common.world.Channels.Address;

/// Where a link stands between memberships.
sealed interface Phase {
  /// It has not been a member of anything.
  record Outside() implements Phase {}

  /// It delivers what its leader puts in order.
  ///
  /// @param astray it has lost the thread, delivers nothing, and needs a new membership
  record Inside(Epoch epoch, boolean astray) implements Phase {}

  /// It has told a leader where it stands, and delivers nothing until that one has installed the
  /// membership, or another leader a later one.
  ///
  /// @param before what it was a member of, null if of nothing
  /// @param number of the membership it waits for
  record Prepared(@Nullable Epoch before, long number, Address by) implements Phase {}

  /// The last membership that was installed here, null if there was none.
  default @Nullable Epoch epoch() {
    return switch (this) {
      case Outside() -> null;
      case Inside(var epoch, var _) -> epoch;
      case Prepared(var before, var _, var _) -> before;
    };
  }

  /// The same, the membership with another count of votes.
  default Phase with(Epoch counted) {
    return switch (this) {
      case Outside() -> this;
      case Inside(var _, var astray) -> new Inside(counted, astray);
      case Prepared(var _, var number, var by) -> new Prepared(counted, number, by);
    };
  }

  /// Whether it takes part in the order of its membership.
  default boolean isDelivering() {
    return this instanceof Inside(var _, var astray) && !astray;
  }

  /// Whether this link's answer to a leader's ping may count in its last membership: not once it has told another leader where
  /// it stands, which counts on it that no claim of that membership has come since.
  default boolean isOpenTo(Address leader) {
    return !(this instanceof Prepared it) || it.by.equals(leader);
  }

  /// Whether a number is above all this link has agreed to.
  default boolean isBelow(long number) {
    var installed = epoch();
    var agreed = this instanceof Prepared it ? it.number : 0;
    return number > agreed && (installed == null || number > installed.number());
  }
}
