package org.systole.scheduler.constraints;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.systole.common.rules.NextChange;
import org.systole.common.values.ExtendedRegex;
import org.systole.common.xml.Element;
import org.systole.scheduler.constraints.ConstraintReader.Invalid;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.Places;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.Role;
import org.systole.scheduler.model.WorkingSet;
import org.systole.scheduler.unpack.Health;

/// Reads location constraints.
final class LocationReader {
  private static final Pattern SUBMATCH = Pattern.compile("%([0-9])");

  private final WorkingSet cluster;
  private final Element xml;
  private final String id;

  private LocationReader(WorkingSet cluster, Element xml) {
    this.cluster = cluster;
    this.xml = xml;
    this.id = xml.get("id", "");
  }

  static void read(WorkingSet cluster, Element original) throws Invalid {
    var xml = expand(cluster, original);
    var reader = new LocationReader(cluster, xml);
    var sets = ConstraintReader.sets(cluster, xml);
    for (var set : sets) {
      reader.readSet(set);
    }
    if (sets.isEmpty()) {
      new LocationReader(cluster, original).readSimple();
    }
  }

  private static Element expand(WorkingSet cluster, Element xml) throws Invalid {
    var expanded = ConstraintReader.expandSets(cluster, xml);
    if (expanded != null) {
      return expanded;
    }
    var rsc = xml.get("rsc");
    if (rsc == null) {
      return xml;
    }
    ConstraintReader.mustExist(cluster, xml, rsc);
    return ConstraintReader.toSet(cluster, xml, "rsc", false, "role", "role");
  }

  private void readSet(Element set) throws Invalid {
    if (set.id() == null) {
      cluster.configError("Ignoring resource_set without id in constraint '%s'".formatted(id));
      throw new Invalid();
    }
    for (var ref : ConstraintReader.members(set)) {
      var rsc = ConstraintReader.resource(cluster, ref);
      if (rsc == null) {
        cluster.configError("%s: No resource found for %s".formatted(set.id(), ref));
        throw new Invalid();
      }
      readFor(rsc, set.get("role"), set.get("score"), List.of());
    }
  }

  private void readSimple() throws Invalid {
    var rscId = xml.get("rsc");
    if (rscId != null) {
      var rsc = ConstraintReader.resource(cluster, rscId);
      if (rsc == null) {
        cluster.configWarning(
            "Ignoring constraint '%s' because resource '%s' does not exist".formatted(id, rscId));
      } else {
        readFor(rsc, null, null, List.of());
      }
    }
    var pattern = xml.get("rsc-pattern");
    if (pattern != null) {
      readPattern(pattern);
    }
  }

  private void readPattern(String text) throws Invalid {
    var invert = text.startsWith("!");
    var pattern = ExtendedRegex.compile(invert ? text.substring(1) : text);
    if (pattern == null) {
      cluster.configError(
          "Ignoring constraint '%s' because rsc-pattern has invalid value '%s'"
              .formatted(id, invert ? text.substring(1) : text));
      return;
    }
    for (var rsc : List.copyOf(cluster.resources())) {
      var groups = pattern.groups(rsc.id());
      if (groups == null == invert) {
        readFor(rsc, null, null, groups == null ? List.of() : groups);
      }
    }
  }

  private void readFor(
      Resource rsc, @Nullable String setRole, @Nullable String setScore, List<String> submatches)
      throws Invalid {
    var nodeName = xml.get("node");
    var score = setScore == null ? xml.get("score") : setScore;
    if (nodeName != null && score != null) {
      onNode(rsc, nodeName, score, setRole == null ? xml.get("role") : setRole);
      return;
    }
    var rule = xml.first("rule");
    if (rule != null) {
      byRule(rsc, rule, submatches);
    }
  }

  private void onNode(Resource rsc, String nodeName, String text, @Nullable String roleText)
      throws Invalid {
    var node = cluster.node(nodeName);
    if (node == null) {
      cluster.info(
          "Ignoring location constraint %s because '%s' is not a known node"
              .formatted(id, nodeName));
      return;
    }
    var score = Health.read(cluster, text);
    if (score == null) {
      cluster.configError(
          "Ignoring location constraint %s because '%s' is not a valid score".formatted(id, text));
      return;
    }
    var role = role(roleText);
    if (role == null) {
      cluster.configError(
          "Ignoring location constraint %s because '%s' is not a valid role"
              .formatted(id, roleText));
      return;
    }
    Locations.add(id, rsc, score, xml.get("resource-discovery"), node).setRole(role);
  }

