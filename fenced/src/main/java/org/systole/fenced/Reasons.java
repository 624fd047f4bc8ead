package org.systole.fenced;

import org.systole.common.values.NodeName;
import org.systole.fenced.client.FenceMessage;

/// Why fencing operations are given up, for people.
final class Reasons {
  private Reasons() {}

  /// Its target has returned.
  static String isBack(NodeName target) {
    return target + " has come back to the cluster since it was to be fenced";
  }

  /// A target is not switched on.
  static String isToBeFenced(NodeName target) {
    return target + " is to be fenced by another operation";
  }

  /// Nobody wants it any more.
  ///
  /// @param begun whether a device was told to act
  static String withdrawn(String client, boolean begun) {
    return client + " has given it up" + (begun ? "" : " before anything was done");
  }

  /// For the log: an operation stands for another one of the same kind.
  static String merged(String client, FenceMessage.FenceRecord same) {
    return "Merging fencing action '%s' targeting %s originating from client %s with identical request from %s@%s"
        .formatted(same.action(), same.target(), client, same.client(), same.origin());
  }
}
