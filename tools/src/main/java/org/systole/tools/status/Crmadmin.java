package org.systole.tools.status;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.systole.cibd.client.CibException;
import org.systole.cibd.client.CibTarget;
import org.systole.common.layout.Layout;
import org.systole.common.output.ExitStatus;
import org.systole.common.output.TextOutput;
import org.systole.common.output.XmlOutput;
import org.systole.common.values.Interval;
import org.systole.common.xml.Element;
import org.systole.controld.client.CtlConnection;
import org.systole.controld.client.CtlMessage;
import org.systole.tools.cli.Command;
import org.systole.tools.cli.CommandException;
import org.systole.tools.cli.Named;
import org.systole.tools.remote.CibInUse;
import picocli.CommandLine.Option;

/// `crmadmin`: asks the controllers what they are doing.
@picocli.CommandLine.Command(description = "query and manage the Pacemaker controller")
public final class Crmadmin extends Command {
  private enum Mode {
    NONE,
    STATUS,
    SUPERVISOR,
    DC,
    NODES
  }

  private static final Duration FOREVER = Duration.ofDays(1);

  private Mode mode = Mode.NONE;
  private String node = "";
  private String types = "";
  private Duration timeout = Duration.ofSeconds(30);

  @Option(
      names = {"-B", "--bash-export"},
      description =
          "Display nodes as shell commands of the form 'export uname=uuid' (valid with -N/--nodes)")
  private boolean export;

  @Option(
      names = {"-i", "--ipc-name"},
      paramLabel = "NAME",
      description = "Name to use for ipc instead of 'crmadmin' (with -P/--pacemakerd).")
  private String ipcName = "crmadmin";

  @Option(
      names = {"-q", "--quiet"},
      description = "Display only the essential query information")
  private boolean quiet;

  @Option(
      names = {"-H", "--health"},
      hidden = true)
  private boolean health;

  public Crmadmin() {
    super("crmadmin");
  }

  @Option(
      names = {"-S", "--status"},
      paramLabel = "NODE",
      description =
          "Display the status of the specified node. Result is state of node's internal finite"
              + " state machine, which can be useful for debugging")
  private void status(String name) {
    mode = Mode.STATUS;
    node = name;
  }

  @Option(
      names = {"-P", "--pacemakerd"},
      description =
          "Display the status of local pacemakerd. Result is the state of the sub-daemons watched"
              + " by pacemakerd.")
  private void supervisor(boolean yes) {
    mode = Mode.SUPERVISOR;
  }

  @Option(
      names = {"-D", "--dc_lookup"},
      description = "Display the uname of the node co-ordinating the cluster.")
  private void dc(boolean yes) {
    mode = Mode.DC;
  }

  @Option(
      names = {"-N", "--nodes"},
      arity = "0..1",
      fallbackValue = "",
      paramLabel = "TYPE",
      description =
          "Display the uname of all member nodes [optionally filtered by type (comma-separated)]."
              + " Types: all (default), cluster, guest, remote")
  private void nodes(String wanted) {
    mode = Mode.NODES;
    types = wanted;
  }

  @Option(
      names = {"-t", "--timeout"},
      paramLabel = "DURATION",
      description =
          "Time to wait before declaring the operation failed (default 30s; use 0 to disable"
              + " timeout)")
  private void timeout(String text) {
    var millis = Interval.parse(text, -1);
    if (millis < 0) {
      throw new picocli.CommandLine.TypeConversionException("Invalid timeout '" + text + "'");
    }
    timeout = millis == 0 ? FOREVER : Duration.ofMillis(millis);
  }

  @Override
  protected ExitStatus execute() throws CommandException {
    out().setQuiet(quiet);
    if (health) {
      out().error("Cluster-wide health option not supported");
      return ExitStatus.OK;
    }
    return switch (mode) {
      case NONE -> throw CommandException.usage("Must specify a command option");
      case STATUS -> status();
      case SUPERVISOR -> SupervisorStatus.show(out(), terminal(), timeout);
      case DC -> dc();
      case NODES -> nodes();
    };
  }

  private ExitStatus status() throws CommandException {
    switch (ask(new CtlMessage.StateQuery(node.isEmpty() ? null : Named.node(node)))) {
      case CtlMessage.State(var known, var state, var _) -> {
        var name = known == null ? "" : known.text();
        switch (out()) {
          case TextOutput text ->
              text.print(
                  quiet
                      ? state + "\n"
                      : "Controller on %s in state %s: ok\n".formatted(name, state));
          case XmlOutput xml -> xml.add("crmd", "node_name", name, "state", state, "result", "ok");
        }
      }
      case CtlMessage.Refused(var _, var why) ->
          throw new CommandException(ExitStatus.NOHOST, "error: Command failed: %s".formatted(why));
      default -> throw unexpected();
    }
    return ExitStatus.OK;
  }

