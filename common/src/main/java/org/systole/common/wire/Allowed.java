package org.systole.common.wire;

/// Who may make a request, beside root, the cluster's own user and the owner of the run directory,
/// who may make all: each request of each protocol that clients speak is one of these.
///
/// [RpcServer] enforces it before a handler sees the request. What is none of these is refused to
/// all others. The table in `docs/security.md` tells it to administrators; a test compares the
/// two.
public interface Allowed {
  /// Whoever reaches the socket, so members of the cluster's group.
  interface ToMembers extends Allowed {}

  /// Members, as far as the access control lists let them: the handler looks at these.
  interface WithinLists extends Allowed {}

  /// Members whom the access control lists in force give a right for it, and no others: the handler
  /// looks at these.
  interface ToNamed extends Allowed {}

  /// Members, but not everything that can be asked for with it.
  interface ToMembersInPart extends Allowed {
    /// Whether this is the part that members may ask for.
    boolean isForMembers();
  }

  /// Nobody else.
  interface ToNobodyElse extends Allowed {}

  /// Whether others than the cluster's own may make a request, perhaps within limits of
  /// which the handler knows.
  static boolean isForMembers(Object request) {
    return switch (request) {
      case ToMembersInPart it -> it.isForMembers();
      case ToMembers _, WithinLists _, ToNamed _ -> true;
      default -> false;
    };
  }
}
