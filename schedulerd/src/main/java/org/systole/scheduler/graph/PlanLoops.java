package org.systole.scheduler.graph;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.systole.common.operation.Task;
import org.systole.common.transition.GraphAction;
import org.systole.common.transition.Synapse;

/// Opens loops of a plan: actions that wait for one another never run, and the cluster stands still
/// with them, for the next plan is the same.
///
/// A stop must wait for much, but that it comes after probes of what its resource depends on only
/// saves work. A loop through such a probe, as of a remote node that is connected to once a guest is
/// fenced by that stop, is opened there. Of a loop without one people are told.
final class PlanLoops {
  private final Map<Integer, Synapse> byAction = new HashMap<>();
  private final List<Synapse> synapses;
  private final Map<Integer, Synapse> stuck; // what can never run, even if everything succeeds

  PlanLoops(List<Synapse> synapses) {
    this.synapses = synapses;
    for (var synapse : synapses) {
      synapse.actions().forEach(it -> byAction.put(it.id(), synapse));
    }
    stuck = stuck();
  }

  /// Whether nothing waits for itself.
  boolean isNone() {
    return stuck.isEmpty();
  }

  /// The plan, in which a stop or demotion does not wait for a probe that waits for it.
  List<Synapse> opened() {
    var opened = new ArrayList<Synapse>();
    for (var synapse : synapses) {
      opened.add(stuck.containsKey(synapse.id()) && goesDown(synapse) ? open(synapse) : synapse);
    }
    return opened;
  }

  /// What waits for itself, such as `a_start_0 on n1, b_stop_0 on n2`, in the order of waiting.
  List<String> waiting() {
    // Who follows the waiting comes to a loop sooner or later.
    var path = new LinkedHashMap<Integer, Synapse>();
    var next = stuck.values().iterator().next();
    while (path.putIfAbsent(next.id(), next) == null) {
      next =
          next.inputIds().stream()
              .map(byAction::get)
              .filter(it -> it != null && stuck.containsKey(it.id()))
              .findFirst()
              .orElseThrow();
    }
    var first = next.id();
    return path.values().stream()
        .dropWhile(it -> it.id() != first)
        .map(it -> it.actions().getFirst())
        .map(it -> it.key() + (it.node() == null ? "" : " on " + it.node()))
        .toList();
  }

  private static boolean goesDown(Synapse synapse) {
    return synapse.actions().stream().allMatch(it -> it.is(Task.STOP) || it.is(Task.DEMOTE));
  }

  private Synapse open(Synapse synapse) {
    var inputs =
        synapse.inputs().stream().filter(it -> !isProbe(it) || !waitsFor(it, synapse)).toList();
    return new Synapse(synapse.id(), synapse.priority(), synapse.actions(), inputs);
  }

  private boolean isProbe(GraphAction input) {
    var of = byAction.get(input.id());
    return of != null && of.actions().stream().allMatch(GraphAction::isProbe);
  }

  private boolean waitsFor(GraphAction waiting, Synapse other) {
    var seen = new HashSet<Integer>();
    var open = new ArrayDeque<Integer>(List.of(waiting.id()));
    while (!open.isEmpty()) {
      var at = byAction.get(open.pop());
      if (at == other) {
        return true;
      }
      if (at != null && seen.add(at.id())) {
        open.addAll(at.inputIds());
      }
    }
    return false;
  }

  private Map<Integer, Synapse> stuck() {
    var left = new LinkedHashMap<Integer, Synapse>();
    synapses.forEach(it -> left.put(it.id(), it));
    var waits = new HashMap<Integer, Set<Integer>>();
    var waited = new HashMap<Integer, List<Synapse>>();
    var ready = new ArrayDeque<Synapse>();
    for (var synapse : synapses) {
      var inputs = new HashSet<Integer>();
      for (var id : synapse.inputIds()) {
        var first = byAction.get(id);
        if (first != null && inputs.add(first.id())) {
          waited.computeIfAbsent(first.id(), _ -> new ArrayList<>()).add(synapse);
        }
      }
      waits.put(synapse.id(), inputs);
      if (inputs.isEmpty()) {
        ready.add(synapse);
      }
    }
    while (!ready.isEmpty()) {
      var done = ready.pop();
      left.remove(done.id());
      for (var then : waited.getOrDefault(done.id(), List.of())) {
        var its = waits.getOrDefault(then.id(), Set.of());
        its.remove(done.id());
        if (its.isEmpty()) {
          ready.add(then);
        }
      }
    }
    return left;
  }
}
