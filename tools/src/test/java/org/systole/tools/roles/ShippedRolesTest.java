package org.systole.tools.roles;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.systole.common.output.ExitStatus;
import org.systole.common.values.NodeName;
import org.systole.common.xml.Element;
import org.systole.roles.data.Json;
import org.systole.roles.document.RolePackages;
import org.systole.roles.engine.Annealer;
import org.systole.roles.engine.RunEnd;
import org.systole.roles.live.DcWork;
import org.systole.roles.live.RolesDesk;
import org.systole.roles.model.DeploymentId;
import org.systole.roles.model.NodeRoleId;
import org.systole.roles.model.RoleId;
import org.systole.roles.model.SnapshotState;
import org.systole.roles.view.LiveRoles;
import org.systole.tools.cli.CommandException;
import org.systole.tools.lint.Finding;

/// The roles that are shipped are turned on and off by one request each.
final class ShippedRolesTest {
  private ShippedRoles shipped;
  private RolesDesk desk;

  @BeforeEach
  void begin() throws Exception {
    var file = Path.of("..", "agents/src/main/roles/systole.xml");
    var packed = new RolePackages.PackageFile("systole.xml", Files.readAllBytes(file));
    shipped = new ShippedRoles(RolePackages.roles(List.of(packed), List.of()));
    desk = new RolesDesk(null, () -> 0);
    request(List.of(node("n1"), node("n2")));
  }

  private static Element node(String called) {
    return Element.of("create-node", "node", called);
  }

  private void request(List<Element> steps) {
    var admin = NodeName.of("n1");
    assertTrue(admin != null);
    var who = new RolesDesk.Who("now", "root", admin, "crm_role", false, List.of());
    assertNull(desk.carryOut(Element.builder(RolesDesk.STEPS).addAll(steps).build(), who));
  }

  private List<String> bound() {
    return new LiveRoles(desk.roles().document())
        .all().keySet().stream().map(Object::toString).sorted().toList();
  }

  @Test
  void aGateThatWaitsForWhatIsGoneIsNamedAndNotMade() throws Exception {
    request(shipped.steps("clock,storage", desk.roles().document()));
    var off = Element.builder("steps").addAll(shipped.steps("off", desk.roles().document())).build();

    var refused =
        assertThrows(CommandException.class, () -> GateDoubts.mayGo(List.of("agents", "clock"), off));
    assertTrue(("" + refused.getMessage()).contains("waits for clock, and would never open"), refused::toString);
    GateDoubts.mayGo(List.of("agents"), off);

    request(List.of(Element.of("propose"), Element.of("unbind", "role", "clock", "node", "n1"), Element.of("commit")));
    assertEquals(
        """
        error: [gate-role-missing] agents: join-gate-roles waits for role agents, which there is not: nothing new is \
        placed on any member. Define it and bind it to the nodes (crm_role --define, --bind), or name the roles that \
        the gate is to wait for: crm_role --gate=ROLE,... or --gate=off
        warning: [gate-role-unbound] clock: join-gate-roles waits for role clock, which is not bound to n1: nothing new \
        is placed there. Bind it: crm_role --bind clock@n1 --commit; or take it out of the gate""",
        doubts("agents", "clock", "storage"));
    assertEquals(
        "warning: [gate-shut] no node passes join-gate-roles: a resource that stops is placed nowhere. See crm_role"
            + " --waits; mend what is in error, or take the role out of the gate",
        doubts("storage"));
  }

  private String doubts(String... gate) {
    return GateDoubts.of(List.of(gate), desk.roles().document()).stream()
        .map(Finding::text)
        .collect(Collectors.joining("\n"));
  }

  private Set<RoleId> known() {
    return desk.roles().document().roles().keySet();
  }

  @Test
  void aGateThatNoNodePassesIsNotShutUnasked() throws Exception {
    request(shipped.steps("clock,storage", desk.roles().document()));
    var refused =
        assertThrows(
            CommandException.class,
            () -> GateDoubts.mayShut(List.of("clock"), List.of("clock"), desk.roles().document()));
    assertTrue(("" + refused.getMessage()).contains("no node would pass the gate now"), refused::toString);
    assertTrue(("" + refused.getMessage()).contains("--force"), refused::toString);
    GateDoubts.mayShut(List.of("clock"), List.of(), desk.roles().document()); // as before
    GateDoubts.mayShut(List.of(), List.of(), desk.roles().document());
  }

  private Element steps(Element... all) {
    return Element.builder(RolesDesk.STEPS).addAll(List.of(all)).build();
  }

