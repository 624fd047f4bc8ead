package org.systole.controld.remote;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.OperationRequest;
import org.systole.common.operation.OperationResult;
import org.systole.common.world.World;

/// How much a remote host may tell of operations. What it was asked for it may answer; what it tells of
/// its own accord, as that a monitor has failed, is written into the CIB and may make the cluster plan
/// anew. A host that tells more than its operations can have to tell, or of operations nobody has asked
/// for, would fill the CIB of all and keep the DC busy.
final class TellingLimit {
  /// Of what is told without being asked for, at once, besides a few for each operation under way: all of
  /// them may fail at the same moment.
  static final int AT_ONCE = 500;

  /// The same, in a second.
  static final int IN_A_SECOND = 50;

  /// Kinds of operations that are not under way as far as is known here, in the life of a connection: the
  /// member that had the node before may have asked for some, and some are just being cancelled. So many
  /// for all, and [#EACH] for each resource that the host was asked about: where a member with the
  /// connection was lost, all that recurs there is told of before the cluster asks for it again.
  static final int UNKNOWN_MAX = 300;

  /// Characters of a result's parameters and names. Programs cannot be given much more.
  static final int LENGTH_MAX = 256 << 10;

  /// Of an operation's name.
  static final int NAME_MAX = 255;

  private static final int EACH = 4;

  private final World world;
  private final Function<OperationResult, @Nullable OperationRequest> underWay;
  private final IntSupplier countUnderWay;
  private final IntSupplier countResources;
  private double left = AT_ONCE;
  private long since;
  private final Set<String> unknown = new HashSet<>(); // counted, and looked up
  private final Map<String, Long> kept = new HashMap<>(); // characters of each kind's last result
  private long allKept;

  /// @param underWay the request of a result's kind that is under way, if there is one
  /// @param countUnderWay how many there are
  /// @param countResources how many resources the host was asked about
  TellingLimit(
      World world,
      Function<OperationResult, @Nullable OperationRequest> underWay,
      IntSupplier countUnderWay,
      IntSupplier countResources) {
    this.world = world;
    this.underWay = underWay;
    this.countUnderWay = countUnderWay;
    this.countResources = countResources;
    this.since = world.nanoTime();
  }

  /// @return why the host is not to be listened to any more, null if the result can be taken
  @Nullable String objection(OperationResult result) {
    var name = result.request().operation().text();
    if (length(result) > LENGTH_MAX || name.length() > NAME_MAX) {
      return "it tells a result of %d characters".formatted(length(result));
    }
    var asked = underWay.apply(result);
    if (asked != null
        && !asked.recurs()
        && asked.transitionKey().equals(result.transitionKey())) {
      return null;
    }
    if (!isInTime()) {
      return "it tells more results than its operations can have";
    }
    if (asked == null && unknown.add(result.request().key()) && areTooManyUnknown()) {
      return "it tells of operations that nobody has asked for";
    }
    return null;
  }

  /// How many characters are kept of what it has told, at most: the last result of each kind, and once more, as a
  /// failure is kept beside what came after it.
  ///
  /// @param asItWasAsked whether it is of the very request that is kept anyway
  long kept(OperationResult result, boolean asItWasAsked) {
    var now =
        2 * ((asItWasAsked ? 0 : length(result)) + result.output().length() + result.exitReason().length());
    var before = kept.put(result.request().key(), now);
    allKept += now - (before == null ? 0 : before);
    return allKept;
  }

  private boolean areTooManyUnknown() {
    var more = unknown.size() - UNKNOWN_MAX;
    return more > 0 && more > EACH * countResources.getAsInt();
  }

  private boolean isInTime() {
    var now = world.nanoTime();
    var running = countUnderWay.getAsInt();
    left += (now - since) / 1e9 * (IN_A_SECOND + running);
    left = Math.min(left, AT_ONCE + (double) EACH * running);
    since = now;
    if (left < 1) {
      return false;
    }
    left--;
    return true;
  }

  private static long length(OperationResult result) {
    var request = result.request();
    var length = (long) request.transitionKey().length() + request.operation().text().length();
    for (var each : request.parameters().entrySet()) {
      length += each.getKey().length() + each.getValue().length();
    }
    return length + result.resource().text().length();
  }
}
