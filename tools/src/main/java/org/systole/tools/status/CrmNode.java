package org.systole.tools.status;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.systole.common.cluster.LinkMessage;
import org.systole.common.output.ExitStatus;
import org.systole.common.output.TextOutput;
import org.systole.common.output.XmlOutput;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.controld.client.CtlConnection;
import org.systole.controld.client.CtlMessage;
import org.systole.tools.cli.Command;
import org.systole.tools.cli.CommandException;
import org.systole.tools.cli.LinkStatus;
import org.systole.tools.cli.Named;
import org.systole.tools.cli.WaitNote;
import picocli.CommandLine.Option;

/// `crm_node`: the nodes as the cluster layer sees them.
@picocli.CommandLine.Command(description = "Tool for displaying low-level node information")
public final class CrmNode extends Command {
  private enum Mode {
    NONE,
    ID,
    LIST,
    NAME,
    PARTITION,
    QUORUM,
    NAME_FOR_ID,
    REMOVE
  }

  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  /// For so long nobody wonders what it does.
  private static final Duration UNSAID = Duration.ofSeconds(2);

  private static final String WAITING =
      "Waiting for the members to forget the connection to %s, which takes up to 20 seconds where one is lost;"
          + " before that the cluster would have the node fenced";

  private Mode mode = Mode.NONE;
  private int nodeId;
  private String removed = "";

  @Option(
      names = {"-f", "--force"},
      description = "Force the removal of a node")
  private boolean force;

  @Option(
      names = {"-Q", "--quiet"},
      description = "Essential output only")
  private boolean quiet;

  @Option(
      names = {"-C", "--corosync"},
      hidden = true)
  private boolean corosync;

  public CrmNode() {
    super("crm_node");
  }

  @Option(
      names = {"-i", "--cluster-id"},
      description = "Display this node's cluster id")
  private void id(boolean yes) {
    mode = Mode.ID;
  }

  @Option(
      names = {"-l", "--list"},
      description = "Display all known members (past and present) of this cluster")
  private void list(boolean yes) {
    mode = Mode.LIST;
  }

  @Option(
      names = {"-n", "--name"},
      description = "Display the name used by the cluster for this node")
  private void name(boolean yes) {
    mode = Mode.NAME;
  }

  @Option(
      names = {"-p", "--partition"},
      description = "Display the members of this partition")
  private void partition(boolean yes) {
    mode = Mode.PARTITION;
  }

  @Option(
      names = {"-q", "--quorum"},
      description = "Display a 1 if our partition has quorum, 0 if not")
  private void quorum(boolean yes) {
    mode = Mode.QUORUM;
  }

  @Option(
      names = {"-N", "--name-for-id"},
      paramLabel = "ID",
      description = "Display the name used by the cluster for the node with the specified ID")
  private void nameForId(int id) {
    mode = Mode.NAME_FOR_ID;
    nodeId = id;
  }

  @Option(
      names = {"-R", "--remove"},
      paramLabel = "NAME",
      description =
          "(Advanced) Remove the (stopped) node with the specified name from the cluster's"
              + " configuration and caches")
  private void remove(String name) {
    mode = Mode.REMOVE;
    removed = name;
  }

  @Override
  protected ExitStatus execute() throws CommandException {
    out().setQuiet(quiet);
    return switch (mode) {
      case NONE -> throw CommandException.usage("Must specify one of the command options");
      case NAME -> {
        var name = terminal().environment().get("OCF_RESKEY_CRM_meta_on_node");
        if (name != null) {
          showName(null, name);
        } else {
          var status = LinkStatus.of(terminal());
          showName(localId(status), status.localName().text());
        }
        yield ExitStatus.OK;
      }
      case ID -> {
        var id = localId(LinkStatus.of(terminal()));
        if (id == null) {
          throw new CommandException(ExitStatus.NOHOST, "Node is not known to cluster");
        }
        switch (out()) {
          case TextOutput text -> text.info(id.toString());
          case XmlOutput xml -> xml.add("node-info", "nodeid", id.toString());
        }
        yield ExitStatus.OK;
      }
      case QUORUM -> {
        var quorate = LinkStatus.of(terminal()).membership().quorate();
        switch (out()) {
          case TextOutput text -> text.info(quorate ? "1" : "0");
          case XmlOutput xml -> xml.add("cluster-info", "quorum", Boolean.toString(quorate));
        }
        yield ExitStatus.OK;
      }
      case LIST -> nodes();
      case PARTITION -> members();
      case NAME_FOR_ID -> nameOf();
      case REMOVE -> remove();
    };
  }