  private ExitStatus dc() throws CommandException {
    if (!(ask(new CtlMessage.DcQuery()) instanceof CtlMessage.Dc(var dc))) {
      throw unexpected();
    }
    var name = dc == null ? "" : dc.text();
    switch (out()) {
      case TextOutput text -> {
        if (!quiet) {
          text.print(
              "Designated Controller is: %s\n"
                  .formatted(name.isEmpty() ? "not yet elected" : name));
        } else if (!name.isEmpty()) {
          text.print(name + "\n");
        }
      }
      case XmlOutput xml -> xml.add("dc", "node_name", name);
    }
    if (name.isEmpty()) {
      throw new CommandException(ExitStatus.NO_DC, "error: Command failed: No DC is elected");
    }
    return ExitStatus.OK;
  }

  private CtlMessage.Reply ask(CtlMessage.Request request) throws CommandException {
    try (var controller = CtlConnection.open(terminal().environment(), timeout)) {
      return controller.ask(request);
    } catch (java.net.SocketTimeoutException e) {
      throw new CommandException(
          ExitStatus.TIMEOUT, "error: Command failed: the controller did not answer in time");
    } catch (IOException e) {
      throw new CommandException(
          ExitStatus.DISCONNECT,
          "error: Could not connect to controller: Not connected (is the cluster running on this"
              + " node?)");
    }
  }

  private static CommandException unexpected() {
    return new CommandException(
        ExitStatus.PROTOCOL, "error: the controller answered something unexpected");
  }

  private record Listed(String type, String name, String id) {}

  private ExitStatus nodes() throws CommandException {
    var environment = terminal().environment();
    Element cib;
    try (var from = CibInUse.open(Layout.of(environment), environment, "crmadmin", CibTarget.TIMEOUT)) {
      cib = from.cib();
    } catch (CibException e) {
      throw new CommandException(e.rc().exit(), "error: Command failed: " + e.rc().text());
    }
    switch (out()) {
      case TextOutput text -> {
        for (var it : listed(cib)) {
          text.print(
              (export
                      ? "export %s=%s".formatted(it.name(), it.id())
                      : quiet
                          ? it.name()
                          : "%s node: %s (%s)".formatted(it.type(), it.name(), it.id()))
                  + "\n");
        }
      }
      case XmlOutput xml -> {
        xml.open("nodes");
        listed(cib)
            .forEach(it -> xml.add("node", "type", it.type(), "name", it.name(), "id", it.id()));
        xml.close();
      }
    }
    return ExitStatus.OK;
  }

  private List<Listed> listed(Element cib) {
    var found = new ArrayList<Listed>();
    if (wants("cluster")) {
      for (var it : below(cib, "nodes")) {
        if (it.is("node") && !"remote".equals(it.get("type"))) {
          found.add(new Listed("cluster", it.get("uname", ""), it.get("id", "")));
        }
      }
    }
    var resources = cib.path("configuration", "resources");
    if (resources != null && wants("guest")) {
      collect(resources, "guest", found);
    }
    if (resources != null && wants("remote")) {
      collect(resources, "remote", found);
    }
    return found;
  }

  private boolean wants(String type) {
    var wanted = Set.of(types.isEmpty() ? new String[] {"all"} : types.split(","));
    return wanted.contains("all") || wanted.contains(type);
  }

  private static List<Element> below(Element cib, String section) {
    var at = cib.path("configuration", section);
    return at == null ? List.of() : at.children();
  }

  private static void collect(Element at, String kind, List<Listed> found) {
    if (at.is("primitive")) {
      var name = kind.equals("remote") ? remoteName(at) : guestName(at);
      if (name != null) { // which is its id, too: it is not that of the resource it runs in
        found.add(new Listed(kind, name, name));
      }
    }
    at.children().forEach(it -> collect(it, kind, found));
  }

  private static @Nullable String remoteName(Element primitive) {
    return "remote".equals(primitive.get("type")) && "pacemaker".equals(primitive.get("provider"))
        ? primitive.id()
        : null;
  }

  private static @Nullable String guestName(Element primitive) {
    for (var meta : primitive.children("meta_attributes")) {
      for (var pair : meta.children("nvpair")) {
        if ("remote-node".equals(pair.get("name"))) {
          return pair.get("value");
        }
      }
    }
    return null;
  }
}
