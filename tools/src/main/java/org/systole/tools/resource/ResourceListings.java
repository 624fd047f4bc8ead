package org.systole.tools.resource;

import java.util.EnumSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.output.ExitStatus;
import org.systole.common.output.TextOutput;
import org.systole.common.output.XmlOutput;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlWriter;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.status.NameFilter;
import org.systole.scheduler.status.OperationsView;
import org.systole.scheduler.status.ResourceView;
import org.systole.scheduler.status.Show;
import org.systole.scheduler.status.View;

/// Lists of resources, of their operations, and of how they are configured.
final class ResourceListings {
  private final ResourceContext context;

  ResourceListings(ResourceContext context) {
    this.context = context;
  }

  ExitStatus resources() {
    var view =
        View.of(
            context.status(),
            context.out(),
            EnumSet.of(Show.INACTIVE, Show.RESOURCE_ONLY, Show.PENDING));
    return ResourceView.showAll(view, false, false) ? ExitStatus.OK : ExitStatus.NOSUCH;
  }

  ExitStatus instances() {
    var out = context.out();
    if (context.status().resources().isEmpty()) {
      out.error("NO resources configured\n");
      return ExitStatus.NOSUCH;
    }
    out.begin("Resource Names");
    instances(context.status().resources());
    out.end();
    return ExitStatus.OK;
  }

  private void instances(List<Resource> resources) {
    for (var rsc : resources) {
      if (rsc.children().isEmpty()) {
        context.out().item("resource", rsc.id());
      } else {
        instances(rsc.children());
      }
    }
  }

  void operations(@Nullable String rsc, @Nullable String node, boolean active) {
    var view =
        new View(
            context.status(),
            context.out(),
            EnumSet.of(Show.PENDING),
            NameFilter.ALL,
            NameFilter.ALL,
            context.terminal().zone());
    OperationsView.show(view, rsc, node, active);
  }

  void xml(boolean expanded) {
    var rsc = context.theResource();
    var out = context.out();
    out.begin("Resource Config");
    ResourceView.show(View.of(context.status(), out, EnumSet.of(Show.PENDING)), rsc);
    var config = expanded ? rsc.xml() : rsc.originalXml();
    switch (out) {
      case TextOutput text -> text.print("Resource XML:\n" + XmlWriter.pretty(config));
      case XmlOutput xml -> xml.xml("xml", XmlWriter.pretty(config));
    }
    out.end();
  }

  /// One line for each resource and colocation, as test suites read them.
  void forTests() {
    context.status().resources().forEach(this::forTests);
    var constraints = context.status().cib().path("configuration", "constraints");
    if (constraints == null) {
      return;
    }
    for (var it : constraints.children("rsc_colocation")) {
      if (it.id() != null) {
        context
            .out()
            .info(
                "Constraint rsc_colocation %s %s %s %s %s %s"
                    .formatted(
                        it.id(),
                        known(it, "rsc"),
                        known(it, "with-rsc"),
                        known(it, "score"),
                        known(it, "rsc-role"),
                        known(it, "with-rsc-role")));
      }
    }
  }

  private static String known(Element element, String attribute) {
    return element.get(attribute, "NA");
  }

  private void forTests(Resource rsc) {
    var node = rsc.activeNode().node();
    var bits = 0L;
    for (var flag : rsc.flags()) {
      bits |= 1L << bit(flag);
    }
    context
        .out()
        .info(
            "Resource: %s %s %s %s %s %s %s %s %d %d 0x%016x"
                .formatted(
                    rsc.xml().name(),
                    rsc.id(),
                    rsc.historyId() == null ? rsc.id() : rsc.historyId(),
                    rsc.parent() == null ? "NA" : rsc.parent().id(),
                    known(rsc.xml(), "provider"),
                    rsc.xml().get("class", "(null)"),
                    rsc.xml().get("type", "(null)"),
                    node == null ? "NA" : node.name(),
                    rsc.is(ResourceFlag.FENCE_DEVICE) ? 0 : 1,
                    bits,
                    bits));
    rsc.children().forEach(this::forTests);
  }

  /// The places the flags have in the numbers shown.
  private static int bit(ResourceFlag flag) {
    return switch (flag) {
      case REMOVED -> 0;
      case MANAGED -> 1;
      case BLOCKED -> 2;
      case REMOVED_LAUNCHED -> 3;
      case NOTIFY -> 4;
      case UNIQUE -> 5;
      case FENCE_DEVICE -> 6;
      case PROMOTABLE -> 7;
      case UNASSIGNED -> 8;
      case ASSIGNING -> 9;
      case UPDATING_NODES -> 10;
      case RESTARTING -> 11;
      case STOP_IF_FAILED -> 12;
      case RELOAD -> 13;
      case REMOTE_NESTING_ALLOWED -> 14;
      case CRITICAL -> 15;
      case FAILED -> 16;
      case DETECT_LOOP -> 17;
      case REMOTE_CONNECTION -> 18;
      case START_PENDING -> 19;
      case EXCLUSIVE_PROBES -> 20;
      case STOP_UNEXPECTED -> 22;
      case MIGRATABLE -> 23;
      case IGNORE_FAILURE -> 24;
      case MIGRATING -> 32; // Pacemaker does not know this one, nor the next
      case REDEFINED -> 33;
      case REPLICA_CONTAINER -> 25;
      case MAINTENANCE -> 26;
      case NEEDS_QUORUM -> 28;
      case NEEDS_FENCING -> 29;
      case NEEDS_UNFENCING -> 30;
    };
  }
}
