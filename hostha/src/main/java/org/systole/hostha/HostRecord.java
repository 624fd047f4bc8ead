package org.systole.hostha;

import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeName;
import org.systole.common.values.Numbers;
import org.systole.common.xml.Element;
import org.systole.hostha.fsm.FenceReason;
import org.systole.hostha.fsm.HostState;

/// What of a host survives a change of the DC and a restart of the whole cluster.
///
/// @param since when it came into its state, in seconds of the calendar
/// @param attempts how many recoveries were begun since it last passed a health check
/// @param begun whether the power operation that its state stands for may have been begun; of a suspect host, whether
///     nothing but this says that it is
/// @param reason why it is fenced; null if it is not
/// @param held why a person wants it left alone; null if nobody does
/// @param alive of a suspect host: whether the last look at it that could tell saw life. It is not handed to the cluster
///     then, whoever is DC, because nobody can look any more
public record HostRecord(
    NodeName host,
    HostState state,
    long since,
    int attempts,
    boolean begun,
    @Nullable FenceReason reason,
    @Nullable String held,
    boolean alive) {
  private static final int ATTEMPTS_MAX = 1_000_000;

  /// What it counts where nothing but it says what was done to the host: that may be as it says, or a backup of the
  /// configuration says so. The host is asked first, the guards hold, and one that does not answer is fenced once more if it
  /// is called fenced. What a person wanted is wanted no more: it was done then, or is to be said again. A power cycle that may
  /// have been begun is not begun again, whoever says so: the host has its time to come back. One that was not is decided
  /// about anew: who knows how long ago its neighbours looked.
  public HostRecord toBeProved() {
    var why = reason == FenceReason.A_PERSON ? null : reason;
    var next =
        switch (state) {
          case FENCED -> HostState.FENCING;
          case RECOVERING -> begun ? state : HostState.SUSPECT;
          default -> state;
        };
    var unknown = next == HostState.RECOVERING || next == HostState.SUSPECT;
    return new HostRecord(host, next, since, attempts, unknown, why, held, alive);
  }

  /// As an element `host`.
  public Element toXml() {
    var element =
        Element.of(
            "host",
            "uname",
            host.text(),
            "state",
            state.name(),
            "since",
            Long.toString(since),
            "attempts",
            Integer.toString(attempts),
            "begun",
            Boolean.toString(begun));
    if (reason != null) {
      element = element.with("reason", reason.name());
    }
    if (alive) {
      element = element.with("alive", "true");
    }
    return held == null ? element : element.with("held", held);
  }

  /// What an element says, null if it can be no record.
  public static @Nullable HostRecord of(Element element) {
    var host = NodeName.of(element.get("uname"));
    var state = HostState.of(element.get("state"));
    var attempts = Numbers.parse(element.get("attempts"), -1);
    if (host == null || state == null || attempts < 0 || attempts > ATTEMPTS_MAX) {
      return null;
    }
    return new HostRecord(
        host,
        state,
        Numbers.parse(element.get("since"), 0),
        (int) attempts,
        !"false".equals(element.get("begun")), // what is not known may have been begun
        FenceReason.of(element.get("reason")),
        element.get("held"),
        "true".equals(element.get("alive")));
  }
}
