package org.systole.fenced.client;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.Bool;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;

/// What a fence agent says about itself.
///
/// @param actions the actions it has
/// @param onTarget actions that only the target itself can carry out
/// @param automaticOn whether a node is to be unfenced with it when it joins
/// @param hostArgument the parameter that takes the target, null if there is none
public record AgentMetadata(
    @Nullable Element xml,
    Set<String> actions,
    Set<String> onTarget,
    boolean automaticOn,
    @Nullable String hostArgument) {

  /// An agent that does not say anything is taken for one that can do the usual to one target.
  public static AgentMetadata unknown() {
    return new AgentMetadata(null, Set.of("reboot", "off", "on"), Set.of(), false, null);
  }

  /// @throws XmlException if the text is not XML
  public static AgentMetadata parse(String text) throws XmlException {
    var root = XmlReader.parseMetadata(text.strip());
    var names = new TreeSet<String>();
    var onTarget = new TreeSet<String>();
    var automatic = false;
    var actions = root.first("actions");
    for (var action : actions == null ? List.<Element>of() : actions.children("action")) {
      var name = action.get("name", "");
      names.add(name);
      if (Bool.isTrue(action.get("on_target"))) {
        onTarget.add(name);
      }
      if (name.equals("on")) {
        automatic = Bool.isTrue(action.get("automatic")) || Bool.isTrue(action.get("required"));
      }
    }
    return new AgentMetadata(root, names, onTarget, automatic, hostArgument(root));
  }

  private static @Nullable String hostArgument(Element root) {
    var parameters = root.first("parameters");
    if (parameters != null) {
      for (var candidate : List.of("plug", "port")) {
        for (var parameter : parameters.children("parameter")) {
          if (candidate.equals(parameter.get("name"))) {
            return candidate;
          }
        }
      }
    }
    return null;
  }

  public boolean has(String action) {
    return actions.contains(action);
  }

  /// The agent's own XML as an administrator needs it: with the actions the cluster adds, and
  /// without the duty to give what the cluster itself provides.
  public String forClients() {
    if (xml == null) {
      return "";
    }
    var children = new ArrayList<Element>();
    for (var child : xml.children()) {
      if (child.is("parameters")) {
        children.add(child.withChildren(child.children().stream().map(this::provided).toList()));
      } else if (child.is("actions") && !actions.contains("stop")) {
        children.add(
            child
                .plus(Element.of("action", "name", "stop", "timeout", "20s"))
                .plus(Element.of("action", "name", "start", "timeout", "20s")));
      } else {
        children.add(child);
      }
    }
    return xml.withChildren(children).toString();
  }

  private Element provided(Element parameter) {
    var name = parameter.get("name", "");
    return name.equals("action") || name.equals("plug") || name.equals("port")
        ? parameter.with("required", "0")
        : parameter;
  }
}
