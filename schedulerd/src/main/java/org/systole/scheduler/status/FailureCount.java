package org.systole.scheduler.status;

import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.WorkingSet;
import org.systole.scheduler.unpack.FailCounts;

/// How often a resource failed on a node, expired failures included.
///
/// @param last when it failed last, seconds since the epoch; 0 if unknown
record FailureCount(int count, long last) {
  static FailureCount of(WorkingSet cluster, Node node, Resource rsc) {
    var found = FailCounts.get(node, rsc, false, false, null);
    return new FailureCount(found.count(), found.lastFailure());
  }
}
