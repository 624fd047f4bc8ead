package org.systole.scheduler.explain;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.FailureAttribute;
import org.systole.common.operation.OcfCode;
import org.systole.common.values.Numbers;
import org.systole.common.xml.Element;
import org.systole.scheduler.model.ClusterFlag;
import org.systole.scheduler.model.InstanceIds;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.WorkingSet;

/// Finds the elements of the CIB that a cause came from.
final class Sources {
  static final String ONCE_MENDED = ": once what was wrong is mended, ";

  private final WorkingSet cluster;

  Sources(WorkingSet cluster) {
    this.cluster = cluster;
  }

  /// The id itself if the CIB has an element with it, else nothing.
  List<String> withId(String id) {
    var found = id.isEmpty() ? null : cluster.cib().find(it -> id.equals(it.id()));
    return found == null ? List.of() : List.of(id);
  }

  /// A cluster option.
  List<String> option(String name) {
    return pairs(cluster.cib().path("configuration", "crm_config"), name::equals);
  }

  /// A meta-attribute of the resource, of what it is in, or the default.
  List<String> meta(Resource resource, String name) {
    for (@Nullable Resource at = resource; at != null; at = at.parent()) {
      var found = pairs(at.xml(), "meta_attributes", name::equals);
      if (!found.isEmpty()) {
        return found;
      }
    }
    return pairs(cluster.cib().path("configuration", "rsc_defaults"), name::equals);
  }

  List<String> utilization(Resource resource) {
    return pairs(resource.xml(), "utilization", _ -> true);
  }

  /// Node attributes, permanent and transient.
  List<String> attributes(Node node, Predicate<String> name) {
    var found = new ArrayList<String>();
    var nodes = cluster.cib().path("configuration", "nodes");
    if (nodes != null) {
      for (var each : nodes.children()) {
        if (node.name().equalsIgnoreCase(each.get("uname", ""))) {
          found.addAll(pairs(each, "instance_attributes", name));
        }
      }
    }
    var status = cluster.cib().first("status");
    if (status != null) {
      for (var each : status.children("node_state")) {
        if (node.name().equalsIgnoreCase(each.get("uname", "")) || node.id().equals(each.id())) {
          found.addAll(pairs(each.first("transient_attributes"), name));
        }
      }
    }
    return found;
  }

  List<String> failCounts(Node node, Resource resource) {
    var name = FailureAttribute.COUNT + "-" + InstanceIds.base(resource.id());
    return attributes(node, it -> it.startsWith(name + "#") || it.startsWith(name + ":"));
  }

  /// The command after which the cluster tries again where a failure forbids it.
  ///
  /// @param failure the resource that failed or its history entry's id; empty for the resource itself
  String cleanup(Resource resource, String failure) {
    var named = cluster.resource(failure);
    var history = named == null && !failure.isEmpty() ? history(failure) : null;
    var entry = history == null ? null : history.first("lrm_rsc_op", failure);
    // Where nothing runs unasked an agent that is missing counts as no failure, and is no cleanup's.
    var all =
        entry != null
            && !cluster.is(ClusterFlag.SYMMETRIC)
            && OcfCode.NOT_INSTALLED.is(Numbers.integer(entry.get("rc-code"), -1));
    var failed = named == null ? resource : named;
    var id = failed.is(ResourceFlag.UNIQUE) ? failed.id() : InstanceIds.base(failed.id());
    return "crm_resource %s --resource=%s"
        .formatted(all ? "--refresh" : "--cleanup", history == null ? id : history.get("id", id));
  }

  private @Nullable Element history(String entry) {
    var status = cluster.cib().first("status");
    return status == null
        ? null
        : status.find(it -> it.is("lrm_resource") && it.first("lrm_rsc_op", entry) != null);
  }

  List<String> promotionScores(Node node, Resource resource) {
    var id = InstanceIds.base(resource.id());
    return attributes(
        holder(node, resource),
        it -> it.equals("master-" + id) || it.startsWith("master-" + id + ":"));
  }

  // What runs in a container may keep its attributes on the container's host.
  private static Node holder(Node node, Resource resource) {
    var container = node.isGuest() && node.remote() != null ? node.remote().launcher() : null;
    if (container == null || !"host".equals(resource.meta().get("container-attribute-target"))) {
      return node;
    }
    if (container.assigned() != null) {
      return container.assigned().node();
    }
    return container.active().isEmpty() ? node : container.active().getFirst();
  }

  private static List<String> pairs(
      @Nullable Element parent, String block, Predicate<String> name) {
    var found = new ArrayList<String>();
    if (parent != null) {
      parent.children(block).forEach(each -> found.addAll(pairs(each, name)));
    }
    return found;
  }

  private static List<String> pairs(@Nullable Element within, Predicate<String> name) {
    var found = new ArrayList<String>();
    if (within != null) {
      collect(within, name, found);
    }
    return found;
  }

  private static void collect(Element at, Predicate<String> name, List<String> found) {
    for (var child : at.children()) {
      var id = child.id();
      if (child.is("nvpair") && id != null && name.test(child.get("name", ""))) {
        found.add(id);
      } else {
        collect(child, name, found);
      }
    }
  }
}
