package org.systole.scheduler.unpack;

import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.AgentName;
import org.systole.common.values.Bool;
import org.systole.common.values.Interval;
import org.systole.common.values.Numbers;
import org.systole.common.values.Score;
import org.systole.common.xml.Element;
import org.systole.scheduler.model.Bundle;
import org.systole.scheduler.model.Clone;
import org.systole.scheduler.model.ClusterFlag;
import org.systole.scheduler.model.Group;
import org.systole.scheduler.model.MultipleActive;
import org.systole.scheduler.model.Primitive;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.Role;
import org.systole.scheduler.model.WorkingSet;
import org.systole.scheduler.operations.BundleAddresses;

/// Reads the resources: what all of them have in common, and the variants by their own readers.
final class ResourceReader {
  final WorkingSet ws;
  final NodeReader nodes;
  private final Templates templates;
  private final Requirements requirements;
  private final VariantReader variants;
  private final Set<String> configured = new HashSet<>(); // ids, looked up only

  ResourceReader(WorkingSet ws, NodeReader nodes) {
    this.ws = ws;
    this.nodes = nodes;
    this.templates = new Templates(ws);
    this.requirements = new Requirements(ws);
    this.variants = new VariantReader(this);
  }

  void readAll(Element resources) {
    note(resources);
    for (var each : resources.children()) {
      if (each.isComment()) {
        continue;
      }
      var id = each.get("id", "");
      if (id.isEmpty()) {
        ws.configError(
            "unpack_resources", "Ignoring <" + each.name() + "> resource without ID");
      } else if (each.is("template")) {
        templates.note(id);
      } else {
        var resource = read(each, null);
        if (resource == null) {
          ws.configError(
              "unpack_resources",
              "Ignoring <"
                  + each.name()
                  + "> resource '"
                  + id
                  + "' because configuration is invalid");
        } else {
          ws.addResource(resource);
        }
      }
    }
    for (var resource : ws.resources()) {
      linkLauncher(resource);
      linkRemoteNode(resource);
    }
    ws.resources().sort(Comparator.comparingInt((Resource resource) -> -resource.priority()));
    warnWithoutFencing();
  }

  private void note(Element within) {
    for (var each : within.children()) {
      if (RemoteNodes.RESOURCES.contains(each.name())) {
        configured.add(each.get("id", ""));
        note(each);
      }
    }
  }

  /// Whether a resource of the configuration, or a guest's connection, is called so, wherever it stands.
  boolean isConfigured(String name) {
    return configured.contains(name);
  }

  private void warnWithoutFencing() {
    if (!ws.is(ClusterFlag.LOCATION_ONLY)
        && ws.is(ClusterFlag.FENCING_ENABLED)
        && !ws.is(ClusterFlag.HAVE_FENCING)) {
      ws.configError(
          "unpack_resources",
          "Resource start-up disabled since no fencing resources have been defined. Either"
              + " configure some or disable fencing with the fencing-enabled option. NOTE: Clusters"
              + " with shared data need fencing to ensure data integrity.");
    }
  }

  /// Adds the next instance to a clone; null if it is not valid.
  @Nullable Resource addInstance(Clone clone) {
    return variants.addInstance(clone);
  }

  private void linkLauncher(Resource resource) {
    if (!resource.children().isEmpty()) {
      resource.children().forEach(this::linkLauncher);
      return;
    }
    var launcherId = resource.meta().get("container");
    if (launcherId == null || launcherId.equals(resource.id())) {
      return;
    }
    var launcher = ws.resource(launcherId);
    if (launcher == null) {
      ws.configError(
          "unpack_launcher", "Resource " + resource.id() + ": Unknown container " + launcherId);
    } else {
      resource.setLauncher(launcher);
      launcher.launched().add(resource);
    }
  }

  /// Ties a remote connection that is no part of anything else to the node of its name.
  void linkRemoteNode(Resource connection) {
    if (!connection.is(ResourceFlag.REMOTE_CONNECTION) || ws.is(ClusterFlag.LOCATION_ONLY)) {
      return;
    }
    var node = ws.remoteNode(connection.id());
    if (node == null) {
      return;
    }
    node.setRemote(connection);
    if (connection.launcher() == null) {
      nodes.startUnclean(node);
    } else {
      NodeReader.markAsContainer(node);
    }
  }

