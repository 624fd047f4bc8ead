package org.systole.common.cluster;

import java.util.Collection;
import org.jspecify.annotations.Nullable;

/// The levels at which a build can speak with other nodes: all from the oldest to the newest.
///
/// A level stands for everything nodes say to each other, links and daemons alike. The members of a
/// cluster speak the highest one that all of them can. What each level brought is in the table of
/// `docs/upgrade.md`; what a later one brings is said only where that is spoken, see
/// [GroupClient#speaks].
///
/// @param oldest the lowest level this build still speaks
/// @param newest the highest one it knows
public record Levels(int oldest, int newest) {
  /// Levels are told, and CIB managers send each other whole CIBs, requests and answers in the
  /// short form.
  public static final int TOLD = 2;

  /// Attribute managers do an update that counts up once, however often it is asked for.
  public static final int COUNTED_ONCE = 3;

  /// Links tell which node of a list in `auto_tie_breaker_node` decides between halves.
  public static final int TIE_BREAKER_LIST = 3;

  /// Links read their cluster configuration files anew while they run.
  public static final int FILES_READ_ANEW = 4;

  /// Controllers ask hosts for each other, and heed in plans how host HA has a host.
  public static final int HOST_HA = 5;

  /// CIB managers replicate the cluster's roles, controllers have jigs run.
  public static final int ROLES = 6;

  /// Roles are looked at again after they were done, and may say how often.
  public static final int ROLE_CHECKS = 7;

  /// Controllers read the power of hosts for each other.
  public static final int HOST_POWER = 8;

  /// There may be more than 1,000 roles.
  public static final int MANY_ROLES = 9;

  /// Links change the cluster's key while they run.
  public static final int KEYS_CHANGED = 10;

  /// Controllers end runs of jigs that nobody wants any more.
  public static final int RUNS_ENDED = 11;

  /// Controllers say to each other that an order takes a quorum, as a reason of its own.
  public static final int QUORUM_WANTED = 12;

  /// Fencers take back what they have ordered of each other.
  public static final int FENCING_WITHDRAWN = 13;

  /// Links know by name whose votes count where `last_man_standing` has left nodes out.
  public static final int COUNTED_BY_NAME = 14;

  /// Attribute managers count up as Pacemaker's does from what is no score and from infinity.
  public static final int COUNTED_AS_SCORES = 15;

  /// Controllers give up making a connection to a remote node where the DC has to do what is more urgent.
  public static final int STARTS_GIVEN_UP = 16;

  /// Links change whose votes count only once the members have what the cluster has acknowledged.
  public static final int STATE_BEFORE_VOTES = 17;

  /// Controllers tell each other with which parameters they move a resource live.
  public static final int ARRIVALS_TOLD = 18;

  /// Of a build that tells none.
  public static final Levels UNTOLD = new Levels(1, 1);

  private static final Levels OWN = new Levels(1, ARRIVALS_TOLD);

  /// Of this build.
  public static Levels own() {
    return OWN;
  }

  /// What a message says of its sender's levels.
  public static Levels of(@Nullable Levels told) {
    return told == null ? UNTOLD : told;
  }

  /// What all of them speak. It may be nothing, see [#isNone].
  public static Levels common(Collection<Levels> all) {
    var common = new Levels(1, Integer.MAX_VALUE);
    for (var it : all) {
      common = common.with(it);
    }
    return common;
  }

  /// What both speak.
  public Levels with(Levels other) {
    return new Levels(Math.max(oldest, other.oldest), Math.min(newest, other.newest));
  }

  /// Whether there is not one level.
  public boolean isNone() {
    return newest < oldest;
  }

  @Override
  public String toString() {
    return oldest == newest ? "level " + oldest : "levels %d to %d".formatted(oldest, newest);
  }
}
