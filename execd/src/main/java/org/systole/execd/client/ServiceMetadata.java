package org.systole.execd.client;

import java.util.List;
import org.systole.common.operation.AgentName;
import org.systole.common.operation.TaskName;
import org.systole.common.xml.Element;

/// Metadata for services that have none of their own.
public final class ServiceMetadata {
  private ServiceMetadata() {}

  /// @param kind how it is called in descriptions, such as `init script`
  public static String of(AgentName agent, String kind) {
    var type = agent.type();
    var actions = actions(TaskName.START, TaskName.STOP, TaskName.STATUS, "restart");
    return text(root(type, "The " + kind + " " + type, kind + " " + type).add(actions.build()));
  }

  /// Of a unit of systemd.
  ///
  /// @param description what systemd calls it; empty where it says nothing
  public static String ofUnit(AgentName agent, String description) {
    var type = agent.type();
    var said = description.isBlank() ? "Systemd unit file for " + type : description.strip();
    var actions = actions(TaskName.START, TaskName.STOP, TaskName.STATUS);
    return text(
        root(type, said, "systemd unit file for " + type)
            .add(actions.build())
            .add(Element.of("special", "tag", "systemd")));
  }

  /// The command that tells a unit's description, the one line of its output.
  public static List<String> description(String unit) {
    return List.of("systemctl", "show", "--property=Description", "--value", "--", unit);
  }

  private static Element.Builder actions(String... names) {
    var actions = Element.builder("actions");
    for (var action : names) {
      actions.add(Element.of("action", "name", action, "timeout", "100s"));
    }
    actions.add(
        Element.of("action", "name", TaskName.MONITOR, "timeout", "100s", "interval", "60s"));
    return actions.add(Element.of("action", "name", TaskName.META_DATA, "timeout", "5s"));
  }

  private static Element.Builder root(String type, String text, String title) {
    return Element.builder("resource-agent")
        .attr("name", type)
        .attr("version", "1.0")
        .add(Element.of("version").withText("1.1"))
        .add(Element.of("longdesc", "lang", "en").withText(text))
        .add(Element.of("shortdesc", "lang", "en").withText(title))
        .add(Element.of("parameters"));
  }

  private static String text(Element.Builder root) {
    return "<?xml version=\"1.0\"?>\n" + root.build();
  }
}
