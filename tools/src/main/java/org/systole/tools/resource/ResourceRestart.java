package org.systole.tools.resource;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.systole.common.output.ExitStatus;
import org.systole.common.output.Output;
import org.systole.common.output.Rc;
import org.systole.common.values.Interval;
import org.systole.common.values.Numbers;
import org.systole.scheduler.Scheduler;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.WorkingSet;
import org.systole.scheduler.operations.OperationConfig;
import org.systole.tools.cli.CommandException;

/// Restarts a resource and what depends on it: takes it down by the configuration, waits, puts the
/// configuration back, waits.
final class ResourceRestart {
  private static final long DEFAULT_ACTION_SECONDS = 20;
  private static final long CLUSTER_SECONDS = 30; // for what is not the actions themselves

  private final ResourceContext context;
  private final ResourceOptions options;
  private final Output out;
  private final @Nullable String host;
  private final @Nullable Instant until;

  ResourceRestart(ResourceContext context, ResourceOptions options) {
    this.context = context;
    this.options = options;
    this.out = context.out();
    this.host = context.node() == null ? null : context.node().name();
    var millis = options.timeout == null ? 0 : Interval.parse(options.timeout, 0);
    this.until = millis == 0 ? null : context.terminal().clock().get().plusMillis(millis);
  }

  void restart() throws CommandException {
    var rsc = toRestart();
    var top = rsc.top(false);
    var instances = rsc.isClone() || rsc.isBundle() || top.isClone();
    // One of several instances can only be stopped by keeping it off its node.
    var banned = host == null || !instances ? null : top.isClone() ? top.id() : rsc.id();
    var id = rsc.is(ResourceFlag.UNIQUE) ? rsc.id() : ResourceContext.plainId(rsc);
    var formerRole = targetRole(rsc);
    var before = active(context.status(), host);
    if (banned == null) {
      ResourceContext.check(parameters(id).set(TARGET_ROLE, "Stopped", false));
    } else {
      ban(banned);
    }
    var down = false;
    try {
      var kept = planned(id);
      awaitStop(id, before, kept);
      down = true;
    } finally {
      restore(id, banned, formerRole, down);
    }
    awaitStart(id, before);
  }

  private static final ResourceParameters.Which TARGET_ROLE =
      new ResourceParameters.Which(ResourceParameters.META, "", "", "target-role");

  private Resource toRestart() throws CommandException {
    var rsc = context.theResource();
    if (rsc.isBundled() && rsc.top(true) instanceof Resource bundle) {
      rsc = bundle;
    }
    var top = rsc.top(false);
    if (top.isClone() && !runs(rsc)) {
      for (var instance : top.children()) {
        if (runs(instance)) {
          rsc = instance;
          break;
        }
      }
    }
    if (!runs(rsc)) {
      out.error(
          "%s is not running %s and so cannot be restarted"
              .formatted(context.requested(), host == null ? "anywhere" : "on " + host));
      throw new CommandException(Rc.ENXIO.exit(), "");
    }
    if (!rsc.is(ResourceFlag.MANAGED)) {
      out.error("Unmanaged resources cannot be restarted.");
      throw new CommandException(Rc.EAGAIN.exit(), "");
    }
    if (!context.cib().isLive()) {
      throw new CommandException(
          ExitStatus.UNSAFE, "Only a running cluster can restart a resource: CIB_file is set");
    }
    return rsc;
  }

  private boolean runs(Resource rsc) {
    return rsc.nodes(Resource.Where.CURRENT).stream()
        .anyMatch(it -> host == null || it.name().equalsIgnoreCase(host));
  }

  /// The target role in the configuration of the resource or of what it is part of, null if none.
  private static @Nullable String targetRole(Resource rsc) {
    for (@Nullable Resource at = rsc; at != null; at = at.parent()) {
      for (var set : at.originalXml().children("meta_attributes")) {
        for (var pair : set.children("nvpair")) {
          if ("target-role".equals(pair.get("name"))) {
            return pair.get("value");
          }
        }
      }
    }
    return null;
  }

  private ResourceParameters parameters(String id) throws CommandException {
    return new ResourceParameters(context.renewed(id, false));
  }

  private void ban(String id) throws CommandException {
    new ResourceMoves(context.renewed(id, true), options.lifetime, options.promoted).ban();
  }

