package org.systole.cts.sim;

import java.util.List;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlWriter;

/// What simulated agents say about themselves.
final class SimMetaData {
  private SimMetaData() {}

  static String resource(String type) {
    var parameters = type.equals("remote") ? connectionParameters() : parameters();
    var actions =
        Element.builder("actions")
            .addAll(
                List.of(
                    action("start", "20s"),
                    action("stop", "20s"),
                    Element.of("action", "name", "monitor", "timeout", "20s", "interval", "10s"),
                    action("promote", "10s"),
                    action("demote", "10s"),
                    action("notify", "10s"),
                    action("reload-agent", "20s"),
                    action("migrate_to", "20s"),
                    action("migrate_from", "20s"),
                    action("meta-data", "5s"),
                    action("validate-all", "20s")))
            .build();
    return text(type, parameters, actions);
  }

  private static Element parameters() {
    return Element.builder("parameters")
        .add(parameter("state", "unique-group", "state"))
        .add(parameter("fake", "reloadable", "1"))
        .build();
  }

  /// Of a connection to a remote node, which is made anew when its address changes.
  private static Element connectionParameters() {
    return Element.builder("parameters")
        .add(parameter("server", "unique-group", ""))
        .add(parameter("port", "unique-group", "3121"))
        .add(parameter("reconnect_interval", "reloadable", "0"))
        .build();
  }

  static String fence(String agent) {
    var plug =
        Element.builder("parameter")
            .attr("name", "plug")
            .attr("required", "0")
            .add(Element.of("content", "type", "string"))
            .build();
    var actions =
        Element.builder("actions")
            .addAll(
                List.of(
                    Element.of("action", "name", "on", "automatic", "0"),
                    Element.of("action", "name", "off"),
                    Element.of("action", "name", "reboot"),
                    Element.of("action", "name", "status"),
                    Element.of("action", "name", "monitor"),
                    Element.of("action", "name", "list"),
                    Element.of("action", "name", "metadata"),
                    Element.of("action", "name", "validate-all")))
            .build();
    return text(agent, Element.builder("parameters").add(plug).build(), actions);
  }

  private static String text(String name, Element parameters, Element actions) {
    return XmlWriter.pretty(
        Element.builder("resource-agent")
            .attr("name", name)
            .attr("version", "1.0")
            .add(Element.of("version").withText("1.1"))
            .add(Element.of("longdesc", "lang", "en").withText("Simulated"))
            .add(Element.of("shortdesc", "lang", "en").withText("Simulated"))
            .add(parameters)
            .add(actions)
            .build());
  }

  private static Element action(String name, String timeout) {
    return Element.of("action", "name", name, "timeout", timeout);
  }

  private static Element parameter(String name, String flag, String standard) {
    return Element.builder("parameter")
        .attr("name", name)
        .attr("unique", flag.equals("unique-group") ? "1" : "0")
        .attr("reloadable", flag.equals("reloadable") ? "1" : "0")
        .add(Element.of("content", "type", "string", "default", standard))
        .build();
  }
}
