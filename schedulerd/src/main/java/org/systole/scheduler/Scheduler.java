package org.systole.scheduler;

import java.time.Instant;
import java.time.ZoneId;
import java.util.Set;
import org.systole.common.transition.TransitionGraph;
import org.systole.common.xml.Element;
import org.systole.scheduler.model.ClusterFlag;
import org.systole.scheduler.model.WorkingSet;
import org.systole.scheduler.unpack.Status;

/// The way into the scheduler: a CIB and a time in, a plan out. No I/O, no state between runs.
///
/// Decisions follow chains of constraints by recursion: the caller's stack has to be as deep as the
/// CIB's longest chain asks for (`DeepStack`).
public final class Scheduler {
  private Scheduler() {}

  /// What came of a run.
  ///
  /// @param cluster all that was read and decided, reasons and messages included
  public record Transition(TransitionGraph graph, WorkingSet cluster) {}

  /// Plans what is to be done.
  ///
  /// @param cib of the current schema
  /// @param zone in which date specifications of rules are meant
  /// @param flags switches of the run, such as [ClusterFlag#OUTPUT_SCORES]
  public static Transition run(Element cib, Instant now, ZoneId zone, Set<ClusterFlag> flags) {
    var cluster = Status.of(cib, now, zone, flags);
    return new Transition(Planner.plan(cluster), cluster);
  }

  /// Plans for a working set that has been read.
  public static TransitionGraph plan(WorkingSet cluster) {
    return Planner.plan(cluster);
  }

  /// Only reads the constraints into a working set, for those who show them.
  public static void readConstraints(WorkingSet cluster) {
    Planner.readConstraints(cluster);
  }
}
