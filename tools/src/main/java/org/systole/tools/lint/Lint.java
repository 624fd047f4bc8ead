package org.systole.tools.lint;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.systole.common.hosts.HostHaUse;
import org.systole.common.options.ClusterOptions;
import org.systole.common.xml.Element;
import org.systole.tools.lint.Finding.Severity;

/// Looks through a valid configuration of the current schema for what is legal and hurts: what pcs
/// warns of, and more. It reads what is written, without regard to rules.
public final class Lint {
  static final String FENCING = "stonith";
  private static final String ROLE = "#role-"; // an attribute that tells how far a role is

  private final Element configuration;
  private final ClusterOptions options;
  private final Map<String, Element> primitives = new LinkedHashMap<>();
  private final Map<String, Element> ids = new LinkedHashMap<>();
  private final Set<String> nodes = new LinkedHashSet<>();
  private final List<Finding> findings = new ArrayList<>();

  private Lint(Element configuration, ClusterOptions options) {
    this.configuration = configuration;
    this.options = options;
    collect(configuration);
    section("nodes").forEach(it -> nodes.add(it.get("uname", "")));
  }

  /// The worst first.
  ///
  /// @param options as they are in force
  public static List<Finding> of(Element cib, ClusterOptions options) {
    var configuration = cib.first("configuration");
    if (configuration == null) {
      return List.of();
    }
    var lint = new Lint(configuration, options);
    new FencingLint(lint).check();
    lint.cluster();
    lint.primitives.values().forEach(it -> new ResourceLint(lint, it).check());
    lint.constraints();
    lint.findings.sort(Comparator.comparing(Finding::severity));
    return List.copyOf(lint.findings);
  }

  private void collect(Element element) {
    var id = element.get("id");
    if (id != null) {
      ids.putIfAbsent(id, element);
    }
    if (element.is("primitive") && id != null) {
      primitives.put(id, element);
    }
    element.children().forEach(this::collect);
  }

  void add(String id, Severity severity, String about, String what, String fix) {
    findings.add(new Finding(id, severity, about, what, fix));
  }

  ClusterOptions options() {
    return options;
  }

  List<Element> section(String name) {
    var section = configuration.first(name);
    return section == null ? List.of() : section.children();
  }

  /// The fence devices, or all other primitives.
  List<Element> primitives(boolean fencing) {
    return primitives.values().stream()
        .filter(it -> FENCING.equals(of(it, "class")) == fencing)
        .toList();
  }

  /// An attribute of a primitive, or of the template it is made from.
  String of(Element primitive, String attribute) {
    var own = primitive.get(attribute);
    var template = ids.get(primitive.get("template", ""));
    return own != null ? own : template == null ? "" : template.get(attribute, "");
  }

  /// The children of a kind of a primitive and of its template.
  List<Element> parts(Element primitive, String kind) {
    var parts = new ArrayList<>(primitive.children(kind));
    var template = ids.get(primitive.get("template", ""));
    if (template != null) {
      parts.addAll(template.children(kind));
    }
    return parts;
  }

  /// Names and values, those written first counting.
  Map<String, String> values(Element owner, String kind) {
    var values = new LinkedHashMap<String, String>();
    for (var set : parts(owner, kind)) {
      set.children("nvpair").forEach(it -> values.putIfAbsent(it.get("name", ""), it.get("value", "")));
    }
    return values;
  }

