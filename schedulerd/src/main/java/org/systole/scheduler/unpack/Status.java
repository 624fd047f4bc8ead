package org.systole.scheduler.unpack;

import java.time.Instant;
import java.time.ZoneId;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.systole.common.output.Product;
import org.systole.common.values.Bool;
import org.systole.common.values.Numbers;
import org.systole.common.values.Version;
import org.systole.common.xml.Element;
import org.systole.scheduler.model.ClusterFlag;
import org.systole.scheduler.model.IdRefs;
import org.systole.scheduler.model.NoQuorumPolicy;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.WorkingSet;

/// The state of the cluster as a CIB tells it, without deciding anything yet.
public final class Status {
  private static final int MAX_FENCING_LEVEL = 9;

  private Status() {}

  /// The state of the cluster.
  ///
  /// @param cib of the current schema
  /// @param zone in which times are shown and date specifications are meant
  /// @param flags switches of the run, such as [ClusterFlag#NO_COUNTS]
  public static WorkingSet of(Element cib, Instant now, ZoneId zone, Set<ClusterFlag> flags) {
    var ws = new WorkingSet(cib, now, zone);
    ws.flags().addAll(flags);
    read(ws);
    return ws;
  }

  /// Fills a working set from its CIB.
  ///
  /// @return false, with the reason reported, if the CIB is too new to be understood
  public static boolean read(WorkingSet ws) {
    if (ws.is(ClusterFlag.HAVE_STATUS)) {
      return true;
    }
    var cib = ws.cib();
    var featureSet = cib.get("crm_feature_set");
    if (featureSet != null && Version.compare(featureSet, Product.FEATURE_SET) > 0) {
      ws.configError(
          "cluster_status",
          "Can't process CIB with feature set '"
              + featureSet
              + "' greater than our own '"
              + Product.FEATURE_SET
              + "'");
      return false;
    }
    ws.set(ClusterFlag.QUORATE, Bool.isTrue(cib.get("have-quorum")));
    var configuration = cib.first("configuration");
    var config = configuration == null ? Element.of("configuration") : configuration;
    ws.setOperationDefaults(config.first("op_defaults"));
    ws.setResourceDefaults(config.first("rsc_defaults"));
    warnOfDeprecatedRules(ws, config);
    warnOfOldRole(ws, config, "Master", "Promoted");
    warnOfOldRole(ws, config, "Slave", "Unpromoted");
    new ConfigReader(ws).read(config.first("crm_config"));
    var locationOnly = ws.is(ClusterFlag.LOCATION_ONLY);
    if (!locationOnly
        && !ws.is(ClusterFlag.QUORATE)
        && ws.noQuorumPolicy() != NoQuorumPolicy.IGNORE) {
      ws.warning(
          "cluster_status", "Fencing and resource management disabled due to lack of quorum", "");
    }
    var nodes = new NodeReader(ws);
    var section = config.first("resources");
    nodes.read(config.first("nodes"), new ConnectedNames(section));
    var resources = new ResourceReader(ws, nodes);
    if (section != null) {
      resources.readAll(locationOnly ? section : new RemoteNodes(ws, nodes).read(section));
    }
    checkTopology(ws, config.first("fencing-topology"));
    readTags(ws, config.first("tags"));
    if (!locationOnly) {
      new StatusReader(resources).read(cib.first("status"));
    }
    if (!ws.is(ClusterFlag.NO_COUNTS)) {
      ws.resources().forEach(Resource::count);
    }
    if (ws.localNode() != null && ws.node(ws.localNode()) == null) {
      nodes.create(ws.localNode(), ws.localNode(), null, 0);
    }
    ws.set(ClusterFlag.HAVE_STATUS);
    return true;
  }

  private static void warnOfDeprecatedRules(WorkingSet ws, Element config) {
    var defaults = config.first("op_defaults");
    var inDefaults = defaults != null && defaults.find(element -> element.is("expression")) != null;
    if (inDefaults || config.find(Status::isOperationWithExpression) != null) {
      ws.configWarningOnce(
          "expression in operation",
          "Support for rules with node attribute expressions in op or op_defaults is deprecated"
              + " and will be dropped in a future release");
    }
  }

  private static void warnOfOldRole(WorkingSet ws, Element config, String old, String current) {
    if (config.find(element -> names(element, old)) != null) {
      ws.configWarning(
          "Support for the "
              + old
              + " role is deprecated and will be removed in a future release."
              + " Use "
              + current
              + " instead.");
    }
  }

  private static boolean names(Element element, String role) {
    if (element.is("nvpair")) {
      var name = element.get("name", "");
      return (name.equals("target-role") || name.equals("role"))
          && role.equalsIgnoreCase(element.get("value"));
    }
    return role.equalsIgnoreCase(element.get("role"))
        || role.equalsIgnoreCase(element.get("rsc-role"))
        || role.equalsIgnoreCase(element.get("with-rsc-role"));
  }

  private static boolean isOperationWithExpression(Element element) {
    return element.is("op")
        && element.childCount() > 0
        && element.find(inner -> inner.is("expression")) != null;
  }

  private static void checkTopology(WorkingSet ws, @Nullable Element topology) {
    if (topology == null) {
      return;
    }
    for (var level : topology.children("fencing-level")) {
      var id = level.get("id", "");
      var index = level.get("index");
      if (id.isEmpty()) {
        ws.configError("pcmk__validate_fencing_topology", "Ignoring fencing level without ID");
      } else if (!Numbers.isNumber(index)) {
        ws.configError(
            "pcmk__validate_fencing_topology",
            "Ignoring fencing level " + id + " with invalid index");
      } else {
        var number = Numbers.parse(index, 0);
        if (number < 1 || number > MAX_FENCING_LEVEL) {
          ws.configError(
              "pcmk__validate_fencing_topology",
              "Ignoring fencing level " + id + " with out-of-range index " + number);
        }
      }
    }
  }

  private static void readTags(WorkingSet ws, @Nullable Element tags) {
    if (tags == null) {
      return;
    }
    for (var tag : tags.children("tag")) {
      var id = tag.id();
      if (id == null) {
        ws.configError("unpack_tags", "Ignoring <tag> without id");
        continue;
      }
      for (var reference : tag.children("obj_ref")) {
        var target = reference.id();
        if (target == null) {
          ws.configError("unpack_tags", "Ignoring <obj_ref> for tag '" + id + "' without id");
        } else {
          ws.tags().computeIfAbsent(id, IdRefs::new).refs().add(target);
        }
      }
    }
  }
}
