package org.systole.scheduler.constraints;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.OperationKey;
import org.systole.common.operation.Task;
import org.systole.common.operation.TaskName;
import org.systole.common.values.Bool;
import org.systole.common.values.Numbers;
import org.systole.common.xml.Element;
import org.systole.scheduler.constraints.ConstraintReader.Invalid;
import org.systole.scheduler.model.Clone;
import org.systole.scheduler.model.Relation;
import org.systole.scheduler.model.Relations;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.WorkingSet;
import org.systole.scheduler.operations.Actions;
import org.systole.scheduler.unpack.Health;

/// Reads ordering constraints.
final class OrderReader {
  private enum Kind {
    OPTIONAL,
    MANDATORY,
    SERIALIZE
  }

  private enum Symmetry {
    /// Holds one way only.
    ASYMMETRIC,
    /// This is the way forth.
    SYMMETRIC,
    /// This is the way back.
    INVERSE
  }

  private final WorkingSet cluster;
  private final String id;

  private OrderReader(WorkingSet cluster, String id) {
    this.cluster = cluster;
    this.id = id;
  }

  static void read(WorkingSet cluster, Element original) throws Invalid {
    var reader = new OrderReader(cluster, original.get("id", ""));
    var kind = reader.kind(original);
    var symmetry = reader.symmetry(original, kind, null);
    var xml = reader.expand(original);
    Element last = null;
    for (var set : ConstraintReader.sets(cluster, xml)) {
      reader.readSet(set, kind, original.get("symmetrical"));
      if (last != null) {
        reader.orderSets(last, set, kind, symmetry);
        if (symmetry == Symmetry.SYMMETRIC) {
          reader.orderSets(set, last, kind, Symmetry.INVERSE);
        }
      }
      last = set;
    }
    if (last == null) {
      reader.readSimple(original, kind, symmetry);
    }
  }

  private Element expand(Element xml) throws Invalid {
    var expanded = ConstraintReader.expandSets(cluster, xml);
    if (expanded != null) {
      return expanded;
    }
    var first = xml.get("first");
    var then = xml.get("then");
    if (first == null || then == null) {
      return xml;
    }
    ConstraintReader.mustExist(cluster, xml, first);
    ConstraintReader.mustExist(cluster, xml, then);
    if (ConstraintReader.resource(cluster, first) != null
        && ConstraintReader.resource(cluster, then) != null) {
      return xml;
    }
    var step = ConstraintReader.toSet(cluster, xml, "first", true, "first-action", "action");
    return ConstraintReader.toSet(cluster, step, "then", true, "then-action", "action");
  }

  private Kind kind(Element xml) {
    var kind = xml.get("kind");
    if (kind == null) {
      var score = xml.get("score");
      if (score == null) {
        return Kind.MANDATORY;
      }
      cluster.configWarning(
          "Support for 'score' in rsc_order is deprecated and will be removed in a future "
              + "release (use 'kind' instead)");
      var value = Health.read(cluster, score);
      return value == null || value == 0 ? Kind.OPTIONAL : Kind.MANDATORY;
    }
    return switch (kind) {
      case "Mandatory" -> Kind.MANDATORY;
      case "Optional" -> Kind.OPTIONAL;
      case "Serialize" -> Kind.SERIALIZE;
      default -> {
        cluster.configError(
            "Resetting 'kind' for constraint %s to 'Mandatory' because '%s' is not valid"
                .formatted(xml.get("id", "missing ID"), kind));
        yield Kind.MANDATORY;
      }
    };
  }

  private Symmetry symmetry(Element xml, Kind parentKind, @Nullable String parentSymmetrical) {
    var kind = xml.has("kind") || xml.has("score") ? kind(xml) : parentKind;
    var symmetrical = Bool.parse(xml.get("symmetrical"));
    if (symmetrical == null && parentSymmetrical != null) {
      symmetrical = Bool.isTrue(parentSymmetrical);
    }
    if (symmetrical == null) {
      return kind == Kind.SERIALIZE ? Symmetry.ASYMMETRIC : Symmetry.SYMMETRIC;
    }
    if (symmetrical && kind == Kind.SERIALIZE) {
      cluster.configWarning(
          "Ignoring symmetrical for '%s' because not valid with kind of 'Serialize'"
              .formatted(xml.id()));
      return Symmetry.ASYMMETRIC;
    }
    return symmetrical ? Symmetry.SYMMETRIC : Symmetry.ASYMMETRIC;
  }

