package org.systole.scheduler.graph;

import java.util.ArrayList;
import java.util.List;
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
    for (var set : xml.children("action_set")) {
      set.children().forEach(child -> actions.add(GraphAction.of(child)));
    }
    var inputs = new ArrayList<GraphAction>();
    for (var list : xml.children("inputs")) {
      for (var trigger : list.children("trigger")) {
        trigger.children().forEach(child -> inputs.add(GraphAction.of(child)));
      }
    }
    return new Synapse(
        Numbers.parse(xml.get("id"), "id of <synapse>"),
        Numbers.parse(xml.get("priority"), 0),
        actions,
        inputs);
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