  /// This node's id; null on a remote node, which has none.
  private static @Nullable NodeId localId(LinkMessage.Status status) {
    var configured =
        status.configured().stream().filter(it -> it.id().equals(status.localId())).findFirst();
    return configured.isPresent() && !configured.get().name().equals(status.localName())
        ? null
        : status.localId();
  }

  private void showName(@Nullable NodeId id, String name) {
    switch (out()) {
      case TextOutput text -> text.info(name);
      case XmlOutput xml ->
          xml.add("node-info", "nodeid", id == null ? null : id.toString(), "uname", name);
    }
  }

  private record Known(NodeId id, NodeName name, String state) {}

  private static List<Known> known(LinkMessage.Status status) {
    var nodes = new ArrayList<Known>();
    for (var node : status.configured()) {
      var there = status.membership().byId(node.id()) != null;
      nodes.add(new Known(node.id(), node.name(), there ? "member" : "lost"));
    }
    return nodes;
  }

  private ExitStatus nodes() throws CommandException {
    show(known(LinkStatus.of(terminal())));
    return ExitStatus.OK;
  }

  private void show(List<Known> nodes) {
    switch (out()) {
      case TextOutput text ->
          nodes.forEach(it -> text.info("%s %s %s".formatted(it.id(), it.name(), it.state())));
      case XmlOutput xml -> {
        xml.open("nodes");
        nodes.forEach(
            it ->
                xml.add(
                    "node",
                    "id",
                    it.id().toString(),
                    "name",
                    it.name().text(),
                    "state",
                    it.state()));
        xml.close();
      }
    }
  }

  private ExitStatus members() throws CommandException {
    var status = LinkStatus.of(terminal());
    switch (out()) {
      case TextOutput text ->
          text.info(
              status.membership().members().stream()
                  .map(it -> it.name().text())
                  .collect(Collectors.joining(" ")));
      case XmlOutput _ ->
          show(known(status).stream().filter(it -> it.state().equals("member")).toList());
    }
    return ExitStatus.OK;
  }

  private ExitStatus nameOf() throws CommandException {
    for (var node : LinkStatus.of(terminal()).configured()) {
      if (node.id().number() == nodeId) {
        showName(node.id(), node.name().text());
        return ExitStatus.OK;
      }
    }
    throw new CommandException(
        ExitStatus.NOSUCH, "Node " + nodeId + " not found in the cluster configuration file");
  }

  private ExitStatus remove() throws CommandException {
    if (!force) {
      throw CommandException.usage(
          "The supplied command is considered dangerous."
              + "  To prevent accidental destruction of the cluster, the --force flag is required"
              + " in order to proceed.");
    }
    var name = Named.node(removed);
    var status = LinkStatus.of(terminal());
    if (status.membership().byName(name) != null) {
      throw new CommandException(
          ExitStatus.UNSAFE,
          "Node %s is a member now: stop it before removing it".formatted(removed));
    }
    try (var controller = CtlConnection.open(terminal().environment(), TIMEOUT);
        var _ = new WaitNote(terminal().err(), UNSAID, WAITING.formatted(removed))) {
      if (controller.ask(new CtlMessage.RemoveNode(name))
          instanceof CtlMessage.Refused(var reason, var why)) {
        if (reason == CtlMessage.Reason.DENIED) {
          throw CommandException.denied("Could not remove node " + removed, why);
        }
        throw new CommandException(
            ExitStatus.ERROR, "Could not remove node %s: %s".formatted(removed, why));
      }
    } catch (IOException e) {
      throw new CommandException(
          ExitStatus.DISCONNECT, "Could not reach the controller: " + e.getMessage());
    }
    return ExitStatus.OK;
  }
}
