package org.systole.pacemakerd.jgroups;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.jgroups.Address;
import org.jgroups.View;
import org.jgroups.ViewId;
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

    InView having(View it) {
      has(it);
      return this;
    }
  }

  @Test
  void aSuccessorsFirstViewIsLaterThanWhatItsLeaderMadeUnseen() {
    gms.has(View.create(former, 9, former, successor, other));
    var unseen = new InView(former);
    unseen.has(View.create(former, 9, former, successor, other));
    var last = unseen.getNextView(List.of(), List.of(other), List.of());

    var next = gms.getNextView(List.of(), List.of(), List.of(former));

    assertEquals(List.of(successor, other), next.getMembers());
    assertTrue(next.getViewId().compareToIDs(View.create(former, 10, former, successor, other).getViewId()) > 0, next::toString);
    assertTrue(next.getViewId().compareToIDs(last.getViewId()) > 0, next::toString);
  }

  @Test
  void aLeadersOwnViewsFollowEachOther() {
    gms.has(View.create(successor, 9, successor, former, other));

    var next = gms.getNextView(List.of(), List.of(), List.of(former)).getViewId();
    assertTrue(next.getId() > 9);
    assertTrue(gms.getNextView(List.of(), List.of(other), List.of()).getViewId().compareToIDs(next) > 0);
  }

  /// A merged view is named after its first member, which may not have got it and makes its next one itself. With one name for both the
  /// two sides would not know that they are two.
  @Test
  void noViewOfItsOwnHasTheNameOfAMergedOneThatItHasNotSeen() {
    for (var number : new long[] {0, 9, 900, 1024, 1025, 5000}) {
      var before = View.create(successor, number, successor, other);
      for (var merges = 1; merges < 100; merges++) {
        var merged = new ViewId(successor, number + merges); // as the Merger counts
        assertNotEquals(merged, new InView(successor).having(before).getNextView(List.of(), List.of(other), List.of()).getViewId());
      }
    }
  }

  @Test
  void numbersThatSomebodyMadeUpDoNotEndIt() {
    for (var number : new long[] {Long.MAX_VALUE - 20_000, Long.MAX_VALUE - 2_000, Long.MAX_VALUE - 2}) {
      assertTrue(new InView(successor).having(View.create(successor, number, successor, other)).getNextView(List.of(), List.of(other), List.of()).getViewId().getId() > number);
      assertTrue(new InView(successor).having(View.create(former, number, former, successor)).getNextView(List.of(), List.of(former), List.of()).getViewId().getId() > number);
    }
  }
}
