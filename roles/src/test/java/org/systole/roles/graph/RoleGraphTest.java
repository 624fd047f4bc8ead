package org.systole.roles.graph;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.systole.roles.data.Json;
import org.systole.roles.model.JigId;
import org.systole.roles.model.Role;
import org.systole.roles.model.RoleId;

final class RoleGraphTest {
  /// Each line is `ROLE[=PROVIDES]: REQUIRED...`, with `!ROLE` for a conflict.
  private static RoleGraph graph(String... lines) {
    SortedMap<RoleId, Role> roles = new TreeMap<>();
    for (var line : lines) {
      var halves = line.split(":");
      var names = halves[0].strip().split("=");
      var requires = new TreeSet<RoleId>();
      var conflicts = new TreeSet<RoleId>();
      for (var word : halves.length == 1 ? new String[0] : halves[1].strip().split(" ")) {
        (word.startsWith("!") ? conflicts : requires).add(new RoleId(word.replace("!", "")));
      }
      var provides = new TreeSet<RoleId>();
      for (var at = 1; at < names.length; at++) {
        provides.add(new RoleId(names[at]));
      }
      var id = new RoleId(names[0]);
      roles.put(
          id,
          new Role(
              id,
              "",
              new JigId("test"),
              Set.of(),
              requires,
              conflicts,
              provides,
              Json.Obj.EMPTY,
              Map.of()));
    }
    return new RoleGraph(roles);
  }

  @Test
  void eachRoleComesAfterWhatItRequires() {
    var graph = graph("app: store net", "net", "store: disk", "disk");

    assertEquals(List.of(), graph.faults());
    assertEquals("[disk, net, store, app]", graph.order().toString());
    assertEquals(2, graph.cohort(new RoleId("app")));
    assertEquals("[disk, store]", graph.withRequired(List.of(new RoleId("store"))).toString());
  }

  @Test
  void aCircleIsRefusedWithAllItsRoles() {
    assertEquals(
        List.of("roles depend on each other in a circle: a requires c requires b requires a"),
        graph("b: a", "a: c", "c: b", "free", "behind: a").faults());
  }

  @Test
  void aCircleByWayOfSomethingProvidedIsOneToo() {
    assertEquals(
        List.of("roles depend on each other in a circle: dns requires time requires dns"),
        graph("dns=names: time", "time: names").faults());
  }

  @Test
  void aRoleThatRequiresItselfIsRefused() {
    assertEquals(List.of("role a requires itself"), graph("a: a").faults());
    assertEquals(
        List.of("role a requires itself: it provides x"), graph("a=x: x", "b=x").faults());
    assertEquals(
        List.of("role a conflicts with itself: it provides x"), graph("a=x: !x").faults());
  }

  @Test
  void whatNobodyIsOrProvidesIsRefused() {
    assertEquals(
        List.of("role a requires b, which no role is or provides"), graph("a: b").faults());
  }

  @Test
  void aRoleThatIsRequiredByWayOfAnotherMayNotBeNamed() {
    assertEquals(
        List.of("role c requires a directly, and by way of b: name only the direct ones"),
        graph("a", "b: a", "c: a b").faults());
    assertEquals(
        List.of("role d requires a directly, and by way of c: name only the direct ones"),
        graph("a", "b: a", "c: b", "d: a c").faults());
  }

  @Test
  void somethingThatSeveralProvideLeadsOnByNoCertainWay() {
    assertEquals(List.of(), graph("a", "b=x: a", "c=x", "d: a x").faults());
    assertEquals(
        List.of("role d requires a directly, and by way of x: name only the direct ones"),
        graph("a", "b=x: a", "d: a x").faults());
  }
}
