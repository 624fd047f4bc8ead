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
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.systole.roles.data.Json;
import org.systole.roles.document.DocumentFault;
import org.systole.roles.document.RolesReader;
import org.systole.roles.model.DeploymentId;
import org.systole.roles.model.NodeRoleId;
import org.systole.roles.model.Refusal;
import org.systole.roles.model.Role;
import org.systole.roles.model.RoleEvent;
import org.systole.roles.model.RoleFlag;
import org.systole.roles.model.RoleId;

/// Several commands in one request.
final class RequestsTest {
  private static Command define(String id, String... requires) {
    return define(id, Set.of(), requires);
  }

  private static Command defineOnce(String id) {
    return define(id, Set.of(RoleFlag.DESTRUCTIVE));
  }

  private static Command define(String id, Set<RoleFlag> flags, String... requires) {
    var names = new TreeSet<RoleId>();
    for (var each : requires) {
      names.add(new RoleId(each));
    }
    return new Command.DefineRole(
        new Role(
            new RoleId(id),
            "",
            RandomRoles.JIG,
            flags,
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

  /// With it a definition could pass for an order of a person.
  @Test
  void noRoleAnswersAnEventWithARetry() throws Refusal {
    var engine = engine();
    var before = engine.document();
    var answer = new Json.Obj(new TreeMap<>(Map.of("app", new Json.Obj(new TreeMap<>(Map.of("retried", Json.Null.IT))))));
    var app = ((Command.DefineRole) define("app")).role();
    var bad = answering(app, answer);
    var why = assertThrows(Refusal.class, () -> engine.carryOut(List.of(define("net"), bad)));
    assertEquals("role app answers on_active with app/retried: that is set by a retry, and by nothing else", why.getMessage());
    assertEquals(before, engine.document());
  }

  private static Command answering(Role it, Json.Obj answer) {
    return new Command.DefineRole(
        new Role(
            it.id(), "", it.jig(), it.flags(), it.requires(), it.conflicts(), it.provides(), it.data(),
            Map.of(RoleEvent.ON_ACTIVE, answer)));
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

  /// What it did to the node is not undone by a word in its definition.
  @Test
  void aRoleThatIsDestructiveFromNowOnDoesNotRunWhereItRanBefore() throws Refusal {
    var engine = engine();
    var app = new RoleId("app");
    var done = new NodeRoleId(app, RandomRoles.node(1));
    var failed = new NodeRoleId(app, RandomRoles.node(2));
    var fresh = new NodeRoleId(app, RandomRoles.node(3));
    var all = new ArrayList<Command>(List.of(define("app"), new Command.Propose(DeploymentId.SYSTEM, null)));
    for (var id : List.of(done, failed, fresh)) {
      all.add(1, new Command.CreateNode(id.node(), false));
      all.add(new Command.Bind(DeploymentId.SYSTEM, id));
    }
    all.add(new Command.Commit(DeploymentId.SYSTEM));
    engine.carryOut(all);
    for (var id : List.of(done, failed)) {
      engine.carryOut(new Command.SetAlive(id.node(), true));
      var start = due(engine, id);
      assertTrue(engine.begin(start));
      assertTrue(engine.end(new RunEnd(start.id(), start.run(), ended(id.equals(done)))));
    }
    engine.carryOut(defineOnce("app"));
    engine.carryOut(
        List.of(
            new Command.Restarted(done.node()),
            new Command.Restarted(failed.node()),
            new Command.Restarted(fresh.node())));
    assertThrows(Refusal.class, () -> engine.carryOut(new Command.Retry(done, false)));
    assertThrows(Refusal.class, () -> engine.carryOut(new Command.Retry(failed, false)));
    assertEquals(Start.Kind.RUN, due(engine, fresh).kind());

    var system = DeploymentId.SYSTEM;
    engine.carryOut(
        List.of(
            new Command.Propose(system, null),
            new Command.Unbind(system, done),
            new Command.Commit(system),
            new Command.Propose(system, null),
            new Command.Bind(system, done),
            new Command.Commit(system)));
    assertEquals(Start.Kind.DONE_BEFORE, due(engine, done).kind());
  }

  private static Start due(RoleEngine engine, NodeRoleId id) {
    return engine.plan().stream().filter(it -> it.id().equals(id)).findFirst().orElseThrow();
  }

  private static RunEnd.Outcome ended(boolean well) {
    return well ? new RunEnd.Succeeded(Json.Obj.EMPTY, "") : new RunEnd.Failed("no disk");
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
