package org.systole.fenced;

import java.util.Map;

/// What a fencer can do to a target with one device.
///
/// @param verified the device is known to answer on that node
/// @param automatic an unfencing has to use it, and a reboot leaves switching it on to the
///     unfencing
/// @param staysOff it leaves off a node that is to be rebooted
/// @param terms by action
record Offer(
    String device,
    boolean verified,
    boolean automatic,
    boolean supportsOn,
    boolean staysOff,
    Map<String, Terms> terms) {

  /// @param allowed the offering node may carry it out
  /// @param timeoutMillis the device's own timeout for the action; 0 if it has none
  /// @param delayMillis the longest delay of the device's own
  record Terms(boolean allowed, long timeoutMillis, long delayMillis) {}

  /// Whether it only waits for the target's own watchdog: any other device is quicker and surer.
  boolean isWatchdog() {
    return device.equals(Watchdogs.DEVICE);
  }

  /// Whether there is no better one to wait for.
  boolean isFirstRate() {
    return verified && !isWatchdog();
  }

  boolean allows(String action) {
    var found = terms.get(action);
    return found != null && found.allowed();
  }
}
