package org.systole.controld.dc;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.World;
import org.systole.common.xml.Element;

/// Guest nodes, to which nothing connects yet, taken out of what is planned.
///
/// A connection that is started and fails would have its node fenced, again and again, and all that
/// could run there would wait for it. So what makes a guest node is an ordinary resource, as is a
/// bundle without what should run inside it.
final class GuestNodes {
  private final World world;
  private @Nullable Element seen;
  private @Nullable Element planned;
  private List<String> told = List.of();

  GuestNodes(World world) {
    this.world = world;
  }

  /// The same CIB for the scheduler. Says which nodes are concerned when these are others.
  Element leftOut(Element cib) {
    var configuration = cib.first("configuration");
    var resources = configuration == null ? null : configuration.first("resources");
    if (configuration == null || resources == null) {
      return cib;
    }
    var known = planned;
    if (resources != seen || known == null) {
      var names = new TreeSet<String>();
      known = new Mapping(names).mapped(resources);
      seen = resources;
      planned = known;
      tell(List.copyOf(names));
    }
    if (known == resources) {
      return cib;
    }
    var changed = configuration.replace(configuration.indexOf(resources), known);
    return cib.replace(cib.indexOf(configuration), changed);
  }

  private void tell(List<String> names) {
    if (!names.isEmpty() && !names.equals(told)) {
      world
          .log()
          .warning(
              "Nothing connects to guest nodes yet: %s can run nothing, and will not be fenced"
                  .formatted(String.join(", ", names)));
    }
    told = names;
  }

  /// One reading of the resources.
  ///
  /// @param names is added what cannot be reached
  private record Mapping(TreeSet<String> names) {
    Element mapped(Element from) {
      var children = new ArrayList<Element>();
      var same = true;
      for (var child : from.children()) {
        var now = resource(from, child);
        same &= now == child;
        if (now != null) {
          children.add(now);
        }
      }
      return same ? from : from.withChildren(children);
    }

    private @Nullable Element resource(Element parent, Element it) {
      return switch (it.name()) {
        case "primitive" -> {
          if (parent.is("bundle")) {
            names.add("the containers of " + parent.get("id", ""));
            yield null;
          }
          yield mapped(it);
        }
        case "group", "clone", "master", "bundle", "template", "meta_attributes" -> mapped(it);
        case "nvpair" -> {
          var guest = parent.is("meta_attributes") && it.get("name", "").equals("remote-node");
          if (guest) {
            names.add(it.get("value", ""));
          }
          yield guest ? null : it;
        }
        default -> it;
      };
    }
  }
}
