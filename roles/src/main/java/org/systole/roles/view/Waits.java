package org.systole.roles.view;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.systole.common.values.NodeName;
import org.systole.roles.graph.RoleGraph;
import org.systole.roles.model.JigId;
import org.systole.roles.model.NodeRole;
import org.systole.roles.model.NodeRoleId;
import org.systole.roles.model.NodeRoleState;
import org.systole.roles.model.RoleId;

/// What each noderole that is not active waits for, and where that begins.
public final class Waits {
  private static final int ROOTS_MAX = 10;
  private static final JigId NOOP = new JigId("noop");

  /// @param blockers the noderoles it waits for, sorted
  /// @param reason why it does not go on, if that is no noderole it rests on; empty otherwise
  public record Wait(NodeRole noderole, List<NodeRoleId> blockers, String reason) {}

  private final LiveRoles roles;
  private final SortedMap<NodeRoleId, Wait> waits = new TreeMap<>();
  private final Map<NodeName, NodeRoleId> running = new HashMap<>();
  private final Map<NodeName, NodeRoleId> failed = new HashMap<>();
  private final Map<NodeName, NodeRoleId> failedOfGate = new HashMap<>();
  private final Set<RoleId> gate;

  public Waits(LiveRoles roles) {
    this(roles, Set.of());
  }

  /// @param gate the roles that the join gate waits for
  public Waits(LiveRoles roles, Collection<RoleId> gate) {
    this.roles = roles;
    this.gate =
        gate.isEmpty() ? Set.of() : new TreeSet<>(new RoleGraph(roles.document().roles()).withRequired(gate));
    for (var snapshot : roles.document().snapshots().values()) {
      for (var noderole : snapshot.nodeRoles().values()) {
        if (noderole.state() == NodeRoleState.TRANSITION) {
          running.put(noderole.id().node(), noderole.id());
        }
      }
    }
    for (var noderole : roles.all().values()) {
      if (noderole.state() == NodeRoleState.ERROR) {
        failed.putIfAbsent(noderole.id().node(), noderole.id());
        if (this.gate.contains(noderole.id().role())) {
          failedOfGate.putIfAbsent(noderole.id().node(), noderole.id());
        }
      }
    }
    for (var noderole : roles.all().values()) {
      if (noderole.state() != NodeRoleState.ACTIVE) {
        waits.put(noderole.id(), wait(noderole));
      }
    }
  }

  /// All that are not active.
  public SortedMap<NodeRoleId, Wait> all() {
    return waits;
  }

  private Wait wait(NodeRole noderole) {
    return switch (noderole.state()) {
      case ERROR -> new Wait(noderole, List.of(), noderole.cause());
      case BLOCKED -> {
        var blockers =
            noderole.parents().stream()
                .filter(
                    it -> {
                      var parent = roles.get(it);
                      return parent == null || parent.state() != NodeRoleState.ACTIVE;
                    })
                .toList();
        yield new Wait(noderole, blockers, "");
      }
      case TODO -> new Wait(noderole, List.of(), whyNotYet(noderole));
      case TRANSITION, PROPOSED, ACTIVE -> new Wait(noderole, List.of(), "");
    };
  }

  private String whyNotYet(NodeRole noderole) {
    var name = noderole.id().node();
    var node = roles.document().nodes().get(name);
    var role = roles.document().roles().get(noderole.id().role());
    if (node == null || role == null) {
      return "its node or role is gone";
    }
    if (!node.alive()) {
      return "node " + name + " is not alive";
    }
    if (!node.available()) {
      return "node " + name + " is not available";
    }
    if (!roles.document().jigs().getOrDefault(role.jig(), role.jig().equals(NOOP))) {
      return "jig " + role.jig() + " is not active";
    }
    var failing = (gate.contains(role.id()) ? failedOfGate : failed).get(name);
    if (failing != null) {
      return failing + ", on the same node, is in error";
    }
    var other = running.get(name);
    if (other == null) {
      return "";
    }
    return other.equals(noderole.id())
        ? "its run for the snapshot before is still under way"
        : other + ", on the same node, is under way";
  }

  /// From a noderole to each place where its waiting begins, one line each; empty if it is active.
  public List<String> chains(NodeRoleId of) {
    var lines = new ArrayList<String>();
    var seen = new TreeSet<NodeRoleId>();
    var ways = new ArrayList<List<NodeRoleId>>();
    ways.add(List.of(of));
    while (!ways.isEmpty() && lines.size() < ROOTS_MAX) {
      var way = ways.removeFirst();
      var wait = waits.get(way.getLast());
      if (wait == null || !seen.add(way.getLast())) {
        continue;
      }
      if (wait.blockers().isEmpty()) {
        lines.add(line(way, wait));
      }
      for (var blocker : wait.blockers()) {
        var further = new ArrayList<>(way);
        further.add(blocker);
        ways.add(further);
      }
    }
    return lines;
  }

  private String line(List<NodeRoleId> way, Wait root) {
    var text = new StringBuilder();
    for (var at = 0; at < way.size(); at++) {
      text.append(at == 0 ? "" : at == 1 ? " waits for " : ", which waits for ");
      text.append(way.get(at));
    }
    var state = root.noderole().state();
    text.append(way.size() == 1 ? " is " : ", which is ").append(phrase(state));
    return root.reason().isEmpty() ? text.toString() : text + ": " + root.reason();
  }

  private static String phrase(NodeRoleState state) {
    return switch (state) {
      case PROPOSED -> "proposed";
      case TODO -> "to be done";
      case BLOCKED -> "blocked";
      case TRANSITION -> "under way";
      case ACTIVE -> "active";
      case ERROR -> "in error";
    };
  }
}
