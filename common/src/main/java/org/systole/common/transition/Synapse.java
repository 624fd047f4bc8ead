package org.systole.common.transition;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.systole.common.values.Numbers;
import org.systole.common.xml.Element;

/// Actions that run once every input is done.
///
/// @param priority an abort of lower priority does not keep it from running
public record Synapse(int id, int priority, List<GraphAction> actions, List<GraphAction> inputs) {
  public Synapse {
    actions = List.copyOf(actions);
    inputs = List.copyOf(inputs);
  }

  static Synapse of(Element xml) {
    var actions = new ArrayList<GraphAction>();
    xml.children("action_set").forEach(set -> addAll(set, actions));
    var inputs = new ArrayList<GraphAction>();
    for (var list : xml.children("inputs")) {
      list.children("trigger").forEach(trigger -> addAll(trigger, inputs));
    }
    var priority = Math.max(0, Numbers.parseInt(xml.get("priority"), 0));
    return new Synapse(TransitionGraph.number(xml), priority, actions, inputs);
  }

  private static void addAll(Element parent, List<GraphAction> found) {
    for (var child : parent.children()) {
      if (!child.isComment()) {
        found.add(GraphAction.of(child));
      }
    }
  }

  /// The numbers of the actions it waits for, in the order written.
  public Set<Integer> inputIds() {
    var ids = new LinkedHashSet<Integer>();
    inputs.forEach(input -> ids.add(input.id()));
    return ids;
  }

  Element toXml() {
    var xml = Element.builder("synapse").attr("id", id);
    if (priority > 0) {
      xml.attr("priority", priority);
    }
    var set = Element.builder("action_set");
    actions.forEach(action -> set.add(action.xml()));
    var waits = Element.builder("inputs");
    inputs.forEach(input -> waits.add(Element.builder("trigger").add(input.xml())));
    return xml.add(set).add(waits).build();
  }
}
