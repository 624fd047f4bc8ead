package org.systole.tools.roles;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.systole.common.values.NodeName;
import org.systole.common.xml.Element;
import org.systole.roles.document.RolePackages;
import org.systole.roles.live.RolesDesk;
import org.systole.roles.view.LiveRoles;
import org.systole.tools.cli.CommandException;

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
    var doubts = GateDoubts.of(List.of("agents", "clock", "storage"), desk.roles().document());
    assertEquals(
        List.of(
            "join-gate-roles waits for role agents, which there is not: nothing new is placed on any member",
            "join-gate-roles waits for role clock, which is not bound to n1: nothing new is placed there"),
        doubts);
  }

  @Test
  void someAreBoundToAllNodesAndToThoseThatComeLater() throws Exception {
    request(shipped.steps("clock,storage", desk.roles().document()));
    assertEquals(List.of("clock@n1", "clock@n2", "storage@n1", "storage@n2"), bound());
    request(List.of(node("n3")));
    assertTrue(bound().contains("clock@n3"), bound()::toString);
    request(shipped.steps("clock,storage", desk.roles().document())); // once more changes nothing
    assertEquals(6, bound().size());
    assertEquals("clock storage", shipped.gate("on", desk.roles().document()));
  }

  @Test
  void allGoAgain() throws Exception {
    request(shipped.steps("on", desk.roles().document()));
    assertEquals(16, bound().size());
    assertEquals(
        "agents boots clock storage watchdog", shipped.gate("on", desk.roles().document()));
    assertEquals("clock names", shipped.gate("names,clock", desk.roles().document()));
    request(shipped.steps("off", desk.roles().document()));
    assertEquals(List.of(), bound());
    assertEquals(List.of(), List.copyOf(desk.roles().document().roles().keySet()));
    assertEquals("", shipped.gate("off", desk.roles().document()));
    request(shipped.steps("off", desk.roles().document()));
  }

  @Test
  void whatIsNotMeantIsRefused() {
    var now = desk.roles().document();
    var unknown = assertThrows(CommandException.class, () -> shipped.steps("clock,sun", now));
    assertTrue(unknown.getMessage().contains("no role 'sun' is shipped"), unknown.getMessage());
    assertThrows(CommandException.class, () -> shipped.gate("on", now), "none is on");
    assertThrows(CommandException.class, () -> shipped.gate("maybe", now));
    assertThrows(CommandException.class, () -> shipped.gate("clock", now), "it is not on");
    request(List.of(Element.of("propose")));
    var open =
        assertThrows(
            CommandException.class, () -> shipped.steps("on", desk.roles().document()));
    assertTrue(open.getMessage().contains("proposal"), open.getMessage());
  }
}
