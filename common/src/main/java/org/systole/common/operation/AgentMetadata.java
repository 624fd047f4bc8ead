package org.systole.common.operation;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.Bool;
import org.systole.common.values.Version;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;

/// What a resource agent or fence agent says about itself.
///
/// @param xml as the agent wrote it, null if it said nothing
/// @param reload how it can take new parameters without a restart
/// @param parameters latest named first, the order in which lists of them are written
/// @param actions in the order named
public record AgentMetadata(
    @Nullable Element xml, Reload reload, List<Parameter> parameters, List<Action> actions) {
  /// Taken for secret where an agent does not say which parameters are.
  private static final Set<String> USUAL_SECRETS = Set.of("password", "passwd", "user");

  private static final List<String> HOST_ARGUMENTS = List.of("plug", "port");
  private static final String RELOAD_AGENT_SINCE = "1.1";

  /// How an agent takes over new parameters.
  public enum Reload {
    NONE,
    /// Action `reload`, before OCF 1.1: whatever is not unique may change.
    LEGACY,
    /// Action `reload-agent`: what is marked reloadable may change.
    AGENT
  }

  public record Parameter(String name, boolean reloadable, boolean unique, boolean secret) {}

  /// @param onTarget only the target of a fencing itself can carry it out
  /// @param automatic it is to be run when a node joins
  public record Action(String name, boolean onTarget, boolean automatic) {
    public static Action plain(Task task) {
      return new Action(task.text(), false, false);
    }
  }

  public AgentMetadata {
    parameters = List.copyOf(parameters);
    actions = List.copyOf(actions);
  }

  /// Stands for a fence agent that does not say anything: it is taken for one that can do the usual
  /// to one target.
  public static AgentMetadata silentFenceAgent() {
    return new AgentMetadata(
        null,
        Reload.NONE,
        List.of(),
        List.of(Action.plain(Task.REBOOT), Action.plain(Task.OFF), Action.plain(Task.ON)));
  }

  /// @param standard of the agent, such as `ocf`
  /// @throws XmlException if the text is not XML
  public static AgentMetadata parse(String standard, String text) throws XmlException {
    var xml = XmlReader.parseMetadata(text.strip());
    var actions = actions(xml);
    return new AgentMetadata(xml, reload(xml, standard, actions), parameters(xml), actions);
  }

  private static List<Action> actions(Element xml) {
    var list = xml.first("actions");
    if (list == null) {
      return List.of();
    }
    return list.children("action").stream()
        .map(
            it ->
                new Action(
                    it.get("name", ""),
                    Bool.isTrue(it.get("on_target")),
                    Bool.isTrue(it.get("automatic")) || Bool.isTrue(it.get("required"))))
        .toList();
  }

  private static Reload reload(Element xml, String standard, List<Action> actions) {
    var version = xml.first("version");
    var newer =
        standard.equals(AgentName.OCF)
            && version != null
            && version.text() != null
            && Version.compare(version.text(), RELOAD_AGENT_SINCE) >= 0;
    var named = newer ? Task.RELOAD_AGENT : Task.RELOAD;
    if (actions.stream().noneMatch(it -> named.is(it.name()))) {
      return Reload.NONE;
    }
    return newer ? Reload.AGENT : Reload.LEGACY;
  }

  private static List<Parameter> parameters(Element xml) {
    var list = xml.first("parameters");
    if (list == null) {
      return List.of();
    }
    var elements = list.children("parameter");
    var marked = elements.stream().anyMatch(it -> Bool.isTrue(it.get("private")));
    var parameters = new ArrayList<Parameter>();
    for (var element : elements) {
      var name = element.get("name");
      if (name != null) {
        var secret = marked ? Bool.isTrue(element.get("private")) : USUAL_SECRETS.contains(name);
        parameters.addFirst(
            new Parameter(
                name,
                Bool.isTrue(element.get("reloadable")),
                Bool.isTrue(element.get("unique")),
                secret));
      }
    }
    return parameters;
  }

  public boolean has(String action) {
    return actions.stream().anyMatch(it -> it.name().equals(action));
  }

  public boolean has(Task task) {
    return has(task.text());
  }

  /// Whether only the target itself can carry out an action.
  public boolean isOnTarget(String action) {
    return actions.stream().anyMatch(it -> it.onTarget() && it.name().equals(action));
  }

  /// Whether a node is to be unfenced with it when it joins.
  public boolean isUnfencing() {
    for (var action : actions.reversed()) {
      if (Task.ON.is(action.name())) {
        return action.automatic();
      }
    }
    return false;
  }

  /// The parameter that takes the target of a fencing, null if there is none.
  public @Nullable String hostArgument() {
    for (var candidate : HOST_ARGUMENTS) {
      if (parameters.stream().anyMatch(it -> it.name().equals(candidate))) {
        return candidate;
      }
    }
    return null;
  }

  /// A fence agent's own XML as an administrator needs it: with the actions the cluster adds, and
  /// without the duty to give what the cluster itself provides.
  public String forClients() {
    if (xml == null) {
      return "";
    }
    var children = new ArrayList<Element>();
    for (var child : xml.children()) {
      if (child.is("parameters")) {
        children.add(
            child.withChildren(child.children().stream().map(AgentMetadata::withoutDuty).toList()));
      } else if (child.is("actions") && !has(Task.STOP)) {
        children.add(child.plus(added(Task.STOP)).plus(added(Task.START)));
      } else {
        children.add(child);
      }
    }
    return xml.withChildren(children).toString();
  }

  private static Element added(Task task) {
    return Element.of("action", "name", task.text(), "timeout", "20s");
  }

  private static Element withoutDuty(Element parameter) {
    var name = parameter.get("name", "");
    return name.equals("action") || HOST_ARGUMENTS.contains(name)
        ? parameter.with("required", "0")
        : parameter;
  }
}
