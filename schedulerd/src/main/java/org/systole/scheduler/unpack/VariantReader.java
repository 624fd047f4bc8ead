package org.systole.scheduler.unpack;

import org.jspecify.annotations.Nullable;
import org.systole.common.operation.AgentName;
import org.systole.common.values.Bool;
import org.systole.common.values.Numbers;
import org.systole.common.xml.Element;
import org.systole.scheduler.model.Bundle;
import org.systole.scheduler.model.Clone;
import org.systole.scheduler.model.Group;
import org.systole.scheduler.model.Primitive;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.WorkingSet;

/// Reads what differs between primitives, groups, clones and bundles.
final class VariantReader {
  // Far more than nodes can hold; a slip of the finger must not eat all memory.
  private static final int MOST_INSTANCES = 10_000;

  private final ResourceReader reader;
  private final WorkingSet ws;
  private final BundleReader bundles;

  VariantReader(ResourceReader reader) {
    this.reader = reader;
    this.ws = reader.ws;
    this.bundles = new BundleReader(reader);
  }

  /// Reads the rest of a resource; false, with the reason reported, if it is not valid.
  boolean read(Resource resource) {
    if (resource instanceof Primitive primitive) { // the first switch over types takes the JVM long
      return readPrimitive(primitive);
    }
    if (resource instanceof Group group) {
      return readGroup(group);
    }
    return resource instanceof Clone clone ? readClone(clone) : bundles.read((Bundle) resource);
  }

  private boolean readPrimitive(Primitive primitive) {
    var top = primitive.top(false);
    var standard = primitive.standard();
    var ocf = standard.equalsIgnoreCase("ocf");
    if (top instanceof Clone clone
        && primitive.is(ResourceFlag.UNIQUE)
        && !ocf
        && !standard.equalsIgnoreCase(AgentName.FENCING)) {
      makeAnonymous(clone, primitive, standard);
    }
    if (top.is(ResourceFlag.PROMOTABLE) && !ocf) {
      ws.configError(
          "native_unpack",
          "Resource "
              + primitive.id()
              + " is of type "
              + standard
              + " and therefore cannot be used as a promotable clone resource");
      return false;
    }
    return true;
  }

  /// Some standards have no way to tell instances apart, whatever the configuration says.
  private void makeAnonymous(Clone clone, Primitive instance, String standard) {
    ws.configWarning(
        "Ignoring globally-unique for "
            + clone.id()
            + " because "
            + standard
            + " resources such as "
            + instance.id()
            + " can be used only as anonymous clones");
    clone.setNodeMax(1);
    clone.setMax(Math.min(clone.max(), ws.nodes().size()));
    clearUnique(clone);
    clearUnique(instance); // not yet among the children of the clone
  }

  private static void clearUnique(Resource resource) {
    resource.clear(ResourceFlag.UNIQUE);
    resource.meta().put("globally-unique", "false");
    resource.children().forEach(VariantReader::clearUnique);
  }

  private boolean readGroup(Group group) {
    group.setOrdered(groupSwitch(group, "ordered"));
    group.setColocated(groupSwitch(group, "collocated"));
    var instance = group.xml().get(Templates.INSTANCE);
    for (var configured : group.xml().children("primitive")) {
      var member =
          reader.read(
              instance == null ? configured : configured.with(Templates.INSTANCE, instance), group);
      if (member != null) {
        group.children().add(member);
      }
    }
    if (group.children().isEmpty()) {
      ws.configError("group_unpack", "Group " + group.id() + " has no members");
      return false;
    }
    return true;
  }

  private boolean groupSwitch(Group group, String name) {
    var on = Bool.parse(group.meta().get(name), true);
    if (!on) {
      ws.configWarningOnce(
          "group " + name,
          "Support for the '"
              + name
              + "' group meta-attribute is deprecated and will be removed"
              + " in a future release (use a resource set instead)");
    }
    return on;
  }

  private boolean readClone(Clone clone) {
    if (clone.isPromotable()) {
      clone.setPromotedMax(number(clone, "promoted-max", "master-max", 1));
      clone.setPromotedNodeMax(number(clone, "promoted-node-max", "master-node-max", 1));
    }
    clone.setNodeMax(number(clone, "clone-node-max", null, 1));
    clone.setMax(number(clone, "clone-max", null, Math.max(1, ws.nodes().size())));
    clone.setOrdered(Bool.isTrue(clone.meta().get("ordered")));
    clone.setInterleave(Bool.isTrue(clone.meta().get("interleave")));
    if (!clone.isUnique() && clone.nodeMax() > 1) {
      ws.configError(
          "clone_unpack",
          "Ignoring clone-node-max of "
              + clone.nodeMax()
              + " for "
              + clone.id()
              + " because anonymous clones support only one instance per node");
      clone.setNodeMax(1);
    }
    for (var child : clone.xml().children()) {
      if (child.is("primitive") || child.is("group")) {
        clone.setChildXml(child);
        break;
      }
    }
    if (clone.childXml() == null) {
      ws.configError("clone_unpack", clone.id() + " has nothing to clone");
      return false;
    }
    clone.meta().putIfAbsent("resource-stickiness", "1");
    clone.meta().put("globally-unique", Boolean.toString(clone.isUnique()));
    // Even with none allowed, one is needed to recognize leftover instances by.
    if (clone.max() > MOST_INSTANCES) {
      ws.configError(
          "clone_unpack",
          "Using %d instead of %d as clone-max of %s: more instances are not supported"
              .formatted(MOST_INSTANCES, clone.max(), clone.id()));
      clone.setMax(MOST_INSTANCES);
    }
    var wanted = Math.max(clone.max(), 1);
    for (var made = 0; made < wanted && (made == 0 || made < clone.max()); made++) {
      if (addInstance(clone) == null) {
        return false;
      }
    }
    return true;
  }

  /// Adds the next instance to a clone; null if it is not valid. Those beyond the maximum are
  /// marked as removed.
  @Nullable Resource addInstance(Clone clone) {
    var configured = clone.childXml();
    if (configured == null) {
      return null;
    }
    var removed = clone.total() >= clone.max();
    var max = Integer.toString(clone.max());
    var instance = reader.read(withNumber(configured, clone.total()), clone);
    if (instance == null) {
      return null;
    }
    clone.setTotal(clone.total() + 1);
    clone.children().add(instance);
    if (removed) {
      instance.setAll(ResourceFlag.REMOVED);
    }
    instance.meta().put("clone-max", max);
    ws.addInstance(instance);
    return instance;
  }

  private static Element withNumber(Element configured, int number) {
    return configured.with(Templates.INSTANCE, Integer.toString(number));
  }

  private int number(Clone clone, String name, @Nullable String oldName, int fallback) {
    var value = clone.meta().get(name);
    if (value == null && oldName != null) {
      value = clone.meta().get(oldName);
      if (value != null) {
        ws.configWarningOnce(
            oldName,
            "Support for the "
                + oldName
                + " meta-attribute (such as in "
                + clone.id()
                + ") is deprecated and will be removed in a future release. Use the "
                + name
                + " meta-attribute instead.");
      }
    }
    return value == null ? fallback : Math.max(0, Numbers.parseInt(value, 0));
  }
}
