package org.systole.roles.engine;

import java.math.BigDecimal;
import java.util.Map;
import java.util.TreeMap;
import org.systole.common.xml.XmlWriter;
import org.systole.roles.data.DeepDiff;
import org.systole.roles.data.DeepMerge;
import org.systole.roles.data.Json;
import org.systole.roles.data.JsonFault;
import org.systole.roles.data.JsonText;
import org.systole.roles.data.Retries;
import org.systole.roles.model.NodeRoleId;
import org.systole.roles.model.NodeRoleState;
import org.systole.roles.model.Refusal;
import org.systole.roles.model.RoleNode;

/// Runs of jigs, from their start to their end.
final class Runs {
  private static final int CAUSE_MAX = 1_000;
  private static final BigDecimal RETRIED_MAX = BigDecimal.valueOf(1_000_000_000);
  private static final String QUESTION =
      ". It may run only once: look at the node, then accept it as done (--accept) or allow another run (--retry with --again)";

  private final Board board;

  Runs(Board board) {
    this.board = board;
  }

  /// @return whether it was due and is begun now
  boolean begin(Start start) {
    var cell = board.live.get(start.id());
    if (cell == null || !start.equals(Annealer.due(board, cell))) {
      return false;
    }
    var node = node(cell);
    board.moves.move(cell, Input.STARTED);
    switch (start.kind()) {
      case RUN -> {
        cell.run = start.run();
        if (cell.runsOnce()) {
          node.note(cell.id.role(), new RoleNode.Once(false));
        }
      }
      case DONE_BEFORE -> board.moves.move(cell, Input.DONE_READY);
      case ASK ->
          board.moves.move(
              cell, Input.FAILED, ranBefore(cell) + QUESTION);
    }
    return true;
  }

  private String ranBefore(Cell cell) {
    return board.past.isUnknown() && cell.run <= board.past.anew()
        ? "the cluster's roles were lost, and nobody knows whether it ran before"
        : "it was begun before, and nobody knows how it ended";
  }

  /// @return whether that run was under way
  boolean end(RunEnd end) {
    var node = board.nodes.get(end.id().node());
    var cell = node == null ? null : node.running;
    if (node == null || cell == null || !cell.id.equals(end.id()) || cell.run != end.run()) {
      return false;
    }
    switch (end.outcome()) {
      case RunEnd.Succeeded it -> succeed(cell, node, it);
      case RunEnd.Failed(var cause) -> fail(cell, node, cause);
      case RunEnd.Lost(var cause) -> lose(node, cause);
    }
    return true;
  }

  private void succeed(Cell cell, NodeWork node, RunEnd.Succeeded end) {
    try {
      var answer = end.answer().isBlank() ? end.given() : JsonText.readObject(end.answer());
      cell.wall = DeepDiff.difference(end.given(), answer);
    } catch (JsonFault e) {
      fail(cell, node, "its jig's answer was not understood: " + e.getMessage());
      return;
    }
    if (cell.runsOnce()) {
      node.note(cell.id.role(), new RoleNode.Once(true));
    }
    if (isLive(cell)) {
      board.moves.move(cell, cell.waiting == 0 ? Input.DONE_READY : Input.DONE_BLOCKED);
    } else {
      conclude(cell, node, NodeRoleState.ACTIVE, "");
    }
  }

  private void fail(Cell cell, NodeWork node, String cause) {
    var line = oneLine(cause) + (cell.runsOnce() ? QUESTION : "");
    if (isLive(cell)) {
      board.moves.move(cell, Input.FAILED, line);
    } else {
      conclude(cell, node, NodeRoleState.ERROR, line);
    }
  }

  private static String oneLine(String cause) {
    var line = cause.strip().replaceAll("\\s*\\R\\s*", "; ");
    var shown = line.length() <= CAUSE_MAX ? line : line.substring(0, CAUSE_MAX) + "...";
    return shown.isEmpty() ? "its jig failed and said nothing" : XmlWriter.sayable(shown);
  }

  /// What runs on a node, if anything does, was lost from sight.
  void lose(NodeWork node, String why) {
    var cell = node.running;
    if (cell == null) {
      return;
    }
    if (!isLive(cell)) {
      conclude(cell, node, NodeRoleState.ERROR, "lost while it ran: " + oneLine(why));
    } else if (cell.runsOnce()) {
      board.moves.move(
          cell, Input.LOST_ONCE, "lost while it ran: " + oneLine(why) + QUESTION);
    } else {
      board.moves.move(cell, cell.waiting == 0 ? Input.LOST_READY : Input.LOST_BLOCKED);
    }
  }

