package org.systole.roles.engine;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.systole.roles.data.Retries;
import org.systole.roles.graph.RoleGraph;
import org.systole.roles.model.Deployment;
import org.systole.roles.model.DeploymentId;
import org.systole.roles.model.NodeRole;
import org.systole.roles.model.NodeRoleId;
import org.systole.roles.model.NodeRoleState;
import org.systole.roles.model.Refusal;
import org.systole.roles.model.Role;
import org.systole.roles.model.RoleEvent;
import org.systole.roles.model.RoleFlag;
import org.systole.roles.model.RoleId;
import org.systole.roles.model.RolesDocument;
import org.systole.roles.model.SnapshotState;

/// Works on a roles document: takes commands, says what is due, begins runs and hears of their
/// ends. It reads no clock and does no I/O; the same calls have the same results.
///
/// A refused command changes nothing. Not safe for use by several threads.
public final class RoleEngine {
  private final Hooks hooks;
  private RolesDocument document;
  private Board board;
  private boolean stale; // the document is older than the board
  private boolean defined; // roles, which the board has not taken in yet
  private Set<RoleId> gate = Set.of();
  private final Set<RoleId> onceNow = new HashSet<>(); // those among them that may run only once from now on

  /// @param document one that fits together
  public RoleEngine(RolesDocument document, Hooks hooks) {
    this.document = document;
    this.hooks = hooks;
    this.board = new Board(document, hooks);
  }

  /// What it has come to.
  public RolesDocument document() {
    if (stale) {
      document = board.document();
      stale = false;
    }
    return document;
  }

  /// Goes over to another document; what was done here and is not in it is forgotten. Where that differs
  /// only in what became of noderoles and nodes, this costs little.
  ///
  /// @param next one that fits together
  public void follow(RolesDocument next) {
    hooks.take();
    if (defined || !board.follow(next)) {
      lay(next);
    }
    defined = false;
    onceNow.clear();
    document = next;
    stale = false;
  }

  private void lay(RolesDocument next) {
    board = new Board(next, hooks);
    board.gate(gate);
  }

  /// Says what the join gate waits for from now on; see [Annealer].
  ///
  /// @param roles those that there are not are passed over
  public void gate(Collection<RoleId> roles) {
    var now = new TreeSet<>(roles);
    if (!now.equals(gate)) {
      gate = now;
      board.gate(gate);
    }
  }

  /// What came about since the last time this was asked, in order.
  public List<Happened> happened() {
    return hooks.take();
  }

  /// What is due now; see [Annealer].
  public List<Start> plan() {
    return Annealer.plan(board);
  }

  /// Begins what was found due.
  ///
  /// @return whether it is due still; otherwise nothing is done
  public boolean begin(Start start) {
    stale = true;
    return new Runs(board).begin(start);
  }

  /// Takes in what came of a run.
  ///
  /// @return whether that run was under way; otherwise nothing is done
  public boolean end(RunEnd end) {
    stale = true;
    return new Runs(board).end(end);
  }

  /// Takes in that a noderole was looked at again; see [Role.Check].
  ///
  /// @param run the number of its last run when it was looked at
  /// @param fault what was found; empty if it is fit
  /// @return whether this says anything new; otherwise nothing is done
  public boolean checked(NodeRoleId id, int run, String fault) {
    stale = true;
    return new Runs(board).checked(id, run, fault);
  }

  /// @throws Refusal if it cannot be carried out; then nothing has changed
  public void carryOut(Command command) throws Refusal {
    carryOut(List.of(command));
  }

  /// Carries out several commands, all or none. What it costs besides them is linear in the
  /// document's size, however many they are.
  ///
  /// @throws Refusal if one of them cannot be carried out; then nothing has changed
  public void carryOut(List<Command> commands) throws Refusal {
    carryOut(commands, () -> true);
  }

  /// As [#carryOut(List)], for whoever may not think for long.
  ///
  /// @param mayGoOn asked between two commands; once it says no all is refused
  public void carryOut(List<Command> commands, BooleanSupplier mayGoOn) throws Refusal {
    var before = document();
    var events = hooks.take();
    stale = true;
    try {
      for (var command : commands) {
        if (!mayGoOn.getAsBoolean()) {
          throw new Refusal("it takes too long: ask for a part of it at a time");
        }
        if (defined && !isDefinition(command)) {
          takeInRoles();
        }
        apply(command);
      }
      if (defined) {
        takeInRoles();
      }
    } catch (Refusal e) {
      document = before;
      stale = false;
      defined = false;
      onceNow.clear();
      hooks.take();
      lay(before);
      hooks.putBack(events);
      throw e;
    }
    var news = hooks.take();
    hooks.putBack(events);
    hooks.putBack(news);
  }

