package org.systole.scheduler.graph;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.xml.Element;

/// What the cluster is to do: synapses, and the options under which to run them.
///
/// @param options attributes of the outermost element, in the order written
public record TransitionGraph(Map<String, String> options, List<Synapse> synapses) {
  private static final String ELEMENT = "transition_graph";

  public TransitionGraph {
    options = new LinkedHashMap<>(options);
    synapses = List.copyOf(synapses);
  }

  /// Reads a graph.
  ///
  /// @throws IllegalArgumentException if it is not one
  public static TransitionGraph of(Element xml) {
    if (!xml.is(ELEMENT)) {
      throw new IllegalArgumentException("not a transition graph: <" + xml.name() + ">");
    }
    var options = new LinkedHashMap<String, String>();
    for (var at = 0; at < xml.attributeCount(); at++) {
      options.put(xml.attributeName(at), xml.attributeValue(at));
    }
    var synapses = new ArrayList<Synapse>();
    xml.children("synapse").forEach(child -> synapses.add(Synapse.of(child)));
    return new TransitionGraph(options, synapses);
  }

  public Element toXml() {
    var xml = Element.builder(ELEMENT);
    options.forEach(xml::attr);
    synapses.forEach(synapse -> xml.add(synapse.toXml()));
    return xml.build();
  }

  /// The same graph under another transition number.
  public TransitionGraph withId(int transitionId) {
    var changed = new LinkedHashMap<>(options);
    changed.put("transition_id", Integer.toString(transitionId));
    return new TransitionGraph(changed, synapses);
  }

  /// The number of the transition, -1 if it has none.
  public int id() {
    return Numbers.parse(options.get("transition_id"), -1);
  }

  /// An option as written (`cluster-delay`, `batch-limit` ...), null if not set.
  public @Nullable String option(String name) {
    return options.get(name);
  }

  public int actionCount() {
    return synapses.stream().mapToInt(synapse -> synapse.actions().size()).sum();
  }
}
