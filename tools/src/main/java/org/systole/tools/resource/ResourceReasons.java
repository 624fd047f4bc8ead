package org.systole.tools.resource;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.output.ExitStatus;
import org.systole.common.output.TextOutput;
import org.systole.common.output.XmlOutput;
import org.systole.common.values.Bool;
import org.systole.scheduler.Scheduler;
import org.systole.scheduler.explain.Explanation;
import org.systole.scheduler.explain.ExplanationView;
import org.systole.scheduler.model.ClusterFlag;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.Role;
import org.systole.scheduler.unpack.Health;
import org.systole.tools.cli.CommandException;

/// Where resources run, and what in the configuration keeps them from running.
final class ResourceReasons {
  private final ResourceContext context;

  ResourceReasons(ResourceContext context) {
    this.context = context;
  }

  /// What keeps a resource as it is, as far as its own options and the health of nodes say.
  private record Checks(
      boolean stopped,
      boolean unpromotable,
      boolean unmanaged,
      @Nullable String lockedTo,
      boolean unhealthy) {
    boolean any() {
      return stopped || unpromotable || unmanaged || lockedTo != null || unhealthy;
    }
  }

  private static Checks checks(Resource rsc, @Nullable Node node) {
    var target = rsc.top(false).meta().get("target-role");
    var role = target == null ? null : Role.parse(target);
    var stopped = role == Role.STOPPED;
    var unpromotable =
        role == Role.UNPROMOTED
            && rsc.top(false).is(org.systole.scheduler.model.ResourceFlag.PROMOTABLE);
    var managed = rsc.top(false).meta().get("is-managed");
    var unmanaged = managed != null && !Bool.isTrue(managed);
    return new Checks(
        stopped,
        unpromotable,
        unmanaged,
        rsc.lockNode() == null ? null : rsc.lockNode().name(),
        isKeptAwayByHealth(rsc, node));
  }

  /// Whether the node asked about is too ill for any resource, or every node that is allowed.
  private static boolean isKeptAwayByHealth(Resource rsc, @Nullable Node node) {
    var cluster = rsc.cluster();
    if (node != null) {
      return Health.keepsAll(cluster, node);
    }
    var allowed = rsc.allowed();
    for (var each : allowed) {
      if (!Health.keepsAll(cluster, each.node())) {
        return false;
      }
    }
    return !allowed.isEmpty();
  }

  /// @param fully whether all that decided about the resource is shown, too
  /// @param verbose as with `fully`, if the output is for people
  void explain(boolean fully, boolean verbose) throws CommandException {
    switch (context.out()) {
      case TextOutput text -> explain(text);
      case XmlOutput xml -> explain(xml);
    }
    var rsc = context.resource();
    if (rsc != null && (fully || verbose && context.out() instanceof TextOutput)) {
      explainFully();
    }
  }

  // The status in the context was read without planning, and has no decisions.
  private void explainFully() throws CommandException {
    var status = context.status();
    var planned =
        Scheduler.run(status.cib(), status.now(), status.zone(), EnumSet.of(ClusterFlag.EXPLAIN))
            .cluster();
    var node = context.node() == null ? null : planned.node(context.node().name());
    var explanation = Explanation.of(planned, context.requested(), node);
    if (explanation == null) {
      throw new CommandException(
          ExitStatus.NOSUCH, "Resource '" + context.requested() + "' not found");
    }
    ExplanationView.show(context.out(), explanation);
  }

  private void explain(TextOutput text) {
    var rsc = context.resource();
    var node = context.node();
    if (rsc == null && node == null) {
      for (var each : context.status().resources()) {
        text.print(
            "Resource %s is %srunning\n".formatted(each.id(), isRunning(each) ? "" : "not "));
        check(text, each, null);
      }
    } else if (rsc != null && node != null) {
      text.print(
          "Resource %s is %srunning on host %s\n"
              .formatted(rsc.id(), isRunningOn(rsc, node) ? "" : "not ", node.name()));
      check(text, rsc, node);
    } else if (rsc != null) {
      text.print("Resource %s is %srunning\n".formatted(rsc.id(), isRunning(rsc) ? "" : "not "));
      check(text, rsc, null);
    } else if (node != null) {
      for (var each : node.running()) {
        text.print("Resource %s is running on host %s\n".formatted(each.id(), node.name()));
        check(text, each, node);
      }
      for (var each : assignedOnly(node)) {
        text.print(
            "Resource %s is assigned to host %s but not running\n"
                .formatted(each.id(), node.name()));
        check(text, each, node);
      }
    }
  }

