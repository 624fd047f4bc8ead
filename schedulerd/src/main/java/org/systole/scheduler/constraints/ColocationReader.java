package org.systole.scheduler.constraints;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.Bool;
import org.systole.common.xml.Element;
import org.systole.scheduler.constraints.ConstraintReader.Invalid;
import org.systole.scheduler.model.Colocation;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.WorkingSet;
import org.systole.scheduler.unpack.Health;

/// Reads colocation constraints.
final class ColocationReader {
  private final WorkingSet cluster;
  private final String id;
  private final int score;
  private final @Nullable String influence;

  private ColocationReader(WorkingSet cluster, String id, int score, @Nullable String influence) {
    this.cluster = cluster;
    this.id = id;
    this.score = score;
    this.influence = influence;
  }

  static void read(WorkingSet cluster, Element original) throws Invalid {
    var id = original.get("id", "");
    var xml = expand(cluster, original);
    var reader = new ColocationReader(cluster, id, score(cluster, id, xml), xml.get("influence"));
    Element last = null;
    for (var set : ConstraintReader.sets(cluster, xml)) {
      if (set.get("id", "").isEmpty()) {
        cluster.configError("Ignoring resource_set without id");
        continue;
      }
      reader.readSet(set);
      if (last != null) {
        reader.colocateSets(last, set);
      }
      last = set;
    }
    if (last == null) {
      reader.readSimple(original);
    }
  }

  private static int score(WorkingSet cluster, String id, Element xml) throws Invalid {
    var text = xml.get("score");
    var score = text == null ? Integer.valueOf(0) : Health.read(cluster, text);
    if (score == null) {
      cluster.configError(
          "Ignoring colocation %s because '%s' is not a valid score".formatted(id, text));
      throw new Invalid();
    }
    return score;
  }

  private static Element expand(WorkingSet cluster, Element xml) throws Invalid {
    var expanded = ConstraintReader.expandSets(cluster, xml);
    if (expanded != null) {
      return expanded;
    }
    var dependent = xml.get("rsc");
    var primary = xml.get("with-rsc");
    if (dependent == null || primary == null) {
      return xml;
    }
    ConstraintReader.mustExist(cluster, xml, dependent);
    ConstraintReader.mustExist(cluster, xml, primary);
    var dependentIsResource = ConstraintReader.resource(cluster, dependent) != null;
    var primaryIsResource = ConstraintReader.resource(cluster, primary) != null;
    if (dependentIsResource && primaryIsResource) {
      return xml;
    }
    if (!dependentIsResource && !primaryIsResource) {
      cluster.configError(
          "Ignoring constraint '%s' because two templates or tags cannot be colocated"
              .formatted(xml.id()));
      throw new Invalid();
    }
    var step = ConstraintReader.toSet(cluster, xml, "rsc", true, "rsc-role", "role");
    return ConstraintReader.toSet(cluster, step, "with-rsc", true, "with-rsc-role", "role");
  }

  private void readSimple(Element xml) throws Invalid {
    var dependent = ConstraintReader.resource(cluster, xml.get("rsc"));
    var primary = ConstraintReader.resource(cluster, xml.get("with-rsc"));
    if (dependent == null || primary == null) {
      cluster.configError(
          "Ignoring constraint '%s' because resource '%s' does not exist"
              .formatted(id, xml.get(dependent == null ? "rsc" : "with-rsc")));
      return;
    }
    if (Bool.isTrue(xml.get("symmetrical"))) {
      cluster.configWarning("The colocation constraint 'symmetrical' attribute has been removed");
    }
    add(
        id,
        xml.get("node-attribute"),
        score,
        dependent,
        primary,
        xml.get("rsc-role"),
        xml.get("with-rsc-role"),
        dependent);
  }

  private void add(
      String name,
      @Nullable String attribute,
      int points,
      Resource dependent,
      Resource primary,
      @Nullable String dependentRole,
      @Nullable String primaryRole,
      Resource influencing)
      throws Invalid {
    Colocations.add(
        new Colocation(
            name,
            attribute == null ? Colocations.BY_NODE : attribute,
            dependent,
            primary,
            ConstraintReader.role(cluster, name, dependentRole),
            ConstraintReader.role(cluster, name, primaryRole),
            points,
            true,
            influence(influencing)));
  }

