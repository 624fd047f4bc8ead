package org.systole.roles.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.systole.common.values.NodeName;
import org.systole.roles.data.Json;
import org.systole.roles.document.DocumentFault;
import org.systole.roles.live.ClusterRoles;
import org.systole.roles.model.DeploymentId;
import org.systole.roles.model.NodeRole;
import org.systole.roles.model.NodeRoleId;
import org.systole.roles.model.NodeRoleState;
import org.systole.roles.model.Past;
import org.systole.roles.model.Refusal;
import org.systole.roles.model.Role;
import org.systole.roles.model.RoleFlag;
import org.systole.roles.model.RoleId;
import org.systole.roles.model.RolesDocument;

/// What may run only once outlives the node's place in the document, and the document.
final class PastTest {
  private static final NodeName NODE = new NodeName("n2");
  private static final NodeRoleId MKFS = new NodeRoleId(new RoleId("mkfs"), NODE);

  private static Role mkfs(RoleFlag... flags) {
    return new Role(
        MKFS.role(),
        "",
        Board.NOOP,
        Set.of(flags),
        new TreeSet<>(),
        new TreeSet<>(),
        new TreeSet<>(),
        Json.Obj.EMPTY,
        Map.of());
  }

  private static RoleEngine engine(Past past, Command... commands) throws Refusal {
    var engine = new RoleEngine(RolesDocument.empty("").withPast(past), Hooks.none());
    engine.carryOut(List.of(commands));
    return engine;
  }

  /// Through what is written, as each change in a cluster goes.
  private static RoleEngine again(RoleEngine engine) throws DocumentFault {
    var roles = new ClusterRoles(engine.document(), List.of(), new TreeMap<>());
    var read = ClusterRoles.read(roles.write());
    assertEquals(engine.document(), read.document());
    assertEquals(roles.write(), read.write(roles, roles.write()));
    return new RoleEngine(read.document(), Hooks.none());
  }

  private static NodeRole begun(RoleEngine engine) {
    var start = engine.plan().getFirst();
    assertEquals(MKFS, start.id());
    assertTrue(engine.begin(start));
    var noderole = engine.noderole(MKFS);
    assertNotNull(noderole);
    return noderole;
  }

  @Test
  void whatRanOnADeletedNodeIsAQuestionWhenItIsBack() throws Refusal, DocumentFault {
    var engine =
        engine(
            Past.NONE,
            new Command.DefineRole(mkfs(RoleFlag.DESTRUCTIVE, RoleFlag.DISCOVERY)),
            new Command.TakeIn(NODE),
            new Command.SetAlive(NODE, true));
    assertEquals(NodeRoleState.TRANSITION, begun(engine).state());
    assertTrue(engine.end(new RunEnd(MKFS, 1, new RunEnd.Succeeded(Json.Obj.EMPTY, ""))));

    engine.carryOut(List.of(new Command.SetAlive(NODE, false), new Command.DeleteNode(NODE)));
    var later = again(engine);
    var other = new NodeName("N2"); // the same name, by what names are
    later.carryOut(List.of(new Command.TakeIn(other), new Command.SetAlive(other, true)));

    var start = later.plan().getFirst();
    assertEquals(Start.Kind.ASK, start.kind());
    assertTrue(later.begin(start));
    var noderole = later.noderole(new NodeRoleId(MKFS.role(), other));
    assertNotNull(noderole);
    assertEquals(NodeRoleState.ERROR, noderole.state());
    assertTrue(noderole.cause().contains("only once"), noderole.cause());
    assertEquals(Map.of(), later.document().past().gone());

    later.carryOut(new Command.Retry(noderole.id(), true));
    assertEquals(Start.Kind.RUN, later.plan().getFirst().kind());
  }