  private void restore(String id, @Nullable String banned, @Nullable String role, boolean down)
      throws CommandException {
    try {
      if (banned != null) {
        new ResourceMoves(context.renewed(banned, true), null, false).clear(false);
      } else if (role != null) {
        ResourceContext.check(parameters(id).set(TARGET_ROLE, role, false));
      } else {
        ResourceContext.check(parameters(id).delete(TARGET_ROLE));
      }
    } catch (CommandException e) {
      out.error(
          "Could not put the configuration of %s back as it was; see to its target-role and"
                  .formatted(id)
              + " constraints");
      if (down) {
        throw e;
      }
    }
  }

  /// The primitives that are to be active once the cluster has done what the configuration asks
  /// for.
  private Set<String> planned(String id) throws CommandException {
    var status = context.renewed(id, false).status();
    Scheduler.plan(status);
    var kept = new LinkedHashSet<String>();
    for (var rsc : primitives(status)) {
      if (rsc.assigned() != null
          && (host == null || host.equalsIgnoreCase(rsc.assigned().node().name()))) {
        kept.add(rsc.id());
      }
    }
    return kept;
  }

  private void awaitStop(String id, Set<String> before, Set<String> kept) throws CommandException {
    var stopping = without(before, kept);
    out.info("Waiting for %d resources to stop:".formatted(stopping.size()));
    stopping.forEach(it -> out.info(" * " + it));
    var deadline = deadline(stopping, "stop");
    while (!stopping.isEmpty()) {
      ClusterIdle.pause();
      var now = active(context.renewed(id, false).status(), host);
      var count = stopping.size();
      stopping.removeIf(it -> !now.contains(it));
      if (stopping.size() < count) {
        deadline = deadline(stopping, "stop");
      }
      check(deadline, "Could not complete shutdown of " + id, stopping);
    }
  }

  private void awaitStart(String id, Set<String> before) throws CommandException {
    var now = active(context.renewed(id, false).status(), host);
    var starting = without(before, now);
    out.info("Waiting for %d resources to start again:".formatted(starting.size()));
    starting.forEach(it -> out.info(" * " + it));
    var deadline = deadline(starting, "start");
    while (!starting.isEmpty()) {
      ClusterIdle.pause();
      // It does not matter where: what depends on it may have moved.
      var again = active(context.renewed(id, false).status(), null);
      var count = starting.size();
      starting.removeIf(again::contains);
      if (starting.size() < count) {
        deadline = deadline(starting, "start");
      }
      check(deadline, "Could not complete restart of " + id, starting);
    }
  }

  private void check(Instant deadline, String what, List<String> rest) throws CommandException {
    if (!rest.isEmpty() && context.terminal().clock().get().isAfter(deadline)) {
      out.error("%s, %d resources remaining".formatted(what, rest.size()));
      rest.forEach(it -> out.error(" * " + it));
      throw new CommandException(Rc.ETIME.exit(), "");
    }
  }

  /// What the user said, or what the actions may take one after the other.
  private Instant deadline(List<String> resources, String action) {
    if (until != null) {
      return until;
    }
    var seconds = CLUSTER_SECONDS;
    for (var rsc : primitives(context.status())) {
      if (resources.contains(rsc.id())) {
        var config = OperationConfig.find(rsc, action, 0, true);
        var millis =
            Numbers.parse(OperationConfig.meta(rsc, null, action, 0, config).get("timeout"), 0);
        seconds += millis > 0 ? millis / 1000 + 1 : DEFAULT_ACTION_SECONDS;
      }
    }
    return context.terminal().clock().get().plusSeconds(seconds);
  }

  private static List<String> without(Set<String> all, Set<String> rest) {
    var left = new ArrayList<>(all);
    left.removeAll(rest);
    return left;
  }

  private static Set<String> active(WorkingSet status, @Nullable String host) {
    var found = new LinkedHashSet<String>();
    for (var rsc : primitives(status)) {
      if (rsc.active().stream().anyMatch(it -> host == null || host.equalsIgnoreCase(it.name()))) {
        found.add(rsc.id());
      }
    }
    return found;
  }

  private static List<Resource> primitives(WorkingSet status) {
    var found = new ArrayList<Resource>();
    status.resources().forEach(it -> collect(it, found));
    return found;
  }

  private static void collect(Resource rsc, List<Resource> into) {
    if (rsc.isPrimitive()) {
      into.add(rsc);
    }
    rsc.children().forEach(it -> collect(it, into));
  }
}
