package org.systole.common.schema.upgrade;

import java.util.ArrayList;
import java.util.List;
import org.systole.common.output.Rc;
import org.systole.common.schema.CibSchema;
import org.systole.common.schema.CibSchemas;
import org.systole.common.schema.SchemaFault;
import org.systole.common.xml.Element;

/// Brings a CIB from the schema it was written for to a later one. What is not supported any more
/// is dropped, renamed or expressed in today's terms; a CIB that happens to fit the newer schema
/// is only marked as such.
public final class SchemaUpgrade {
  /// The current schema.
  public static final String CURRENT = CibSchemas.LATEST;

  /// The last schema of each series. What conforms to a schema conforms to the later ones of its
  /// series too; only the step to the next series needs anything changed.
  private static final List<String> SERIES_ENDS =
      List.of("pacemaker-1.3", "pacemaker-2.10", "pacemaker-3.10", CURRENT);

  /// A CIB of the current schema and what had to be given up for it.
  ///
  /// @param rc OK if it is of the current schema, or exempt from schemas
  /// @param cib the CIB as it was if `rc` is not OK
  /// @param warnings what had to be given up, one line each
  /// @param faults where it does not conform to its schema, one line each
  /// @param reason why it could not be brought to the current schema; empty if it was
  public record Result(
      Rc rc, Element cib, List<String> warnings, List<String> faults, String reason) {
    public Result {
      warnings = List.copyOf(warnings);
      faults = List.copyOf(faults);
    }

    /// Faults and reason.
    public List<String> problems() {
      var problems = new ArrayList<>(faults);
      if (!reason.isEmpty()) {
        problems.add(reason);
      }
      return problems;
    }

    public boolean isOk() {
      return rc.isOk();
    }
  }

  /// What became of a CIB that was to conform to a later schema.
  ///
  /// @param rc OK if all is well, also if it was as late already; SCHEMA_VALIDATION if it conforms
  ///     to no schema from the one it names on, TRANSFORM_FAILED if what a newer one does not have
  ///     any more could not be replaced, CIB_CORRUPT if it names no known schema
  /// @param cib the CIB for the latest schema it could be brought to
  /// @param warnings what had to be given up for it, one line each
  /// @param problems what stands against it, one line each
  public record Upgraded(Rc rc, Element cib, List<String> warnings, List<String> problems) {
    public Upgraded {
      warnings = List.copyOf(warnings);
      problems = List.copyOf(problems);
    }
  }

  private final List<String> warnings = new ArrayList<>();
  private final List<SchemaFault> faults = new ArrayList<>();

  private SchemaUpgrade() {}

  /// The CIB for a later schema, as far as it can be brought there.
  ///
  /// @param schema the schema not to go beyond; the latest one if this is empty or unknown
  public static Upgraded upgrade(Element cib, String schema) {
    return new SchemaUpgrade().run(cib, CibSchemas.names().contains(schema) ? schema : CURRENT);
  }

  /// The CIB for the current schema; unchanged, and not validated, if it has that or is exempt from
  /// schemas.
  public static Result toCurrent(Element cib) {
    var schema = cib.get("validate-with");
    if (schema == null || !CibSchemas.isKnown(schema)) {
      return new Result(
          Rc.CIB_CORRUPT,
          cib,
          List.of(),
          List.of(),
          "The configuration does not name a known schema in validate-with; set it to " + CURRENT);
    }
    if (CibSchemas.compare(schema, CURRENT) >= 0) {
      return new Result(Rc.OK, cib, List.of(), List.of(), "");
    }
    var upgraded = new SchemaUpgrade().run(cib, CURRENT);
    var reached = upgraded.cib().get("validate-with", schema);
    if (upgraded.rc().isOk() && reached.equals(CURRENT)) {
      return new Result(Rc.OK, upgraded.cib(), upgraded.warnings(), List.of(), "");
    }
    var reason =
        "Cannot upgrade configuration (claiming %s schema) to at least %s because it %s"
            .formatted(
                schema,
                CURRENT,
                upgraded.rc().isOk()
                    ? "would not upgrade past " + reached
                    : "does not validate with any schema from " + schema + " to the latest");
    return new Result(Rc.TRANSFORM_FAILED, cib, upgraded.warnings(), upgraded.problems(), reason);
  }

  private Upgraded run(Element cib, String goal) {
    var names = CibSchemas.names();
    var original = cib.get("validate-with");
    if (original == null || !CibSchemas.isKnown(original)) {
      return result(Rc.CIB_CORRUPT, cib);
    }
    if (CibSchemas.compare(original, goal) >= 0) {
      return result(Rc.OK, cib);
    }
    var limit = names.indexOf(goal);
    var at = start(cib, names.indexOf(original), limit);
    if (at < 0) {
      return result(Rc.SCHEMA_VALIDATION, cib);
    }
    faults.clear();
    Element current = cib;
    var rc = Rc.OK;
    at = seriesEnd(at, limit);
    while (at < limit && rc.isOk()) {
      var next = names.get(at + 1);
      var found = CibSchema.check(current, next);
      var changed = found.isEmpty() ? current : step(current, at);
      faults.addAll(changed == current ? found : CibSchema.check(changed, next));
      if (faults.isEmpty()) {
        current = changed;
        at = seriesEnd(at + 1, limit);
      } else {
        rc = Rc.TRANSFORM_FAILED;
      }
    }
    return result(
        rc, at > names.indexOf(original) ? current.with("validate-with", names.get(at)) : current);
  }

  private Upgraded result(Rc rc, Element cib) {
    return new Upgraded(rc, cib, warnings, faults.stream().map(SchemaFault::message).toList());
  }

  /// The first schema from `at` to `limit` the CIB conforms to, -1 if there is none. A reference
  /// that leads nowhere stays a fault, though later schemas may take its place for plain text.
  private int start(Element cib, int at, int limit) {
    for (var index = at; index <= limit; index++) {
      var found = CibSchema.check(cib, CibSchemas.names().get(index));
      if (found.isEmpty()) {
        return index;
      }
      if (faults.isEmpty()) {
        faults.addAll(found);
      }
      if (found.stream().anyMatch(SchemaFault::dangling)) {
        return -1;
      }
    }
    return -1;
  }

  private static int seriesEnd(int at, int limit) {
    for (var name : SERIES_ENDS) {
      var end = CibSchemas.names().indexOf(name);
      if (end >= at) {
        return Math.min(end, limit);
      }
    }
    return at;
  }

  /// What the CIB becomes in the step from the last schema of a series to the next series.
  private Element step(Element cib, int from) {
    return switch (CibSchemas.names().get(from)) {
      case "pacemaker-1.3" -> AclUpgrade.upgrade(cib);
      case "pacemaker-2.10" -> OldNames.upgrade(cib);
      default -> Unsupported.upgrade(cib, warnings);
    };
  }
}
