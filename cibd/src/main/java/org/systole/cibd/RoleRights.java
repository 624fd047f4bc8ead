package org.systole.cibd;

import org.jspecify.annotations.Nullable;
import org.systole.common.cib.CibAccess.Mode;
import org.systole.common.cib.CibGrants;
import org.systole.common.cib.CibUser;
import org.systole.common.xml.Element;

/// What a user whom the access control lists limit may do with the cluster's roles. The lists may say it
/// by the object type `roles`; else who may see or write the whole CIB may see or change them.
final class RoleRights {
  private static final String ROLES = "roles";
  private static final String DEFINE = "define";
  private static final String PROPOSE = "propose";
  private static final String COMMIT = "commit";
  private static final String RETRY = "retry";
  private static final String NODES = "nodes";

  private RoleRights() {}

  static boolean mayRead(Element cib, CibUser user) {
    return CibGrants.maySee(cib, user, ROLES);
  }

  /// Whether there is anything that the user may change.
  static boolean mayAsk(Element cib, CibUser user) {
    var grants = CibGrants.of(cib, user, ROLES);
    return grants == null || !grants.isEmpty() || CibGrants.ofWhole(cib, user) == Mode.WRITABLE;
  }

  /// Why a request is not the user's to make; null if it is.
  static @Nullable String denied(Element cib, CibUser user, Element request) {
    var grants = CibGrants.of(cib, user, ROLES);
    if (grants == null) {
      return null;
    }
    if ((request.has("domain") || request.has("anew")) && !allows(grants, DEFINE, cib, user)) {
      return why(DEFINE);
    }
    for (var step : request.children()) {
      if (!step.isComment() && !allows(grants, part(step), cib, user)) {
        return why(part(step));
      }
    }
    return null;
  }

  private static String why(String part) {
    return "the access control lists give no right to %s roles (object-type=\"roles\" attribute=\"%s\")"
        .formatted(part.equals(NODES) ? "change the nodes and deployments of" : part, part);
  }

  private static boolean allows(CibGrants grants, String part, Element cib, CibUser user) {
    var said = grants.of(part);
    return said == null
        ? grants.isEmpty() && CibGrants.ofWhole(cib, user) == Mode.WRITABLE
        : said == Mode.WRITABLE;
  }

  private static String part(Element step) {
    return switch (step.name()) {
      case "propose", "bind", "unbind", "set" -> PROPOSE;
      case "commit", "archive" -> COMMIT;
      case "retry", "accept" -> RETRY;
      case "create-node", "delete-node", "available", "unavailable", "move-node",
          "create-deployment", "delete-deployment" ->
          NODES;
      default -> DEFINE;
    };
  }
}
