package org.systole.tools.fencing;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.layout.Layout;
import org.systole.common.operation.ExecStatus;
import org.systole.common.output.ExitStatus;
import org.systole.common.output.Output;
import org.systole.common.output.Rc;
import org.systole.common.output.XmlOutput;
import org.systole.common.values.Interval;
import org.systole.common.values.NodeName;
import org.systole.execd.client.LocalAgents;
import org.systole.fenced.client.FenceConnection;
import org.systole.fenced.client.FenceMessage;
import org.systole.tools.cli.Command;
import org.systole.tools.cli.CommandException;
import org.systole.tools.cli.LinkStatus;
import org.systole.tools.cli.Named;
import picocli.CommandLine.Option;

/// `stonith_admin`: fencing by hand, and everything about fence devices.
@picocli.CommandLine.Command(description = "stonith_admin - Access the Pacemaker fencing API")
public final class StonithAdmin extends Command {
  private static final Duration ANSWER = FencerView.ANSWER;

  @Option(
      names = {"-R", "--register"},
      paramLabel = "DEVICE",
      description =
          "Register the named fencing device. Requires: --agent. Optional: --option, --env-option.")
  private @Nullable String register;

  @Option(
      names = {"-D", "--deregister"},
      paramLabel = "DEVICE",
      description = "De-register the named fencing device.")
  private @Nullable String deregister;

  @Option(
      names = {"-r", "--register-level"},
      paramLabel = "TARGET",
      description =
          "Register a fencing level for the named target, specified as one of NAME, @PATTERN, or"
              + " ATTR=VALUE. Requires: --index and one or more --device entries.")
  private @Nullable String registerLevel;

  @Option(
      names = {"-d", "--deregister-level"},
      paramLabel = "TARGET",
      description =
          "Unregister a fencing level for the named target, specified as for --register-level."
              + " Requires: --index")
  private @Nullable String deregisterLevel;

  @Option(
      names = {"-l", "--list"},
      paramLabel = "HOST",
      description = "List devices that can terminate the specified host. Optional: --timeout")
  private @Nullable String list;

  @Option(
      names = {"-L", "--list-registered"},
      description = "List all registered devices. Optional: --timeout.")
  private boolean listRegistered;

  @Option(
      names = {"-I", "--list-installed"},
      description = "List all installed devices. Optional: --timeout.")
  private boolean listInstalled;

  @Option(
      names = {"-s", "--list-targets"},
      paramLabel = "DEVICE",
      description = "List the targets that can be fenced by the named device. Optional: --timeout.")
  private @Nullable String listTargets;

  @Option(
      names = {"-M", "--metadata"},
      description = "Show agent metadata. Requires: --agent. Optional: --timeout.")
  private boolean metadata;

  @Option(
      names = {"-Q", "--query"},
      paramLabel = "DEVICE",
      description = "Check the named device's status. Optional: --timeout.")
  private @Nullable String query;

  @Option(
      names = "--paths",
      paramLabel = "NODE",
      description =
          "Ask the devices that can fence the named node for its power, from this node and from another member."
              + " Optional: --from, --timeout.")
  private @Nullable String paths;

  @Option(
      names = "--from",
      paramLabel = "NUMBER",
      description = "From how many nodes, 1 or 2 (default 2; with --paths).")
  private int from = 2;

  @Option(
      names = {"-H", "--history"},
      paramLabel = "NODE",
      description =
          "Show last successful fencing operation for named node (or '*' for all nodes). Optional:"
              + " --timeout, --cleanup, --quiet (show only the operation's epoch timestamp),"
              + " --verbose (show all recorded and pending operations), --broadcast (update history"
              + " from all nodes available).")
  private @Nullable String history;

  @Option(
      names = {"-h", "--last"},
      paramLabel = "NODE",
      description = "Indicate when the named node was last fenced. Optional: --as-node-id.")
  private @Nullable String last;

  @Option(
      names = {"-K", "--validate"},
      description =
          "Validate a fence device configuration. Requires: --agent. Optional: --option,"
              + " --env-option, --quiet (print no output, only return status).")
  private boolean validate;

