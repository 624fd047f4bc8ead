package org.systole.roles.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTimeout;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.systole.common.values.NodeName;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.common.xml.XmlWriter;
import org.systole.roles.document.DocumentFault;
import org.systole.roles.data.Json;
import org.systole.roles.engine.Annealer;
import org.systole.roles.engine.RunEnd;
import org.systole.roles.model.NodeRole;
import org.systole.roles.model.NodeRoleId;
import org.systole.roles.model.NodeRoleState;
import org.systole.roles.view.LiveRoles;

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

  private static final RolesDesk.Who PERSON =
      new RolesDesk.Who("now", "root", new NodeName("n1"), "crm_role \ud83d", false, List.of());

  private static RolesDesk fresh(int nodes) throws DocumentFault {
    var desk = new RolesDesk(null, () -> 0);
    for (var at = 1; at <= nodes; at++) {
      comes(desk, "n" + at);
    }
    return desk;
  }

  private static void comes(RolesDesk desk, String node) {
    assertNull(desk.carryOut(DcWork.request().add(DcWork.member(new NodeName(node), 1)).build(), DC));
  }

  private static void asks(RolesDesk desk, String steps) throws XmlException {
    assertNull(desk.carryOut(XmlReader.parse("<steps>" + steps + "</steps>"), PERSON));
  }

  private static void anneal(RolesDesk desk, RunEnd.Outcome outcome) {
    for (var plan = Annealer.plan(desk.roles().document()); !plan.isEmpty(); ) {
      var work = DcWork.request();
      plan.forEach(it -> work.add(DcWork.begin(it)).add(DcWork.ended(new RunEnd(it.id(), it.run(), outcome))));
      assertNull(desk.carryOut(work.build(), DC));
      plan = Annealer.plan(desk.roles().document());
    }
  }

  private static NodeRole live(RolesDesk desk, String noderole) {
    return Objects.requireNonNull(
        new LiveRoles(desk.roles().document()).get(Objects.requireNonNull(NodeRoleId.of(noderole))));
  }

  /// Else each change would have all other nodes fetch the whole, as theirs never fits the next one.
  @Test
  void whatIsWrittenIsWhatOthersRead() throws XmlException, DocumentFault {
    var desk = fresh(2);
    asks(
        desk,
        "<role id=\"a\" jig=\"test\"><data>{\"k\\uffff\":[\"\\ud800\",\"\\uffff\",\"\\ud83d\\ude00\",\"\\ud83d\\ud83d\\ude00\"]}</data></role>"
            + "<propose/><bind role=\"a\" node=\"n1\"/><bind role=\"a\" node=\"n2\"/><commit/>");
    anneal(desk, new RunEnd.Succeeded(Json.Obj.EMPTY, "{\"\\ufffe\":\"\\u0000\\ude00\\r\"}"));
    assertEquals("\u0000\ude00\r", texts(live(desk, "a@n1").wall()));
    asks(desk, "<retry role=\"a\" node=\"n1\"/>");
    anneal(desk, new RunEnd.Failed("x".repeat(999) + "\ud83d\ude00 \u0007\ud800"));

    var written = desk.written();
    var read = XmlReader.parse(XmlWriter.compact(written));
    assertEquals(written, read);
    assertEquals(written.contentHash(), read.contentHash());
    assertEquals(desk.roles(), ClusterRoles.read(read));
  }

  private static String texts(Json.Obj data) {
    return ((Json.Text) data.entries().sequencedValues().getFirst()).value();
  }

  /// A proposal is a copy of what was; it has to leave alone what the cluster does meanwhile.
  @Test
  void aCommitDoesNotUndoARetryThatCameSinceItWasProposed() throws XmlException, DocumentFault {
    var desk = fresh(2);
    asks(desk, "<role id=\"boots\" jig=\"test\"/><role id=\"other\" jig=\"test\"/><propose/><bind role=\"boots\" node=\"n1\"/><commit/>");
    anneal(desk, new RunEnd.Succeeded(Json.Obj.EMPTY, ""));
    asks(desk, "<retry role=\"boots\" node=\"n1\"/>");
    anneal(desk, new RunEnd.Succeeded(Json.Obj.EMPTY, ""));
    asks(desk, "<propose/><bind role=\"other\" node=\"n2\"/>");
    asks(desk, "<retry role=\"boots\" node=\"n1\"/>");
    anneal(desk, new RunEnd.Failed("quarantine"));
    var retried = live(desk, "boots@n1").system();
    assertEquals("{\"boots\":{\"retried\":2}}", retried.toString());
    asks(desk, "<commit/>");
    assertEquals(retried, live(desk, "boots@n1").system());
    asks(desk, "<propose from=\"2\"/><commit/>");
    assertEquals(retried, live(desk, "boots@n1").system(), "of a roll-back");

    asks(desk, "<propose/><unbind role=\"boots\" node=\"n1\"/><commit/><propose/><bind role=\"boots\" node=\"n1\"/><commit/>");
    anneal(desk, new RunEnd.Failed("quarantine"));
    asks(desk, "<retry role=\"boots\" node=\"n1\"/>");
    assertEquals("{\"boots\":{\"retried\":4}}", live(desk, "boots@n1").system().toString(), "it only grows");
  }

  @Test
  void whoRestsOnAClusterRoleRestsOnTheNewNodesOneFromTheNextProposalOn() throws XmlException, DocumentFault {
    var desk = fresh(2);
    asks(
        desk,
        "<role id=\"peer\" jig=\"test\" discovery=\"true\" cluster=\"true\"/><role id=\"app\" jig=\"test\"><requires role=\"peer\"/></role>"
            + "<propose/><bind role=\"peer\" node=\"n1\"/><bind role=\"app\" node=\"n1\"/><commit/>");
    comes(desk, "n3");
    assertEquals(1, live(desk, "app@n1").parents().size());
    asks(desk, "<propose/><bind role=\"app\" node=\"n2\"/><commit/>");
    assertEquals(live(desk, "app@n2").parents(), live(desk, "app@n1").parents());
    assertEquals(2, live(desk, "app@n1").parents().size());
  }

  /// 2,000 roles took half a minute for each node.
  @Test
  void aNodeIsTakenInWithAllDiscoveryRolesThatFitAndNoOthers() throws XmlException, DocumentFault {
    var steps = new StringBuilder("<role id=\"none\" jig=\"test\"/>");
    for (var at = 0; at < 2_000; at++) {
      var requires = at % 2 == 0 ? "" : "<requires role=\"none\"/>";
      steps.append("<role id=\"r%d\" jig=\"test\" discovery=\"true\">%s</role>".formatted(at, requires));
    }
    steps.append("<role id=\"low\" jig=\"test\" implicit=\"true\"/>");
    steps.append("<role id=\"odd\" jig=\"test\" discovery=\"true\"><requires role=\"low\"/><requires role=\"none\"/></role>");
    var desk = fresh(0);
    asks(desk, steps.toString());
    assertTimeout(Duration.ofSeconds(20), () -> comes(desk, "n1"));
    var bound = new LiveRoles(desk.roles().document()).all().keySet();
    assertEquals(1_000, bound.size(), "nor what was bound for one that did not fit");
    assertEquals(1_001, desk.troubles().size());
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