  /// Has all done that is due, and go well.
  private void anneal() throws Exception {
    var dc = new RolesDesk.Who("now", "", new NodeName("n1"), "dc", true, List.of());
    var members = DcWork.request().add(DcWork.member(new NodeName("n1"), 1)).add(DcWork.member(new NodeName("n2"), 1));
    assertNull(desk.carryOut(members.build(), dc));
    for (var plan = Annealer.plan(desk.roles().document());
        !plan.isEmpty();
        plan = Annealer.plan(desk.roles().document())) {
      var work = DcWork.request();
      var well = new RunEnd.Succeeded(Json.Obj.EMPTY, "");
      plan.forEach(it -> work.add(DcWork.begin(it)).add(DcWork.ended(new RunEnd(it.id(), it.run(), well))));
      assertNull(desk.carryOut(work.build(), dc));
    }
  }

  private static Element set(String node, int wait) {
    var text = "{\"clock\":{\"wait\":%d}}".formatted(wait);
    var set = Element.of("set", "role", "clock").withText(text);
    return node.isEmpty() ? set : set.with("node", node);
  }

  @Test
  void aChangeThatShutsTheGateOnAllNodesIsNotMadeUnasked() throws Exception {
    request(shipped.steps("clock,storage", desk.roles().document()));
    var all = steps(Element.of("propose"), set("n1", 31), set("n2", 31), Element.of("commit"));
    GateDoubts.mayClose(List.of("clock"), desk.roles(), all); // no node passes it as it is
    anneal();

    var refused =
        assertThrows(CommandException.class, () -> GateDoubts.mayClose(List.of("clock"), desk.roles(), all));

    var why = "" + refused.getMessage();
    assertEquals(ExitStatus.UNSAFE, refused.status());
    assertTrue(why.contains("on n1: clock is to be done; on n2: clock is to be done"), why);
    assertTrue(why.contains("--force"), why);
    GateDoubts.mayClose(List.of(), desk.roles(), all);
    GateDoubts.mayClose(List.of("clock"), desk.roles(), steps(Element.of("propose"), set("n1", 31), set("n2", 31)));
    GateDoubts.mayClose(
        List.of("clock"), desk.roles(), steps(Element.of("propose"), set("n1", 31), Element.of("commit")));
  }

  @Test
  void theGateIsJoinedByWhatIsShippedAndKeepsWhatElseItWaitsFor() throws Exception {
    request(shipped.steps("clock,storage", desk.roles().document()));
    assertEquals(List.of("clock", "disk", "storage"), shipped.gate("on", known(), List.of("disk")));
    assertEquals(List.of("clock"), shipped.gate("clock", known(), List.of("disk", "storage")));
    assertEquals(List.of(), shipped.gate("off", known(), List.of("disk")));
  }

  @Test
  void namedOnesAreOnAndNoOthers() throws Exception {
    request(shipped.steps("on", desk.roles().document()));
    request(shipped.steps("clock,names", desk.roles().document()));
    assertEquals(List.of("clock@n1", "clock@n2", "names@n1", "names@n2"), bound());
    assertEquals("[clock, names]", known().toString());
  }

  @Test
  void someAreBoundToAllNodesAndToThoseThatComeLater() throws Exception {
    request(shipped.steps("clock,storage", desk.roles().document()));
    assertEquals(List.of("clock@n1", "clock@n2", "storage@n1", "storage@n2"), bound());
    request(List.of(node("n3")));
    assertTrue(bound().contains("clock@n3"), bound()::toString);
    request(shipped.steps("clock,storage", desk.roles().document())); // once more changes nothing
    assertEquals(6, bound().size());
    assertEquals(List.of("clock", "storage"), shipped.gate("on", known(), List.of()));
  }

  /// Turns roles on as they are with what a site says.
  ///
  /// @return what it is told
  private List<String> site(String roles) throws Exception {
    var file = Path.of("..", "agents/src/main/roles/systole.xml");
    var packed = new RolePackages.PackageFile("systole.xml", Files.readAllBytes(file));
    var own = "<role-package id=\"systole\">" + roles + "</role-package>";
    shipped =
        new ShippedRoles(
            RolePackages.roles(
                List.of(packed), List.of(new RolePackages.PackageFile("systole.xml", own.getBytes(StandardCharsets.UTF_8)))));
    var before = desk.roles().document();
    var steps = shipped.steps("clock,storage", before);
    request(steps);
    return OwnData.kept(Element.builder(RolesDesk.STEPS).addAll(steps).build(), before, desk.roles().document());
  }