  private boolean influence(Resource rsc) {
    if (influence != null) {
      var value = Bool.parse(influence);
      if (value != null) {
        return value;
      }
      cluster.configError(
          "Constraint '%s' has invalid value for influence (using default)".formatted(id));
    }
    return rsc.is(ResourceFlag.CRITICAL);
  }

  private void readSet(Element set) throws Invalid {
    var name = set.get("id", "");
    var text = set.get("score");
    var read = text == null ? Integer.valueOf(score) : Health.read(cluster, text);
    if (read == null) {
      cluster.configError(
          "Ignoring colocation '%s' for set '%s' because '%s' is not a valid score"
              .formatted(id, name, text));
      return;
    }
    int points = read;
    var ordering = set.get("ordering");
    var withPrevious = ordering == null || ordering.equalsIgnoreCase("group");
    if (!withPrevious && points != 0) {
      cluster.configWarning(
          ("Support for 'ordering' other than 'group' in resource_set (such as %s) is deprecated "
                  + "and will be removed in a future release")
              .formatted(name));
    }
    if (points == 0 || Boolean.FALSE.equals(Bool.parse(set.get("sequential")))) {
      return;
    }
    if (points > 0) {
      chain(set, name, points, withPrevious);
    } else {
      separate(set, name, points);
    }
  }

  private @Nullable Resource member(Element set, String ref) {
    var found = ConstraintReader.resource(cluster, ref);
    if (found == null) {
      cluster.configError(
          "Ignoring %s and later resources in set %s: No such resource".formatted(ref, set.id()));
    }
    return found;
  }

  private void chain(Element set, String name, int points, boolean withPrevious) throws Invalid {
    var role = set.get("role");
    Resource other = null;
    for (var ref : ConstraintReader.members(set)) {
      var rsc = member(set, ref);
      if (rsc == null) {
        return;
      }
      if (other != null) {
        add(
            name,
            null,
            points,
            withPrevious ? rsc : other,
            withPrevious ? other : rsc,
            role,
            role,
            rsc);
      }
      other = rsc;
    }
  }

  // None of them with any other: each is kept from all before it.
  private void separate(Element set, String name, int points) throws Invalid {
    var role = set.get("role");
    var refs = ConstraintReader.members(set);
    for (var ref : refs) {
      var rsc = member(set, ref);
      if (rsc == null) {
        return;
      }
      for (var earlier : refs) {
        if (rsc.id().equals(earlier)) {
          break;
        }
        var other = ConstraintReader.resource(cluster, earlier);
        if (other != null) {
          add(name, null, points, rsc, other, role, role, rsc);
        }
      }
    }
  }

  private void colocateSets(Element set1, Element set2) throws Invalid {
    if (score == 0) {
      return;
    }
    var first = ends(set1, false);
    var second = ends(set2, true);
    for (var ref1 : first) {
      var rsc1 = setMember(set1, set2, ref1, first.size() == 1);
      if (rsc1 == null) {
        if (ConstraintReader.isSequential(set1)) {
          return;
        }
        continue;
      }
      for (var ref2 : second) {
        var rsc2 = setMember(set1, set2, ref2, second.size() == 1);
        if (rsc2 != null) {
          add(id, null, score, rsc1, rsc2, set1.get("role"), set2.get("role"), rsc1);
        }
      }
    }
  }

  private static List<String> ends(Element set, boolean last) {
    var refs = ConstraintReader.members(set);
    if (refs.isEmpty() || !ConstraintReader.isSequential(set)) {
      return refs;
    }
    return List.of(last ? refs.getLast() : refs.getFirst());
  }

  private @Nullable Resource setMember(Element set1, Element set2, String ref, boolean only) {
    var found = ConstraintReader.resource(cluster, ref);
    if (found == null) {
      cluster.configError(
          only
              ? "Ignoring colocation of set %s with set %s because resource %s not found"
                  .formatted(set1.id(), set2.id(), ref)
              : "Ignoring colocation of set %s resource %s with set %s: No such resource"
                  .formatted(set1.id(), ref, set2.id()));
    }
    return found;
  }
}