  /// Ends what runs on for a snapshot that was archived meanwhile.
  private void conclude(Cell cell, NodeWork node, NodeRoleState state, String cause) {
    node.running = null;
    cell.state = state;
    cell.cause = cause;
    for (var snapshot : board.snapshots.values()) {
      if (snapshot.get(cell.id) == cell) {
        snapshot.conclude(cell);
      }
    }
  }

  private boolean isLive(Cell cell) {
    return board.live.get(cell.id) == cell;
  }

  private NodeWork node(Cell cell) {
    var node = board.nodes.get(cell.id.node());
    if (node == null) {
      throw new IllegalStateException(cell + " is on no node");
    }
    return node;
  }

  /// What is active was looked at again, or what is in error.
  ///
  /// A role that is not fit any more is in error, or done anew if it says so. One in error that is
  /// found fit is done anew: its jig has nothing left to do, or does what is left. What may run only
  /// once is active again by that without a run, if it is known to have succeeded before; otherwise
  /// a person is to answer the question.
  ///
  /// @param run the number of the run that made it what it is; a check of another one is ignored
  /// @param fault what was found; empty if it is fit
  /// @return whether this says anything new
  boolean checked(NodeRoleId id, int run, String fault) {
    var cell = board.live.get(id);
    if (cell == null || cell.run != run || cell.role.check().isNone()) {
      return false;
    }
    var node = node(cell);
    if (fault.isEmpty()) {
      if (cell.state != NodeRoleState.ERROR || cell.runsOnce() && !node.done(id.role())) {
        return false;
      }
      redo(cell);
    } else if (!cell.isActive()) {
      return false;
    } else if (cell.role.check().redo() && !cell.runsOnce()) {
      redo(cell);
    } else {
      board.moves.move(cell, Input.CHECK_FAILED, "its check failed: " + oneLine(fault));
    }
    return true;
  }

  /// It is to be done anew.
  void redo(Cell cell) {
    board.moves.move(cell, cell.waiting == 0 ? Input.REDO_READY : Input.REDO_BLOCKED);
  }

  /// A person wants it done anew.
  ///
  /// @param again whether one that may run once may run another time
  void retry(NodeRoleId id, boolean again) throws Refusal {
    var cell = board.live(id);
    if (cell.state != NodeRoleState.ERROR && !cell.isActive()) {
      throw new Refusal("cannot retry " + id + ": it is " + cell.state.word() + untilThen(cell));
    }
    var node = node(cell);
    if (cell.runsOnce() && node.begun(id.role())) {
      if (!again) {
        throw new Refusal(
            "cannot retry " + id + ": it may run only once, and did; allow another run (--again), or accept it (--accept)");
      }
      node.note(id.role(), null);
    }
    cell.system = DeepMerge.merge(cell.system, retried(cell));
    redo(cell);
  }

  private static String untilThen(Cell cell) {
    return cell.state == NodeRoleState.TODO || cell.state == NodeRoleState.BLOCKED
        ? ", and will be done; crm_role --waits shows what it waits for"
        : "";
  }

  /// How often a person wanted it done anew, where the role's own settings are: so its jig can tell
  /// a person's wish from a node that was started anew. It only grows, also where a noderole was unbound
  /// and is bound again: then it goes on from the number of its run, which is above all earlier ones.
  private static Json.Obj retried(Cell cell) {
    var role = cell.id.role().text();
    var before =
        cell.system.entries().get(role) instanceof Json.Obj(var known)
                && known.get(Retries.NAME) instanceof Json.Num(var times)
                && times.abs().compareTo(RETRIED_MAX) < 0 // a role may set what it likes there
                && times.scale() <= 0
            ? times
            : BigDecimal.ZERO;
    var next = before.add(BigDecimal.ONE).max(BigDecimal.valueOf(cell.run));
    var now = new TreeMap<String, Json>(Map.of(Retries.NAME, new Json.Num(next)));
    return new Json.Obj(new TreeMap<>(Map.of(role, new Json.Obj(now))));
  }

  /// A person says that it is done.
  void accept(NodeRoleId id) throws Refusal {
    var cell = board.live(id);
    if (cell.state != NodeRoleState.ERROR) {
      throw new Refusal("cannot accept " + id + ": it is " + cell.state.word() + ", not in error");
    }
    if (cell.waiting > 0) {
      throw new Refusal("cannot accept " + id + ": something it rests on is not active");
    }
    if (cell.runsOnce()) {
      node(cell).note(id.role(), new RoleNode.Once(true));
    }
    board.moves.move(cell, Input.ACCEPTED);
  }
}
