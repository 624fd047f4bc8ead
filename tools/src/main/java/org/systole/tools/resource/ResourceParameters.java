package org.systole.tools.resource;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibQuery;
import org.systole.common.cib.CibXPath;
import org.systole.common.output.Rc;
import org.systole.common.output.TextOutput;
import org.systole.common.output.XmlOutput;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.scheduler.Scheduler;
import org.systole.scheduler.model.Resource;

/// Parameters, meta-attributes and utilization of a resource: asked for, set, deleted.
final class ResourceParameters {
  static final String META = "meta_attributes";
  static final String INSTANCE = "instance_attributes";
  static final String UTILIZATION = "utilization";
  static final String ELEMENT = "element";

  /// Which one is meant.
  ///
  /// @param setType one of the constants here
  /// @param set the id of the set, empty for any
  /// @param id the id of the name-value pair, empty for any
  record Which(String setType, String set, String id, String name) {}

  private record Changed(Resource rsc, String rscId, String setType, String set, String id) {}

  private record Search(Rc rc, @Nullable Element nvpair) {}

  private final ResourceContext context;

  ResourceParameters(ResourceContext context) {
    this.context = context;
  }

  void show(Which which) {
    var rsc = context.theResource();
    var active = rsc.activeNode();
    var node = active.node();
    if (active.all() > 1) {
      context
          .out()
          .error(
              "%s is active on more than one node, returning the default value for %s"
                  .formatted(rsc.id(), which.name()));
      node = null;
    }
    var value =
        switch (which.setType()) {
          case INSTANCE -> rsc.parameters(node).get(which.name());
          case META -> rsc.meta().get(which.name());
          case ELEMENT -> rsc.xml().get(which.name());
          default -> {
            var all = new LinkedHashMap<String, String>();
            context
                .status()
                .readBlocks(rsc.xml(), UTILIZATION, context.status().ruleContext(), all, null);
            yield all.get(which.name());
          }
        };
    if (value == null) {
      context.out().error("Attribute '%s' not found for '%s'".formatted(which.name(), rsc.id()));
      return;
    }
    switch (context.out()) {
      case TextOutput text -> text.print(value + "\n");
      case XmlOutput xml -> {
        xml.begin(null, null, "Attributes");
        xml.item(which.name(), value);
        xml.end();
      }
    }
  }

  Rc set(Which which, String value, boolean recursive) {
    if (recursive) {
      Scheduler.readConstraints(context.status());
    }
    if (which.setType().equals(ELEMENT)) {
      return replaceElement(
          it -> it.with(which.name(), value),
          "Set attribute: name=%s value=%s".formatted(which.name(), value));
    }
    var changed = new ArrayList<Changed>();
    var rc =
        update(
            context.theResource(),
            context.requested(),
            which,
            value,
            recursive,
            new LinkedHashSet<>(),
            changed);
    if (rc == Rc.OK && !changed.isEmpty()) {
      showChanged(changed, which.name(), value);
    }
    return rc;
  }

  Rc delete(Which which) {
    var rsc = context.theResource();
    if (which.id().isEmpty() && !context.force()) {
      search(rsc.top(false).id(), new Which("", "", "", which.name()), true);
    }
    if (which.setType().equals(ELEMENT)) {
      return replaceElement(it -> it.without(which.name()), "Deleted attribute: " + which.name());
    }
    var resources =
        which.setType().equals(META)
            ? matching(rsc, context.requested(), which, "delete")
            : List.of(rsc);
    var rc = Rc.OK;
    for (var each : resources) {
      var lookup = ResourceContext.plainId(each);
      var found = search(lookup, which, true);
      rc = found.rc();
      if (rc == Rc.ENXIO) {
        continue;
      }
      if (rc != Rc.OK || found.nvpair() == null) {
        return rc;
      }
      rc = deleteFound(which, lookup, found.nvpair().get("id", ""));
    }
    return rc;
  }

