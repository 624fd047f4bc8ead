package org.systole.scheduler.constraints;

import java.util.List;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;

/// Live migrations that have been asked for, and of which it is not known yet what has come of them. The DC that asked for one makes no
/// plan before it has ended, but another may, or the same one after an election.
///
/// To Pacemaker such a resource is where it was, and is moved on from there at once. Where the first migration succeeds the
/// second finds nothing to move, and its failure takes the place of the other's success in the history: nothing tells any more of where
/// the resource is, and it is started a second time. So nothing is done with it until the result is there, with which another plan
/// is made. Its executor would do nothing before, either. (The source's controller begins no second migration beside the first, whatever
/// plan asks for it.)
public final class MigrationsUnderWay {
  private MigrationsUnderWay() {}

  /// Has nothing be done with what is being migrated.
  public static void hold(List<Resource> resources) {
    for (var rsc : resources) {
      hold(rsc.children());
      if (rsc.is(ResourceFlag.MIGRATING)) {
        block(rsc);
        rsc.launched().forEach(MigrationsUnderWay::block);
      }
    }
  }

  // The connection to a guest stays with it, though it may not be there any more, and so does what runs inside.
  private static void block(Resource rsc) {
    if (rsc.is(ResourceFlag.MANAGED) && !rsc.active().isEmpty()) {
      rsc.set(ResourceFlag.MIGRATING);
      rsc.clear(ResourceFlag.MANAGED);
      rsc.set(ResourceFlag.BLOCKED);
    }
  }
}
