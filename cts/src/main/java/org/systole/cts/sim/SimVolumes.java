package org.systole.cts.sim;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What hosts write to their volumes in truth, and what those see of it who look.
///
/// A machine writes as long as it has power and does not stand still, to all of its volumes unless told
/// otherwise; being cut off does not keep it from that.
final class SimVolumes {
  /// To which of its volumes a host writes.
  enum Writes {
    ALL,
    /// Only to its last one.
    LAST,
    NONE
  }

  /// What the power switch of a host says when it is asked how it is.
  enum Switch {
    RIGHT,
    UNKNOWN,
    ON,
    OFF
  }

  private static final class Ways {
    Writes writes = Writes.ALL;
    Switch power = Switch.RIGHT;
    boolean wrong;
    long others;
    long last;
  }

  private final SimCluster cluster;
  private final Map<String, Ways> hosts = new LinkedHashMap<>();

  SimVolumes(SimCluster cluster) {
    this.cluster = cluster;
  }

  private Ways of(SimNode host) {
    return hosts.computeIfAbsent(host.name(), _ -> new Ways());
  }

  private static boolean isWriting(SimNode host, Ways it) {
    return host.isPowered() && !host.isPaused() && it.writes != Writes.NONE;
  }

  /// To be called before a host stands still, loses its power or writes elsewhere: what it writes, it has
  /// written until now.
  void written(SimNode host) {
    var it = of(host);
    if (isWriting(host, it)) {
      it.last = cluster.queue().now();
      it.others = it.writes == Writes.ALL ? it.last : it.others;
    }
  }

  /// When something was last written to a host's volumes.
  ///
  /// @param last to the last of them; else to any other
  long lastWrite(SimNode host, boolean last) {
    written(host);
    return last ? of(host).last : of(host).others;
  }

  /// When something was last written to any of a host's volumes.
  long lastWrite(SimNode host) {
    return lastWrite(host, true);
  }

  /// Whether a host, when it looks at others' volumes, says that nothing was written.
  boolean isWrong(SimNode host) {
    return of(host).wrong;
  }

  /// What a host's switch says; null for the truth.
  @Nullable Switch power(SimNode host) {
    var says = of(host).power;
    return says == Switch.RIGHT ? null : says;
  }

  /// Whether everything is as it should be with a host's volumes, looks and switch.
  boolean isRight(SimNode host) {
    var it = of(host);
    return it.writes == Writes.ALL && !it.wrong && it.power == Switch.RIGHT;
  }

  void writes(SimNode host, Writes which) {
    cluster.note(host + ": writes to " + which);
    cluster
        .story()
        .deed(
            "volumes %s %s".formatted(host, which),
            () -> {
              written(host);
              of(host).writes = which;
            });
  }

  void looks(SimNode host, boolean wrong) {
    cluster.note(host + ": looks " + (wrong ? "wrong" : "right"));
    cluster
        .story()
        .deed(
            "looks %s %s".formatted(host, wrong ? "wrong" : "right"), () -> of(host).wrong = wrong);
  }

  void power(SimNode host, Switch says) {
    cluster.note(host + ": its switch says " + says);
    cluster.story().deed("switch %s %s".formatted(host, says), () -> of(host).power = says);
  }

  /// All is as it should be again.
  void right() {
    for (var host : cluster.hosts()) {
      if (!isRight(host)) {
        writes(host, Writes.ALL);
        looks(host, false);
        power(host, Switch.RIGHT);
      }
    }
  }
}
