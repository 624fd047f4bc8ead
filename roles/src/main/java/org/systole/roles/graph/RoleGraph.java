package org.systole.roles.graph;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.systole.roles.model.Role;
import org.systole.roles.model.RoleId;

/// How roles depend on each other. What a role requires is a role, or something that one or more
/// roles provide.
public final class RoleGraph {
  /// How many roles there may be.
  public static final int ROLES_MAX = 5_000;

  /// How many builds before [org.systole.common.cluster.Levels#MANY_ROLES] take.
  public static final int ROLES_MAX_BEFORE = 1_000;

  private final SortedMap<RoleId, Role> roles;
  private final Map<RoleId, List<Role>> answering = new HashMap<>();
  private final Map<RoleId, Set<RoleId>> conflicting = new HashMap<>(); // by what they conflict with
  private final LinkedHashMap<RoleId, Integer> cohorts = new LinkedHashMap<>();
  private final List<String> faults = new ArrayList<>();

  /// @param roles by their ids
  public RoleGraph(SortedMap<RoleId, Role> roles) {
    this.roles = roles;
    for (var role : roles.values()) {
      answer(role.id(), role);
      role.provides().forEach(it -> answer(it, role));
      role.conflicts()
          .forEach(it -> conflicting.computeIfAbsent(it, _ -> new TreeSet<>()).add(role.id()));
    }
    check();
  }

  private void answer(RoleId name, Role role) {
    var known = answering.computeIfAbsent(name, _ -> new ArrayList<>());
    if (!known.contains(role)) {
      known.add(role);
    }
  }

  /// The roles that go by a name, by their ids.
  public List<Role> answeringTo(RoleId name) {
    return answering.getOrDefault(name, List.of());
  }

  /// The roles that may not be on one node with this one: those it conflicts with, and those that conflict
  /// with it.
  public SortedSet<RoleId> against(Role role) {
    var all = new TreeSet<RoleId>();
    role.conflicts().forEach(name -> answeringTo(name).forEach(it -> all.add(it.id())));
    all.addAll(conflicting.getOrDefault(role.id(), Set.of()));
    role.provides().forEach(it -> all.addAll(conflicting.getOrDefault(it, Set.of())));
    return all;
  }

  /// What is wrong with the roles, each by name; nothing if they can be used.
  public List<String> faults() {
    return List.copyOf(faults);
  }

  /// All roles in an order in which each comes after what it requires.
  public List<RoleId> order() {
    return List.copyOf(cohorts.keySet());
  }

  /// How deep a role stands: 0 if it requires nothing, else one more than the deepest of those.
  public int cohort(RoleId role) {
    return cohorts.getOrDefault(role, 0);
  }

  /// Roles and all they require, in dependency order. Of something that several roles provide all
  /// are taken.
  public List<RoleId> withRequired(Collection<RoleId> some) {
    var all = new LinkedHashSet<RoleId>(some);
    var open = new ArrayList<>(all);
    while (!open.isEmpty()) {
      var role = roles.get(open.removeLast());
      if (role != null) {
        required(role).stream().map(Role::id).filter(all::add).forEach(open::add);
      }
    }
    return order().stream().filter(all::contains).toList();
  }

  private List<Role> required(Role role) {
    return role.requires().stream().flatMap(it -> answeringTo(it).stream()).toList();
  }

  private void check() {
    for (var role : roles.values()) {
      for (var name : role.requires()) {
        if (role.answersTo(name)) {
          faults.add("role " + role.id() + " requires itself" + asItsName(role, name));
        } else if (answeringTo(name).isEmpty()) {
          faults.add("role " + role.id() + " requires " + name + ", which no role is or provides");
        }
      }
      for (var name : role.conflicts()) {
        if (role.answersTo(name)) {
          faults.add("role " + role.id() + " conflicts with itself" + asItsName(role, name));
        }
      }
    }
    rank();
    if (faults.isEmpty()) {
      indirect();
    }
  }

  private static String asItsName(Role role, RoleId name) {
    return role.id().equals(name) ? "" : ": it provides " + name;
  }

