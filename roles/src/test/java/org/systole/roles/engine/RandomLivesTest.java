package org.systole.roles.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.systole.common.values.NodeName;
import org.systole.common.xml.Element;
import org.systole.roles.data.Json;
import org.systole.roles.document.Consistency;
import org.systole.roles.document.DocumentFault;
import org.systole.roles.document.RolesReader;
import org.systole.roles.document.RolesWriter;
import org.systole.roles.model.DeploymentId;
import org.systole.roles.model.NodeRole;
import org.systole.roles.model.NodeRoleId;
import org.systole.roles.model.NodeRoleState;
import org.systole.roles.model.Refusal;
import org.systole.roles.model.RoleFlag;
import org.systole.roles.model.RoleId;
import org.systole.roles.model.RolesDocument;
import org.systole.roles.view.LiveRoles;
import org.systole.roles.view.Waits;

/// Random graphs of roles live through random commands, runs and losses. `-Droles.seed=N` repeats
/// one life, `-Droles.seeds=N` says how many there are.
final class RandomLivesTest {
  private static final DeploymentId WEB = new DeploymentId("web");
  private static final int STEPS = 120;

  static LongStream seeds() {
    var one = Long.getLong("roles.seed");
    return one != null ? LongStream.of(one) : LongStream.range(0, Long.getLong("roles.seeds", 200));
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void rulesHoldInEveryLife(long seed) throws DocumentFault {
    new Life(seed).live();
  }

  @Test
  void theSameSeedIsTheSameLife() throws DocumentFault {
    assertEquals(new Life(7).live(), new Life(7).live());
  }

  private static final class Life {
    private final Random random;
    private final RoleEngine engine;
    private final Map<NodeRoleId, Integer> onceRuns = new HashMap<>();
    private final List<Start> running = new ArrayList<>();
    private final StringBuilder log = new StringBuilder();
    private RolesWriter.@Nullable Written written;
    private final RoleEngine looking = new RoleEngine(RolesDocument.empty(""), Hooks.none());
    private @Nullable RolesDocument seen;
    private @Nullable Element seenOf;
    private int kept;
    private int done;
    private int refused;

    Life(long seed) {
      random = new Random(seed);
      engine = new RoleEngine(RandomRoles.document(random), Hooks.none());
    }

    String live() throws DocumentFault {
      for (var at = 0; at < 3; at++) {
        order(new Command.CreateNode(RandomRoles.node(at), at == 0));
        order(new Command.SetAlive(RandomRoles.node(at), true));
      }
      order(new Command.CreateDeployment(WEB, DeploymentId.SYSTEM));
      for (var deployment : List.of(DeploymentId.SYSTEM, WEB)) {
        order(new Command.MoveNode(RandomRoles.node(2), deployment));
        edit(deployment, 30);
        order(new Command.Commit(deployment));
      }
      for (var step = 0; step < STEPS; step++) {
        var chance = random.nextInt(20);
        if (chance < 5) {
          order(command());
        } else if (chance == 5) {
          edit(random.nextBoolean() ? WEB : DeploymentId.SYSTEM, 6);
        } else if (chance == 6) {
          mend();
        } else {
          work();
        }
        check();
      }
      comeToRest();
      assertTrue(kept > STEPS / 4, "most looks read only what became of noderoles: " + kept);
      return log.toString();
    }

    private void edit(DeploymentId deployment, int changes) {
      order(new Command.Propose(deployment, null));
      for (var change = 0; change < changes; change++) {
        var node = RandomRoles.node(random.nextInt(4));
        var id = new NodeRoleId(new RoleId("r" + random.nextInt(10)), node);
        order(
            switch (random.nextInt(6)) {
              case 0 -> new Command.SetUser(deployment, id, number());
              case 1 -> new Command.SetDefaults(deployment, id.role(), number());
              default -> new Command.Bind(deployment, id);
            });
      }
    }

    private void order(Command command) {
      var before = engine.document();
      engine.happened();
      var other = new RoleEngine(before, Hooks.none());
      try {
        engine.carryOut(command);
        other.carryOut(command);
        compare(other, command);
        log.append(command).append('\n');
        forget(command);
      } catch (Refusal e) {
        refused++;
        log.append(command).append(" refused: ").append(e.getMessage()).append('\n');
        assertEquals(before, engine.document(), "a refused command changed something: " + command);
      }
    }

    /// Who has only the document does the same: another DC goes on where the first one was.
    private void compare(RoleEngine other, Object deed) {
      assertEquals(engine.document(), other.document(), "of two engines after " + deed);
      assertEquals(engine.happened(), other.happened(), "of two engines after " + deed);
    }

    /// Another run that a person allowed: nothing else has a destructive role run again, not even on a node
    /// that was deleted and is there again.
    private void forget(Command command) {
      if (command instanceof Command.Retry(var id, var again) && again) {
        onceRuns.remove(id);
      }
    }

    private Command command() {
      var node = RandomRoles.node(random.nextInt(4));
      var deployment = random.nextInt(3) == 0 ? WEB : DeploymentId.SYSTEM;
      var id = new NodeRoleId(new RoleId("r" + random.nextInt(10)), node);
      return switch (random.nextInt(18)) {
        case 0 -> new Command.CreateNode(node, random.nextBoolean());
        case 1 -> new Command.DeleteNode(node);
        case 2, 3 -> new Command.SetAlive(node, random.nextBoolean());
        case 4 -> new Command.SetAvailable(node, random.nextBoolean());
        case 5 -> new Command.Restarted(node);
        case 6, 7 ->
            new Command.Propose(deployment, random.nextInt(4) == 0 ? random.nextInt(5) : null);
        case 8, 9, 10 -> new Command.Bind(deployment, id);
        case 11 -> new Command.Unbind(deployment, id);
        case 12 -> new Command.SetUser(deployment, id, number());
        case 13, 14 -> new Command.Commit(deployment);
        case 15 -> new Command.Retry(id, random.nextBoolean());
        case 16 ->
            random.nextBoolean()
                ? new Command.Accept(id)
                : new Command.MoveNode(node, random.nextBoolean() ? WEB : DeploymentId.SYSTEM);
        default ->
            random.nextInt(6) == 0
                ? new Command.Archive(deployment, 1 + random.nextInt(4))
                : new Command.SetJig(RandomRoles.JIG, random.nextInt(3) > 0);
      };
    }

    private Json.Obj number() {
      return new Json.Obj(
          new TreeMap<>(Map.of("n", new Json.Text(Integer.toString(random.nextInt(3))))));
    }

    /// A person looks at what is in error, and after nodes.
    private void mend() {
      for (var noderole : new LiveRoles(engine.document()).all().values()) {
        if (noderole.state() == NodeRoleState.ERROR) {
          order(new Command.Retry(noderole.id(), random.nextBoolean()));
        }
      }
      order(new Command.SetAlive(RandomRoles.node(random.nextInt(3)), true));
      order(new Command.SetJig(RandomRoles.JIG, true));
    }

    private void work() {
      var before = engine.document();
      var plan = engine.plan();
      assertEquals(plan, Annealer.plan(before), "the plan is a function of the document");
      var onNodes = plan.stream().map(it -> it.id().node()).distinct().count();
      assertEquals(plan.size(), onNodes, "one for each node: " + plan);
      for (var start : plan) {
        if (random.nextInt(3) > 0) {
          begin(start);
        }
      }
      for (var start : new ArrayList<>(running)) {
        if (random.nextBoolean()) {
          running.remove(start);
          end(start);
        }
      }
    }

    private void begin(Start start) {
      var roles = new LiveRoles(engine.document());
      var noderole = roles.get(start.id());
      for (var parent : noderole.parents()) {
        assertEquals(
            NodeRoleState.ACTIVE,
            roles.get(parent).state(),
            start + " before " + parent + ", which it rests on");
      }
      var node = engine.document().nodes().get(start.id().node());
      assertTrue(node.alive() && node.available(), start + " on a node that may not be worked on");
      assertTrue(engine.document().jigs().get(RandomRoles.JIG), start + " with a jig that is off");
      for (var other : roles.all().values()) {
        assertFalse(
            other.id().node().equals(node.name()) && other.state() == NodeRoleState.ERROR,
            start + " beside " + other.id() + ", which is in error");
      }
      var other = new RoleEngine(engine.document(), Hooks.none());
      engine.happened();
      assertTrue(engine.begin(start), start + " was found due");
      other.begin(start);
      compare(other, start);
      assertFalse(engine.begin(start), start + " begins twice");
      log.append(start).append('\n');
      if (start.kind() == Start.Kind.RUN) {
        running.add(start);
        var role = engine.document().roles().get(start.id().role());
        if (role.is(RoleFlag.DESTRUCTIVE)) {
          assertEquals(1, onceRuns.merge(start.id(), 1, Integer::sum), start + " ran twice");
        }
      }
    }

    private void end(Start start) {
      var outcome =
          switch (random.nextInt(16)) {
            case 0 -> new RunEnd.Failed("no luck");
            case 1 -> new RunEnd.Lost("nobody looked");
            case 2 -> new RunEnd.Succeeded(Json.Obj.EMPTY, "garbage");
            default -> new RunEnd.Succeeded(Json.Obj.EMPTY, "{\"n\":\"" + random.nextInt(3) + "\"}");
          };
      var end = new RunEnd(start.id(), start.run(), outcome);
      var other = new RoleEngine(engine.document(), Hooks.none());
      engine.happened();
      var taken = engine.end(end);
      assertEquals(taken, other.end(end));
      compare(other, end);
      done += taken ? 1 : 0;
      log.append(end).append(' ').append(taken).append('\n');
      var after = engine.document();
      assertFalse(engine.end(end), end + " counts twice");
      assertEquals(after, engine.document());
    }

    private void check() throws DocumentFault {
      var document = engine.document();
      assertEquals(List.of(), new Consistency(document).faults(), log::toString);
      assertEquals(document, RolesReader.read(RolesWriter.write(document), Map.of()));
      goOn(document);
      var on = RolesWriter.write(document, written);
      assertEquals(RolesWriter.write(document), on, "what was written before is in it");
      written = new RolesWriter.Written(document, on);
    }

    /// Who looks time and again, and tries what is to come, is always at the document as it is.
    private void goOn(RolesDocument document) throws DocumentFault {
      var element = RolesWriter.write(document);
      var before = seen;
      var was = seenOf;
      var next =
          before == null || was == null
              ? RolesReader.read(element, Map.of())
              : RolesReader.readOn(element, was, before);
      assertEquals(document, next);
      var roles = List.copyOf(next.roles().values());
      kept += before != null && before.roles().values().stream().anyMatch(it -> it == roles.getFirst()) ? 1 : 0;
      seen = next;
      seenOf = element;
      looking.follow(next);
      assertEquals(engine.plan(), looking.plan());
      assertEquals(document, looking.document());
      for (var start : looking.plan()) {
        if (random.nextBoolean()) {
          looking.begin(start);
          looking.end(new RunEnd(start.id(), start.run(), new RunEnd.Succeeded(number(), "{}")));
        }
      }
    }

    /// With all nodes well and no more failures, all that is not active waits for a person.
    private void comeToRest() throws DocumentFault {
      order(new Command.SetJig(RandomRoles.JIG, true));
      for (NodeName node : engine.document().nodes().keySet()) {
        order(new Command.SetAlive(node, true));
        order(new Command.SetAvailable(node, true));
      }
      running.forEach(
          it -> engine.end(new RunEnd(it.id(), it.run(), new RunEnd.Failed("the end"))));
      running.clear();
      for (var rounds = 0; !engine.plan().isEmpty(); rounds++) {
        assertTrue(rounds < 1_000, "it never comes to rest");
        engine.plan().forEach(this::begin);
        running.forEach(
            it ->
                engine.end(
                    new RunEnd(it.id(), it.run(), new RunEnd.Succeeded(Json.Obj.EMPTY, ""))));
        running.clear();
      }
      check();
      var waits = new Waits(new LiveRoles(engine.document()));
      for (var wait : waits.all().values()) {
        NodeRole noderole = wait.noderole();
        assertTrue(
            noderole.state() != NodeRoleState.PROPOSED
                && noderole.state() != NodeRoleState.TRANSITION,
            noderole.toString());
        for (var chain : waits.chains(noderole.id())) {
          assertTrue(chain.contains("in error"), chain + "\n" + log);
        }
        assertFalse(waits.chains(noderole.id()).isEmpty(), noderole.toString());
      }
      if (Boolean.getBoolean("roles.echo")) {
        System.out.println(log);
      }
      log.append(done).append(" runs, ").append(refused).append(" refusals\n");
    }
  }

  /// The lives are worth something: things run, commands are refused and carried out.
  @Test
  void livesAreFullOfEvents() throws DocumentFault {
    var runs = 0;
    for (var seed = 0; seed < 50; seed++) {
      var life = new Life(seed);
      life.live();
      runs += life.done;
    }
    assertTrue(runs > 500, runs + " runs in fifty lives");
  }
}
