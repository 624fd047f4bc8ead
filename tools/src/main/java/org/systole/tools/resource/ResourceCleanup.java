package org.systole.tools.resource;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.systole.attrd.client.AttrConnection;
import org.systole.attrd.client.AttrMessage;
import org.systole.common.layout.Layout;
import org.systole.common.output.ExitStatus;
import org.systole.common.output.TextOutput;
import org.systole.common.output.XmlOutput;
import org.systole.common.values.Interval;
import org.systole.controld.client.CtlConnection;
import org.systole.controld.client.CtlMessage;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.NodeFlag;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.WorkingSet;
import org.systole.tools.cli.CommandException;
import org.systole.tools.cli.Named;

/// Forgetting failures and histories, so that the cluster looks again.
final class ResourceCleanup {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private final ResourceContext context;
  private final String operation;
  private final long intervalMillis;
  private final ControllerReplies replies;

  /// @param operation only its failures; empty for all
  ResourceCleanup(ResourceContext context, String operation, @Nullable String interval) {
    this.context = context;
    this.operation = operation;
    this.intervalMillis = Interval.parse(interval, 0);
    this.replies = new ControllerReplies(context.out());
  }

  /// Forgets failures: of the resource named and what it is part of, or of all.
  void cleanup() throws CommandException {
    checkRights();
    var rsc = context.resource();
    if (rsc == null) {
      cleanupAll();
      return;
    }
    forgetAndCheck(rsc, true);
  }

  /// Forgets whole histories, so that every resource is probed again.
  void refresh() throws CommandException {
    checkRights();
    var rsc = context.resource();
    if (rsc != null) {
      forgetAndCheck(rsc, false);
      return;
    }
    var node = context.node();
    if (!context.cib().isLive()) {
      context.out().info("Dry run: skipping clean-up of %s due to CIB_file".formatted(shown(node)));
      return;
    }
    clearFailures("", node == null ? "" : node.name());
    clearHistory("", node == null ? "" : node.name());
    replies.tell();
  }

  private static String shown(@Nullable Node node) {
    return node == null ? "all nodes" : node.toString();
  }

  private void cleanupAll() throws CommandException {
    var node = context.node();
    if (!context.cib().isLive()) {
      context.out().info("Dry run: skipping clean-up of %s due to CIB_file".formatted(shown(node)));
      return;
    }
    clearFailures("", node == null ? "" : node.name());
    for (var each : node == null ? context.status().nodes() : List.of(node)) {
      for (var id : failed(each, null)) {
        clearHistory(id, each.name());
      }
    }
    context.out().info("Cleaned up all resources on " + shown(node));
    replies.tell();
  }

  private void forgetAndCheck(Resource rsc, boolean onlyFailures) throws CommandException {
    var whole = context.force() ? rsc : ResourceContext.outermost(rsc);
    forget(whole, context.node(), onlyFailures);
    switch (context.out()) {
      case TextOutput text when text.isQuiet() -> {}
      case TextOutput text -> ResourceReasons.check(text, whole, context.node());
      case XmlOutput xml -> ResourceReasons.check(xml, whole, context.node());
    }
    replies.tell();
  }

  private void forget(Resource rsc, @Nullable Node node, boolean onlyFailures)
      throws CommandException {
    if (!rsc.children().isEmpty()) {
      for (var child : rsc.children()) {
        forget(child, node, onlyFailures);
      }
      return;
    }
    if (node == null) {
      for (var each : nodesOf(rsc)) {
        if (each.online()) {
          forget(rsc, each, onlyFailures);
        }
      }
      return;
    }
    if (!node.is(NodeFlag.PROBES_ALLOWED)) {
      throw new CommandException(
          ExitStatus.UNIMPLEMENT_FEATURE,
          "Unable to clean up %s because resource discovery disabled on %s"
              .formatted(rsc.id(), node));
    }
    if (!context.cib().isLive()) {
      context
          .out()
          .error(
              "Dry run: skipping clean-up of %s on %s due to CIB_file".formatted(rsc.id(), node));
      return;
    }
    clearFailures(failName(rsc), node.name());
    if (onlyFailures) {
      for (var id : failed(node, rsc)) {
        clearHistory(id, node.name());
      }
    } else {
      clearHistory(historyName(rsc), node.name());
    }
    context.out().info("Cleaned up %s on %s".formatted(rsc.id(), node));
  }

  private List<Node> nodesOf(Resource rsc) {
    var nodes = new ArrayList<Node>();
    rsc.probed().forEach(it -> nodes.add(it.node()));
    if (nodes.isEmpty()) {
      if (context.force()) {
        nodes.addAll(context.status().nodes());
      } else {
        rsc.allowed()
            .forEach(
                it -> {
                  if (!rsc.is(ResourceFlag.EXCLUSIVE_PROBES) || it.score() >= 0) {
                    nodes.add(it.node());
                  }
                });
      }
    }
    return nodes;
  }

  private static String historyName(Resource rsc) {
    return rsc.historyId() == null ? rsc.id() : rsc.historyId();
  }

  private static String failName(Resource rsc) {
    var name = historyName(rsc);
    return rsc.is(ResourceFlag.UNIQUE) ? name : ResourceContext.plainId(name);
  }

  private Set<String> failed(Node node, @Nullable Resource only) {
    return failed(context.status(), node, only, operation, intervalMillis);
  }

