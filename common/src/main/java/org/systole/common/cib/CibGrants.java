package org.systole.common.cib;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.xml.Element;

/// What the access control lists of a CIB say of something that is kept beside it, such as the roles: by
/// permissions with its `object-type`, which no element of a CIB has, and perhaps an `attribute` that
/// names a part of what can be done with it.
///
///     <acl_permission id="p" kind="write" object-type="roles" attribute="retry"/>
///
/// A permission for a part counts more than one for all; of the same kind `deny` goes before `write`, and
/// `write` before `read`.
public final class CibGrants {
  /// The part of it that is to be seen only.
  public static final String SEE = "see";

  private final List<Element> permissions;

  private CibGrants(List<Element> permissions) {
    this.permissions = permissions;
  }

  /// What the lists say to a user; null if they do not limit that user.
  ///
  /// @param type what it is about
  public static @Nullable CibGrants of(Element cib, CibUser user, String type) {
    if (CibAccess.of(cib, user) == null) {
      return null;
    }
    return new CibGrants(
        CibAccess.permissions(cib, user).stream()
            .filter(it -> type.equals(it.get("object-type")))
            .filter(it -> !it.has("xpath") && !it.has("reference"))
            .toList());
  }

  /// Whether a user may see it: as the lists say of it, of its part `see` or of any that the user may
  /// change; if they say nothing of it, who may see the whole CIB may see it too.
  ///
  /// @param type what it is about
  public static boolean maySee(Element cib, CibUser user, String type) {
    var grants = of(cib, user, type);
    if (grants == null) {
      return true;
    }
    if (grants.isEmpty()) {
      return ofWhole(cib, user) != CibAccess.Mode.DENIED;
    }
    return grants.of(SEE) != CibAccess.Mode.DENIED && grants.isReadable();
  }

  /// How far the rights to the whole CIB go.
  public static CibAccess.Mode ofWhole(Element cib, CibUser user) {
    var access = CibAccess.of(cib, user);
    return access == null ? CibAccess.Mode.WRITABLE : access.modes(cib).getFirst();
  }

  /// Whether anything at all is said of it.
  public boolean isEmpty() {
    return permissions.isEmpty();
  }

  /// How far the rights to a part go; null if nothing is said of it.
  public CibAccess.@Nullable Mode of(String part) {
    var own = strongest(part);
    return own == null ? strongest(null) : own;
  }

  /// Whether any part may be seen, as it has to be by who may change it.
  public boolean isReadable() {
    return strongest(null) != CibAccess.Mode.DENIED
        && permissions.stream().anyMatch(it -> !"deny".equals(it.get("kind")));
  }

  private CibAccess.@Nullable Mode strongest(@Nullable String part) {
    CibAccess.Mode found = null;
    for (var it : permissions) {
      var about = it.get("attribute");
      if (part == null ? about != null : !part.equals(about)) {
        continue;
      }
      switch (it.get("kind", "")) {
        case "deny" -> {
          return CibAccess.Mode.DENIED;
        }
        case "write" -> found = CibAccess.Mode.WRITABLE;
        case "read" -> found = found == null ? CibAccess.Mode.READABLE : found;
        default -> {}
      }
    }
    return found;
  }
}