  // Every instance is unpromoted before it is promoted, so these roles mean any.
  private static @Nullable Role role(@Nullable String text) {
    if (text == null) {
      return Role.UNKNOWN;
    }
    var role = Role.parse(text);
    return switch (role) {
      case UNKNOWN -> null;
      case STARTED, UNPROMOTED -> Role.UNKNOWN;
      case STOPPED, PROMOTED -> role;
    };
  }

  private void byRule(Resource rsc, Element ref, List<String> submatches) {
    var rule = cluster.rules().resolve(ref);
    if (rule == null) {
      return;
    }
    var role = role(rule.get("role"));
    if (rule.id() == null || role == null) {
      cluster.configError(
          rule.id() == null
              ? "Ignoring location constraint '%s' because its rule has no id".formatted(id)
              : "Ignoring location constraint '%s' because rule '%s' has invalid role '%s'"
                  .formatted(id, rule.id(), rule.get("role")));
      return;
    }
    var combine = rule.get("boolean-op", "and");
    if (!combine.equalsIgnoreCase("and") && !combine.equalsIgnoreCase("or")) {
      cluster.configError(
          "Ignoring location constraint '%s' because rule '%s' has invalid boolean-op '%s'"
              .formatted(id, rule.id(), combine));
      return;
    }
    var attribute = scoreAttribute(rule, submatches);
    var fixed = attribute == null ? fixedScore(rule) : Integer.valueOf(0);
    if (fixed == null) {
      return;
    }
    var location = Locations.add(rule.get("id", id), rsc, 0, xml.get("resource-discovery"), null);
    location.setRole(role);
    var next = new NextChange();
    for (var node : cluster.nodes()) {
      var context =
          cluster
              .ruleContext()
              .withNodeAttributes(node.attributes())
              .withSubmatches(submatches)
              .withResource(rsc.parameters(node), rsc.meta());
      if (!cluster.rules().evaluate(rule, context, next).passes()) {
        continue;
      }
      var score = attribute == null ? fixed : attributeScore(rsc, node, attribute);
      if (score != null) {
        location.nodes().add(Locations.entry(node, score));
      }
    }
    var change = next.earliest();
    if (change != null) {
      cluster.recheckBy(change.epochSecond());
    }
  }

  private static @Nullable String scoreAttribute(Element rule, List<String> submatches) {
    var name = rule.get("score-attribute");
    if (name == null || submatches.isEmpty()) {
      return name;
    }
    return SUBMATCH
        .matcher(name)
        .replaceAll(
            match -> {
              var at = Integer.parseInt(match.group(1));
              return Matcher.quoteReplacement(
                  at == 0 ? match.group() : at < submatches.size() ? submatches.get(at) : "");
            });
  }

  private @Nullable Integer fixedScore(Element rule) {
    var text = rule.get("score");
    var score = text == null ? null : Health.read(cluster, text);
    if (score == null) {
      cluster.configError(
          text == null
              ? ("Ignoring location constraint rule %s because neither score nor score-attribute "
                      + "was specified")
                  .formatted(rule.id())
              : ("Ignoring location constraint rule %s because '%s' is not a valid score: "
                      + "Invalid argument")
                  .formatted(rule.id(), text));
    }
    return score;
  }

  private @Nullable Integer attributeScore(Resource rsc, Node node, String attribute) {
    var text =
        Places.attribute(node, attribute, rsc.meta().get("container-attribute-target"), true);
    if (text == null || text.isEmpty()) {
      cluster.info(
          "Ignoring location %s for %s on %s because it has no node attribute %s"
              .formatted(id, rsc.id(), node.name(), attribute));
      return null;
    }
    var score = Health.read(cluster, text);
    if (score == null) {
      cluster.info(
          ("Ignoring location %s for node %s because node attribute %s value '%s' is not a valid "
                  + "score")
              .formatted(id, node.name(), attribute, text));
    }
    return score;
  }
}
