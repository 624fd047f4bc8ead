package org.systole.tools.hosts;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibXPath;
import org.systole.common.options.ClusterOptions;
import org.systole.common.xml.Element;
import org.systole.tools.cli.CommandException;

/// The property sets in which settings for a place stand: those whose rule names that place and nothing
/// else, whatever they are called; for the cluster those without a rule.
final class SettingSets {
  private static final String SET = "host-ha";

  private final String place;
  private final @Nullable Element rule; // without ids; null for the cluster
  private final Set<String> ids = new HashSet<>(); // all that there are
  private final List<Element> there = new ArrayList<>();

  /// @param place empty for the cluster, a host's name, or a zone or partition such as `zone=east`
  SettingSets(Element cib, String place) throws CommandException {
    this.place = place;
    this.rule = place.isEmpty() ? null : expression(place);
    collect(cib);
    var options = cib.path("configuration", "crm_config");
    if (options != null) {
      options.children(ClusterOptions.SET).stream()
          .filter(it -> it.id() != null && isFor(it))
          .forEach(there::add);
    }
  }

  private void collect(Element at) {
    if (at.id() != null) {
      ids.add(at.id());
    }
    at.children().forEach(this::collect);
  }

  private static Element expression(String place) throws CommandException {
    var at = place.indexOf('=');
    if (at == 0 || at == place.length() - 1) {
      throw CommandException.usage("a place is a host, or a zone or partition such as zone=east");
    }
    return Element.of(
        "expression",
        "attribute",
        at < 0 ? "#uname" : place.substring(0, at),
        "operation",
        "eq",
        "value",
        place.substring(at + 1));
  }

  private boolean isFor(Element set) {
    var its = set.first("rule");
    if (its == null || rule == null) {
      return its == null && rule == null;
    }
    var terms = its.children().stream().filter(it -> !it.isComment()).toList();
    return terms.size() == 1 && terms.getFirst().without("id").hasSameAttributes(rule);
  }

  /// The changes that make a setting unset there. A set of this command's goes with the last that stands in it.
  List<CibOp> without(String name) {
    var changes = new ArrayList<CibOp>();
    for (var set : there) {
      var at =
          "/cib/configuration/crm_config/%s[@id=%s]"
              .formatted(ClusterOptions.SET, CibXPath.literal(set.get("id", "")));
      if (isOwn(set) && set.children("nvpair").stream().allMatch(it -> name.equals(it.get("name")))) {
        changes.add(CibOp.deleteAllXPath(at));
      } else if (entry(set, name) != null) {
        changes.add(CibOp.deleteAllXPath(at + "/nvpair[@name=%s]".formatted(CibXPath.literal(name))));
      }
    }
    return changes;
  }

  private static boolean isOwn(Element set) {
    return set.get("id", "").startsWith(SET);
  }

  /// The changes that set something there: wherever it is set already, else in a set of this command's.
  List<CibOp> with(String name, String value) {
    var changes = new ArrayList<CibOp>();
    for (var set : there) {
      var old = entry(set, name);
      if (old != null) {
        changes.add(put(Element.builder(ClusterOptions.SET).attr("id", set.id()), old.get("id", ""), name, value));
      }
    }
    return changes.isEmpty() ? List.of(added(name, value)) : changes;
  }

  private static @Nullable Element entry(Element set, String name) {
    return set.find(it -> it.is("nvpair") && name.equals(it.get("name")) && it.id() != null);
  }

  private CibOp added(String name, String value) {
    var wanted = rule == null ? SET : SET + "-" + place.replaceAll("[^A-Za-z0-9_.-]", "-");
    var own = there.stream().filter(SettingSets::isOwn).findFirst();
    if (own.isPresent()) {
      var id = own.get().get("id", "");
      return put(Element.builder(ClusterOptions.SET).attr("id", id), fresh(id + "-" + name), name, value);
    }
    var id = fresh(wanted);
    var set = Element.builder(ClusterOptions.SET).attr("id", id);
    if (rule != null) {
      set.add(
          Element.builder("rule")
              .attr("id", fresh(id + "-rule"))
              .attr("score", "INFINITY")
              .add(rule.with("id", fresh(id + "-place")))
              .build());
    }
    return put(set, fresh(id + "-" + name), name, value);
  }

  private static CibOp put(Element.Builder set, String id, String name, String value) {
    return CibOp.put(
        "crm_config", set.add(Element.of("nvpair", "id", id, "name", name, "value", value)).build());
  }

  private String fresh(String wanted) {
    var id = wanted;
    for (var number = 2; !ids.add(id); number++) {
      id = wanted + "." + number;
    }
    return id;
  }
}