  @Option(
      names = {"-F", "--fence"},
      paramLabel = "HOST",
      description = "Fence named host. Optional: --timeout, --tolerance, --delay.")
  private @Nullable String fence;

  @Option(
      names = {"-U", "--unfence"},
      paramLabel = "HOST",
      description = "Unfence named host. Optional: --timeout, --tolerance, --delay.")
  private @Nullable String unfence;

  @Option(
      names = {"-B", "--reboot"},
      paramLabel = "HOST",
      description = "Reboot named host. Optional: --timeout, --tolerance, --delay.")
  private @Nullable String reboot;

  @Option(
      names = {"-C", "--confirm"},
      paramLabel = "HOST",
      description = "Tell cluster that named host is now safely down.")
  private @Nullable String confirm;

  @Option(
      names = {"-c", "--cleanup"},
      description = "Cleanup wherever appropriate. Requires --history.")
  private boolean cleanup;

  @Option(
      names = {"-b", "--broadcast"},
      description = "Broadcast wherever appropriate.")
  private boolean broadcast;

  @Option(
      names = {"-a", "--agent"},
      paramLabel = "AGENT",
      description =
          "The agent to use (for example, fence_xvm; with --register, --metadata, --validate).")
  private @Nullable String agent;

  @Option(
      names = {"-o", "--option"},
      paramLabel = "PARAM",
      description =
          "Specify a device configuration parameter as NAME=VALUE (may be specified multiple times;"
              + " with --register, --validate).")
  private List<String> options = new ArrayList<>();

  @Option(
      names = {"-e", "--env-option"},
      paramLabel = "PARAM",
      description =
          "Specify a device configuration parameter with the specified name, using the value of the"
              + " environment variable of the same name prefixed with OCF_RESKEY_ (may be specified"
              + " multiple times; with --register, --validate).")
  private List<String> environmentOptions = new ArrayList<>();

  @Option(
      names = {"-T", "--tag"},
      paramLabel = "TAG",
      description =
          "Identify fencing operations in logs with the specified tag; useful when multiple"
              + " entities might invoke stonith_admin (used with most commands).")
  private @Nullable String tag;

  @Option(
      names = {"-v", "--device"},
      paramLabel = "DEVICE",
      description =
          "Device ID (with --register-level, device to associate with a given host and level; may"
              + " be specified multiple times).")
  private List<String> devices = new ArrayList<>();

  @Option(
      names = {"-i", "--index"},
      paramLabel = "LEVEL",
      description = "The fencing level (1-9) (with --register-level, --deregister-level).")
  private int index;

  @Option(
      names = {"-t", "--timeout"},
      paramLabel = "SECONDS",
      description = "Operation timeout in seconds (default 120; used with most commands).")
  private int timeoutSeconds = 120;

  @Option(
      names = {"-y", "--delay"},
      paramLabel = "SECONDS",
      description =
          "Apply a fencing delay in seconds. Any static/random delays from pcmk_delay_base/max will"
              + " be added, otherwise all disabled with the value -1 (default 0; with --fence,"
              + " --reboot, --unfence).")
  private int delaySeconds;

  @Option(
      names = {"-n", "--as-node-id"},
      description = "(Advanced) The supplied node is the corosync node ID (with --last).")
  private boolean asNodeId;

  @Option(
      names = {"--tolerance"},
      paramLabel = "SECONDS",
      description =
          "(Advanced) Do nothing if an equivalent --fence request succeeded less than this many"
              + " seconds earlier (with --fence, --unfence, --reboot).")
  private @Nullable String tolerance;

  @Option(
      names = {"-q", "--quiet"},
      description = "Be less descriptive in output.")
  private boolean quiet;

  public StonithAdmin() {
    super("stonith_admin");
  }

  @Override
  protected void setUp(Output output) {
    if (output instanceof XmlOutput xml) {
      xml.setListElements(true);
    }
  }

