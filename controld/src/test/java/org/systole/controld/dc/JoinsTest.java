package org.systole.controld.dc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

final class JoinsTest {
  @Test
  void anAnswerToAnOlderInvitationCountsForNothing() {
    var joins = new Joins();
    joins.invite(List.of(1));
    var old = joins.joinId(1);
    joins.invite(List.of(1, 2));

    assertFalse(joins.isCurrent(1, old));
    assertTrue(joins.isCurrent(1, joins.joinId(1)));
  }

  @Test
  void thoseWhoAreInAreNotInvitedAgainWhenOthersCome() {
    var joins = new Joins();
    joins.invite(List.of(1));
    joins.move(1, Joins.Phase.WELCOMED, Joins.Phase.INTEGRATED);
    joins.move(1, Joins.Phase.INTEGRATED, Joins.Phase.FINALIZED);
    joins.move(1, Joins.Phase.FINALIZED, Joins.Phase.CONFIRMED);

    assertEquals(List.of(2), joins.invite(List.of(2, 1)));
    assertEquals(Joins.Phase.CONFIRMED, joins.phase(1));
  }

  @Test
  void aPhaseIsNotSkipped() {
    var joins = new Joins();
    joins.invite(List.of(1));

    assertFalse(joins.move(1, Joins.Phase.FINALIZED, Joins.Phase.CONFIRMED));
    assertEquals(Joins.Phase.WELCOMED, joins.phase(1));
  }

  @Test
  void aNodeThatIsGoneIsNotWaitedFor() {
    var joins = new Joins();
    joins.invite(List.of(1, 2));
    joins.move(1, Joins.Phase.WELCOMED, Joins.Phase.INTEGRATED);
    joins.gone(2);

    assertFalse(joins.any(Joins.Phase.WELCOMED));
  }
}
