package org.systole.roles.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.common.values.NodeName;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.roles.document.DocumentFault;
import org.systole.roles.engine.Annealer;
import org.systole.roles.model.NodeRoleId;
import org.systole.roles.model.NodeRoleState;

final class RolesDeskTest {
  private static final RolesDesk.Who DC =
      new RolesDesk.Who("now", "hacluster", new NodeName("n1"), "controld", true, List.of());

  private static RolesDesk desk(String snapshots) throws XmlException, DocumentFault {
    var state =
        XmlReader.parse(
            """
            <cluster-roles version="1">
              <roles-document version="1" domain="">
                <jigs><jig id="test"/></jigs>
                <roles><role id="app" jig="test"/><role id="net" jig="test"/></roles>
                <nodes><node name="n1" alive="true"/><node name="n2" alive="true"/></nodes>
                <snapshots>%s</snapshots>
              </roles-document>
              <audit/><stays/>
            </cluster-roles>
            """
                .formatted(snapshots));
    return new RolesDesk(state, () -> 0);
  }

  private static Element beginAll(RolesDesk desk) {
    var all = DcWork.request();
    Annealer.plan(desk.roles().document()).forEach(it -> all.add(DcWork.begin(it)));
    return all.build();
  }

  private static NodeRoleState stateOf(RolesDesk desk, String noderole) {
    var id = NodeRoleId.of(noderole);
    return desk.roles().document().snapshots().lastEntry().getValue().nodeRoles().get(id).state();
  }

  @Test
  void whatTheDcDoesIsRefusedWholeIfNobodyCouldReadItThen() throws XmlException, DocumentFault {
    var desk =
        desk(
            """
            <snapshot deployment="system" number="1" state="committed">
              <deployment-role role="app"/><deployment-role role="net"/>
              <noderole role="app" node="n1" state="todo" run="2147483647"/>
              <noderole role="net" node="n2" state="todo" run="1"/>
            </snapshot>
            """);
    var before = desk.written();
    var work = beginAll(desk);
    assertEquals(2, work.childCount());

    assertEquals(
        "snapshot system/1: noderole app@n1: the numbers of its runs are used up", desk.carryOut(work, DC));

    assertEquals(before, desk.written());
    assertEquals(NodeRoleState.TODO, stateOf(desk, "net@n2"));
    assertNull(desk.carryOut(work.withChildren(List.of(work.child(1))), DC));
    assertEquals(NodeRoleState.TRANSITION, stateOf(desk, "net@n2"));
    ClusterRoles.read(desk.written());
  }

  @Test
  void theRunOfARoleThatIsGoneDoesNotKeepItsNodeBusy() throws XmlException, DocumentFault {
    var desk =
        desk(
            """
            <snapshot deployment="system" number="1" state="archived">
              <deployment-role role="gone"/>
              <noderole role="gone" node="n1" state="transition" run="1"/>
            </snapshot>
            <snapshot deployment="system" number="2" state="committed">
              <deployment-role role="app"/>
              <noderole role="app" node="n1" state="todo"/>
            </snapshot>
            """);

    assertNull(desk.carryOut(beginAll(desk), DC));

    assertEquals(NodeRoleState.TRANSITION, stateOf(desk, "app@n1"));
    ClusterRoles.read(desk.written());
    assertTrue(Annealer.plan(desk.roles().document()).isEmpty());
  }
}