  private void explain(XmlOutput xml) {
    var rsc = context.resource();
    var node = context.node();
    if (rsc == null && node == null) {
      xml.open("reason");
      xml.open("resources");
      for (var each : context.status().resources()) {
        xml.open("resource", "id", each.id(), "running", Boolean.toString(isRunning(each)));
        check(xml, each, null);
        xml.close();
      }
      xml.close();
    } else if (rsc != null && node != null) {
      xml.open("reason", "running_on", isRunningOn(rsc, node) ? node.name() : null);
      check(xml, rsc, node);
    } else if (rsc != null) {
      xml.open("reason", "running", Boolean.toString(isRunning(rsc)));
      check(xml, rsc, null);
    } else if (node != null) {
      xml.open("reason");
      xml.open("resources");
      onNode(xml, node.running(), true, node);
      onNode(xml, assignedOnly(node), false, node);
      xml.close();
    }
    xml.close();
  }

  private static void onNode(XmlOutput xml, List<Resource> all, boolean running, Node node) {
    for (var each : all) {
      xml.open(
          "resource", "id", each.id(), "running", Boolean.toString(running), "host", node.name());
      check(xml, each, node);
      xml.close();
    }
  }

  private static List<Resource> assignedOnly(Node node) {
    var rest = new ArrayList<>(node.assigned());
    rest.removeAll(node.running());
    return rest;
  }

  private static boolean isRunning(Resource rsc) {
    return !rsc.nodes(Resource.Where.CURRENT).isEmpty();
  }

  private static boolean isRunningOn(Resource rsc, Node node) {
    return rsc.nodes(Resource.Where.CURRENT).stream().anyMatch(it -> it.id().equals(node.id()));
  }

  /// @param node where it is asked about, or null for all nodes
  static void check(TextOutput text, Resource rsc, @Nullable Node node) {
    var checks = checks(rsc, node);
    if (!checks.any()) {
      return;
    }
    var id = rsc.top(false).id();
    if (checks.stopped()) {
      text.print("Configuration specifies '%s' should remain stopped\n".formatted(id));
    }
    if (checks.unpromotable()) {
      text.print("Configuration specifies '%s' should not be promoted\n".formatted(id));
    }
    if (checks.unmanaged()) {
      text.print(
          "Configuration prevents cluster from stopping or starting unmanaged '%s'\n"
              .formatted(id));
    }
    if (checks.lockedTo() != null) {
      text.print("'%s' is locked to node %s due to shutdown\n".formatted(id, checks.lockedTo()));
    }
    if (checks.unhealthy()) {
      text.print(
          "'%s' cannot run on unhealthy nodes due to node-health-strategy='%s'\n"
              .formatted(id, Health.strategy(rsc.cluster())));
    }
  }

  static void check(XmlOutput xml, Resource rsc, @Nullable Node node) {
    var checks = checks(rsc, node);
    xml.add(
        "check",
        "id",
        rsc.top(false).id(),
        "remain_stopped",
        checks.stopped() ? "true" : null,
        "promotable",
        checks.unpromotable() ? "false" : null,
        "unmanaged",
        checks.unmanaged() ? "true" : null,
        "locked-to",
        checks.lockedTo(),
        "unhealthy",
        checks.unhealthy() ? "true" : null);
  }

  /// Where it runs, each node with whether it is promoted there.
  void locate() {
    var found = search(context.theResource(), context.requested());
    switch (context.out()) {
      case TextOutput text -> {
        if (found.isEmpty() && !text.isQuiet()) {
          text.error("resource %s is NOT running".formatted(context.requested()));
        }
        for (var it : found) {
          text.print(
              text.isQuiet()
                  ? it.node() + "\n"
                  : "resource %s is running on: %s%s\n"
                      .formatted(context.requested(), it.node(), it.promoted() ? " Promoted" : ""));
        }
      }
      case XmlOutput xml -> {
        xml.open("nodes", "resource", context.requested());
        for (var it : found) {
          var node = xml.addText("node", it.node());
          if (it.promoted()) {
            node.attr("state", "promoted");
          }
        }
        xml.close();
      }
    }
  }

  private record Place(String node, boolean promoted) {}

  private static List<Place> search(Resource rsc, String requested) {
    Resource clone = null;
    if (rsc.isClone()) {
      clone = rsc;
    } else {
      var top = rsc.top(false);
      if (top.isClone()
          && !rsc.is(org.systole.scheduler.model.ResourceFlag.UNIQUE)
          && rsc.historyId() != null
          && requested.equals(rsc.historyId())
          && !requested.equals(rsc.id())) {
        clone = top;
      }
    }
    var found = new ArrayList<Place>();
    for (var each : clone == null ? List.of(rsc) : clone.children()) {
      for (var node : each.active()) {
        var promoted =
            each.is(org.systole.scheduler.model.ResourceFlag.PROMOTABLE)
                && each.role(true) == Role.PROMOTED;
        found.addFirst(new Place(node.name(), promoted));
      }
    }
    return found;
  }
}
