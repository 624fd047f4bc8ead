package org.systole.pacemakerd.jgroups;

import java.util.Collection;
import org.jgroups.Address;
import org.jgroups.View;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.pbcast.GMS;

/// GMS that leaves out numbers of views.
///
/// A merged view has the number after the highest of those merged, and is named after its first member, whoever makes it. Where that one has not
/// got it, and makes its next view itself, both would have one name, and processes that take them for the same never meet: a view
/// is known by its name alone. So what a leader makes itself has a multiple of a number that no row of merges comes to.
///
/// The leader before it may have ended just as it had made a view that has not come to this process. The others have it, and
/// drop a view without a later number: they would be without a leader until their views are merged, and without quorum.
class SuccessorGms extends GMS {
  /// More views than a leader makes that another process, which hears it, has not seen.
  static final int UNSEEN_MAX = 8;

  /// The distance of two views of a leader.
  static final int STEP = 1024;

  private static final long NUMBER_MAX = Long.MAX_VALUE - (UNSEEN_MAX + 2L) * STEP; // whoever has the cluster's key may say any

  SuccessorGms() {
    id = ClassConfigurator.getProtocolId(GMS.class);
  }

  @Override
  public View getNextView(
      Collection<Address> joining, Collection<Address> leaving, Collection<Address> suspected) {
    lock.lock();
    try {
      if (view != null) {
        var highest = Math.max(ltime, view.getViewId().getId());
        var unseen = view.getCreator().equals(local_addr) ? 0 : UNSEEN_MAX * STEP;
        ltime = highest > NUMBER_MAX ? highest : (highest + unseen) / STEP * STEP + STEP - 1; // the next number is taken
      }
      return super.getNextView(joining, leaving, suspected);
    } finally {
      lock.unlock();
    }
  }
}
