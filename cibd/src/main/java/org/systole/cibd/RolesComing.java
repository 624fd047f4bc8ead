package org.systole.cibd;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;

/// The roles that another node sends with its whole CIB, just before it.
final class RolesComing {
  private final World world;
  private final CibCopy copy;
  private final Durable durable;
  private CibPeerMessage.@Nullable RolesWhole coming;

  RolesComing(Node node) {
    this.world = node.world();
    this.copy = node.copy();
    this.durable = node.durable();
  }

  void come(CibPeerMessage.RolesWhole it) {
    coming = it;
  }

  /// The roles that belong to a whole; this node's own where nothing was said of any: the other one does
  /// not know them.
  @Nullable Element of(CibPeerMessage.Whole it) throws XmlException {
    var told = coming;
    coming = null;
    if (told == null || told.term() != it.term() || told.sequence() != it.sequence()) {
      return copy.roles();
    }
    var roles = told.xml() == null ? null : XmlReader.parse(told.xml());
    return Objects.equals(roles, copy.roles()) ? copy.roles() : roles;
  }

  /// Has the copy take roles in place of its own.
  ///
  /// @return whether they are others
  boolean take(@Nullable Element roles, CibPeerMessage.Whole of) {
    if (roles == copy.roles()) {
      return false;
    }
    durable.keepRolesIfLost(roles, of.line().appendTo(of.history()));
    copy.replaceRoles(roles);
    return true;
  }

  /// Has the copy take the roles alone, and nothing else of a whole.
  boolean takeFrom(CibPeerMessage.Whole it) {
    try {
      take(of(it), it);
      return true;
    } catch (XmlException e) {
      world.log().error("The roles sent by another node are not XML: " + e.getMessage());
      return false;
    }
  }
}
