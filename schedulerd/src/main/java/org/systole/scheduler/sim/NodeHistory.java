package org.systole.scheduler.sim;

import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.systole.common.output.Output;
import org.systole.common.xml.Element;

/// The operation history in a node's state.
final class NodeHistory {
  private static final List<String> STANDARDS =
      List.of("ocf", "stonith", "service", "systemd", "lsb");

  /// A resource with its agent.
  ///
  /// @param id the id it has in a new history
  record Agent(
      String id, @Nullable String standard, @Nullable String provider, @Nullable String type) {}

  private NodeHistory() {}

  /// Changes the history of a resource, which is added if there is none.
  ///
  /// @param name the id to look for first
  /// @return the node's state with the change; null, and an error said, if there is no history and
  ///     the agent is unfit for one
  static @Nullable Element change(
      Output out, Element state, String name, Agent agent, UnaryOperator<Element> how) {
    var resources = state.path("lrm", "lrm_resources");
    for (var id : ids(name, agent)) {
      if (resources != null && hasOne(resources, id)) {
        return changeIn(state, id, agent, how);
      }
    }
    if (!isFit(out, state, name, agent)) {
      return null;
    }
    // Of several histories none is continued: what is new is added to the first.
    var fresh = how.apply(Element.of("lrm_resource", "id", agent.id()));
    return changeIn(state, agent.id(), agent, history -> merge(history, fresh));
  }

  /// Whether a history can be changed: there is one, or the agent is fit for a new one. An error is
  /// said if not.
  static boolean isFit(Output out, Element state, String name, Agent agent) {
    var resources = state.path("lrm", "lrm_resources");
    for (var id : ids(name, agent)) {
      if (resources != null && hasOne(resources, id)) {
        return true;
      }
    }
    var problem = problem(state, name, agent);
    if (problem != null) {
      out.error(problem);
    }
    return problem == null;
  }

  private static List<String> ids(String name, Agent agent) {
    return name.equals(agent.id()) ? List.of(name) : List.of(name, agent.id());
  }

  private static boolean hasOne(Element resources, String id) {
    var found = false;
    for (var at = 0; at < resources.childCount(); at++) {
      var child = resources.child(at);
      if (child.is("lrm_resource") && id.equals(child.id())) {
        if (found) {
          return false;
        }
        found = true;
      }
    }
    return found;
  }

  private static Element merge(Element history, Element fresh) {
    var merged = history;
    for (var entry : fresh.children()) {
      merged = SimulatedCib.change(merged, entry.name(), "id", entry.get("id", ""), old -> entry);
    }
    return merged;
  }

  private static @Nullable String problem(Element state, String name, Agent agent) {
    var standard = agent.standard();
    if (standard == null || agent.type() == null) {
      return "Resource "
          + name
          + " not found in the status section of "
          + state.id()
          + " (supply class and type to continue)";
    }
    if (!STANDARDS.contains(standard.toLowerCase(Locale.ROOT))) {
      return "Invalid class for " + name + ": " + standard;
    }
    return standard.equalsIgnoreCase("ocf") && agent.provider() == null
        ? "Please specify the provider for resource " + name
        : null;
  }

  private static Element changeIn(
      Element state, String id, Agent agent, UnaryOperator<Element> how) {
    return SimulatedCib.change(
        state,
        "lrm",
        lrm ->
            SimulatedCib.change(
                lrm.has("id") ? lrm : lrm.with("id", state.get("id", "")),
                "lrm_resources",
                resources ->
                    SimulatedCib.change(
                        resources,
                        "lrm_resource",
                        "id",
                        id,
                        history -> how.apply(withAgent(history, agent)))));
  }

  private static Element withAgent(Element history, Agent agent) {
    if (history.has("class")) {
      return history;
    }
    var filled = Element.builder("lrm_resource").attr("id", history.id());
    filled.attr("class", agent.standard()).attr("provider", agent.provider());
    return filled.attr("type", agent.type()).addAll(history.children()).build();
  }
}
