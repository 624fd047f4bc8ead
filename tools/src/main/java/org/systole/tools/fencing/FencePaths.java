package org.systole.tools.fencing;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.systole.common.layout.Layout;
import org.systole.common.output.ExitStatus;
import org.systole.common.output.Output;
import org.systole.common.output.TextOutput;
import org.systole.common.output.XmlOutput;
import org.systole.common.values.NodeName;
import org.systole.controld.client.CtlConnection;
import org.systole.controld.client.CtlMessage;
import org.systole.fenced.client.FenceMessage;
import org.systole.tools.cli.CommandException;
import org.systole.tools.cli.Terminal;

/// Sees from which members a node could be fenced: each device that can do it is asked for the node's
/// power from here, and from other members until one of them is answered.
final class FencePaths {
  /// For a request that another member carries out, which may ask a device twice.
  private static final Duration PATIENCE = Duration.ofSeconds(70);

  private final Terminal terminal;
  private final Output out;
  private final Duration timeout;

  /// @param timeout what a device is given to answer
  FencePaths(Terminal terminal, Output out, Duration timeout) {
    this.terminal = terminal;
    this.out = out;
    this.timeout = timeout;
  }

  /// @param from 1 to ask from here only, 2 from another member, too
  /// @return OK if each device is answered from that many, or from all there are
  ExitStatus show(NodeName target, int from, FenceMessage.Reply known) throws CommandException {
    if (!(known instanceof FenceMessage.Devices(var devices)) || devices.isEmpty()) {
      throw new CommandException(
          ExitStatus.NOSUCH, "this node has no fence device that can fence %s".formatted(target));
    }
    try (var controller =
        CtlConnection.open(Layout.of(terminal.environment()), PATIENCE)) {
      if (!(controller.ask(new CtlMessage.NodesQuery()) instanceof CtlMessage.Nodes nodes)) {
        throw new CommandException(ExitStatus.ERROR, "The controller does not know the nodes");
      }
      var fine = true;
      if (out instanceof XmlOutput xml) {
        xml.open("fence-paths", "target", target.text());
      }
      for (var device : devices) {
        fine &= isReached(controller, device.name(), target, from < 2 ? List.of() : others(nodes, target), nodes.local());
      }
      if (out instanceof XmlOutput xml) {
        xml.close();
      }
      return fine ? ExitStatus.OK : ExitStatus.ERROR;
    } catch (IOException e) {
      throw new CommandException(
          ExitStatus.DISCONNECT, "Could not ask the controller: " + e.getMessage());
    }
  }

  /// The members that could act in this node's place, those that follow it by name first, so that not
  /// all nodes ask the same one.
  static List<NodeName> others(CtlMessage.Nodes nodes, NodeName target) {
    var after = new ArrayList<NodeName>();
    var before = new ArrayList<NodeName>();
    nodes.nodes().stream()
        .filter(it -> it.member() && it.controlled())
        .map(CtlMessage.Node::name)
        .filter(it -> !it.equals(nodes.local()) && !it.equals(target))
        .sorted()
        .forEach(it -> (it.compareTo(nodes.local()) > 0 ? after : before).add(it));
    after.addAll(before);
    return after;
  }

  private boolean isReached(
      CtlConnection controller,
      String device,
      NodeName target,
      List<NodeName> others,
      NodeName local)
      throws IOException, CommandException {
    var fine = answers(controller, device, target, local);
    var second = others.isEmpty();
    for (var node : others) {
      if (!second) {
        second = answers(controller, device, target, node);
      }
    }
    return fine && second;
  }

  private boolean answers(
      CtlConnection controller, String device, NodeName target, NodeName from)
      throws IOException, CommandException {
    var answer =
        controller.ask(new CtlMessage.AskDevice(from, device, target, timeout.toMillis()));
    if (answer instanceof CtlMessage.Refused(var reason, var why)) {
      if (reason == CtlMessage.Reason.DENIED) {
        throw CommandException.denied("The controller did not do this", why);
      }
      // A member that is just leaving, or whose build does not know the question, says nothing of the device.
      var asked = reason == CtlMessage.Reason.FAILED && !why.contains("does not understand");
      tell(device, from, asked ? "fails" : "unasked", why);
      return false;
    }
    tell(device, from, "answers", "");
    return true;
  }

  private void tell(String device, NodeName from, String said, String why) {
    var line = why.lines().findFirst().orElse("");
    switch (out) {
      case TextOutput text -> text.print("%s %s %s %s".formatted(device, from, said, line).strip() + "\n");
      case XmlOutput xml ->
          xml.add("fence-path", "device", device, "from", from.text(), "result", said)
              .attr("why", line.isEmpty() ? null : line);
    }
  }
}