  @Override
  protected ExitStatus execute() throws CommandException {
    out().setQuiet(quiet);
    if (timeoutSeconds < 0) {
      throw CommandException.usage(
          "Integer value \"%d\" for -t out of range".formatted(timeoutSeconds));
    }
    if ((validate || register != null || metadata) && agent == null) {
      throw CommandException.usage("Please specify an agent to query using -a,--agent [value]");
    }
    if (validate) {
      var device = devices.isEmpty() ? null : devices.getFirst();
      return local().validate(named(agent), device, parameters()).exit();
    }
    if (listInstalled) {
      return showInstalled();
    }
    if (metadata) {
      return complain(local().showMetadata(named(agent)), "Can't get fence agent meta-data").exit();
    }
    if (reboot != null) {
      return fence(reboot, "reboot");
    }
    if (fence != null) {
      return fence(fence, "off");
    }
    if (unfence != null) {
      return fence(unfence, "on");
    }
    if (!needsFencer()) {
      throw CommandException.usage("Must specify one of the command options");
    }
    try (var fencer = FenceConnection.open(Layout.of(terminal().environment()))) {
      if (paths != null) {
        var target = Named.node(paths);
        var query = new FenceMessage.DeviceQuery(target, timeout().toMillis());
        var known = FencerView.ask(fencer, query, timeout().plus(ANSWER));
        return new FencePaths(terminal(), out(), timeout()).show(target, from, known);
      }
      return ask(fencer).exit();
    } catch (IOException e) {
      out().error("Could not connect to fencer: " + Rc.ENOTCONN.text());
      return ExitStatus.DISCONNECT;
    }
  }

  private LocalFenceAgent local() {
    return new LocalFenceAgent(terminal(), out(), timeout());
  }

  private FencerView view(FenceConnection fencer) {
    return new FencerView(fencer, terminal(), out(), timeout());
  }

  private static String named(@Nullable String name) {
    return name == null ? "" : name;
  }

  private boolean needsFencer() {
    return listRegistered
        || paths != null
        || register != null
        || query != null
        || deregister != null
        || listTargets != null
        || list != null
        || confirm != null
        || last != null
        || history != null
        || registerLevel != null
        || deregisterLevel != null;
  }

  private Rc ask(FenceConnection fencer) throws IOException, CommandException {
    if (deregisterLevel != null) {
      var rc = done(fencer, new FenceMessage.DeregisterLevel(deregisterLevel, index));
      return complain(
          rc, "Can't unregister topology level %d for %s".formatted(index, deregisterLevel));
    }
    if (registerLevel != null) {
      var rc = done(fencer, new FenceMessage.RegisterLevel(registerLevel, index, devices));
      return complain(
          rc, "Can't register topology level %d for %s".formatted(index, registerLevel));
    }
    if (history != null) {
      return view(fencer).history(history, cleanup, broadcast, verbosity() > 0, quiet);
    }
    if (last != null) {
      return view(fencer).last(last, Named.node(asNodeId ? nameOf(last) : last));
    }
    if (confirm != null) {
      return confirm(fencer, Named.node(confirm));
    }
    if (list != null || listRegistered) {
      var host = list == null || list.isEmpty() ? null : Named.node(list);
      return complain(view(fencer).devices(host), "Failed to list registered devices");
    }
    if (listTargets != null) {
      return complain(view(fencer).targets(listTargets), "Couldn't list targets");
    }
    if (deregister != null) {
      return complain(
          done(fencer, new FenceMessage.DeregisterDevice(deregister)),
          "Can't unregister device " + deregister);
    }
    if (query != null) {
      return view(fencer).check(query);
    }
    var device = named(register);
    return complain(
        done(fencer, new FenceMessage.RegisterDevice(device, named(agent), parameters())),
        "Can't register device %s using agent %s".formatted(device, agent));
  }

  private Rc confirm(FenceConnection fencer, NodeName node) throws IOException, CommandException {
    var answer = FencerView.ask(fencer, new FenceMessage.Confirm(node, client()), ANSWER);
    if (answer instanceof FenceMessage.Refused(var _, var why)) {
      throw new CommandException(
          FencerView.refusal(answer).exit(), "Couldn't confirm that %s is down: %s".formatted(node, why));
    }
    return Rc.OK;
  }

