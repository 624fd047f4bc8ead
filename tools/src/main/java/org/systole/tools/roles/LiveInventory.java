package org.systole.tools.roles;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.systole.common.output.ExitStatus;
import org.systole.common.values.NodeName;
import org.systole.common.xml.Element;
import org.systole.controld.client.CtlConnection;
import org.systole.controld.client.CtlMessage;
import org.systole.roles.data.Json;
import org.systole.roles.data.JsonFault;
import org.systole.roles.data.JsonText;
import org.systole.tools.cli.CommandException;
import org.systole.tools.cli.Terminal;

/// The agents and packages of the members, each asked now: whether there are roles or not.
///
/// @param told what nodes have
/// @param untold why a member told nothing
record LiveInventory(SortedMap<NodeName, Json.Obj> told, SortedMap<NodeName, String> untold) {
  /// For one node, whose program has half of it.
  private static final Duration PATIENCE = Duration.ofSeconds(65);

  /// @param wanted agents to look for
  static LiveInventory ask(Terminal terminal, List<String> wanted) throws CommandException {
    var told = new TreeMap<NodeName, Json.Obj>();
    var untold = new TreeMap<NodeName, String>();
    try (var controller = CtlConnection.open(terminal.environment(), PATIENCE)) {
      if (controller.ask(new CtlMessage.NodesQuery()) instanceof CtlMessage.Nodes nodes) {
        for (var node : nodes.nodes()) {
          if (!node.member() || !node.controlled()) {
            untold.put(node.name(), "it is not in the cluster");
            continue;
          }
          switch (controller.ask(new CtlMessage.InventoryQuery(node.name(), wanted))) {
            case CtlMessage.Inventory(var name, var json) -> told.put(name, JsonText.readObject(json));
            case CtlMessage.Refused(var _, var why) -> untold.put(node.name(), why);
            case CtlMessage.Reply other -> untold.put(node.name(), "it answered " + other);
          }
        }
      }
      return new LiveInventory(told, untold);
    } catch (IOException | JsonFault e) {
      throw new CommandException(
          ExitStatus.DISCONNECT, "Could not ask the nodes for their agents: " + e.getMessage());
    }
  }

  /// The agents that resources use, each once, such as `ocf:heartbeat:pgsql`. What is inside a bundle has its
  /// agent in the bundle's image, and what connects to remote nodes has none.
  static List<String> wanted(Element cib) {
    var resources = cib.path("configuration", "resources");
    var wanted = new TreeSet<String>();
    if (resources != null) {
      gather(resources, resources, wanted);
    }
    wanted.remove("ocf:pacemaker:remote");
    return List.copyOf(wanted);
  }

  private static void gather(Element resources, Element at, TreeSet<String> wanted) {
    for (var it : at.children()) {
      switch (it.name()) {
        case "primitive" -> add(resources, it, wanted);
        case "group", "clone", "master" -> gather(resources, it, wanted);
        default -> {}
      }
    }
  }

  private static void add(Element resources, Element primitive, TreeSet<String> wanted) {
    var template = primitive.get("template", "");
    var of =
        template.isEmpty()
            ? primitive
            : resources.find(it -> it.is("template") && template.equals(it.get("id")));
    if (of != null && of.has("class")) {
      var provider = of.get("provider", "");
      wanted.add(
          of.get("class", "") + ":" + (provider.isEmpty() ? "" : provider + ":") + of.get("type", ""));
    }
  }
}
