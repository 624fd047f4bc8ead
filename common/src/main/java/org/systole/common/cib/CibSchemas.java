package org.systole.common.cib;

import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import org.systole.common.output.Rc;
import org.systole.common.xml.Element;

/// The schemas a CIB can be written for, by name.
public final class CibSchemas {
  private static final List<String> NAMES =
      List.of(
          "pacemaker-1.0",
          "pacemaker-1.2",
          "pacemaker-1.3",
          "pacemaker-2.0",
          "pacemaker-2.1",
          "pacemaker-2.2",
          "pacemaker-2.3",
          "pacemaker-2.4",
          "pacemaker-2.5",
          "pacemaker-2.6",
          "pacemaker-2.7",
          "pacemaker-2.8",
          "pacemaker-2.9",
          "pacemaker-2.10",
          "pacemaker-3.0",
          "pacemaker-3.1",
          "pacemaker-3.2",
          "pacemaker-3.3",
          "pacemaker-3.4",
          "pacemaker-3.5",
          "pacemaker-3.6",
          "pacemaker-3.7",
          "pacemaker-3.8",
          "pacemaker-3.9",
          "pacemaker-3.10",
          "pacemaker-4.0");

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

  /// Brings a CIB to a later schema. Found as a service, so that the configuration's own rules stay
  /// where they are known.
  public interface Upgrade {
    /// @param goal the schema not to go beyond
    Upgraded upgrade(Element cib, String goal);
  }

  private CibSchemas() {}

  /// The names, oldest first; `none`, which accepts everything, is not among them.
  public static List<String> names() {
    return NAMES;
  }

  /// The names, `none` among them.
  public static List<String> namesAndNone() {
    var all = new ArrayList<>(NAMES);
    all.add("none");
    return all;
  }

  public static boolean isKnown(String name) {
    return name.equals("none") || NAMES.contains(name);
  }

  /// Which is newer; `none` is newest, an unknown one oldest.
  public static int compare(String one, String other) {
    return Integer.compare(rank(one), rank(other));
  }

  private static int rank(String name) {
    return name.equals("none") ? NAMES.size() : NAMES.indexOf(name);
  }

  /// The CIB for a later schema: that named, the latest if `name` is empty or unknown.
  static Upgraded upgrade(Element cib, String name) {
    var goal = NAMES.contains(name) ? name : CibSections.SCHEMA;
    for (var upgrade : ServiceLoader.load(Upgrade.class)) {
      return upgrade.upgrade(cib, goal);
    }
    return new Upgraded(Rc.TRANSFORM_FAILED, cib, List.of(), List.of());
  }
}
