package org.systole.cibd;

import java.util.LinkedHashMap;
import org.jspecify.annotations.Nullable;
import org.systole.common.cib.CibAccess;
import org.systole.common.cib.CibUser;
import org.systole.common.xml.Element;

/// What users see of the copy, computed once for each of its versions: to check every element
/// against every permission takes time.
final class Views {
  private static final int USERS_MAX = 50;
  private static final Element NOTHING = Element.of("cib");

  private final CibCopy copy;
  private final LinkedHashMap<CibUser, Element> views = new LinkedHashMap<>();
  private @Nullable Element of;

  Views(CibCopy copy) {
    this.copy = copy;
  }

  /// The whole copy for a user who may see everything; null for one who may see nothing.
  @Nullable Element of(CibUser user) {
    var cib = copy.cib();
    if (of != cib) {
      views.clear();
      of = cib;
    }
    var known = views.get(user);
    if (known == null) {
      var access = CibAccess.of(cib, user);
      var visible = access == null ? cib : access.visible(cib);
      known = visible == null ? NOTHING : visible;
      if (views.size() >= USERS_MAX) {
        views.remove(views.firstEntry().getKey());
      }
      views.put(user, known);
    }
    return known == NOTHING ? null : known;
  }
}