  private Rc deleteFound(Which which, String lookup, String foundId) {
    var object =
        Element.builder("nvpair")
            .attr("id", which.id().isEmpty() ? foundId : which.id())
            .attr("name", which.name())
            .build();
    var rc = context.cib().update(CibOp.delete("resources", object)).rc();
    if (rc == Rc.OK) {
      context
          .out()
          .info(
              "Deleted '%s' option: id=%s%s name=%s"
                  .formatted(
                      lookup,
                      foundId,
                      which.set().isEmpty() ? "" : " set=" + which.set(),
                      which.name()));
    }
    return rc;
  }

  private Rc replaceElement(java.util.function.UnaryOperator<Element> change, String done) {
    var id = context.theResource().xml().id();
    var resources = context.original().path("configuration", "resources");
    var element = resources == null ? null : resources.find(it -> id != null && id.equals(it.id()));
    if (element == null) {
      return Rc.ENXIO;
    }
    var rc = context.cib().update(CibOp.replace("resources", change.apply(element))).rc();
    if (rc == Rc.OK) {
      context.out().info(done);
    }
    return rc;
  }

  private Rc update(
      Resource rsc,
      String requested,
      Which which,
      String value,
      boolean recursive,
      Set<Resource> seen,
      List<Changed> changed) {
    var top = rsc.top(false).id();
    if (which.id().isEmpty() && !context.force()) {
      search(top, new Which("", "", "", which.name()), true);
    }
    List<Resource> resources;
    if (which.setType().equals(INSTANCE)) {
      if (!context.force() && warnOfMeta(top, which)) {
        return Rc.ENOTUNIQ;
      }
      resources = List.of(rsc);
    } else {
      resources = matching(rsc, requested, which, "update");
    }
    if (!which.set().isEmpty() || !which.id().isEmpty()) {
      resources = List.of(resources.getLast());
    }
    var rc = Rc.OK;
    for (var each : resources) {
      rc = updateOne(each, which, value, changed);
      if (rc != Rc.OK) {
        return rc;
      }
      if (recursive && which.setType().equals(META)) {
        seen.add(each);
        for (var colocation : each.withThis()) {
          if (colocation.score() > 0 && !seen.contains(colocation.dependent())) {
            update(
                colocation.dependent(),
                colocation.dependent().id(),
                new Which(which.setType(), "", "", which.name()),
                value,
                true,
                seen,
                changed);
          }
        }
      }
    }
    return rc;
  }

  private Rc updateOne(Resource rsc, Which which, String value, List<Changed> changed) {
    var lookup = ResourceContext.plainId(rsc);
    var found = search(lookup, which, true);
    var set = which.set();
    String id;
    Element top;
    if (found.rc() == Rc.OK && found.nvpair() != null) {
      id = found.nvpair().get("id", "");
      top = nvpair(id, which.name(), value);
    } else if (found.rc() == Rc.ENXIO) {
      set = set.isEmpty() ? lookup + "-" + which.setType() : set;
      id = which.id().isEmpty() ? set + "-" + which.name() : which.id();
      var element = inOriginal(rsc);
      if (element == null) {
        return Rc.ENXIO;
      }
      top =
          Element.of(element.name(), "id", lookup)
              .plus(Element.of(which.setType(), "id", set).plus(nvpair(id, which.name(), value)));
    } else {
      return found.rc();
    }
    var rc = context.cib().update(CibOp.modify("resources", top)).rc();
    if (rc == Rc.OK) {
      changed.add(new Changed(rsc, lookup, which.setType(), set, id));
    }
    return rc;
  }

  private static Element nvpair(String id, String name, String value) {
    return Element.of("nvpair", "id", id, "name", name, "value", value);
  }

  private @Nullable Element inOriginal(Resource rsc) {
    var id = rsc.xml().id();
    var resources = context.original().path("configuration", "resources");
    return resources == null || id == null ? null : resources.find(it -> id.equals(it.id()));
  }

  private boolean warnOfMeta(String top, Which which) {
    var found = search(top, new Which(META, which.set(), which.id(), which.name()), true);
    if (found.rc() != Rc.OK && found.rc() != Rc.ENOTUNIQ) {
      return false;
    }
    var id = found.nvpair() == null ? "(null)" : found.nvpair().get("id", "(null)");
    context
        .out()
        .error(
            "WARNING: There is already a meta attribute for '%s' called '%s' (id=%s)"
                .formatted(top, which.name(), id));
    context
        .out()
        .error("         Delete '%s' first or use the force option to override".formatted(id));
    return true;
  }

