package org.systole.common.real;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

/// The groups of a user, as this machine has them.
final class UserGroupsTest {
  private final UserGroups groups = new UserGroups();

  /// A remote host says who asks there, in up to twenty million characters: two dozen of them filled a controller's memory.
  @Test
  void whatNoUserCanBeCalledIsNotRemembered() {
    assertEquals(List.of("root"), groups.of("root"));
    assertEquals(1, groups.remembered());
    assertEquals(List.of(), groups.of("x".repeat(257)));
    assertEquals(1, groups.remembered());
  }
}
