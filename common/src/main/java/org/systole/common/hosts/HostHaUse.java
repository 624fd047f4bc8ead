package org.systole.common.hosts;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.systole.common.operation.AgentName;
import org.systole.common.options.ClusterOptions;
import org.systole.common.values.Bool;
import org.systole.common.values.NodeName;
import org.systole.common.xml.Element;

/// Whether a cluster uses host HA at all. Cheap: most clusters do not.
public final class HostHaUse {
  public static final String ENABLED = "ha.enabled";

  private HostHaUse() {}

  /// Whether a name in a property set is one of host HA's settings.
  public static boolean isSetting(String name) {
    return name.startsWith("ha.") || name.startsWith("kvm.ha.");
  }

  /// Whether a setting says what root does on hosts: which agent it runs, with which programs and where.
  public static boolean saysWhatRootDoes(String name) {
    return name.equals("ha.provider") || name.equals("ha.volumes") || name.startsWith("ha.param.");
  }

  /// Whether two CIBs have different settings of that kind, or have them for different hosts.
  public static boolean haveRootDoOther(Element before, Element after) {
    return !forRoot(before).equals(forRoot(after));
  }

  private static List<Element> forRoot(Element cib) {
    var found = new ArrayList<Element>();
    var options = cib.path("configuration", "crm_config");
    for (var set : options == null ? List.<Element>of() : options.children(ClusterOptions.SET)) {
      var kept = new ArrayList<Element>();
      for (var child : set.children()) {
        if (child.is("nvpair") && saysWhatRootDoes(child.get("name", ""))) {
          kept.add(child);
        }
      }
      if (!kept.isEmpty()) {
        kept.addAll(set.children("rule"));
        found.add(set.withChildren(kept));
      }
    }
    return found;
  }

  /// Whether host HA is switched on for anything.
  public static boolean isConfigured(Element cib) {
    return anyPair(
        cib, it -> ENABLED.equals(it.get("name")) && Bool.isTrue(it.get("value")));
  }

  /// Whether anything is set for host HA.
  public static boolean hasSettings(Element cib) {
    return anyPair(cib, it -> isSetting(it.get("name", "")));
  }

  private static boolean anyPair(Element cib, Predicate<Element> wanted) {
    var options = cib.path("configuration", "crm_config");
    for (var set : options == null ? List.<Element>of() : options.children(ClusterOptions.SET)) {
      if (set.children("nvpair").stream().anyMatch(wanted)) {
        return true;
      }
    }
    return false;
  }

  /// Whether the CIB still says something of a host, from when it was switched on.
  public static boolean hasLeft(Element cib) {
    var status = cib.first("status");
    for (var state : status == null ? List.<Element>of() : status.children("node_state")) {
      if (HostStatus.of(state) != null) {
        return true;
      }
    }
    var nodes = cib.path("configuration", "nodes");
    for (var node : nodes == null ? List.<Element>of() : nodes.children("node")) {
      if (HostStatus.record(node) != null) {
        return true;
      }
    }
    return false;
  }

  /// The connections to remote nodes in the configuration, by which these are hosts; in its order.
  public static List<Element> connections(Element cib) {
    var found = new ArrayList<Element>();
    var resources = cib.path("configuration", "resources");
    if (resources != null) {
      var templates = new HashMap<String, Element>();
      resources.children("template").forEach(it -> templates.putIfAbsent(it.get("id", ""), it));
      collect(templates, resources, found);
    }
    return found;
  }

  private static void collect(
      Map<String, Element> templates, Element in, List<Element> found) {
    for (var child : in.children()) {
      if (!child.is("primitive")) {
        collect(templates, child, found);
      } else if (agent(templates, child).isRemoteConnection()
          && NodeName.of(child.id()) != null) {
        found.add(child);
      }
    }
  }

  private static AgentName agent(Map<String, Element> templates, Element primitive) {
    var named = primitive.get("template");
    var template = named == null ? null : templates.get(named);
    return AgentName.of(template == null ? primitive : template);
  }
}