  private void apply(Command command) throws Refusal {
    var nodes = new NodeChanges(board);
    var snapshots = new SnapshotChanges(board);
    switch (command) {
      case Command.CreateNode(var node, var admin) -> nodes.create(node, admin);
      case Command.TakeIn(var node) -> nodes.takeIn(node);
      case Command.DeleteNode(var node) -> nodes.delete(node);
      case Command.SetAlive(var node, var alive) -> nodes.setAlive(node, alive);
      case Command.SetAvailable(var node, var available) -> nodes.setAvailable(node, available);
      case Command.Restarted(var node) -> nodes.restarted(node);
      case Command.MoveNode(var node, var deployment) -> nodes.move(node, deployment);
      case Command.SetJig(var jig, var active) -> board.jigs.put(jig, active);
      case Command.DefineRole(var role) -> define(role);
      case Command.RemoveRole(var role) -> remove(role);
      case Command.CreateDeployment(var id, var parent) -> createDeployment(id, parent);
      case Command.DeleteDeployment(var id) -> deleteDeployment(id);
      case Command.Propose(var deployment, var from) -> snapshots.propose(deployment, from);
      case Command.Bind(var deployment, var id) ->
          new Binder(board).bind(id.role(), id.node(), board.proposed(deployment));
      case Command.Unbind(var deployment, var id) -> snapshots.unbind(deployment, id);
      case Command.SetUser(var deployment, var id, var data) ->
          snapshots.setUser(deployment, id, data);
      case Command.SetDefaults(var deployment, var role, var data) ->
          snapshots.setDefaults(deployment, role, data);
      case Command.Commit(var deployment) -> new Commits(board).commit(deployment);
      case Command.Archive(var deployment, var number) ->
          new Commits(board).archive(deployment, number);
      case Command.Retry(var id, var again) -> new Runs(board).retry(id, again);
      case Command.Accept(var id) -> new Runs(board).accept(id);
    }
  }

  /// What is bound keeps what it rests on; whoever is bound later goes by the new definition.
  private void define(Role role) throws Refusal {
    if (!role.jig().equals(Board.NOOP) && !board.jigs.containsKey(role.jig())) {
      throw new Refusal("role " + role.id() + " names the jig " + role.jig() + ": there is none");
    }
    for (var answer : role.on().entrySet()) {
      if (Retries.isIn(answer.getValue(), role.id().text())) {
        throw new Refusal(Retries.fault(role.id().text(), answer.getKey().word()));
      }
    }
    var was = board.roles.put(role.id(), role);
    if (role.is(RoleFlag.DESTRUCTIVE) && (was == null || !was.is(RoleFlag.DESTRUCTIVE))) {
      onceNow.add(role.id());
    }
    if (board.roles.size() > RoleGraph.ROLES_MAX) {
      throw new Refusal("more than " + RoleGraph.ROLES_MAX + " roles cannot be defined");
    }
    defined = true;
  }

  /// A run of its jig that goes on for an archived snapshot is heard of no more: nothing could be
  /// done with its end, and until then its node would count as busy to some and free to others.
  private void remove(RoleId id) throws Refusal {
    board.role(id);
    for (var snapshot : board.snapshots.values()) {
      if (snapshot.state != SnapshotState.ARCHIVED && !snapshot.of(id).isEmpty()) {
        throw new Refusal(
            "cannot remove role " + id + ": snapshot " + snapshot.id + " has it on "
                + snapshot.of(id).firstKey() + ": unbind it first, and commit that");
      }
    }
    for (var snapshot : board.snapshots.values()) { // what runs on for one that is archived
      for (var running : List.copyOf(snapshot.of(id).values())) {
        if (running.runsOnce()) {
          throw new Refusal(
              "cannot remove role %s: it runs on %s, and may run only once: wait for its end"
                  .formatted(id, running.id.node()));
        }
        snapshot.disown(running);
      }
    }
    board.roles.remove(id);
    defined = true;
  }

  private static boolean isDefinition(Command command) {
    return command instanceof Command.DefineRole || command instanceof Command.RemoveRole;
  }

  /// Definitions that follow each other are looked at together: each costs as much as the document.
  private void takeInRoles() throws Refusal {
    defined = false;
    checkRoles();
    if (!onceNow.isEmpty()) {
      new NodeChanges(board).noteRuns(onceNow);
      onceNow.clear();
    }
    rebuild();
  }

  private void checkRoles() throws Refusal {
    var faults = new RoleGraph(board.roles).faults();
    if (!faults.isEmpty()) {
      throw new Refusal(faults.getFirst());
    }
  }

  private void rebuild() {
    lay(board.document());
  }

  private void createDeployment(DeploymentId id, DeploymentId parent) throws Refusal {
    board.deployment(parent);
    if (board.deployments.putIfAbsent(id, new Deployment(id, parent)) != null) {
      throw new Refusal("there is a deployment " + id);
    }
    hooks.fire(RoleEvent.ON_DEPLOYMENT_CREATE, id.text());
  }

  private void deleteDeployment(DeploymentId id) throws Refusal {
    board.deployment(id);
    if (id.equals(DeploymentId.SYSTEM)) {
      throw new Refusal("deployment system cannot be deleted: all others are under it");
    }
    var why = new ArrayList<String>();
    board.deployments.values().stream()
        .filter(it -> id.equals(it.parent()))
        .forEach(it -> why.add("deployment " + it.id() + " is under it"));
    board.nodes.values().stream()
        .filter(it -> it.node.deployment().equals(id))
        .forEach(it -> why.add("node " + it.node.name() + " is in it"));
    for (var snapshot : board.history(id)) {
      var busy = snapshot.state != SnapshotState.ARCHIVED || !snapshot.cells().isEmpty();
      if (busy) {
        why.add("its snapshot " + snapshot.id + " is in use");
      }
    }
    if (!why.isEmpty()) {
      throw new Refusal("cannot delete deployment " + id + ": " + why.getFirst());
    }
    hooks.fire(RoleEvent.ON_DEPLOYMENT_DELETE, id.text());
    board.history(id).forEach(it -> board.snapshots.remove(it.id));
    board.deployments.remove(id);
  }

  /// A noderole of a committed snapshot as it is now, null if there is none.
  public @Nullable NodeRole noderole(NodeRoleId id) {
    var cell = board.live.get(id);
    return cell == null ? null : cell.freeze();
  }

  /// How many live noderoles are in a state.
  public int count(NodeRoleState state) {
    return (int) board.live.values().stream().filter(it -> it.state == state).count();
  }
}
