package org.systole.scheduler.constraints;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.Bool;
import org.systole.common.xml.Element;
import org.systole.scheduler.model.IdRefs;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.Role;
import org.systole.scheduler.model.WorkingSet;

/// Reads the constraints section, in document order, and what all kinds of constraints share.
public final class ConstraintReader {
  static final String SET = "resource_set";
  static final String REF = "resource_ref";

  private ConstraintReader() {}

  /// Thrown where the rest of a constraint cannot be used; the reason has been noted.
  static final class Invalid extends Exception {
    private static final long serialVersionUID = 1;

    Invalid() {
      super(null, null, false, false);
    }
  }

  public static void readAll(WorkingSet cluster) {
    var constraints = cluster.cib().path("configuration", "constraints");
    if (constraints == null) {
      return;
    }
    for (var xml : constraints.children()) {
      if (!xml.isComment()) {
        read(cluster, xml);
      }
    }
  }

  private static void read(WorkingSet cluster, Element xml) {
    if (xml.id() == null) {
      cluster.configError("Ignoring <" + xml.name() + "> constraint without id");
      return;
    }
    try {
      switch (xml.name()) {
        case "rsc_order" -> OrderReader.read(cluster, xml);
        case "rsc_colocation" -> ColocationReader.read(cluster, xml);
        case "rsc_location" -> LocationReader.read(cluster, xml);
        case "rsc_ticket" -> TicketReader.read(cluster, xml);
        default -> cluster.configError("Unsupported constraint type: " + xml.name());
      }
    } catch (Invalid _) {
      // Noted where it was found.
    }
  }

  /// The resource of that id; for an instance, the clone.
  static @Nullable Resource resource(WorkingSet cluster, @Nullable String id) {
    if (id == null) {
      return null;
    }
    var found = cluster.resource(id);
    return found == null || found.id().equals(id) ? found : found.top(false);
  }

  /// The resource that an attribute names.
  static Resource required(WorkingSet cluster, Element xml, String attribute) throws Invalid {
    var id = xml.get(attribute);
    if (id == null) {
      cluster.configError("Ignoring constraint '%s' without %s".formatted(xml.id(), attribute));
      throw new Invalid();
    }
    var found = resource(cluster, id);
    if (found == null) {
      cluster.configError(
          "Ignoring constraint '%s' because resource '%s' does not exist".formatted(xml.id(), id));
      throw new Invalid();
    }
    return found;
  }

  /// The ids behind a template or tag; null if there is neither.
  static @Nullable IdRefs refs(WorkingSet cluster, String id) {
    for (var refs : List.of(cluster.templates(), cluster.tags())) {
      if (refs.containsKey(id)) {
        var found = refs.get(id);
        if (found == null || found.refs().isEmpty()) {
          cluster.notice(
              (refs == cluster.templates()
                      ? "No resource is derived from template '"
                      : "No resource is tagged with '")
                  + id
                  + "'");
          return null;
        }
        return found;
      }
    }
    cluster.configWarning("No resource, template, or tag named '" + id + "'");
    return null;
  }

  static void mustExist(WorkingSet cluster, Element xml, String id) throws Invalid {
    if (resource(cluster, id) == null && refs(cluster, id) == null) {
      cluster.configError(
          "Ignoring constraint '%s' because '%s' is not a valid resource or tag"
              .formatted(xml.id(), id));
      throw new Invalid();
    }
  }

  /// The constraint with templates and tags in its sets replaced by what they stand for; null if
  /// there are none, or if one of them stands for something that is not there. In that case the
  /// sets are read as they are, up to the first name that is no resource's.
  static @Nullable Element expandSets(WorkingSet cluster, Element xml) {
    var expanded = Element.builder(xml.name());
    for (var at = 0; at < xml.attributeCount(); at++) {
      expanded.attr(xml.attributeName(at), xml.attributeValue(at));
    }
    var any = false;
    for (var child : xml.children()) {
      if (!child.is(SET)) {
        expanded.add(child);
        continue;
      }
      var members = new ArrayList<Element>();
      for (var ref : child.children()) {
        var id = ref.is(REF) ? ref.id() : null;
        if (id == null || resource(cluster, id) != null) {
          members.add(ref);
        } else if (addMembers(cluster, xml, id, members, new HashSet<>())) {
          any = true;
        } else {
          return null;
        }
      }
      expanded.add(child.withChildren(members));
    }
    return any ? expanded.build() : null;
  }

  /// Adds what a template or tag stands for. Its members may be tags in turn, each once.
  private static boolean addMembers(
      WorkingSet cluster, Element xml, String id, List<Element> members, Set<String> open) {
    var refs = refs(cluster, id);
    if (refs == null || !open.add(id)) {
      cluster.configError(
          ("Ignoring resource sets for constraint '%s' because '%s' is not a valid resource or "
                  + "tag")
              .formatted(xml.id(), id));
      return false;
    }
    for (var member : refs.refs()) {
      if (resource(cluster, member) != null) {
        members.add(Element.of(REF, "id", member));
      } else if (!addMembers(cluster, xml, member, members, open)) {
        return false;
      }
    }
    open.remove(id);
    return true;
  }

  /// Replaces an attribute that names a template or tag (with `always`, also a resource) by a set.
  ///
  /// @param moved an attribute of the constraint that becomes one of the set, if it is there
  static Element toSet(
      WorkingSet cluster,
      Element xml,
      String attribute,
      boolean always,
      String moved,
      String movedTo)
      throws Invalid {
    var id = xml.get(attribute);
    if (id == null) {
      return xml;
    }
    var set = Element.builder(SET).attr("id", id);
    if (resource(cluster, id) != null) {
      if (!always) {
        return xml;
      }
      set.add(Element.of(REF, "id", id));
    } else {
      var refs = refs(cluster, id);
      if (refs == null) {
        cluster.configError(
            "Ignoring constraint '%s' because '%s' is not a valid resource or tag"
                .formatted(xml.id(), id));
        throw new Invalid();
      }
      refs.refs().forEach(member -> set.add(Element.of(REF, "id", member)));
      set.attr("sequential", "false");
    }
    var result = xml.without(attribute);
    if (xml.get(moved) != null) {
      set.attr(movedTo, xml.get(moved));
      result = result.without(moved);
    }
    return result.plus(set.build());
  }

  /// The sets of a constraint, id-refs followed.
  static List<Element> sets(WorkingSet cluster, Element xml) throws Invalid {
    var found = new ArrayList<Element>();
    for (var child : xml.children(SET)) {
      var set = cluster.rules().resolve(child);
      if (set == null) {
        throw new Invalid();
      }
      found.add(set);
    }
    return found;
  }

  static List<String> members(Element set) {
    var ids = new ArrayList<String>();
    for (var ref : set.children(REF)) {
      ids.add(ref.get("id", ""));
    }
    return ids;
  }

  /// The role a constraint is about; [Role#UNKNOWN] for any.
  static Role role(WorkingSet cluster, String constraint, @Nullable String text) throws Invalid {
    var role = Role.parse(text);
    if (role == Role.UNKNOWN && text != null) {
      cluster.configError("Ignoring constraint %s: Invalid role '%s'".formatted(constraint, text));
      throw new Invalid();
    }
    return role == Role.STARTED ? Role.UNKNOWN : role;
  }

  /// Whether a set is sequential where it says nothing else.
  static boolean isSequential(Element set) {
    return Bool.parse(set.get("sequential"), true);
  }
}