  private void cluster() {
    if (options.ignoresQuorum()) {
      add(
          "quorum-ignored",
          Severity.ERROR,
          "",
          "no-quorum-policy is ignore: both halves of a cluster that is cut apart run everything",
          "Set it to stop, or freeze; two nodes have two_node in corosync.conf, or a quorum device");
    }
    if (options.isTrue("maintenance-mode")) {
      add(
          "maintenance-mode",
          Severity.WARNING,
          "",
          "the cluster is in maintenance: nothing is started, stopped or recovered",
          "crm_attribute -n maintenance-mode -D, when the work is done");
    }
    if (options.isTrue("stop-all-resources")) {
      add(
          "stop-all-resources",
          Severity.WARNING,
          "",
          "all resources are stopped on purpose",
          "crm_attribute -n stop-all-resources -D starts them");
    }
    var defaults = section("rsc_defaults");
    if (!primitives.isEmpty()
        && defaults.stream().noneMatch(it -> it.find(Lint::isStickiness) != null)
        && primitives(false).stream().allMatch(it -> it.find(Lint::isStickiness) == null)) {
      add(
          "no-stickiness",
          Severity.NOTICE,
          "",
          "resources have no stickiness: they may move when a node comes back",
          "crm_attribute -t rsc_defaults -n resource-stickiness -v 100");
    }
    section("crm_config").forEach(this::unknownOptions);
  }

  private static boolean isStickiness(Element element) {
    return element.is("nvpair") && "resource-stickiness".equals(element.get("name"));
  }

  private void unknownOptions(Element set) {
    for (var pair : set.children("nvpair")) {
      var name = pair.get("name", "");
      var now = KnownOptions.presentName(name);
      if (HostHaUse.isSetting(name)) {
        continue; // crm_verify has host HA look at its own, and is told of those that there are not
      }
      if (now == null) {
        add(
            "unknown-option",
            Severity.WARNING,
            pair.get("id", ""),
            name + " is no option of the cluster and has no effect",
            "crm_attribute --list-options=cluster shows those there are");
      } else if (!now.equals(name)) {
        add(
            "old-option",
            Severity.NOTICE,
            pair.get("id", ""),
            name + " is a former name",
            "It is called " + now + " now");
      }
    }
  }

  private void constraints() {
    for (var constraint : section("constraints")) {
      var id = constraint.get("id", "");
      var node = constraint.get("node");
      if (id.startsWith("cli-ban-") || id.startsWith("cli-prefer-")) {
        add(
            "left-by-move",
            Severity.NOTICE,
            id,
            "a constraint that crm_resource --move or --ban has left is in force",
            "crm_resource --clear -r " + constraint.get("rsc", "RESOURCE") + ", when it is no longer wanted");
      }
      if (node != null && !isNode(node)) {
        add(
            "unknown-node",
            Severity.WARNING,
            id,
            "there is no node " + node,
            "Correct the name, or remove the constraint");
      }
      constraint.children("rule").forEach(it -> roleRule(id, it));
      for (var name : List.of("rsc", "with-rsc", "first", "then")) {
        var named = constraint.get(name);
        if (named != null && !ids.containsKey(named)) {
          add(
              "unknown-resource",
              Severity.WARNING,
              id,
              "there is no resource " + named,
              "Correct the name, or remove the constraint");
        }
      }
    }
  }

  /// A role that is done anew is not active for as long as that takes.
  private void roleRule(String constraint, Element rule) {
    var any = "or".equals(rule.get("boolean-op")) || rule.childCount() == 1;
    for (var it : rule.children("expression")) {
      var attribute = it.get("attribute", "");
      if (any
          && "-INFINITY".equals(rule.get("score"))
          && attribute.startsWith(ROLE)
          && "ne".equals(it.get("operation"))
          && "active".equals(it.get("value"))) {
        add(
            "role-rule",
            Severity.WARNING,
            constraint,
            "what runs is moved away, too, while role %s is done anew: after crm_role --retry, or a change of its settings"
                .formatted(attribute.substring(ROLE.length())),
            "Have the rule ask for operation=eq value=error, and the join gate keep off what is not there yet (crm_role --gate)");
      }
    }
  }

  /// Remote nodes are resources, guest nodes are named by what they run in. A configuration without nodes has yet to get them.
  boolean isNode(String name) {
    return nodes.isEmpty()
        || nodes.stream().anyMatch(name::equalsIgnoreCase)
        || ids.containsKey(name)
        || configuration.find(
                it -> "remote-node".equals(it.get("name")) && name.equals(it.get("value")))
            != null;
  }
}
