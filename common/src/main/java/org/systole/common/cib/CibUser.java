package org.systole.common.cib;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// Whose rights count for a query or a change.
///
/// @param name the user's name
/// @param groups the names of the user's groups; null for one whom access control does not concern
public record CibUser(String name, @Nullable List<String> groups) {
  /// One who may do everything.
  public static final CibUser UNRESTRICTED = new CibUser("", null);

  /// Whether access control lists never concern a user of that name.
  public static boolean isExempt(String name) {
    return name.isEmpty() || name.equals("root") || name.equals("hacluster");
  }

  /// Whether access control lists concern this user where they are enforced.
  public boolean isRestricted() {
    return groups != null;
  }
}
