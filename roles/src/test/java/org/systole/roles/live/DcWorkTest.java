package org.systole.roles.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.Test;
import org.systole.common.values.NodeName;
import org.systole.common.xml.Element;
import org.systole.roles.data.Json;
import org.systole.roles.engine.RunEnd;
import org.systole.roles.model.NodeRoleId;
import org.systole.roles.model.RoleId;

/// What a DC tells where the document is full.
final class DcWorkTest {
  private static final NodeName NODE = new NodeName("n1");

  private static NodeRoleId id(String role) {
    return new NodeRoleId(new RoleId(role), NODE);
  }

  private static Element succeeded(String role, int length) {
    var answer = "{\"a\":\"" + "x".repeat(length) + "\"}";
    return DcWork.ended(new RunEnd(id(role), 1, new RunEnd.Succeeded(Json.Obj.EMPTY, answer)));
  }

  @Test
  void longAnswersAreLeftOutFirst() {
    var all = DcWork.request().add(succeeded("a", 9)).add(succeeded("b", 900_000)).build();
    var fewer = DcWork.withoutAnswers(all);
    assertNotNull(fewer);
    assertEquals("ok", fewer.child(0).get("as"));
    assertEquals("error", fewer.child(1).get("as"));
    var none = DcWork.withoutAnswers(fewer);
    assertNotNull(none);
    assertEquals("error", none.child(0).get("as"));
    assertNull(DcWork.withoutAnswers(none));
  }

  @Test
  void causesAreCutThenChecksAreLeftOut() {
    var lost = DcWork.lost(NODE);
    var failed = DcWork.ended(new RunEnd(id("a"), 1, new RunEnd.Failed("\"".repeat(1_000))));
    var all = DcWork.request().add(lost).add(failed).add(DcWork.checked(id("b"), 1, "<".repeat(1_000))).build();
    var shorter = DcWork.shorter(all);
    assertNotNull(shorter);
    assertEquals(3, shorter.childCount());
    assertEquals(60, shorter.child(1).get("cause", "").length());
    assertEquals(60, shorter.child(2).get("cause", "").length());
    var least = DcWork.shorter(shorter);
    assertNotNull(least);
    assertEquals(2, least.childCount());
    assertEquals(lost, least.child(0));
    assertNull(DcWork.shorter(least));
  }
}
