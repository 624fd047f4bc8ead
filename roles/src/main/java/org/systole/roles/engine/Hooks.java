package org.systole.roles.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import org.systole.roles.data.DeepMerge;
import org.systole.roles.data.Json;
import org.systole.roles.data.Retries;
import org.systole.roles.model.RoleEvent;
import org.systole.roles.model.RoleId;

/// Tells roles of events, in the order in which they come about.
///
/// A role answers by what its definition lays over the system's data, then by its hook, if it has
/// one. A hook that takes too long, or throws, is not asked again, and what it said is dropped.
public final class Hooks {
  /// How long one answer may take.
  public static final Duration LIMIT = Duration.ofMillis(5);

  private final Map<RoleId, RoleHook> hooks;
  private final LongSupplier nanos;
  private final Set<RoleId> silenced = new TreeSet<>();
  private final List<Happened> happened = new ArrayList<>();

  /// @param hooks the code of roles that have any
  /// @param nanos a monotonic clock, in nanoseconds
  public Hooks(Map<RoleId, RoleHook> hooks, LongSupplier nanos) {
    this.hooks = Map.copyOf(hooks);
    this.nanos = nanos;
  }

  /// Without code: roles answer by their definitions only.
  public static Hooks none() {
    return new Hooks(Map.of(), () -> 0);
  }

  /// The troubles among what came about since the last time this was asked, in order; the rest is
  /// forgotten.
  public List<Happened> takeTroubles() {
    return take().stream().filter(it -> !it.trouble().isEmpty()).toList();
  }

  /// What came about since the last time this was asked.
  public List<Happened> take() {
    var taken = List.copyOf(happened);
    happened.clear();
    return taken;
  }

  void putBack(List<Happened> taken) {
    happened.addAll(taken);
  }

  void fire(RoleEvent event, String subject) {
    happened.add(new Happened(event, subject, ""));
  }

  void trouble(RoleEvent event, String subject, String what) {
    happened.add(new Happened(event, subject, what));
  }

  void fire(RoleEvent event, Cell cell) {
    happened.add(new Happened(event, cell.id.toString(), answer(event, cell)));
  }

  /// Only roles that answer to it hear of it.
  void fireIfAnswered(RoleEvent event, Cell cell) {
    if (cell.role.on().containsKey(event) || hooks.containsKey(cell.id.role())) {
      fire(event, cell);
    }
  }

  private String answer(RoleEvent event, Cell cell) {
    var role = cell.id.role();
    cell.system =
        DeepMerge.merge(
            cell.system,
            // what was defined before it was refused
            Retries.without(cell.role.on().getOrDefault(event, Json.Obj.EMPTY), role.text()));
    var hook = hooks.get(role);
    if (hook == null || silenced.contains(role)) {
      return "";
    }
    var begin = nanos.getAsLong();
    try {
      var answer = hook.on(event, cell.freeze());
      var took = nanos.getAsLong() - begin;
      if (took <= LIMIT.toNanos()) {
        cell.system = DeepMerge.merge(cell.system, answer);
        return "";
      }
      silenced.add(role);
      return "the hook of role %s took %d ms, at most %d are given: it is not asked again"
          .formatted(role, took / 1_000_000, LIMIT.toMillis());
    } catch (RuntimeException e) {
      silenced.add(role);
      return "the hook of role %s failed (%s): it is not asked again".formatted(role, e);
    }
  }
}