  /// The resources a change applies to: with force only the one named; in a clone the one of clone
  /// and member that has it already; in a group all members that have it, and the group.
  private List<Resource> matching(Resource rsc, String requested, Which which, String verb) {
    if (context.force()) {
      return List.of(rsc);
    }
    var parent = rsc.parent();
    if (parent != null && parent.isClone()) {
      if (search(requested, which, true).rc() == Rc.OK) {
        return List.of(rsc);
      }
      context
          .out()
          .info(
              "Performing %s of '%s' on '%s', the parent of '%s'"
                  .formatted(verb, which.name(), parent.id(), requested));
      return List.of(parent);
    }
    if (parent == null && rsc.isClone() && !rsc.children().isEmpty()) {
      var child = rsc.children().getFirst();
      if (child.isPrimitive()) {
        var lookup = ResourceContext.plainId(child);
        if (search(lookup, which, true).rc() == Rc.OK) {
          context
              .out()
              .info(
                  "A value for '%s' already exists in child '%s', performing %s on that instead of '%s'"
                      .formatted(which.name(), lookup, verb, requested));
          return List.of(child);
        }
      }
      return List.of(rsc);
    }
    var found = new ArrayList<Resource>();
    collect(rsc, which, 0, found);
    return found;
  }

  private void collect(Resource rsc, Which which, int depth, List<Resource> found) {
    for (var child : rsc.children()) {
      collect(child, which, depth + 1, found);
      if (rsc.isClone()) {
        break;
      }
    }
    var rc = search(ResourceContext.plainId(rsc), which, true).rc();
    if (depth == 0 || rc == Rc.OK) {
      found.add(rsc);
    }
  }

  /// Looks a name-value pair up below a resource.
  private Search search(String rscId, Which which, boolean warn) {
    var path = new StringBuilder("/cib/configuration/resources//*[@id=" + CibXPath.literal(rscId) + "]");
    if (!which.setType().isEmpty()) {
      path.append('/').append(which.setType());
      if (!which.set().isEmpty()) {
        path.append("[@id=").append(CibXPath.literal(which.set())).append(']');
      }
    }
    path.append("//nvpair");
    var name = CibXPath.literal(which.name());
    if (!which.id().isEmpty()) {
      path.append("[@id=%s and @name=%s]".formatted(CibXPath.literal(which.id()), name));
    } else {
      path.append("[@name=%s]".formatted(name));
    }
    var answer = context.cib().query(CibQuery.xpath(path.toString()));
    if (answer.rc() != Rc.OK || answer.xml() == null) {
      return new Search(answer.rc(), null);
    }
    try {
      var result = XmlReader.parse(answer.xml());
      if (result.is("nvpair")) {
        return new Search(Rc.OK, result);
      }
      if (warn) {
        context.out().info("Multiple attributes match name=" + which.name());
        for (var pair : result.children("nvpair")) {
          context
              .out()
              .info("  Value: %s \t(id=%s)".formatted(pair.get("value", ""), pair.get("id", "")));
        }
        context.out().spacer();
      }
      return new Search(Rc.ENOTUNIQ, result.first("nvpair"));
    } catch (XmlException e) {
      return new Search(Rc.ERROR, null);
    }
  }

  private void showChanged(List<Changed> changed, String name, String value) {
    switch (context.out()) {
      case TextOutput text -> {
        for (var it : changed) {
          text.info(
              "Set '%s' option: id=%s%s name=%s value=%s"
                  .formatted(
                      it.rscId(),
                      it.id(),
                      it.set().isEmpty() ? "" : " set=" + it.set(),
                      name,
                      value));
        }
      }
      case XmlOutput xml -> {
        xml.open("resource-settings");
        for (var it : changed) {
          xml.open(it.rsc().xml().name(), "id", it.rsc().id());
          xml.open(it.setType(), "id", it.set().isEmpty() ? null : it.set());
          xml.add("nvpair", "id", it.id(), "value", value, "name", name);
          xml.close();
          xml.close();
        }
        xml.close();
      }
    }
  }
}
