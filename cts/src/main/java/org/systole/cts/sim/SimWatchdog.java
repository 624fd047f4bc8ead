package org.systole.cts.sim;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.systole.common.sbd.SbdSettings;
import org.systole.common.world.Watchdog;

/// The watchdog of a simulated machine. It counts whatever stands still on the machine, or the whole
/// of it, and resets it. A keeper that is killed leaves it counting.
final class SimWatchdog implements Watchdog {
  private static final long AT_ONCE = 1_000_000_000L;

  private final SimNode node;
  private long timeout;
  private SimQueue.@Nullable Event end;

  SimWatchdog(SimNode node) {
    this.node = node;
  }

  @Override
  public @Nullable String arm(String device, Duration after) {
    timeout = after.toNanos();
    return feed();
  }

  @Override
  public @Nullable String feed() {
    count(timeout);
    return null;
  }

  private void count(long nanos) {
    off();
    end = node.cluster().queue().after(nanos, node::reset);
  }

  @Override
  public @Nullable String disarm() {
    off();
    return null;
  }

  @Override
  public void reset(SbdSettings.Action how) {
    count(AT_ONCE);
  }

  /// Whether it counts.
  boolean isArmed() {
    return end != null;
  }

  /// The machine has no power any more.
  void off() {
    if (end != null) {
      end.cancel();
      end = null;
    }
  }
}
