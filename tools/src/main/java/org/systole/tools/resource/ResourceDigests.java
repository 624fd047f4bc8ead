package org.systole.tools.resource;

import java.util.ArrayList;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.output.Rc;
import org.systole.common.output.TextOutput;
import org.systole.common.output.XmlOutput;
import org.systole.common.values.HashOrder;
import org.systole.common.values.Numbers;
import org.systole.common.xml.Element;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.OpDigests;
import org.systole.scheduler.operations.Digests;
import org.systole.scheduler.unpack.HistoryOrder;
import org.systole.tools.cli.CommandException;

/// Shows the digests of a resource's parameters, as changes of the configuration are noticed by
/// them.
final class ResourceDigests {
  private static final String INTERVAL = "CRM_meta_interval";
  private static final String TIMEOUT = "CRM_meta_timeout";

  private final ResourceContext context;
  private final Map<String, String> overrides;

  ResourceDigests(ResourceContext context, Map<String, String> overrides) {
    this.context = context;
    this.overrides = overrides;
  }

  void show() throws CommandException {
    var rsc = context.theResource();
    var node = context.node();
    if (node == null) {
      throw new IllegalStateException("checked before: there is a node");
    }
    if (!rsc.isPrimitive()) {
      throw new CommandException(Rc.EOPNOTSUPP.exit(), "");
    }
    var entry = telling(node, rsc.id());
    var task = entry == null ? "start" : entry.get("operation", "start");
    var interval = entry == null || !entry.has("operation") ? 0 : interval(entry);
    var digests = Digests.calculate(rsc, task, interval, node, entry, overrides, true);
    show(node, task, Math.max(0, Numbers.parse(overrides.get(INTERVAL), interval)), digests);
  }

  private void show(Node node, String task, long interval, OpDigests digests) {
    var rsc = context.theResource().id();
    switch (context.out()) {
      case TextOutput text -> {
        var action =
            interval != 0
                ? interval + "ms-interval " + task
                : task.equals("monitor") ? "probe" : task;
        text.begin("Digests for %s %s action on %s".formatted(rsc, action, node.name()));
        add(text, digests.allDigest(), "all");
        add(text, digests.secureDigest(), "non-private");
        add(text, digests.restartDigest(), "non-reloadable");
        text.end();
      }
      case XmlOutput xml -> {
        xml.open(
            "digests",
            "resource",
            rsc,
            "node",
            node.name(),
            "task",
            task,
            "interval",
            interval + "ms");
        add(xml, "all", digests.allDigest(), digests.allParameters());
        add(xml, "nonprivate", digests.secureDigest(), digests.secureParameters());
        add(xml, "nonreloadable", digests.restartDigest(), digests.restartParameters());
        xml.close();
      }
    }
  }

  private static void add(TextOutput text, @Nullable String digest, String kind) {
    if (digest != null) {
      text.item("%s (%s parameters)".formatted(digest, kind));
    }
  }

  private void add(
      XmlOutput xml, String kind, @Nullable String digest, @Nullable Element parameters) {
    if (digest != null) {
      var element = Element.builder("digest").attr("type", kind).attr("hash", digest);
      xml.add((parameters == null ? element : element.add(ordered(parameters))).build());
    }
  }

  // What was given instead comes before what is configured, and the timeout, which counts for
  // operations that recur, after both.
  private Element ordered(Element parameters) {
    var given = new ArrayList<String>();
    var configured = new ArrayList<String>();
    for (var at = 0; at < parameters.attributeCount(); at++) {
      var name = parameters.attributeName(at);
      if (!name.equals(TIMEOUT)) {
        (overrides.containsKey(name) ? given : configured).add(name);
      }
    }
    var ordered = Element.builder(parameters.name());
    HashOrder.of(given).forEach(name -> ordered.attr(name, parameters.get(name)));
    HashOrder.of(configured).forEach(name -> ordered.attr(name, parameters.get(name)));
    if (parameters.has(TIMEOUT)) {
      ordered.attr(TIMEOUT, parameters.get(TIMEOUT));
    }
    return ordered.build();
  }

  private static long interval(Element entry) {
    return Math.max(0, Numbers.parse(entry.get("interval"), 0));
  }

  /// The entry of the history that tells best what the resource runs with.
  private @Nullable Element telling(Node node, String rsc) {
    Element best = null;
    var status = context.status().cib().first("status");
    if (status == null) {
      return null;
    }
    for (var state : status.children("node_state")) {
      var resources = state.path("lrm", "lrm_resources");
      if (resources == null || !node.name().equals(state.get("uname"))) {
        continue;
      }
      for (var history : resources.children("lrm_resource")) {
        if (rsc.equals(history.id())) {
          for (var entry : history.children("lrm_rsc_op")) {
            best = best == null || tellsMore(entry, best) ? entry : best;
          }
        }
      }
    }
    return best;
  }

  /// Beginning to run tells more than a recurring check, that more than the rest; success more than
  /// failure; an entry with the digest of what needs a restart more than one without; new more than
  /// old.
  private boolean tellsMore(Element entry, Element best) {
    if (begins(best)) {
      if (!begins(entry)) {
        return false;
      }
    } else if (interval(best) != 0 && !begins(entry) && interval(entry) == 0) {
      return false;
    }
    if (!failed(best) && failed(entry)
        || best.has("op-restart-digest") && !entry.has("op-restart-digest")) {
      return false;
    }
    return HistoryOrder.compare(context.status(), best, entry) <= 0;
  }

  private static boolean begins(Element entry) {
    return interval(entry) == 0
        && switch (entry.get("operation", "")) {
          case "monitor", "start", "promote", "migrate_from" -> true;
          default -> false;
        };
  }

  private static boolean failed(Element entry) {
    return entry.get("id", "").endsWith("_last_failure_0");
  }
}
