package org.systole.execd.client;

import org.systole.common.operation.AgentName;
import org.systole.common.operation.TaskName;
import org.systole.common.xml.Element;

/// Metadata for services that have none of their own.
public final class ServiceMetadata {
  private ServiceMetadata() {}

  /// @param kind how it is called in descriptions, such as `init script`
  public static String of(AgentName agent, String kind) {
    var type = agent.type();
    var actions = Element.builder("actions");
    for (var action : new String[] {TaskName.START, TaskName.STOP, TaskName.STATUS, "restart"}) {
      actions.add(Element.of("action", "name", action, "timeout", "100s"));
    }
    actions.add(
        Element.of("action", "name", TaskName.MONITOR, "timeout", "100s", "interval", "60s"));
    actions.add(Element.of("action", "name", TaskName.META_DATA, "timeout", "5s"));
    var root =
        Element.builder("resource-agent")
            .attr("name", type)
            .attr("version", "1.0")
            .add(Element.of("version").withText("1.1"))
            .add(Element.of("longdesc", "lang", "en").withText("The " + kind + " " + type))
            .add(Element.of("shortdesc", "lang", "en").withText(kind + " " + type))
            .add(Element.of("parameters"))
            .add(actions)
            .build();
    return "<?xml version=\"1.0\"?>\n" + root;
  }
}
