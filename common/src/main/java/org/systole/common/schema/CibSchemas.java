package org.systole.common.schema;

import java.util.ArrayList;
import java.util.List;

/// The schemas a CIB can be written for, by name.
public final class CibSchemas {
  /// The latest.
  public static final String LATEST = "pacemaker-4.0";

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
          LATEST);

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
}