  /// Of a role: the deployment's, then those of nodes.
  private String data(String role, String... nodes) {
    var committed = desk.roles().document().snapshot(DeploymentId.SYSTEM, SnapshotState.COMMITTED);
    assertTrue(committed != null);
    var texts = new ArrayList<String>();
    texts.add("" + committed.deploymentRoles().get(RoleId.of(role)));
    for (var node : nodes) {
      texts.add(committed.nodeRoles().get(NodeRoleId.of(role + "@" + node)).user().toString());
    }
    return String.join(" ", texts);
  }

  @Test
  void whatTheSitesPackageSaysByNowReachesTheNodesThatHaveTheRoleButNotOverWhatWasSet() throws Exception {
    site("");
    var was = site("<role id=\"clock\"><data>{\"clock\":{\"wait\":30}}</data></role>");
    assertEquals("{\"clock\":{\"wait\":30}} {} {}", data("clock", "n1", "n2"));
    assertEquals(List.of(), was);

    request(List.of(node("n3"))); // begins with a copy
    var set = Element.of("set", "role", "clock", "node", "n2").withText("{\"clock\":{\"wait\":9}}");
    request(List.of(Element.of("propose"), set, Element.of("commit")));
    site("<role id=\"clock\"><data>{\"clock\":{\"wait\":40}}</data></role>");
    assertEquals(
        "{\"clock\":{\"wait\":40}} {} {\"clock\":{\"wait\":9}} {\"clock\":{\"wait\":40}}",
        data("clock", "n1", "n2", "n3"));

    var all = Element.of("set", "role", "clock").withText("{\"clock\":{\"wait\":50}}");
    request(List.of(Element.of("propose"), all, Element.of("commit")));
    assertEquals(
        List.of(
            "clock: the new data are for what is bound later; deployment system goes on with {\"clock\":{\"wait\":50}}."
                + " For all: crm_role --set 'clock={\"clock\":{\"wait\":60}}' --commit"),
        site("<role id=\"clock\"><data>{\"clock\":{\"wait\":60}}</data></role>"));
    assertEquals(
        "{\"clock\":{\"wait\":50}} {} {\"clock\":{\"wait\":9}} {\"clock\":{\"wait\":40}}",
        data("clock", "n1", "n2", "n3"));
  }

  @Test
  void allGoAgain() throws Exception {
    request(shipped.steps("on", desk.roles().document()));
    assertEquals(16, bound().size());
    assertEquals(
        List.of("agents", "boots", "clock", "storage", "watchdog"), shipped.gate("on", known(), List.of()));
    assertEquals(List.of("clock", "names"), shipped.gate("names,clock", known(), List.of()));
    request(shipped.steps("off", desk.roles().document()));
    assertEquals(List.of(), bound());
    assertEquals(List.of(), List.copyOf(desk.roles().document().roles().keySet()));
    assertEquals(List.of(), shipped.gate("off", known(), List.of()));
    request(shipped.steps("off", desk.roles().document()));
  }

  @Test
  void whatRolesOfOthersRequireIsNotTakenAway() throws Exception {
    request(shipped.steps("on", desk.roles().document()));
    request(
        List.of(
            Element.builder("role").attr("id", "db").attr("jig", "script").add(Element.of("requires", "role", "storage")).build()));
    var refused = assertThrows(CommandException.class, () -> shipped.steps("off", desk.roles().document()));
    assertEquals(
        "role db requires storage, which would be taken away: leave on what is required (--shipped=ROLE,...), or first"
            + " unbind and remove what requires it",
        refused.getMessage());
    assertEquals(ExitStatus.DATAERR, refused.status());
    request(shipped.steps("storage", desk.roles().document()));
    assertEquals("[db, storage]", known().toString());
  }

  @Test
  void whatIsNotMeantIsRefused() {
    var now = desk.roles().document();
    var unknown = assertThrows(CommandException.class, () -> shipped.steps("clock,sun", now));
    assertTrue(unknown.getMessage().contains("no role 'sun' is shipped"), unknown.getMessage());
    assertThrows(CommandException.class, () -> shipped.gate("on", known(), List.of()), "none is on");
    assertThrows(CommandException.class, () -> shipped.gate("maybe", known(), List.of()));
    var off = assertThrows(CommandException.class, () -> shipped.gate("clock", known(), List.of()));
    assertTrue(("" + off.getMessage()).contains("it is shipped, but not on; turn it on first"), off::toString);
    request(List.of(Element.of("propose")));
    var open =
        assertThrows(
            CommandException.class, () -> shipped.steps("on", desk.roles().document()));
    assertTrue(open.getMessage().contains("proposal"), open.getMessage());
  }
}