  /// Reads one resource and all inside it; null, with the reason reported, if it is not valid.
  @Nullable Resource read(Element configured, @Nullable Resource parent) {
    var id = configured.id();
    if (id == null) {
      ws.configError(
          "pe__unpack_resource", "Ignoring <" + configured.name() + "> configuration without id");
      return null;
    }
    var xml = templates.expand(configured);
    if (xml == null) {
      return null;
    }
    var instance = xml.get(Templates.INSTANCE);
    var resource = create(instance == null ? id : id + ":" + instance, xml, configured);
    if (resource == null) {
      ws.configError(
          "unpack_resources",
          "Ignoring resource '" + id + "' of unknown type '" + configured.name() + "'");
      return null;
    }
    resource.setParent(parent);
    var operations = xml.first("operations");
    resource.setOperations(operations == null ? null : ws.rules().resolve(operations));
    readMeta(resource);
    var remote = readFlags(resource);
    readPolicies(resource);
    if (remote) {
      readReconnectInterval(resource);
    }
    var target = resource.targetRole();
    resource.setNextRole(target == null ? Role.UNKNOWN : target);
    if (!variants.read(resource)) {
      return null;
    }
    allow(resource);
    ws.readBlocks(xml, "utilization", ws.ruleContext(), resource.utilization(), null);
    if (xml != configured) {
      templates.addUser(configured);
    }
    return resource;
  }

  private @Nullable Resource create(String id, Element xml, Element configured) {
    return switch (xml.name().toLowerCase(Locale.ROOT)) {
      case "primitive" -> new Primitive(ws, id, xml, configured);
      case "group" -> new Group(ws, id, xml, configured);
      case "clone" -> new Clone(ws, id, xml, configured);
      case "bundle" -> new Bundle(ws, id, xml, configured);
      default -> null;
    };
  }

  /// Meta-attributes in order of precedence: XML attributes of the resource, its own blocks, those
  /// of its ancestors, the defaults, and what the parent ended up with.
  private void readMeta(Resource resource) {
    var xml = resource.xml();
    var meta = resource.meta();
    for (var at = 0; at < xml.attributeCount(); at++) {
      inherit(meta, xml.attributeName(at), xml.attributeValue(at));
    }
    var context =
        ws.ruleContext().withAgent(xml.get("class"), xml.get("provider"), xml.get("type"));
    ws.readBlocks(xml, "meta_attributes", context, meta, null);
    var parent = resource.parent();
    if (parent != null) {
      Map<String, String> ofAncestors = new LinkedHashMap<>();
      for (@Nullable Resource up = parent; up != null; up = up.parent()) {
        ws.readBlocks(up.xml(), "meta_attributes", context, ofAncestors, null);
      }
      ofAncestors.forEach((name, value) -> inherit(meta, name, value));
    }
    ws.readBlocks(ws.resourceDefaults(), "meta_attributes", context, meta, null);
    if (parent != null) {
      parent.meta().forEach((name, value) -> inherit(meta, name, value));
    }
  }

  private void inherit(Map<String, String> meta, String name, String value) {
    if (value.equalsIgnoreCase("#default")) {
      ws.configWarning(
          "Support for setting meta-attributes (such as "
              + name
              + ") to the explicit value"
              + " '#default' is deprecated and will be removed in a future release");
    } else {
      meta.putIfAbsent(name, value);
    }
  }

  /// Sets the flags that follow from meta-attributes.
  ///
  /// @return whether it is the connection of a remote (not a guest) node
  private boolean readFlags(Resource resource) {
    var meta = resource.meta();
    resource.set(ResourceFlag.UNASSIGNED);
    resource.setPriority(score(resource, "priority", 0));
    setIf(
        resource, ResourceFlag.CRITICAL, Bool.parse(meta.getOrDefault("critical", "true"), false));
    setIf(resource, ResourceFlag.NOTIFY, Bool.isTrue(meta.get("notify")));
    var connection = BundleAddresses.isConnection(resource.xml());
    setIf(resource, ResourceFlag.REMOTE_CONNECTION, connection);
    var other = connection ? ws.otherNodeOf(resource.id()) : null;
    if (other != null) {
      ws.configError(
          "Resource %s is not started: it would make a remote node, and a %s node is called so, or has that id"
              .formatted(resource.id(), other.remoteKind() ? "remote or guest" : "cluster"));
      meta.put("target-role", "Stopped");
    }
    var remote = connection && !meta.containsKey("container");
    var migrate = meta.get("allow-migrate");
    setIf(resource, ResourceFlag.MIGRATABLE, migrate == null ? remote : Bool.isTrue(migrate));
    readManaged(resource);
    if (resource.top(false) instanceof Clone) {
      setIf(resource, ResourceFlag.UNIQUE, isUnique(meta));
      setIf(resource, ResourceFlag.PROMOTABLE, Bool.isTrue(meta.get("promotable")));
    } else {
      resource.set(ResourceFlag.UNIQUE);
    }
    return remote;
  }

