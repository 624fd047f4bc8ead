package org.systole.controld.dc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.systole.controld.TestNodes.id;
import static org.systole.controld.TestNodes.ids;

import java.util.List;
import org.junit.jupiter.api.Test;

final class JoinsTest {
  @Test
  void anAnswerToAnOlderInvitationIsIgnored() {
    var joins = new Joins();
    joins.invite(ids(1));
    var old = joins.joinId(id(1));
    joins.invite(ids(1, 2));

    assertFalse(joins.isCurrent(id(1), old));
    assertTrue(joins.isCurrent(id(1), joins.joinId(id(1))));
  }

  @Test
  void thoseWhoAreInAreNotInvitedAgainWhenOthersCome() {
    var joins = new Joins();
    joins.invite(ids(1));
    joins.move(id(1), Joins.Phase.WELCOMED, Joins.Phase.INTEGRATED);
    joins.move(id(1), Joins.Phase.INTEGRATED, Joins.Phase.FINALIZED);
    joins.move(id(1), Joins.Phase.FINALIZED, Joins.Phase.CONFIRMED);

    assertEquals(ids(2), joins.invite(ids(2, 1)));
    assertEquals(Joins.Phase.CONFIRMED, joins.phase(id(1)));
  }

  @Test
  void aPhaseIsNotSkipped() {
    var joins = new Joins();
    joins.invite(ids(1));

    assertFalse(joins.move(id(1), Joins.Phase.FINALIZED, Joins.Phase.CONFIRMED));
    assertEquals(Joins.Phase.WELCOMED, joins.phase(id(1)));
  }

  @Test
  void aNodeThatIsGoneIsNotWaitedFor() {
    var joins = new Joins();
    joins.invite(ids(1, 2));
    joins.move(id(1), Joins.Phase.WELCOMED, Joins.Phase.INTEGRATED);
    joins.gone(id(2));

    assertFalse(joins.any(Joins.Phase.WELCOMED));
  }
}
