package org.systole.roles.graph;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
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

  /// By the rule itself: from each role all ways are gone, again and again.
  @Test
  void whatIsRequiredByAWayRoundIsFoundInAnyGraph() {
    var found = 0;
    for (var seed = 0; seed < 300; seed++) {
      var random = new Random(seed);
      var required = new TreeMap<String, List<String>>();
      var lines = new ArrayList<String>();
      for (var at = 0; at < 9; at++) {
        var names = new TreeSet<String>();
        for (var other = 0; other < at; other++) {
          if (random.nextInt(4) == 0) {
            names.add(random.nextInt(9) == 0 ? "any" : "r" + other);
          }
        }
        if (at < 2) {
          names.clear();
        }
        required.put("r" + at, List.copyOf(names));
        lines.add(
            "r" + at + (at < 2 ? "=any" : "") + (names.isEmpty() ? "" : ": " + String.join(" ", names)));
      }
      var wanted = new ArrayList<String>();
      required.forEach(
          (role, names) -> {
            for (var direct : names) {
              for (var other : names) {
                if (leadsTo(direct, other, required)) {
                  wanted.add(
                      "role %s requires %s directly, and by way of %s: name only the direct ones"
                          .formatted(role, other, direct));
                }
              }
            }
          });
      assertEquals(wanted, graph(lines.toArray(new String[0])).faults(), "seed " + seed);
      found += wanted.size();
    }
    assertTrue(found > 100, "there is something to be found: " + found);
  }

  private static boolean leadsTo(String from, String to, Map<String, List<String>> required) {
    return required.getOrDefault(from, List.of()).stream()
        .anyMatch(it -> it.equals(to) || leadsTo(it, to, required));
  }

  @Test
  void conflictsCountBothWays() {
    var graph = graph("a=x: !b", "b", "c: !x", "d");

    assertEquals("[b, c]", graph.against(role("a", "x")).toString());
    assertEquals("[a]", graph.against(role("b", "b")).toString());
    assertEquals("[]", graph.against(role("d", "d")).toString());
  }

  private static Role role(String name, String provides) {
    return new Role(
        new RoleId(name),
        "",
        new JigId("test"),
        Set.of(),
        new TreeSet<>(),
        new TreeSet<>(name.equals("a") ? Set.of(new RoleId("b")) : Set.of()),
        new TreeSet<>(Set.of(new RoleId(provides))),
        Json.Obj.EMPTY,
        Map.of());
  }
}