  private static void setIf(Resource resource, ResourceFlag flag, boolean condition) {
    if (condition) {
      resource.set(flag);
    }
  }

  private void readManaged(Resource resource) {
    var maintenance = ws.is(ClusterFlag.IN_MAINTENANCE);
    var managed = !maintenance;
    var value = resource.meta().get("is-managed");
    if ("default".equalsIgnoreCase(value)) {
      warnDefault("is-managed");
    } else if (value != null) {
      managed = Bool.isTrue(value);
    }
    if (maintenance || Bool.isTrue(resource.meta().get("maintenance"))) {
      managed = false;
      resource.set(ResourceFlag.MAINTENANCE);
    }
    setIf(resource, ResourceFlag.MANAGED, managed);
  }

  private static boolean isUnique(Map<String, String> meta) {
    var value = meta.get("globally-unique");
    return value != null ? Bool.isTrue(value) : Numbers.parse(meta.get("clone-node-max"), 1) > 1;
  }

  private void readPolicies(Resource resource) {
    var meta = resource.meta();
    resource.setMultipleActive(multipleActive(meta.get("multiple-active")));
    if ("default".equalsIgnoreCase(meta.get("resource-stickiness"))) {
      warnDefault("resource-stickiness");
    } else {
      resource.setStickiness(score(resource, "resource-stickiness", 0));
    }
    resource.setMigrationThreshold(migrationThreshold(resource));
    if (resource.standard().equalsIgnoreCase(AgentName.FENCING)) {
      ws.set(ClusterFlag.HAVE_FENCING);
      resource.set(ResourceFlag.FENCE_DEVICE);
    }
    requirements.apply(resource, meta.get("requires"));
    resource.setFailureTimeoutMs(Interval.parse(meta.get("failure-timeout")));
  }

  private MultipleActive multipleActive(@Nullable String value) {
    if (value == null) {
      return MultipleActive.STOP_START;
    }
    return switch (value.toLowerCase(Locale.ROOT)) {
      case "stop_only" -> MultipleActive.STOP_ONLY;
      case "block" -> MultipleActive.BLOCK;
      case "stop_unexpected" -> MultipleActive.STOP_UNEXPECTED;
      case "stop_start" -> MultipleActive.STOP_START;
      default -> {
        ws.configWarning(
            value + " is not a valid value for multiple-active, using default of \"stop_start\"");
        yield MultipleActive.STOP_START;
      }
    };
  }

  private int migrationThreshold(Resource resource) {
    var value = resource.meta().get("migration-threshold");
    if ("default".equalsIgnoreCase(value)) {
      warnDefault("migration-threshold");
      return Score.INFINITY;
    }
    var score = value == null ? Integer.valueOf(Score.INFINITY) : Health.read(ws, value);
    if (score == null || score < 0) {
      ws.configWarning(
          "Using default (INFINITY) for resource "
              + resource.id()
              + " meta-attribute migration-threshold because '"
              + value
              + "' is not a valid value");
      return Score.INFINITY;
    }
    return score;
  }

  private void warnDefault(String name) {
    ws.configWarning(
        "Support for setting "
            + name
            + " to the explicit value 'default' is deprecated and will be"
            + " removed in a future release (just leave it unset)");
  }

  private int score(Resource resource, String name, int fallback) {
    var value = resource.meta().get(name);
    var score = value == null ? null : Health.read(ws, value);
    if (value != null && score == null) {
      ws.configWarning(
          "Using default ("
              + fallback
              + ") for resource "
              + resource.id()
              + " "
              + name
              + " because '"
              + value
              + "' is not a valid value");
    }
    return score == null ? fallback : score;
  }

  /// A reconnect interval works as a failure timeout that takes the place of any other.
  private static void readReconnectInterval(Resource resource) {
    var value = resource.parameters(null).get("reconnect_interval");
    if (value != null) {
      resource.setReconnectIntervalMs(Interval.parse(value));
      resource.setFailureTimeoutMs(resource.reconnectIntervalMs());
    }
  }

  private void allow(Resource resource) {
    if (ws.is(ClusterFlag.SYMMETRIC)) {
      resource.allowEverywhere();
    } else if (resource.is(ResourceFlag.REMOTE_CONNECTION)
        && resource.meta().containsKey("container")) {
      // Where a guest's connection may run depends on the guest alone.
      resource.preferEverywhere(0);
    }
  }
}