  private static Relations relations(Kind kind, String first, Symmetry symmetry) {
    return switch (kind) {
      case OPTIONAL -> Relation.ORDERED;
      case SERIALIZE -> Relation.SERIALIZE;
      case MANDATORY ->
          Relation.ORDERED.with(
              switch (symmetry) {
                case ASYMMETRIC -> Relation.ASYMMETRIC;
                case SYMMETRIC ->
                    Task.isUp(first)
                        ? Relations.of(
                            Relation.FIRST_IMPLIES_THEN, Relation.UNRUNNABLE_FIRST_BLOCKS)
                        : Relation.FIRST_IMPLIES_THEN;
                case INVERSE -> Relation.THEN_IMPLIES_FIRST;
              });
    };
  }

  private @Nullable String inverse(String task) {
    return switch (task) {
      case TaskName.START -> TaskName.STOP;
      case TaskName.STOP -> TaskName.START;
      case TaskName.PROMOTE -> TaskName.DEMOTE;
      case TaskName.DEMOTE -> TaskName.PROMOTE;
      case TaskName.PROMOTED -> TaskName.DEMOTED;
      case TaskName.DEMOTED -> TaskName.PROMOTED;
      case TaskName.RUNNING -> TaskName.STOPPED;
      case TaskName.STOPPED -> TaskName.RUNNING;
      default -> {
        cluster.configWarning("Unknown action '%s' specified in order constraint".formatted(task));
        yield null;
      }
    };
  }

  private void readSimple(Element xml, Kind kind, Symmetry symmetry) throws Invalid {
    var first = ConstraintReader.required(cluster, xml, "first");
    var then = ConstraintReader.required(cluster, xml, "then");
    var firstTask = xml.get("first-action", TaskName.START);
    var thenTask = xml.get("then-action", firstTask);
    var relations = relations(kind, firstTask, symmetry);
    var needed = neededInstances(first, xml);
    if (needed > 0) {
      afterSome(first, firstTask, then, thenTask, relations, needed);
    } else {
      Orderings.between(first, firstTask, then, thenTask, relations);
    }
    if (symmetry == Symmetry.SYMMETRIC) {
      inverse(kind, first, firstTask, then, thenTask);
    }
  }

  private void inverse(
      Kind kind, Resource first, String firstTask, Resource then, String thenTask) {
    var firstBack = inverse(firstTask);
    var thenBack = inverse(thenTask);
    if (firstBack == null || thenBack == null) {
      cluster.configWarning(
          "Cannot invert constraint '%s' (please specify inverse manually)".formatted(id));
      return;
    }
    Orderings.between(
        then, thenBack, first, firstBack, relations(kind, firstBack, Symmetry.INVERSE));
  }

  private int neededInstances(Resource first, Element xml) {
    if (!(first instanceof Clone)) {
      return 0;
    }
    var min = first.meta().get("clone-min");
    if (min != null) {
      return Math.max(0, Numbers.parseInt(min, 0));
    }
    if (xml.has("require-all")) {
      cluster.configWarning(
          "Support for require-all in ordering constraints is deprecated and will be removed in "
              + "a future release (use clone-min clone meta-attribute instead)");
      return Bool.isTrue(xml.get("require-all")) ? 0 : 1;
    }
    return 0;
  }

  // A milestone that is reached once enough instances are.
  private void afterSome(
      Resource first,
      String firstTask,
      Resource then,
      String thenTask,
      Relations relations,
      int needed) {
    var enough = Actions.pseudo(cluster, TaskName.CLONE_ONE_OR_MORE + ":" + id);
    enough.setRequiredRunnableBefore(needed);
    for (var child : first.children()) {
      Orderings.before(
          child,
          firstTask,
          enough,
          Relations.of(Relation.MIN_RUNNABLE, Relation.FIRST_IMPLIES_THEN_GRAPHED));
    }
    Orderings.after(enough, then, thenTask, relations.with(Relation.UNRUNNABLE_FIRST_BLOCKS));
  }