  /// The histories on a node that hold failures.
  ///
  /// @param only of this resource; null for all
  /// @param operation only failures of it, at the interval given; empty for any
  static Set<String> failed(
      WorkingSet status,
      Node node,
      @Nullable Resource only,
      String operation,
      long intervalMillis) {
    var ids = new LinkedHashSet<String>();
    for (var entry : status.failed()) {
      var id = entry.get(WorkingSet.FAILED_RESOURCE);
      var meant =
          operation.isEmpty()
              || operation.equalsIgnoreCase(entry.get("operation", ""))
                  && Interval.parse(entry.get("interval", "0") + "ms", 0) == intervalMillis;
      if (id == null || !meant || !node.name().equalsIgnoreCase(entry.get("uname", ""))) {
        continue;
      }
      var of = status.find(id, Resource.Match.HISTORY, Resource.Match.ANONYMOUS_BASE_NAME);
      if (only == null || of != null && of.id().equals(only.id())) {
        ids.add(of == null ? id : historyName(of));
      }
    }
    return ids;
  }

  private void clearFailures(String rsc, String node) throws CommandException {
    try (var manager = AttrConnection.open(Layout.of(context.terminal().environment()), TIMEOUT)) {
      var done = manager.clearFailures(failures(rsc, operation, intervalMillis, node));
      if (done.outcome() == AttrMessage.Outcome.DENIED) {
        throw CommandException.denied("Unable to clean up failures", done.why());
      }
      if (done.outcome() == AttrMessage.Outcome.REFUSED
          || done.outcome() == AttrMessage.Outcome.FAILED) {
        throw new CommandException(ExitStatus.ERROR, "Unable to clean up failures: " + done.why());
      }
    } catch (IOException e) {
      throw new CommandException(
          ExitStatus.DISCONNECT,
          "Unable to clean up failures: the attribute manager does not answer");
    }
  }

  /// @param rsc empty for all
  /// @param node empty for all
  static AttrMessage.ClearFailures failures(
      String rsc, String operation, long intervalMillis, String node) throws CommandException {
    return new AttrMessage.ClearFailures(
        rsc.isEmpty() ? null : Named.resource(rsc),
        operation,
        intervalMillis,
        node.isEmpty() ? null : Named.node(node));
  }

  private void clearHistory(String rsc, String node) throws CommandException {
    var answer = ask(new CtlMessage.ClearHistory(rsc, node));
    check(answer, "Unable to clean history");
    replies.add();
  }

  /// Lets it look as if the resource had failed.
  void fail() throws CommandException {
    var rsc = context.theResource();
    var node = context.node();
    if (!rsc.isPrimitive()) {
      throw new CommandException(
          ExitStatus.USAGE, "We can only process primitive resources, not " + context.requested());
    }
    if (node == null || !node.online()) {
      throw new CommandException(
          ExitStatus.DISCONNECT, "Node %s is not online".formatted(shown(node)));
    }
    var answer =
        ask(
            new CtlMessage.FailResource(
                Named.resource(historyName(rsc)),
                Named.node(node.name()),
                rsc.xml().get("class", ""),
                rsc.xml().get("provider", ""),
                rsc.xml().get("type", "")));
    check(answer, "Unable to let it look as if %s had failed".formatted(rsc.id()));
    replies.add();
    replies.tell();
  }

  private static void check(CtlMessage.Reply answer, String what) throws CommandException {
    if (answer instanceof CtlMessage.Refused(var reason, var why)) {
      throw reason == CtlMessage.Reason.DENIED
          ? CommandException.denied(what, why)
          : new CommandException(ExitStatus.ERROR, what + ": " + why);
    }
  }

  /// Refuses before the first step what would be refused at a later one: failures that are
  /// forgotten while the history remains would be counted anew.
  private void checkRights() throws CommandException {
    if (context.cib().isLive()) {
      check(ask(new CtlMessage.MayChange()), "Unable to clean up");
    }
  }

  private CtlMessage.Reply ask(CtlMessage.Request request) throws CommandException {
    return ask(context.terminal().environment(), TIMEOUT, request);
  }

  /// A controller that does not know a request, as one of an older version does not, ends the
  /// connection without a word.
  static CtlMessage.Reply ask(
      Map<String, String> environment, Duration timeout, CtlMessage.Request request)
      throws CommandException {
    try (var controller = connect(environment, timeout)) {
      return controller.ask(request);
    } catch (SocketTimeoutException e) {
      throw new CommandException(
          ExitStatus.TIMEOUT,
          "The controller has not answered in %d s; what was asked for may still be done"
              .formatted(timeout.toSeconds()));
    } catch (IOException e) {
      throw new CommandException(
          ExitStatus.DISCONNECT,
          "The controller has ended the connection without an answer. It was ended itself (try"
              + " again), or is of an older version than this command: stop and start the cluster on"
              + " this node, or ask on a node where command and cluster are of one version");
    }
  }

  private static CtlConnection connect(Map<String, String> environment, Duration timeout)
      throws CommandException {
    try {
      return CtlConnection.open(environment, timeout);
    } catch (IOException e) {
      throw new CommandException(
          ExitStatus.DISCONNECT,
          "Error connecting to the controller: Not connected (is the cluster running on this"
              + " node?)");
    }
  }
}
