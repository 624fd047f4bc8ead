package org.systole.common.schema.upgrade;

import java.util.ArrayList;
import java.util.List;
import org.systole.common.xml.Element;

/// Access control as it was written before schema 2.0: users with rights of their own, and one
/// element per kind of right.
final class AclUpgrade {
  private AclUpgrade() {}

  private static boolean isRight(Element element) {
    return element.is("read") || element.is("write") || element.is("deny");
  }

  static Element upgrade(Element cib) {
    return Rewrite.all(
        cib, (element, parent) -> element.is("acls") ? upgradeSection(element) : element);
  }

  private static Element upgradeSection(Element acls) {
    var changed = new ArrayList<Element>();
    for (var child : acls.children()) {
      if (child.is("acl_user")) {
        addUser(child, changed);
      } else if (child.is("acl_role")) {
        changed.add(child.withChildren(rights(child)));
      } else {
        changed.add(child);
      }
    }
    return acls.withChildren(changed);
  }

  private static void addUser(Element user, List<Element> into) {
    var target = user.withName("acl_target");
    if (user.first("role_ref") != null) {
      var roles = new ArrayList<Element>();
      for (var child : user.children()) {
        roles.add(child.is("role_ref") ? child.withName("role") : child);
      }
      into.add(target.withChildren(roles));
      return;
    }
    if (user.children().stream().noneMatch(AclUpgrade::isRight)) {
      into.add(target.withChildren(List.of()));
      return;
    }
    var role = "auto-" + user.id();
    into.add(target.withChildren(List.of(Element.of("role", "id", role))));
    into.add(Element.of("acl_role", "id", role).withChildren(rights(user)));
  }

  private static List<Element> rights(Element holder) {
    var rights = new ArrayList<Element>();
    for (var child : holder.children()) {
      rights.add(isRight(child) ? permission(child) : child);
    }
    return rights;
  }

  private static Element permission(Element right) {
    var attribute = right.get("attribute");
    var permission =
        Element.builder("acl_permission").attr("id", right.id()).attr("kind", right.name());
    if (right.has("ref")) {
      permission.attr("reference", right.get("ref"));
    } else if (right.has("tag")) {
      permission.attr("object-type", right.get("tag")).attr("attribute", attribute);
    } else {
      var path = right.get("xpath", "");
      permission.attr("xpath", attribute == null ? path : path + "[@" + attribute + "]");
    }
    return permission.build();
  }
}