  /// Whether it was made destructive before it went, while it was away or after it came back is all the same.
  @Test
  void soIsWhatBecameDestructiveWhileTheNodeWasDeleted() throws Refusal, DocumentFault {
    var engine =
        engine(
            Past.NONE,
            new Command.DefineRole(mkfs(RoleFlag.DISCOVERY)),
            new Command.TakeIn(NODE),
            new Command.SetAlive(NODE, true));
    assertEquals(NodeRoleState.TRANSITION, begun(engine).state());
    assertTrue(engine.end(new RunEnd(MKFS, 1, new RunEnd.Succeeded(Json.Obj.EMPTY, ""))));

    engine.carryOut(
        List.of(
            new Command.DeleteNode(NODE),
            new Command.DefineRole(mkfs(RoleFlag.DESTRUCTIVE, RoleFlag.DISCOVERY))));
    var later = again(engine);
    later.carryOut(List.of(new Command.TakeIn(NODE), new Command.SetAlive(NODE, true)));

    assertEquals(Start.Kind.ASK, later.plan().getFirst().kind());
  }

  /// The number that a later binding begins above is none of a run of its own.
  @Test
  void whatHasNotRunOnADeletedNodeIsNoQuestion() throws Refusal, DocumentFault {
    var discovered = new Command.DefineRole(mkfs(RoleFlag.DESTRUCTIVE, RoleFlag.DISCOVERY));
    var other = new NodeName("n3");
    var engine = engine(Past.NONE, discovered, new Command.TakeIn(other), new Command.SetAlive(other, true));
    assertTrue(engine.begin(engine.plan().getFirst()));
    engine.carryOut(List.of(new Command.SetAlive(other, false), new Command.DeleteNode(other)));

    engine.carryOut(List.of(new Command.TakeIn(NODE), new Command.DeleteNode(NODE)));
    var later = again(engine);
    later.carryOut(List.of(new Command.TakeIn(NODE), new Command.SetAlive(NODE, true)));

    assertEquals(2, begun(later).run());
  }

  @Test
  void whatIsNotDestructiveRunsOnANodeThatIsBack() throws Refusal, DocumentFault {
    var engine =
        engine(
            Past.NONE,
            new Command.DefineRole(mkfs(RoleFlag.DISCOVERY)),
            new Command.TakeIn(NODE),
            new Command.SetAlive(NODE, true));
    assertEquals(NodeRoleState.TRANSITION, begun(engine).state());

    engine.carryOut(List.of(new Command.DeleteNode(NODE)));
    var later = again(engine);
    later.carryOut(List.of(new Command.TakeIn(NODE), new Command.SetAlive(NODE, true)));
    assertEquals(NodeRoleState.TRANSITION, begun(later).state());

    assertTrue(later.end(new RunEnd(MKFS, 2, new RunEnd.Succeeded(Json.Obj.EMPTY, ""))));
    later.carryOut(new Command.DefineRole(mkfs(RoleFlag.DESTRUCTIVE, RoleFlag.DISCOVERY)));
    later.carryOut(new Command.Restarted(NODE));
    assertEquals(List.of(), later.plan(), "it is known to have succeeded");
  }

  @Test
  void aDocumentThatTookThePlaceOfALostOneAsksBeforeItDestroys() throws Refusal, DocumentFault {
    var engine =
        again(
            engine(
                Past.lost(1_000),
                new Command.DefineRole(mkfs(RoleFlag.DESTRUCTIVE)),
                new Command.TakeIn(NODE),
                new Command.Propose(DeploymentId.SYSTEM, null),
                new Command.Bind(DeploymentId.SYSTEM, MKFS),
                new Command.Commit(DeploymentId.SYSTEM),
                new Command.SetAlive(NODE, true)));
    var asked = begun(engine);
    assertEquals(NodeRoleState.ERROR, asked.state());
    assertTrue(asked.cause().contains("were lost"), asked.cause());

    engine.carryOut(List.of(new Command.Retry(MKFS, true)));
    var run = begun(again(engine));
    assertEquals(NodeRoleState.TRANSITION, run.state());
    assertEquals(1_001, run.run(), "no executor takes it for one of the lost document");
  }

  @Test
  void soDoesARoleOfItThatBecomesDestructiveLater() throws Refusal, DocumentFault {
    var engine =
        engine(
            Past.lost(1_000),
            new Command.DefineRole(mkfs(RoleFlag.DISCOVERY)),
            new Command.TakeIn(NODE),
            new Command.DefineRole(mkfs(RoleFlag.DESTRUCTIVE)),
            new Command.SetAlive(NODE, true));
    assertEquals(NodeRoleState.ERROR, begun(again(engine)).state());
  }
}
