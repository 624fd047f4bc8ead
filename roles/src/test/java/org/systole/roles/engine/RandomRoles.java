package org.systole.roles.engine;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.systole.common.values.NodeName;
import org.systole.roles.data.Json;
import org.systole.roles.model.JigId;
import org.systole.roles.model.Role;
import org.systole.roles.model.RoleFlag;
import org.systole.roles.model.RoleId;
import org.systole.roles.model.RolesDocument;

/// Roles in a random graph, for tests.
final class RandomRoles {
  static final JigId JIG = new JigId("test");

  private RandomRoles() {}

  /// A document with roles and a jig, and nothing bound.
  static RolesDocument document(Random random) {
    SortedMap<RoleId, Role> roles = new TreeMap<>();
    var count = 3 + random.nextInt(8);
    var above = new ArrayList<TreeSet<RoleId>>();
    for (var at = 0; at < count; at++) {
      var id = new RoleId("r" + at);
      var requires = new TreeSet<RoleId>();
      var all = new TreeSet<RoleId>();
      for (var tries = random.nextInt(4); at > 0 && tries > 0; tries--) {
        var other = random.nextInt(at);
        var name = new RoleId("r" + other);
        var indirect =
            all.contains(name)
                || requires.stream().anyMatch(it -> above.get(other).contains(it));
        if (!indirect) {
          requires.add(name);
          all.add(name);
          all.addAll(above.get(other));
        }
      }
      above.add(all);
      roles.put(
          id,
          new Role(
              id,
              "",
              JIG,
              flags(random),
              requires,
              new TreeSet<>(),
              new TreeSet<>(),
              Json.Obj.EMPTY,
              Map.of()));
    }
    var empty = RolesDocument.empty("example.com");
    return new RolesDocument(
        empty.domain(),
        new TreeMap<>(Map.of(JIG, true)),
        roles,
        empty.nodes(),
        empty.deployments(),
        empty.snapshots());
  }

  private static EnumSet<RoleFlag> flags(Random random) {
    var flags = EnumSet.noneOf(RoleFlag.class);
    var possible =
        List.of(
            RoleFlag.IMPLICIT,
            RoleFlag.DISCOVERY,
            RoleFlag.CLUSTER,
            RoleFlag.SERVICE,
            RoleFlag.DESTRUCTIVE);
    for (var flag : possible) {
      if (random.nextInt(4) == 0) {
        flags.add(flag);
      }
    }
    if (random.nextInt(3) > 0) {
      flags.add(RoleFlag.IMPLICIT); // or hardly anything could be bound
    }
    return flags;
  }

  static NodeName node(int number) {
    return new NodeName("n" + number + ".example.com");
  }
}
