package org.systole.tools.status;

import java.util.ArrayList;
import java.util.List;
import org.systole.common.options.ClusterOptions;
import org.systole.scheduler.model.ClusterFlag;
import org.systole.scheduler.model.NodeFlag;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.WorkingSet;
import org.systole.tools.lint.Finding;
import org.systole.tools.lint.Lint;

/// What an administrator should look at first, the worst before the rest, a line each.
final class Problems {
  private static final int SHOWN = 8;

  private final List<String> lines = new ArrayList<>();

  private Problems() {}

  /// At most so many lines as are read at a glance; the last one says how many there are besides.
  static List<String> of(WorkingSet status) {
    var problems = new Problems();
    problems.ofCluster(status);
    problems.ofNodes(status);
    status.resources().forEach(problems::ofResource);
    problems.ofConfiguration(status);
    var lines = problems.lines;
    if (lines.size() <= SHOWN) {
      return lines;
    }
    var shown = new ArrayList<>(lines.subList(0, SHOWN - 1));
    shown.add("and %d more".formatted(lines.size() - SHOWN + 1));
    return shown;
  }

  private void ofCluster(WorkingSet status) {
    if (status.dc() == null) {
      lines.add("there is no DC: nothing is started, stopped or recovered");
    }
    if (!status.is(ClusterFlag.QUORATE)) {
      lines.add("this side of the cluster has no quorum");
    }
  }

  /// Faults that put data or service at risk; what else could be better is for `crm_verify --lint`.
  private void ofConfiguration(WorkingSet status) {
    var options = ClusterOptions.read(status.cib(), status.now(), status.zone());
    for (var finding : Lint.of(status.cib(), options)) {
      if (finding.severity() == Finding.Severity.ERROR) {
        var about = finding.about().isEmpty() ? "" : finding.about() + ": ";
        lines.add(about + finding.what() + " (" + finding.id() + ", see crm_verify -L --lint)");
      }
    }
  }

  private void ofNodes(WorkingSet status) {
    for (var node : status.nodes()) {
      if (node.unclean()) {
        lines.add("node %s is unclean: what ran there waits until it is fenced".formatted(node));
      }
    }
    for (var node : status.nodes()) {
      if (!node.unclean() && !node.online() && !node.isGuest()) {
        lines.add("node %s is offline".formatted(node));
      } else if (node.is(NodeFlag.STANDBY)) {
        lines.add("node %s is in standby".formatted(node));
      }
    }
  }

  private void ofResource(Resource resource) {
    if (!resource.isPrimitive()) {
      resource.children().forEach(this::ofResource);
      return;
    }
    var failed = resource.is(ResourceFlag.FAILED);
    var blocked = resource.is(ResourceFlag.BLOCKED);
    var orphan = resource.is(ResourceFlag.REMOVED);
    if (resource.nodes(Resource.Where.CURRENT).size() > 1) {
      lines.add("%s runs on several nodes at once".formatted(resource.printableId()));
    } else if (failed || blocked) {
      lines.add(
          "%s %s%s"
              .formatted(
                  resource.printableId(),
                  failed ? "has failed" : "is blocked",
                  failed && blocked ? ", and is blocked: crm_resource --cleanup once it is mended" : ""));
    } else if (!orphan && isMissing(resource)) {
      lines.add(
          "%s is stopped: crm_resource --why -r %1$s --explain".formatted(resource.printableId()));
    }
  }

  /// Instances of clones may rest.
  private static boolean isMissing(Resource resource) {
    return !resource.top(true).isClone()
        && !resource.top(true).isBundle()
        && !resource.isActive(true)
        && !resource.isDisabled();
  }
}
