package org.systole.cts.replay;

/// Something that was done in a cluster.
///
/// @param action such as `web_start_0 on node1`, or `fence node1`
/// @param begin nanoseconds since the epoch
/// @param end likewise; 0 if it has not ended
/// @param failure what is wrong with it, empty if nothing
public record LiveAction(String action, long begin, long end, String failure) {
  /// How the action is called that is this operation on that node. Instances of a clone are not told apart:
  /// where they differ, they are on different nodes.
  public static String name(String key, String node) {
    return key.replaceFirst(":[0-9]+_", "_") + " on " + node;
  }

  public static String fencing(String node) {
    return "fence " + node;
  }

  public boolean hasEnded() {
    return end != 0;
  }
}
