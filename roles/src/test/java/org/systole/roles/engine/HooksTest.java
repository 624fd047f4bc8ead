package org.systole.roles.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.systole.common.values.NodeName;
import org.systole.roles.data.Json;
import org.systole.roles.data.JsonFault;
import org.systole.roles.data.JsonText;
import org.systole.roles.model.NodeRoleState;
import org.systole.roles.model.NodeRoleId;
import org.systole.roles.model.Refusal;
import org.systole.roles.model.Role;
import org.systole.roles.model.RoleEvent;
import org.systole.roles.model.RoleFlag;
import org.systole.roles.model.RoleId;
import org.systole.roles.model.RolesDocument;
import org.systole.roles.view.LiveRoles;

final class HooksTest {
  private static final RoleId NET = new RoleId("net");
  private static final RoleId APP = new RoleId("app");
  private static final NodeName N1 = new NodeName("n1.example.com");

  private final List<String> seen = new ArrayList<>();
  private long nanos;

  /// `app` requires `net`; both come with a new node.
  private static RolesDocument document() {
    var roles = new TreeMap<RoleId, Role>();
    roles.put(NET, role(NET, new TreeSet<>()));
    roles.put(APP, role(APP, new TreeSet<>(List.of(NET))));
    var empty = RolesDocument.empty("example.com");
    return new RolesDocument(
        "example.com",
        new TreeMap<>(Map.of(RandomRoles.JIG, true)),
        roles,
        empty.nodes(),
        empty.deployments(),
        empty.snapshots());
  }

  private static Role role(RoleId id, TreeSet<RoleId> requires) {
    return new Role(
        id,
        "",
        RandomRoles.JIG,
        EnumSet.of(RoleFlag.DISCOVERY),
        requires,
        new TreeSet<>(),
        new TreeSet<>(),
        Json.Obj.EMPTY,
        Map.of());
  }

  private static Json.Obj said(String what) {
    return new Json.Obj(new TreeMap<>(Map.of("said", new Json.Text(what))));
  }

  private RoleEngine engine(RoleHook hook) throws Refusal {
    LongSupplier clock = () -> nanos;
    var engine = new RoleEngine(document(), new Hooks(Map.of(NET, hook), clock));
    engine.carryOut(new Command.CreateNode(N1, false));
    engine.carryOut(new Command.SetAlive(N1, true));
    return engine;
  }

  private static void run(RoleEngine engine, RunEnd.Outcome outcome) {
    for (var start : engine.plan()) {
      engine.begin(start);
      engine.end(new RunEnd(start.id(), start.run(), outcome));
    }
  }

  @Test
  void aRoleIsToldAfterItsChildrenAreInTheirNewStates() throws Refusal {
    var engine = engine((event, noderole) -> Json.Obj.EMPTY);
    engine.happened();

    run(engine, new RunEnd.Succeeded(Json.Obj.EMPTY, "{}"));

    assertEquals(
        List.of(
            "on_transition net@n1.example.com",
            "on_todo app@n1.example.com",
            "on_active net@n1.example.com"),
        engine.happened().stream().map(Happened::toString).toList());
  }

  @Test
  void aNewNodeIsToldOfWhenItsRolesAreBound() throws Refusal {
    var engine =
        engine(
            (event, noderole) -> {
              seen.add(event.word() + " " + noderole.state().word());
              return Json.Obj.EMPTY;
            });

    assertEquals(
        List.of(
            "on_proposed proposed",
            "on_node_create proposed",
            "on_todo todo",
            "on_node_change todo"),
        seen);
    engine.carryOut(new Command.DeleteNode(N1));
    assertEquals("on_node_delete todo", seen.getLast());
  }

  /// A definition may set anything there; what cannot be counted on from is counted anew.
  @Test
  void whatIsNoCountOfRetriesIsNotAddedTo() throws Refusal, JsonFault {
    for (var number : List.of("1e999999", "-1e999999", "0.5", "1e-999999")) {
      var set = JsonText.readObject("{\"net\":{\"retried\":" + number + "}}");
      var engine = engine((event, noderole) -> event == RoleEvent.ON_ACTIVE ? set : Json.Obj.EMPTY);
      var net = new NodeRoleId(NET, N1);
      run(engine, new RunEnd.Succeeded(Json.Obj.EMPTY, "{}"));
      assertEquals(set, system(engine, net));
      engine.carryOut(new Command.Retry(net, false));
      assertEquals("{\"net\":{\"retried\":1}}", system(engine, net).toString());
    }
  }