  private Resource member(String name, String ref) throws Invalid {
    var found = ConstraintReader.resource(cluster, ref);
    if (found == null) {
      cluster.configError("%s: No resource found for %s".formatted(name, ref));
      throw new Invalid();
    }
    return found;
  }

  private List<Resource> members(String name, Element set) throws Invalid {
    var found = new ArrayList<Resource>();
    for (var ref : ConstraintReader.members(set)) {
      found.add(member(name, ref));
    }
    return found;
  }

  private void readSet(Element set, Kind parentKind, @Nullable String parentSymmetrical)
      throws Invalid {
    var task = set.get("action", TaskName.START);
    var kind = set.has("kind") ? kind(set) : parentKind;
    var sequential = !set.has("sequential") || Bool.isTrue(set.get("sequential"));
    var symmetry = symmetry(set, parentKind, parentSymmetrical);
    var relations = relations(kind, task, symmetry);
    var members = members(set.get("id", ""), set);
    if (members.size() == 1) {
      return;
    }
    for (var at = 0; at < members.size(); at++) {
      if (kind == Kind.SERIALIZE) {
        for (var later = at + 1; later < members.size(); later++) {
          Orderings.between(members.get(at), task, members.get(later), task, relations);
        }
      } else if (sequential && at > 0) {
        Orderings.between(members.get(at - 1), task, members.get(at), task, relations);
      }
    }
    var back = symmetry == Symmetry.ASYMMETRIC ? null : inverse(task);
    if (back != null && sequential) {
      var backRelations = relations(kind, back, Symmetry.INVERSE);
      for (var at = 1; at < members.size(); at++) {
        Orderings.between(members.get(at), back, members.get(at - 1), back, backRelations);
      }
    }
  }

  private void orderSets(Element set1, Element set2, Kind kind, Symmetry symmetry) throws Invalid {
    var task1 = set1.get("action", TaskName.START);
    var task2 = set2.get("action", TaskName.START);
    if (symmetry == Symmetry.INVERSE) {
      task1 = Objects.requireNonNullElse(inverse(task1), task1);
      task2 = Objects.requireNonNullElse(inverse(task2), task2);
    }
    var relations = relations(kind, task1, symmetry);
    var requireAll =
        Bool.parse(set1.get("require-all"), true)
            || task1.equals(TaskName.STOP)
            || task1.equals(TaskName.DEMOTE);
    if (!requireAll) {
      afterAny(set1, task1, set2, task2, relations);
      return;
    }
    var inverse = symmetry == Symmetry.INVERSE;
    var first = end(set1, !inverse);
    var then = end(set2, inverse);
    for (var from : first) {
      for (var to : then) {
        Orderings.between(from, task1, to, task2, relations);
      }
    }
  }

  // Of a sequential set the member next to the other set, else all.
  private List<Resource> end(Element set, boolean last) throws Invalid {
    var refs = ConstraintReader.members(set);
    if (!Bool.isTrue(set.get("sequential")) || refs.isEmpty()) {
      return members(id, set);
    }
    return List.of(member(id, last ? refs.getLast() : refs.getFirst()));
  }

  private void afterAny(Element set1, String task1, Element set2, String task2, Relations relations)
      throws Invalid {
    var any = Actions.pseudo(cluster, TaskName.ONE_OR_MORE + ":" + set1.id());
    any.setRequiredRunnableBefore(1);
    for (var first : members(id, set1)) {
      Orderings.add(
          cluster,
          first,
          OperationKey.text(first.id(), task1),
          null,
          null,
          null,
          any,
          Relations.of(Relation.MIN_RUNNABLE, Relation.FIRST_IMPLIES_THEN_GRAPHED));
    }
    for (var then : members(id, set2)) {
      Orderings.after(any, then, task2, relations.with(Relation.UNRUNNABLE_FIRST_BLOCKS));
    }
  }
}