  private Rc complain(Rc rc, String what) {
    if (!rc.isOk()) {
      out().error(what + ": " + rc.text());
    }
    return rc;
  }

  private Rc done(FenceConnection fencer, FenceMessage.Request request)
      throws IOException, CommandException {
    return FencerView.refusal(FencerView.ask(fencer, request, ANSWER));
  }

  private String client() {
    return (tag == null ? name() : name() + "." + tag) + "." + ProcessHandle.current().pid();
  }

  private Map<String, String> parameters() throws CommandException {
    var parameters = new LinkedHashMap<String, String>();
    for (var option : options) {
      var at = option.indexOf('=');
      if (at <= 0) {
        throw new CommandException(
            Rc.EINVAL.exit(), "Invalid option: -o %s: %s".formatted(option, Rc.EINVAL.text()));
      }
      parameters.put(option.substring(0, at), option.substring(at + 1));
    }
    for (var option : environmentOptions) {
      var value = terminal().environment().get("OCF_RESKEY_" + option);
      if (value == null) {
        throw new CommandException(ExitStatus.INVALID_PARAM, "Invalid option: -e " + option);
      }
      parameters.put(option, value);
    }
    return parameters;
  }

  private Duration timeout() {
    return Duration.ofSeconds(timeoutSeconds);
  }

  private ExitStatus fence(String target, String action) throws CommandException {
    var toleranceMillis = tolerance == null ? 0 : Interval.parse(tolerance, 0);
    var request =
        new FenceMessage.Fence(
            Named.node(target),
            action,
            Math.max(1, timeout().toMillis()),
            delaySeconds,
            Math.max(0, toleranceMillis),
            client(),
            true,
            0);
    // the fencer stretches what it is given by what devices and delays ask for
    var patience = timeout().multipliedBy(4).plusSeconds(Math.max(0, delaySeconds)).plus(ANSWER);
    var answer = request(request, patience);
    var rc =
        switch (answer) {
          case FenceMessage.Outcome(var record, var status, var executed) ->
              FenceCodes.of(status, executed, record.exitReason());
          case FenceMessage.Refused(var executed, var why) -> FenceCodes.of(1, executed, why);
          case FenceMessage _ -> Rc.EPROTO;
        };
    if (rc.isOk()) {
      return ExitStatus.OK;
    }
    var reason = reason(answer);
    throw new CommandException(
        rc.exit(),
        "Couldn't %s %s: %s%s"
            .formatted(
                action.equals("on") ? "unfence" : "fence",
                target,
                rc.text(),
                reason.isEmpty() || reason.equals(rc.text()) ? "" : " (" + reason + ")"));
  }

  private static String reason(FenceMessage answer) {
    return switch (answer) {
      case FenceMessage.Outcome(var record, var _, var _) -> record.exitReason();
      case FenceMessage.Refused(var _, var why) -> why;
      case FenceMessage _ -> "";
    };
  }

  private FenceMessage.Reply request(FenceMessage.Request request, Duration patience)
      throws CommandException {
    try (var fencer = FenceConnection.open(Layout.of(terminal().environment()))) {
      return FencerView.ask(fencer, request, patience);
    } catch (IOException e) {
      return new FenceMessage.Refused(ExecStatus.NOT_CONNECTED, Rc.ENOTCONN.text());
    }
  }

  private String nameOf(String id) throws CommandException {
    for (var node : LinkStatus.of(terminal()).configured()) {
      if (node.id().toString().equals(id)) {
        return node.name().text();
      }
    }
    return id;
  }

  private ExitStatus showInstalled() {
    var layout = Layout.of(terminal().environment());
    var agents = new LocalAgents(layout, terminal().environment()).agents("stonith", "");
    out().begin("fence device", "fence devices", "Installed fence devices");
    agents.forEach(it -> out().item("device", it));
    out().end();
    return ExitStatus.OK;
  }
}