  /// It was taken before it was refused.
  @Test
  void aDefinitionOfOldDoesNotSetIt() throws Refusal, JsonFault {
    var answer = JsonText.readObject("{\"net\":{\"retried\":5,\"seen\":1}}");
    var net = role(NET, new TreeSet<>());
    var old =
        new Role(
            NET, "", net.jig(), net.flags(), net.requires(), net.conflicts(), net.provides(), net.data(),
            Map.of(RoleEvent.ON_PROPOSED, answer));
    var before = document();
    var engine =
        new RoleEngine(
            new RolesDocument(
                before.domain(), before.jigs(), new TreeMap<>(Map.of(NET, old)), before.nodes(), before.deployments(), before.snapshots()),
            Hooks.none());
    engine.carryOut(new Command.CreateNode(N1, false));
    assertEquals("{\"net\":{\"seen\":1}}", system(engine, new NodeRoleId(NET, N1)).toString());
  }

  private static Json.Obj system(RoleEngine engine, NodeRoleId id) {
    return Objects.requireNonNull(engine.noderole(id)).system();
  }

  @Test
  void whatAHookSaysIsTheSystemsAndTwiceIsOnce() throws Refusal {
    var engine = engine((event, noderole) -> said("10.0.0.1"));
    var once = engine.document();

    engine.carryOut(new Command.SetAlive(N1, false));
    engine.carryOut(new Command.SetAlive(N1, true));

    assertEquals(once, engine.document());
    var net = new LiveRoles(once).all().sequencedValues().getLast();
    assertEquals(said("10.0.0.1"), net.system());
    assertEquals(Json.Obj.EMPTY, net.user());
  }

  @Test
  void aHookThatTakesTooLongIsNotAskedAgain() throws Refusal {
    var engine =
        engine(
            (event, noderole) -> {
              seen.add(event.word());
              nanos += event == RoleEvent.ON_TODO ? Hooks.LIMIT.toNanos() + 1 : 1_000;
              return said(event.word());
            });
    run(engine, new RunEnd.Succeeded(Json.Obj.EMPTY, "{}"));

    assertEquals(List.of("on_proposed", "on_node_create", "on_todo"), seen);
    var net = new LiveRoles(engine.document()).all().sequencedValues().getLast();
    assertEquals(said("on_node_create"), net.system());
    assertEquals(NodeRoleState.ACTIVE, net.state());
    assertEquals(
        List.of("the hook of role net took 5 ms, at most 5 are given: it is not asked again"),
        engine.happened().stream().map(Happened::trouble).filter(it -> !it.isEmpty()).toList());
  }

  @Test
  void aHookThatThrowsHoldsUpNothing() throws Refusal {
    var engine =
        engine(
            (event, noderole) -> {
              throw new IllegalStateException("out of addresses");
            });
    run(engine, new RunEnd.Succeeded(Json.Obj.EMPTY, "{}"));

    assertEquals(1, engine.count(NodeRoleState.ACTIVE));
    var trouble = engine.happened().stream().map(Happened::trouble).filter(it -> !it.isEmpty());
    assertTrue(trouble.toList().getFirst().contains("out of addresses"));
  }

  @Test
  void whatIsRefusedIsToldToNobodyWhoAsksForEvents() throws Refusal {
    var engine = engine((event, noderole) -> Json.Obj.EMPTY);
    var before = engine.document();
    engine.happened();
    try {
      engine.carryOut(new Command.CreateNode(N1, true));
    } catch (Refusal e) {
      assertEquals(
          "cannot create node n1.example.com: there is a node n1.example.com", e.getMessage());
    }
    assertEquals(List.of(), engine.happened());
    assertEquals(before, engine.document());
  }
}
