package org.systole.tools.corosync;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.systole.common.output.ExitStatus;
import org.systole.pacemakerd.client.PacemakerdMessage;
import org.systole.tools.cli.CommandException;
import picocli.CommandLine.Option;

/// `corosync-cfgtool`: the link's state, the cluster configuration file read anew, the node stopped,
/// with Corosync's options and output.
@picocli.CommandLine.Command(
    description = "Show the state of the link, or have the configuration read anew")
public final class CorosyncCfgtool extends CorosyncTool {
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
      description = "With -s: only this link")
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

  public CorosyncCfgtool() {
    super(
        "corosync-cfgtool",
        "Could not initialize corosync configuration API error CS_ERR_LIBRARY");
  }

  @Override
  ExitStatus carryOut() throws CommandException {
    if (kill != null) {
      throw CommandException.usage(
          "A node is not killed from here: fence it with stonith_admin --fence NODE, or stop it there");
    }
    if (reload) {
      return readAnew();
    }
    if (shutdown) {
      line("Shutting down corosync");
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
    line("Reloading corosync.conf...");
    var answer = RunningConfig.ask(terminal(), new PacemakerdMessage.ReadConfiguration(), READING);
    if (!(answer instanceof PacemakerdMessage.ReadAnew(var done, var told))) {
      throw new CommandException(ExitStatus.PROTOCOL, "pacemakerd answered something unexpected");
    }
    told.forEach(terminal().err()::println);
    if (!done) {
      return failed(
          "Errors in applying config, corosync.conf might not match the running system");
    }
    line("Done");
    return ExitStatus.OK;
  }

  private ExitStatus showAddress(String wanted) throws CommandException {
    var id = RunningConfig.number(wanted);
    if (id == null || id == 0) {
      throw CommandException.usage("The nodeid was not valid, try a positive number");
    }
    var node = RunningConfig.of(terminal()).node(id);
    if (node == null) {
      return failed("Could not get node address for nodeid " + wanted);
    }
    line(resolved(node.address()));
    return ExitStatus.OK;
  }

  private void showStatus(RunningConfig running) {
    var transport = running.keys().getOrDefault("totem.transport", "knet");
    var all = new ArrayList<>(running.nodes());
    all.sort(Comparator.comparing(RunningConfig.Node::id));
    line(
        "Local node ID %s, transport %s".formatted(running.status().localId(), transport));
    var local = all.stream().filter(running::isLocal).findFirst().orElse(null);
    var own = local == null ? new TreeMap<Integer, String>(Map.of(0, "")) : local.addresses();
    if (nodes) {
      all.stream()
          .filter(it -> running.isMember(it) && !running.isLocal(it))
          .forEach(it -> showNode(running, it, own));
      return;
    }
    own.forEach((number, source) -> showLink(running, all, number, resolved(source)));
  }

  private void showNode(
      RunningConfig running, RunningConfig.Node node, SortedMap<Integer, String> own) {
    var knet = isKnet(running);
    line("nodeid: %d reachable".formatted(node.id()));
    node.addresses()
        .forEach(
            (number, address) -> {
              var source = own.get(number);
              if (source != null) {
                line(
                    "   LINK: %d %s (%s%s%s) enabled%s mtu: %d"
                        .formatted(
                            number,
                            kind(running, number),
                            resolved(source),
                            knet ? "->" : "",
                            resolved(address),
                            running.isUp(node, number) ? " connected" : "",
                            MTU));
              }
            });
    line("");
  }

  private void showLink(
      RunningConfig running, List<RunningConfig.Node> all, int number, String source) {
    if (link != null && !link.equals(Integer.toString(number)) && !link.equals("all")) {
      return;
    }
    line("LINK ID " + number + " " + kind(running, number));
    line("\taddr\t= " + source);
    if (brief) {
      var states = new StringBuilder();
      all.forEach(
          it ->
              states.append(running.isLocal(it) ? 'n' : running.isUp(it, number) ? '3' : '1'));
      line("\tstatus\t= " + states);
      return;
    }
    line("\tstatus:");
    for (var node : all) {
      var state =
          running.isLocal(node)
              ? "localhost"
              : running.isUp(node, number) ? "connected" : "disconnected";
      line("\t\tnodeid: %10d:\t%s".formatted(node.id(), state));
    }
  }

  private static boolean isKnet(RunningConfig running) {
    return running.keys().getOrDefault("totem.transport", "knet").equals("knet");
  }

  private static String kind(RunningConfig running, int number) {
    return isKnet(running)
        ? running.keys().getOrDefault("totem.interface.%d.knet_transport".formatted(number), "udp")
        : "";
  }

  private static String resolved(String address) {
    try {
      return InetAddress.getByName(address).getHostAddress();
    } catch (UnknownHostException e) {
      return address;
    }
  }
}
