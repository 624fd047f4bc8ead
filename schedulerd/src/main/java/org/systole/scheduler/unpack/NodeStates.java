package org.systole.scheduler.unpack;

import org.jspecify.annotations.Nullable;
import org.systole.common.values.Bool;
import org.systole.common.values.Numbers;
import org.systole.common.values.Score;
import org.systole.common.xml.Element;
import org.systole.scheduler.model.ClusterFlag;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.NodeFlag;
import org.systole.scheduler.model.WorkingSet;
import org.systole.scheduler.operations.Fencing;
import org.systole.scheduler.operations.Seconds;

/// Decides from a cluster node's state entry whether it is online, pending, or has to be fenced.
final class NodeStates {
  private final WorkingSet ws;

  NodeStates(WorkingSet ws) {
    this.ws = ws;
  }

  /// @param member since when it is a cluster member (epoch seconds), 0 if not, -1 if never seen
  /// @param online since when its controller is in the process group, 0 if it is not
  private record Membership(long member, long online, @Nullable String join) {}

  void apply(Element state, Node node) {
    var membership = new Membership(member(state), online(state), state.get("join"));
    node.setShutdown(isShutdownRequested(node));
    if (!node.shutdown() && "member".equalsIgnoreCase(state.get("expected"))) {
      node.set(NodeFlag.EXPECTED_UP);
    }
    var online =
        ws.is(ClusterFlag.FENCING_ENABLED)
            ? withFencing(state, node, membership)
            : withoutFencing(node, membership);
    if (online) {
      node.setOnline(true);
    }
    if (!online || node.shutdown()) {
      node.setScore(-Score.INFINITY);
    }
    if (node.unclean()) {
      ws.warning(node.name() + " is unclean");
    }
  }

  static boolean isShutdownRequested(Node node) {
    var shutdown = node.attributes().get("shutdown");
    return shutdown != null && !shutdown.equals("0");
  }

  private long member(Element state) {
    var text = state.get("in_ccm");
    if (text == null) {
      return -1;
    }
    var flag = Bool.parse(text);
    if (flag != null) {
      // Recorded by an older DC, or of a node about to shut down: as good as just joined.
      return flag ? ws.nowSeconds() : 0;
    }
    var since = Numbers.parse(text, -1);
    if (!Numbers.isNumber(text) || since < 0) {
      ws.logWarning("Unrecognized value '" + text + "' for in_ccm in node_state entry");
      return -1;
    }
    return since;
  }

  private long online(Element state) {
    var text = state.get("crmd");
    if (text == null || text.equalsIgnoreCase("offline")) {
      return 0;
    }
    if (text.equalsIgnoreCase("online")) {
      return 1;
    }
    var since = Numbers.parse(text, -1);
    if (!Numbers.isNumber(text) || since < 0) {
      ws.logWarning(
          "Unrecognized value '" + text + "' for crmd in node_state entry, assuming offline");
      return 0;
    }
    return since;
  }

  private boolean withoutFencing(Node node, Membership membership) {
    if (membership.member <= 0) {
      return false;
    }
    if (membership.online > 0) {
      return "member".equalsIgnoreCase(membership.join);
    }
    if (node.is(NodeFlag.EXPECTED_UP)) {
      fence(node, "peer is unexpectedly down");
    }
    return false;
  }

  private void fence(Node node, String reason) {
    Fencing.fenceNode(ws, node, reason, false);
  }

  private boolean withFencing(Element state, Node node, Membership membership) {
    if (node.shutdown()) {
      return membership.online > 0; // a peer that is gone cannot be shut down
    }
    if (membership.member < 0) {
      fence(node, "peer has not been seen by the cluster");
      return false;
    }
    var expected = state.get("expected");
    var join = membership.join == null ? "" : membership.join;
    if (join.equals("banned")) {
      fence(node, "peer failed Pacemaker membership criteria");
    } else if (isTerminationRequested(node)) {
      if (membership.member <= 0 && membership.online <= 0 && join.equals("down")) {
        ws.info(node.name() + " was fenced as requested");
        return false;
      }
      fence(node, "fencing was requested");
    } else if (expected == null || expected.equals("down")) {
      comingUp(node, membership);
    } else if (membership.member <= 0) {
      Fencing.fenceNode(ws, node, "peer is no longer part of the cluster", true);
    } else if (membership.online <= 0) {
      fence(node, "peer process is no longer available");
    } else if (join.equals("pending") || join.equals("down")) {
      makePending(node);
    } else if (!join.equals("member")) {
      fence(node, "peer was in an unknown state");
    }
    return membership.member > 0;
  }

  private void comingUp(Node node, Membership membership) {
    if (isPendingTooLong(membership)) {
      fence(node, "peer pending timed out on joining the process group");
    } else if (membership.member > 0 || membership.online > 0) {
      makePending(node);
    }
  }

  private static void makePending(Node node) {
    node.set(NodeFlag.STANDBY);
    node.setPending(true);
  }

  private boolean isPendingTooLong(Membership membership) {
    if (ws.nodePendingMs() == 0 || membership.member <= 0 || membership.online > 0) {
      return false;
    }
    var timeout = membership.member + Seconds.of(ws.nodePendingMs());
    if (ws.nowSeconds() >= timeout) {
      return true;
    }
    ws.recheckBy(timeout);
    return false;
  }

  /// The attribute is a boolean or a time.
  private boolean isTerminationRequested(Node node) {
    var text = node.attributes().get("terminate");
    if (text == null) {
      return false;
    }
    var flag = Bool.parse(text);
    if (flag != null) {
      return flag;
    }
    if (!Numbers.isNumber(text)) {
      ws.logWarning(
          "Ignoring unrecognized value '"
              + text
              + "' for terminate node attribute for "
              + node.name());
    }
    return Numbers.whole(text, 0) > 0;
  }
}
