package org.systole.scheduler.status;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.systole.common.output.HtmlOutput;
import org.systole.common.output.HtmlOutput.Span;
import org.systole.common.output.Section;
import org.systole.common.output.TextOutput;
import org.systole.common.output.XmlOutput;
import org.systole.common.values.Bool;
import org.systole.common.xml.Element;
import org.systole.scheduler.model.ClusterFlag;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.WorkingSet;

/// Shows the cluster as a whole: who leads it, when it changed, what it is made of, its options.
public final class SummaryView {
  /// What the supervisor of the local node says of itself.
  public enum DaemonState {
    INIT("init", "Initializing pacemaker"),
    STARTING("starting_daemons", "Pacemaker daemons are starting"),
    WAITING("wait_for_ping", "Waiting for startup trigger from SBD"),
    RUNNING("running", "Pacemaker is running"),
    SHUTTING_DOWN("shutting_down", "Pacemaker daemons are shutting down"),
    SHUT_DOWN("shutdown_complete", "Pacemaker daemons are shut down (reporting to SBD)"),
    REMOTE("remote", "pacemaker-remoted is running (on a Pacemaker Remote node)");

    private final String word;
    private final String text;

    DaemonState(String word, String text) {
      this.word = word;
      this.text = text;
    }

    public String word() {
      return word;
    }

    public String text() {
      return text;
    }
  }

  private final View view;
  private final WorkingSet cluster;

  private SummaryView(View view) {
    this.view = view;
    this.cluster = view.cluster();
  }

  /// Shows those of the parts that belong to the summary.
  ///
  /// @param daemon null if it is not known
  /// @param now seconds since the epoch, the time of this display
  static boolean show(View view, Set<Parts> parts, @Nullable DaemonState daemon, long now) {
    return new SummaryView(view).show(parts, daemon, now);
  }

  private boolean show(Set<Parts> parts, @Nullable DaemonState daemon, long now) {
    var section = new Section(view.out(), false, "Cluster Summary");
    if (parts.contains(Parts.STACK)) {
      section.begin();
      showStack(daemon);
    }
    if (parts.contains(Parts.DC)) {
      section.begin();
      showDc();
    }
    if (parts.contains(Parts.TIMES)) {
      section.begin();
      showTimes(now);
    }
    if (parts.contains(Parts.COUNTS)) {
      section.begin();
      showCounts();
    }
    if (parts.contains(Parts.OPTIONS)) {
      section.begin();
      if (view.out() instanceof HtmlOutput html) { // a section of its own
        html.end();
        html.begin("Config Options");
      }
      showOptions();
    }
    var shown = section.end();
    return parts.contains(Parts.MAINTENANCE) && showMaintenance(view) || shown;
  }

  private @Nullable String property(String name) {
    var found =
        cluster.cib().find(element -> element.is("nvpair") && name.equals(element.get("name")));
    return found == null ? null : found.get("value");
  }

  private void showStack(@Nullable DaemonState daemon) {
    var name = property("cluster-infrastructure");
    var stack = name == null ? "unknown" : name;
    // No switch here and below: the first over types takes the JVM as long as all that is shown.
    if (view.out() instanceof HtmlOutput html) {
      html.item(
          daemon == null
              ? List.of(new Span("Stack: ", "bold"), Span.of(stack))
              : List.of(
                  new Span("Stack: ", "bold"),
                  Span.of(stack),
                  Span.of(" ("),
                  Span.of(daemon.text()),
                  Span.of(")")));
    } else if (view.out() instanceof TextOutput text) {
      text.item("Stack", stack + (daemon == null ? "" : " (" + daemon.text() + ")"));
    } else if (view.out() instanceof XmlOutput xml) {
      xml.add("stack", "type", stack)
          .attr("pacemakerd-state", daemon == null ? null : daemon.word());
    }
  }

  private boolean isMixed() {
    String first = null;
    for (var node : cluster.nodes()) {
      var set = NodesView.featureSet(node);
      if (set != null) {
        if (first != null && !first.equals(set)) {
          return true;
        }
        first = set;
      }
    }
    return false;
  }