  /// Gives each role its cohort; those that are left over are in a circle, or behind one.
  private void rank() {
    var missing = new HashMap<RoleId, Integer>();
    var behind = new HashMap<RoleId, List<Role>>();
    var ready = new TreeSet<RoleId>();
    for (var role : roles.values()) {
      var required = required(role);
      missing.put(role.id(), required.size());
      required.forEach(it -> behind.computeIfAbsent(it.id(), _ -> new ArrayList<>()).add(role));
      if (required.isEmpty()) {
        ready.add(role.id());
      }
    }
    for (var cohort = 0; !ready.isEmpty(); cohort++) {
      var next = new TreeSet<RoleId>();
      for (var id : ready) {
        cohorts.put(id, cohort);
        for (var role : behind.getOrDefault(id, List.of())) {
          if (missing.merge(role.id(), -1, Integer::sum) == 0) {
            next.add(role.id());
          }
        }
      }
      ready = next;
    }
    if (cohorts.size() < roles.size() && faults.isEmpty()) {
      faults.add("roles depend on each other in a circle: " + circle());
    }
  }

  /// One circle, from its first role round to it again.
  private String circle() {
    var left = new TreeSet<>(roles.keySet());
    left.removeAll(cohorts.keySet());
    var way = new ArrayList<RoleId>();
    var at = left.first();
    while (!way.contains(at)) {
      way.add(at);
      at = firstRequired(at, left);
    }
    var round = new ArrayList<>(way.subList(way.indexOf(at), way.size()));
    var first = round.indexOf(new TreeSet<>(round).first());
    var text = new StringBuilder();
    for (var step = 0; step <= round.size(); step++) {
      text.append(step == 0 ? "" : " requires ").append(round.get((first + step) % round.size()));
    }
    return text.toString();
  }

  private RoleId firstRequired(RoleId id, Set<RoleId> among) {
    var role = roles.get(id);
    for (var required : role == null ? List.<Role>of() : required(role)) {
      if (among.contains(required.id())) {
        return required.id();
      }
    }
    throw new IllegalStateException("nothing left that " + id + " requires");
  }

  /// A role that is required by way of another one is not to be named again. Something that
  /// several roles provide leads on by no certain way.
  private void indirect() {
    var numbers = new HashMap<RoleId, Integer>();
    var requiring = new HashMap<RoleId, List<Integer>>();
    for (var role : roles.values()) {
      var number = numbers.size();
      numbers.put(role.id(), number);
      role.requires().forEach(it -> requiring.computeIfAbsent(it, _ -> new ArrayList<>()).add(number));
    }
    var ways = new HashMap<RoleId, BitSet>();
    for (var id : cohorts.keySet()) {
      var way = new BitSet();
      var role = roles.get(id);
      if (role != null) {
        role.requires().forEach(it -> way.or(way(it, numbers, ways)));
      }
      ways.put(id, way);
    }
    for (var role : roles.values()) {
      var whole = ways.getOrDefault(role.id(), new BitSet());
      var again =
          role.requires().stream().filter(it -> isOn(whole, requiring.get(it))).toList();
      for (var direct : again.isEmpty() ? List.<RoleId>of() : role.requires()) {
        var way = way(direct, numbers, ways);
        for (var other : again) {
          if (isOn(way, requiring.get(other))) {
            faults.add(
                "role %s requires %s directly, and by way of %s: name only the direct ones"
                    .formatted(role.id(), other, direct));
          }
        }
      }
    }
  }

  /// The roles that something required leads to, by their numbers: itself and all it requires.
  private BitSet way(RoleId name, Map<RoleId, Integer> numbers, Map<RoleId, BitSet> ways) {
    var answers = answeringTo(name);
    if (answers.size() != 1) {
      return new BitSet();
    }
    var id = answers.getFirst().id();
    var way = (BitSet) ways.getOrDefault(id, new BitSet()).clone();
    way.set(numbers.getOrDefault(id, 0));
    return way;
  }

  private static boolean isOn(BitSet way, @Nullable List<Integer> some) {
    return some != null && some.stream().anyMatch(way::get);
  }
}
