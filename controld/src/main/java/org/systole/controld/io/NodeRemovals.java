package org.systole.controld.io;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.systole.common.values.NodeName;
import org.systole.common.world.World;
import org.systole.controld.client.CtlMessage;

/// Removes what the CIB has of nodes. A node of which the cluster knows nothing, and that it has by its configuration, or by what
/// members remember of its connection, is one to be fenced. The latter the cluster deletes soon after the former is gone, and
/// that is waited for; where it cannot, as a member is lost and cannot be fenced, the node is not removed.
///
/// A remote node that may run something yet, as nobody could reach it to stop that, and that was not fenced, is not removed: what runs there would
/// be started elsewhere at once, as nothing would tell of it any more.
final class NodeRemovals {
  /// What has just been taken out of the configuration may still be in this node's copy of the CIB.
  private static final Duration ON_ITS_WAY = Duration.ofSeconds(1);

  /// How long the histories of a connection that was deleted are waited for: within the time of who asked.
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private static final int WAITING_MAX = 1000;

  private final class Removal {
    final NodeName node;
    final Consumer<CtlMessage.Reply> answer;
    final World.Timer arriving = world.after(ON_ITS_WAY, this::arrived);
    final World.Timer patience = world.after(PATIENCE, () -> end(this::giveUp));
    boolean arrived;

    Removal(NodeName node, Consumer<CtlMessage.Reply> answer) {
      this.node = node;
      this.answer = answer;
    }

    private void arrived() {
      arrived = true;
      look();
    }

    void look() {
      var by = host.madeBy(node);
      if (by != null && arrived) {
        end(() -> refuse(stillMade(node, by)));
      } else if (by == null && !host.remembersConnection(node)) {
        var runs = host.mayRunOn(node);
        if (runs.isEmpty()) {
          end(this::forget);
        } else if (arrived) { // nobody will stop that
          end(() -> refuse(mayRun(node, runs)));
        }
      }
    }

    private void end(Runnable how) {
      if (waiting.remove(this)) {
        arriving.cancel();
        patience.cancel();
        how.run();
      }
    }

    private void giveUp() {
      var runs = host.mayRunOn(node);
      refuse(runs.isEmpty() ? remembered(node) : mayRun(node, runs));
    }

    private void refuse(String why) {
      answer.accept(CommandServer.refused(CtlMessage.Reason.NOT_NOW, why));
    }

    private void forget() {
      host.removeNode(
          node,
          fine ->
              answer.accept(
                  fine
                      ? new CtlMessage.Done()
                      : CommandServer.refused(CtlMessage.Reason.FAILED, "the CIB could not be changed")));
    }
  }

  private final World world;
  private final CommandServer.Host host;
  private final List<Removal> waiting = new ArrayList<>();

  NodeRemovals(World world, CommandServer.Host host) {
    this.world = world;
    this.host = host;
  }

  /// @param answer told once
  void begin(NodeName node, Consumer<CtlMessage.Reply> answer) {
    if (waiting.size() >= WAITING_MAX) {
      answer.accept(CommandServer.refused(CtlMessage.Reason.NOT_NOW, "too many nodes are being removed; try again"));
      return;
    }
    var removal = new Removal(node, answer);
    waiting.add(removal);
    removal.look();
  }

  /// There may be nothing left to wait for.
  void cibChanged() {
    List.copyOf(waiting).forEach(Removal::look);
  }

  private static String mayRun(NodeName node, List<String> resources) {
    return ("%1$s may still run %2$s, which would be started elsewhere; have it fenced first (stonith_admin --fence %1$s), or, if it is certain that it"
            + " is off, say so (stonith_admin --confirm %1$s)")
        .formatted(node, String.join(", ", resources));
  }

  private static String remembered(NodeName node) {
    return ("a member remembers the connection to %1$s yet, so that %1$s would be fenced as a node of which nothing is known; have a member that is"
            + " lost fenced, or confirm that it is off, and try again")
        .formatted(node);
  }

  private static String stillMade(NodeName node, String by) {
    return (by.equals(node.text())
            ? "%1$s is a remote node by the resource %2$s, so it would be back at once, or be fenced; delete"
                + " that resource first"
            : "%1$s is a guest node by the resource %2$s, so it would be back at once, or be fenced; delete that"
                + " resource, or take its remote-node out, first")
        .formatted(node, by);
  }
}
