package org.systole.common.transition;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.Interval;
import org.systole.common.values.Numbers;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;

/// What the cluster is to do: synapses, and the options under which to run them.
///
/// @param options attributes of the outermost element, in the order written
public record TransitionGraph(Map<String, String> options, List<Synapse> synapses) {
  /// Nothing to do.
  public static final TransitionGraph EMPTY = new TransitionGraph(Map.of(), List.of());

  private static final String ELEMENT = "transition_graph";
  private static final Duration DELAY_DEFAULT = Duration.ofSeconds(60);

  public TransitionGraph {
    options = new LinkedHashMap<>(options);
    synapses = List.copyOf(synapses);
  }

  /// Reads a graph that another process wrote.
  ///
  /// @throws XmlException if it is none
  public static TransitionGraph read(Element xml) throws XmlException {
    try {
      return of(xml);
    } catch (IllegalArgumentException e) {
      throw new XmlException(String.valueOf(e.getMessage()), 0);
    }
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

  /// The number that an element of a graph goes by.
  static int number(Element xml) {
    var text = xml.get("id", "");
    try {
      return Integer.parseInt(text.strip());
    } catch (NumberFormatException _) {
      throw new IllegalArgumentException(
          "id of <" + xml.name() + "> is not a number: " + xml.get("id"));
    }
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
    return Numbers.parseInt(options.get("transition_id"), -1);
  }

  /// What a result may take beyond its action's own timeout.
  public Duration clusterDelay() {
    return duration("cluster-delay", DELAY_DEFAULT);
  }

  /// The time a fencing may take.
  public Duration fencingTimeout() {
    return duration("fencing-timeout", duration("stonith-timeout", clusterDelay()));
  }

  private Duration duration(String name, Duration otherwise) {
    var text = options.get(name);
    var millis = text == null ? null : Interval.read(text);
    return millis == null ? otherwise : Duration.ofMillis(millis);
  }

  /// Actions under way in the whole cluster: 0 as the load allows, -1 without limit.
  public int batchLimit() {
    return Numbers.parseInt(options.get("batch-limit"), 0);
  }

  /// Migrations under way on a node; 0 or less for no limit.
  public int migrationLimit() {
    return Numbers.parseInt(options.get("migration-limit"), -1);
  }

  /// The failcount after a failed start, null to count up.
  public @Nullable String failedStart() {
    return options.get("failed-start-offset");
  }

  /// The failcount after a failed stop, null to count up.
  public @Nullable String failedStop() {
    return options.get("failed-stop-offset");
  }

  /// Seconds since 1970 at which time alone will change the outcome; 0 for never.
  public long recheckBy() {
    return Numbers.parse(options.get("recheck-by"), 0);
  }

  public int actionCount() {
    return synapses.stream().mapToInt(synapse -> synapse.actions().size()).sum();
  }
}