  private void showDc() {
    var dc = cluster.dc();
    var version = property("dc-version");
    var quorate = Bool.isTrue(cluster.cib().get("have-quorum"));
    if (view.out() instanceof HtmlOutput html) {
      html.item(dcSpans(dc, version, quorate));
    } else if (view.out() instanceof TextOutput text) {
      text.item(
          "Current DC",
          dc == null
              ? "NONE"
              : NodesView.displayName(dc, view.shows(Show.NODE_ID))
                  + " (version "
                  + (version == null ? "unknown" : version)
                  + ") - "
                  + (isMixed() ? "MIXED-VERSION " : "")
                  + "partition "
                  + (quorate ? "with" : "WITHOUT")
                  + " quorum");
    } else if (view.out() instanceof XmlOutput xml) {
      var item = xml.add("current_dc").attr("present", dc != null);
      if (dc != null) {
        item.attr("version", version == null ? "" : version)
            .attr("name", dc.name())
            .attr("id", dc.id())
            .attr("with_quorum", quorate)
            .attr("mixed_version", isMixed());
      }
    }
  }

  private List<Span> dcSpans(@Nullable Node dc, @Nullable String version, boolean quorate) {
    var spans = new ArrayList<>(List.of(new Span("Current DC: ", "bold")));
    if (dc == null) {
      spans.add(new Span("NONE", "warning"));
      return spans;
    }
    spans.add(
        Span.of(
            NodesView.displayName(dc, view.shows(Show.NODE_ID))
                + " (version "
                + (version == null ? "unknown" : version)
                + ") -"));
    if (isMixed()) {
      spans.add(new Span(" MIXED-VERSION", "warning"));
    }
    spans.add(Span.of(" partition"));
    spans.add(quorate ? Span.of(" with") : new Span(" WITHOUT", "warning"));
    spans.add(Span.of(" quorum"));
    return spans;
  }

  private void showTimes(long now) {
    var cib = cluster.cib();
    var updated = view.time(now);
    if (view.out() instanceof HtmlOutput html) {
      var local = cluster.localNode();
      var spans = new ArrayList<>(List.of(new Span("Last updated: ", "bold"), Span.of(updated)));
      if (local != null) {
        spans.addAll(List.of(Span.of(" on "), Span.of(local)));
      }
      html.item(spans);
      html.item(List.of(new Span("Last change: ", "bold"), Span.of(lastChange(cib))));
    } else if (view.out() instanceof TextOutput text) {
      var local = cluster.localNode();
      text.item("Last updated", updated + (local == null ? "" : " on " + local));
      text.item("Last change", " " + lastChange(cib));
    } else if (view.out() instanceof XmlOutput xml) {
      xml.add("last_update", "time", updated).attr("origin", cluster.localNode());
      xml.add("last_change", "time", cib.get("cib-last-written", ""))
          .attr("user", cib.get("update-user", ""))
          .attr("client", cib.get("update-client", ""))
          .attr("origin", cib.get("update-origin", ""));
    }
  }

  private static String lastChange(Element cib) {
    var text = new StringBuilder(cib.get("cib-last-written", ""));
    add(text, " by ", cib.get("update-user"));
    add(text, " via ", cib.get("update-client"));
    add(text, " on ", cib.get("update-origin"));
    return text.toString();
  }

  private static void add(StringBuilder text, String before, @Nullable String value) {
    if (value != null) {
      text.append(before).append(value);
    }
  }

  private void showCounts() {
    var nodes = cluster.nodes().size();
    var resources = cluster.instanceCount();
    if (view.out() instanceof HtmlOutput html) {
      html.item(List.of(Span.of(nodes + " node" + (nodes == 1 ? "" : "s") + " configured")));
      html.item(
          instanceSpans(
              resources + " resource instance" + (resources == 1 ? "" : "s") + " configured"));
    } else if (view.out() instanceof TextOutput text) {
      text.item(nodes + " node" + (nodes == 1 ? "" : "s") + " configured");
      text.item(
          resources + " resource instance" + (resources == 1 ? "" : "s") + " configured" + idle());
    } else if (view.out() instanceof XmlOutput xml) {
      xml.add("nodes_configured").attr("number", nodes);
      xml.add("resources_configured")
          .attr("number", resources)
          .attr("disabled", cluster.disabledCount())
          .attr("blocked", cluster.blockedCount());
    }
  }

