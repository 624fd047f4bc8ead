package org.systole.tools.corosync;

import java.io.PrintStream;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.output.ExitStatus;
import org.systole.common.output.Output;
import org.systole.common.output.TextOutput;
import org.systole.pacemakerd.client.PacemakerdMessage;
import org.systole.tools.cli.Command;
import org.systole.tools.cli.CommandException;
import picocli.CommandLine.Option;

/// `corosync-cfgtool`: the link's state, the cluster configuration file read anew, the node stopped,
/// with Corosync's options and output.
@picocli.CommandLine.Command(
    description = "Show the state of the link, or have the configuration read anew")
public final class CorosyncCfgtool extends Command {
  /// Longer than pacemakerd takes to tell what came of it.
  private static final Duration READING = Duration.ofSeconds(60);

  private static final Duration ANSWER = Duration.ofSeconds(10);
  private static final int MTU = 1500;

  @Option(
      names = {"-s", "--status"},
      description = "Show the state of the link to each node")
  private boolean status;

  @Option(
      names = {"-n", "--nodes"},
      description = "Show the nodes that can be reached")
  private boolean nodes;

  @Option(
      names = {"-b", "--brief"},
      description = "With -s: one character for each node: n this one, 3 connected, 1 not")
  private boolean brief;

  @Option(
      names = {"-i", "--if"},
      paramLabel = "LINK",
      description = "Accepted with -s; there is one link")
  private @Nullable String link;

  @Option(
      names = {"-R", "--reload"},
      description = "Have all nodes read corosync.conf anew; what is wrong on one changes none")
  private boolean reload;

  @Option(
      names = {"-L", "--reopen"},
      description = "Accepted; log files that were moved away are noticed without it")
  private boolean reopen;

  @Option(
      names = {"-a", "--address"},
      paramLabel = "NODEID",
      description = "Show a node's address")
  private @Nullable String address;

  @Option(
      names = {"-H", "--shutdown"},
      description = "Stop this node; its resources move away first")
  private boolean shutdown;

  @Option(
      names = {"--force"},
      description = "Accepted with -H; nothing vetoes a stop")
  private boolean force;

  @Option(
      names = {"-k", "--kill"},
      paramLabel = "NODEID",
      description = "Refused: fence a node with stonith_admin --fence")
  private @Nullable String kill;

  private final List<String> lines = new ArrayList<>();

  public CorosyncCfgtool() {
    super("corosync-cfgtool");
  }

  @Override
  protected @Nullable Output output(String format, PrintStream to) {
    return format.equals("text") ? super.output(format, to) : null;
  }

  @Override
  protected ExitStatus execute() throws CommandException {
    try {
      return carryOut();
    } catch (CommandException e) {
      if (e.status() != ExitStatus.DISCONNECT) {
        throw e;
      }
      terminal()
          .err()
          .println("Could not initialize corosync configuration API error CS_ERR_LIBRARY");
      return ExitStatus.ERROR;
    } finally {
      if (out() instanceof TextOutput text) {
        lines.forEach(text::info);
      }
    }
  }

  private ExitStatus carryOut() throws CommandException {
    if (kill != null) {
      throw CommandException.usage(
          "A node is not killed from here: fence it with stonith_admin --fence NODE, or stop it there");
    }
    if (reload) {
      return readAnew();
    }
    if (shutdown) {
      lines.add("Shutting down corosync");
      RunningConfig.ask(terminal(), new PacemakerdMessage.Shutdown(), ANSWER);
      return ExitStatus.OK;
    }
    if (address != null) {
      return showAddress(address);
    }
    if (status || nodes) {
      showStatus(RunningConfig.of(terminal()));
    } else if (!reopen) {
      throw CommandException.usage("Give one of -s, -n, -R, -a NODEID and -H");
    }
    return ExitStatus.OK;
  }

  private ExitStatus readAnew() throws CommandException {
    lines.add("Reloading corosync.conf...");
    var answer = RunningConfig.ask(terminal(), new PacemakerdMessage.ReadConfiguration(), READING);
    if (!(answer instanceof PacemakerdMessage.ReadAnew(var done, var told))) {
      throw new CommandException(ExitStatus.PROTOCOL, "pacemakerd answered something unexpected");
    }
    told.forEach(terminal().err()::println);
    if (!done) {
      terminal()
          .err()
          .println(
              "Errors in applying config, corosync.conf might not match the running system");
      return ExitStatus.ERROR;
    }
    lines.add("Done");
    return ExitStatus.OK;
  }

  private ExitStatus showAddress(String wanted) throws CommandException {
    var id = RunningConfig.number(wanted);
    if (id == null || id == 0) {
      throw CommandException.usage("The nodeid was not valid, try a positive number");
    }
    var node = RunningConfig.of(terminal()).node(id);
    if (node == null) {
      terminal().err().println("Could not get node address for nodeid " + wanted);
      return ExitStatus.ERROR;
    }
    lines.add(resolved(node.address()));
    return ExitStatus.OK;
  }

  private void showStatus(RunningConfig running) {
    var transport = running.keys().getOrDefault("totem.transport", "knet");
    var knet = transport.equals("knet");
    var kind =
        knet ? running.keys().getOrDefault("totem.interface.0.knet_transport", "udp") : "";
    var all = new ArrayList<>(running.nodes());
    all.sort(Comparator.comparing(RunningConfig.Node::id));
    lines.add(
        "Local node ID %s, transport %s".formatted(running.status().localId(), transport));
    var local = all.stream().filter(running::isLocal).findFirst();
    var source = local.map(it -> resolved(it.address())).orElse("");
    if (nodes) {
      for (var node : all) {
        if (running.isMember(node) && !running.isLocal(node)) {
          lines.add("nodeid: %d reachable".formatted(node.id()));
          lines.add(
              "   LINK: 0 %s (%s%s%s) enabled connected mtu: %d"
                  .formatted(kind, source, knet ? "->" : "", resolved(node.address()), MTU));
          lines.add("");
        }
      }
      return;
    }
    lines.add("LINK ID 0 " + kind);
    lines.add("\taddr\t= " + source);
    if (brief) {
      var states = new StringBuilder();
      all.forEach(
          it -> states.append(running.isLocal(it) ? 'n' : running.isMember(it) ? '3' : '1'));
      lines.add("\tstatus\t= " + states);
      return;
    }
    lines.add("\tstatus:");
    for (var node : all) {
      var state =
          running.isLocal(node)
              ? "localhost"
              : running.isMember(node) ? "connected" : "disconnected";
      lines.add("\t\tnodeid: %10d:\t%s".formatted(node.id(), state));
    }
  }

  private static String resolved(String address) {
    try {
      return InetAddress.getByName(address).getHostAddress();
    } catch (UnknownHostException e) {
      return address;
    }
  }
}
