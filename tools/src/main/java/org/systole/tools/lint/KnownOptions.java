package org.systole.tools.lint;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.systole.common.options.ClusterOptionTable;

/// The options of the whole cluster that somebody reads.
final class KnownOptions {
  /// What others keep there.
  private static final Set<String> OF_OTHERS = Set.of("last-lrm-refresh", "hostlist", "maintenance");

  private KnownOptions() {}

  /// What an option is called now; null if there is none of that name.
  static @Nullable String presentName(String name) {
    for (var option : ClusterOptionTable.ALL) {
      if (name.equals(option.name()) || name.equals(option.oldName())) {
        return option.name();
      }
    }
    return OF_OTHERS.contains(name) ? name : null;
  }
}
