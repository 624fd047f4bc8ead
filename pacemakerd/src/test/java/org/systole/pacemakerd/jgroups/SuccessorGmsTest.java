package org.systole.pacemakerd.jgroups;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.jgroups.Address;
import org.jgroups.View;
import org.jgroups.util.UUID;
import org.junit.jupiter.api.Test;

final class SuccessorGmsTest {
  private final Address former = UUID.randomUUID();
  private final Address successor = UUID.randomUUID();
  private final Address other = UUID.randomUUID();
  private final InView gms = new InView(successor);

  /// GMS of a process that has a view.
  private static final class InView extends SuccessorGms {
    InView(Address self) {
      local_addr = self;
    }

    void has(View it) {
      view = it;
      tmp_members.set(it.getMembers());
    }
  }

  @Test
  void aSuccessorsFirstViewIsLaterThanWhatItsLeaderMadeUnseen() {
    gms.has(View.create(former, 9, former, successor, other));

    var next = gms.getNextView(List.of(), List.of(), List.of(former));

    assertEquals(List.of(successor, other), next.getMembers());
    assertTrue(next.getViewId().compareToIDs(View.create(former, 10, former, successor, other).getViewId()) > 0, next::toString);
  }

  @Test
  void aLeadersOwnViewsFollowEachOther() {
    gms.has(View.create(successor, 9, successor, former, other));

    assertEquals(10, gms.getNextView(List.of(), List.of(), List.of(former)).getViewId().getId());
    assertEquals(11, gms.getNextView(List.of(), List.of(other), List.of()).getViewId().getId());
  }
}
