package org.systole.roles.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.systole.roles.data.Json;
import org.systole.roles.document.DocumentFault;
import org.systole.roles.document.RolesReader;
import org.systole.roles.model.DeploymentId;
import org.systole.roles.model.NodeRoleId;
import org.systole.roles.model.Refusal;
import org.systole.roles.model.Role;
import org.systole.roles.model.RoleId;

/// Several commands in one request.
final class RequestsTest {
  private static Command define(String id, String... requires) {
    var names = new TreeSet<RoleId>();
    for (var each : requires) {
      names.add(new RoleId(each));
    }
    return new Command.DefineRole(
        new Role(
            new RoleId(id),
            "",
            RandomRoles.JIG,
            Set.of(),
            names,
            new TreeSet<>(),
            new TreeSet<>(),
            Json.Obj.EMPTY,
            Map.of()));
  }

  private static RoleEngine engine() {
    return new RoleEngine(RandomRoles.document(new Random(1)), Hooks.none());
  }

  @Test
  void definitionsOfOneRequestMayComeInAnyOrder() throws Refusal {
    var engine = engine();
    engine.carryOut(List.of(define("app", "net"), define("net")));
    assertEquals(1, engine.document().roles().get(new RoleId("app")).requires().size());
    var before = engine.document();
    var cycle = List.of(define("net", "app"), new Command.CreateNode(RandomRoles.node(1), false));
    assertThrows(Refusal.class, () -> engine.carryOut(cycle));
    assertEquals(before, engine.document());
    assertThrows(Refusal.class, () -> engine.carryOut(List.of(define("x", "nothing"))));
    assertEquals(before, engine.document());
  }

  @Test
  void whatIsDefinedCanBeUsedInTheSameRequest() throws Refusal {
    var engine = engine();
    var bound = new NodeRoleId(new RoleId("app"), RandomRoles.node(1));
    engine.carryOut(
        List.of(
            new Command.CreateNode(RandomRoles.node(1), false),
            define("app"),
            new Command.Propose(DeploymentId.SYSTEM, null),
            new Command.Bind(DeploymentId.SYSTEM, bound),
            new Command.Commit(DeploymentId.SYSTEM)));
    assertTrue(engine.noderole(bound) != null);
  }

  /// Else the document has a run that nobody can end, and with the next one two of its node.
  @Test
  void theRunOfARoleThatIsRemovedIsHeardOfNoMore() throws Refusal, DocumentFault {
    var engine = engine();
    var node = RandomRoles.node(1);
    var app = new NodeRoleId(new RoleId("app"), node);
    var net = new NodeRoleId(new RoleId("net"), node);
    var system = DeploymentId.SYSTEM;
    engine.carryOut(
        List.of(
            new Command.CreateNode(node, false),
            define("app"),
            define("net"),
            new Command.Propose(system, null),
            new Command.Bind(system, app),
            new Command.Commit(system),
            new Command.SetAlive(node, true)));
    var first = engine.plan().getFirst();
    assertEquals(app, first.id());
    assertTrue(engine.begin(first));
    engine.carryOut(
        List.of(
            new Command.Propose(system, null),
            new Command.Unbind(system, app),
            new Command.Bind(system, net),
            new Command.Commit(system),
            new Command.RemoveRole(app.role())));
    var second = engine.plan().getFirst();
    assertTrue(engine.begin(second));
    RolesReader.check(engine.document());
    assertFalse(engine.end(new RunEnd(app, first.run(), new RunEnd.Failed("x"))));
    assertTrue(engine.end(new RunEnd(net, second.run(), new RunEnd.Failed("x"))));
    engine.carryOut(
        List.of(
            define("app"),
            new Command.Propose(system, null),
            new Command.Unbind(system, net),
            new Command.Bind(system, app),
            new Command.Commit(system)));
    assertTrue(engine.plan().getFirst().run() > first.run(), "a number is for one run");
  }

  @Test
  void aRequestThatTakesTooLongIsRefusedWhole() {
    var engine = engine();
    var before = engine.document();
    var asked = new ArrayList<Command>();
    for (var at = 0; at < 10; at++) {
      asked.add(new Command.CreateNode(RandomRoles.node(at), false));
    }
    var left = new int[] {5};
    var refusal =
        assertThrows(Refusal.class, () -> engine.carryOut(asked, () -> --left[0] > 0));
    assertEquals("it takes too long: ask for a part of it at a time", refusal.getMessage());
    assertEquals(before, engine.document());
  }
}