  private List<Span> instanceSpans(String total) {
    var disabled = cluster.disabledCount();
    var blocked = cluster.blockedCount();
    if (disabled == 0 && blocked == 0) {
      return List.of(Span.of(total));
    }
    var spans = new ArrayList<Span>();
    spans.add(Span.of(total + " (" + (disabled == 0 ? blocked : disabled) + " "));
    if (disabled != 0) {
      spans.add(new Span("DISABLED", "bold"));
      spans.add(Span.of(blocked == 0 ? ")" : ", " + blocked + " "));
    }
    if (blocked != 0) {
      spans.add(new Span("BLOCKED", "bold"));
      spans.add(Span.of(" from further action due to failure)"));
    }
    return spans;
  }

  private String idle() {
    var blocked = cluster.blockedCount() + " BLOCKED from further action due to failure";
    if (cluster.disabledCount() == 0) {
      return cluster.blockedCount() == 0 ? "" : " (" + blocked + ")";
    }
    return " ("
        + cluster.disabledCount()
        + " DISABLED"
        + (cluster.blockedCount() == 0 ? "" : ", " + blocked)
        + ")";
  }

  private void showOptions() {
    switch (view.out()) {
      case TextOutput text -> {
        text.item(
            "Fencing of failed nodes "
                + (cluster.is(ClusterFlag.FENCING_ENABLED) ? "enabled" : "disabled"));
        text.item("Cluster is " + (cluster.is(ClusterFlag.SYMMETRIC) ? "symmetric" : "asymmetric"));
        text.item(
            switch (cluster.noQuorumPolicy()) {
              case FREEZE -> "No quorum policy: Freeze resources";
              case STOP -> "No quorum policy: Stop ALL resources";
              case DEMOTE ->
                  "No quorum policy: Demote promotable resources and stop all other resources";
              case IGNORE -> "No quorum policy: Ignore";
              case FENCE -> "No quorum policy: Fence nodes in partition";
            });
        if (text instanceof HtmlOutput html) {
          showManagement(html);
        }
      }
      case XmlOutput xml -> {
        var fencing = Boolean.toString(cluster.is(ClusterFlag.FENCING_ENABLED));
        xml.add("cluster_options")
            .attr("fencing-enabled", fencing)
            .attr("fencing-timeout-ms", cluster.fenceTimeoutMs())
            .attr("symmetric-cluster", cluster.is(ClusterFlag.SYMMETRIC))
            .attr(
                "no-quorum-policy",
                cluster.noQuorumPolicy().name().toLowerCase(java.util.Locale.ROOT))
            .attr("maintenance-mode", cluster.is(ClusterFlag.IN_MAINTENANCE))
            .attr("stop-all-resources", cluster.is(ClusterFlag.STOP_ALL))
            .attr("priority-fencing-delay-ms", cluster.priorityFencingDelayMs())
            .attr("stonith-enabled", fencing)
            .attr("stonith-timeout-ms", cluster.fenceTimeoutMs());
      }
    }
  }

  private void showManagement(HtmlOutput html) {
    if (cluster.is(ClusterFlag.IN_MAINTENANCE)) {
      html.item(
          List.of(
              Span.of("Resource management: "),
              new Span("DISABLED", "bold"),
              Span.of(" (the cluster will not attempt to start, stop, or recover services)")));
    } else if (cluster.is(ClusterFlag.STOP_ALL)) {
      html.item(
          List.of(
              Span.of("Resource management: "),
              new Span("STOPPED", "bold"),
              Span.of(" (the cluster will keep all resources stopped)")));
    } else {
      html.item("Resource management: enabled");
    }
  }

  /// Says that the cluster keeps its hands off resources, or keeps them stopped, if so. In text
  /// only.
  public static boolean showMaintenance(View view) {
    if (!(view.out() instanceof TextOutput text) || text instanceof HtmlOutput) {
      return false;
    }
    if (view.cluster().is(ClusterFlag.IN_MAINTENANCE)) {
      text.print(
          "\n              *** Resource management is DISABLED ***\n"
              + "  The cluster will not attempt to start, stop or recover services\n");
      return true;
    }
    if (view.cluster().is(ClusterFlag.STOP_ALL)) {
      text.print(
          "\n    *** Resource management is DISABLED ***\n"
              + "  The cluster will keep all resources stopped\n");
      return true;
    }
    return false;
  }
}
