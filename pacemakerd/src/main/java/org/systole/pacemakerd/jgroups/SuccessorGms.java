package org.systole.pacemakerd.jgroups;

import java.util.Collection;
import org.jgroups.Address;
import org.jgroups.View;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.pbcast.GMS;

/// GMS whose new leader leaves out some numbers of views.
///
/// The leader before it may have ended just as it had made a view that has not come to this process. The others have it, and
/// drop a view without a later number: they would be without a leader until their views are merged, and without quorum.
class SuccessorGms extends GMS {
  /// More views than a leader makes that another process, which hears it, has not seen.
  static final int UNSEEN_MAX = 8;

  SuccessorGms() {
    id = ClassConfigurator.getProtocolId(GMS.class);
  }

  @Override
  public View getNextView(
      Collection<Address> joining, Collection<Address> leaving, Collection<Address> suspected) {
    lock.lock();
    try {
      if (view != null && !view.getCreator().equals(local_addr)) {
        ltime = Math.max(ltime, view.getViewId().getId()) + UNSEEN_MAX;
      }
      return super.getNextView(joining, leaving, suspected);
    } finally {
      lock.unlock();
    }
  }
}
