package org.systole.tools.resource;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.systole.common.layout.Layout;
import org.systole.common.operation.AgentName;
import org.systole.common.operation.ExecStatus;
import org.systole.common.real.SecretFiles;
import org.systole.common.secrets.Secrets;
import org.systole.common.values.Interval;
import org.systole.execd.client.LocalAgents;
import org.systole.execd.client.ServiceMetadata;
import org.systole.execd.client.Units;
import org.systole.tools.cli.AgentProcess;
import org.systole.tools.cli.Terminal;

/// Runs a resource agent of this machine for a command, without the cluster.
final class LocalAgent {
  private static final String REASON = "ocf-exit-reason:";
  private static final Duration ASKED = Duration.ofSeconds(5);
  private static final int UNKNOWN_ERROR = 1;
  private static final int UNIMPLEMENTED = 3;
  private static final int NOT_INSTALLED = 5;
  private static final int NOT_CONFIGURED = 6;
  private static final int NOT_RUNNING = 7;
  private static final int LAST_OCF_CODE = 9;
  private static final int DEGRADED = 190;
  private static final int DEGRADED_PROMOTED = 191;

  /// What came of it.
  ///
  /// @param rc as OCF agents end
  /// @param reason why it failed, in the agent's or our words; empty if nothing is known
  record Ran(int rc, ExecStatus status, String reason, String output, String errors) {
    static Ran error(int rc, ExecStatus status, String reason) {
      return new Ran(rc, status, reason, "", "");
    }
  }

  private final Terminal terminal;
  private final LocalAgents agents;
  private final Layout layout;
  private final Map<String, String> variables = new TreeMap<>();

  LocalAgent(Terminal terminal) {
    this.terminal = terminal;
    this.layout = Layout.of(terminal.environment());
    this.agents = new LocalAgents(layout, terminal.environment());
  }

  /// Sets a variable of the agent's environment beside its parameters.
  void set(String variable, String value) {
    variables.put(variable, value);
  }

  /// @param instance what the resource is called
  /// @param parameters by name, without a prefix
  Ran run(
      AgentName agent,
      String action,
      String instance,
      Map<String, String> parameters,
      Duration timeout) {
    return switch (agent.standard()) {
      case "ocf" -> ocf(agent, action, instance, parameters, timeout);
      case "lsb" -> lsb(agent, action, timeout);
      case "systemd" -> systemd(agent, action, timeout);
      case "service" ->
          agents.agents("lsb", "").contains(agent.type())
              ? lsb(agent, action, timeout)
              : systemd(agent, action, timeout);
      default ->
          Ran.error(
              UNIMPLEMENTED,
              ExecStatus.ERROR,
              "Manual execution of the %s standard is unsupported".formatted(agent.standard()));
    };
  }

  private Ran ocf(
      AgentName agent,
      String action,
      String instance,
      Map<String, String> parameters,
      Duration timeout) {
    var root = agents.ocfRoot(agent);
    if (root == null) {
      return notInstalled(agent);
    }
    var told =
        Secrets.fillNow(
            instance, parameters, new SecretFiles(layout)::read, line -> complain(instance, line));
    if (!told.isWhole() && !action.equals("stop")) {
      return Ran.error(NOT_CONFIGURED, ExecStatus.DONE, "Unable to load CIB secrets");
    }
    var environment = base();
    told.parameters().forEach((name, value) -> environment.put("OCF_RESKEY_" + name, value));
    environment.put("OCF_ROOT", root.toString());
    environment.put("OCF_RA_VERSION_MAJOR", "1");
    environment.put("OCF_RA_VERSION_MINOR", "1");
    environment.put("OCF_EXIT_REASON_PREFIX", REASON);
    environment.put("OCF_RESOURCE_INSTANCE", instance);
    environment.put("OCF_RESOURCE_TYPE", agent.type());
    environment.put("OCF_RESOURCE_PROVIDER", agent.provider());
    var program = root.resolve("resource.d").resolve(agent.provider()).resolve(agent.type());
    return run(List.of(program.toString(), action), environment, timeout);
  }

  private void complain(String instance, String line) {
    terminal.err().println("The secret parameters of %s cannot be had: %s".formatted(instance, line));
  }

  private Ran lsb(AgentName agent, String action, Duration timeout) {
    if (!agents.has(new AgentName("lsb", "", agent.type()))) {
      return notInstalled(agent);
    }
    var word = action.equals("monitor") ? "status" : action;
    var ran = run(List.of("/etc/init.d/" + agent.type(), word), base(), timeout);
    if (!action.equals("monitor") || ran.status() != ExecStatus.DONE) {
      return ran;
    }
    var stopped = ran.rc() >= 1 && ran.rc() <= 3; // of `status`: dead or not running
    return new Ran(
        stopped ? NOT_RUNNING : ran.rc(), ran.status(), ran.reason(), ran.output(), ran.errors());
  }

  /// What systemd calls a unit; empty where it says nothing.
  String description(AgentName agent) {
    var unit = Units.of(agent);
    var ran = Units.canBe(unit) ? run(ServiceMetadata.description(unit), base(), ASKED) : null;
    return ran != null && ran.status() == ExecStatus.DONE && ran.rc() == 0 ? ran.output() : "";
  }

  private Ran systemd(AgentName agent, String action, Duration timeout) {
    var verb =
        switch (action) {
          case "start", "stop" -> action;
          case "monitor" -> "is-active";
          default -> null;
        };
    if (verb == null) {
      return Ran.error(
          UNIMPLEMENTED, ExecStatus.DONE, "A systemd unit cannot be asked to " + action);
    }
    var unit = Units.of(agent);
    if (!Units.canBe(unit)) {
      return notInstalled(agent);
    }
    var ran = run(List.of("systemctl", verb, "--", unit), base(), timeout);
    if (ran.status() != ExecStatus.DONE || ran.rc() == 0) {
      return ran;
    }
    return new Ran(
        action.equals("monitor") ? NOT_RUNNING : UNKNOWN_ERROR,
        ran.status(),
        ran.reason(),
        ran.output(),
        ran.errors());
  }

  private Ran run(List<String> command, Map<String, String> environment, Duration timeout) {
    try {
      var result = AgentProcess.run(command, environment, "", timeout);
      if (result.timedOut()) {
        return new Ran(
            UNKNOWN_ERROR,
            ExecStatus.TIMEOUT,
            "Resource agent did not complete within " + Interval.format(timeout.toMillis()),
            result.output(),
            result.errors());
      }
      return new Ran(
          ocfCode(result.status()),
          ExecStatus.DONE,
          reason(result.errors()),
          result.output(),
          result.errors());
    } catch (IOException e) {
      return Ran.error(UNKNOWN_ERROR, ExecStatus.ERROR, command.getFirst() + " cannot be run");
    }
  }

  private static Ran notInstalled(AgentName agent) {
    return Ran.error(
        NOT_INSTALLED, ExecStatus.NOT_INSTALLED, "There is no agent %s here".formatted(agent));
  }

  private Map<String, String> base() {
    var environment = new TreeMap<>(terminal.environment());
    var home = layout.share().getParent();
    var sbin = (home == null ? Path.of("/usr") : home).resolve("sbin").toString();
    environment.put(
        "PATH", sbin + ":" + environment.getOrDefault("PATH", "/usr/sbin:/usr/bin:/sbin:/bin"));
    environment.put("HA_SBIN_DIR", sbin);
    environment.put(
        "HA_RSCTMP",
        layout.rootForChildren() == null
            ? "/run/resource-agents"
            : layout.run().resolve("rsctmp").toString());
    environment.putAll(variables);
    return environment;
  }

  private static int ocfCode(int status) {
    var known =
        status >= 0 && status <= LAST_OCF_CODE || status == DEGRADED || status == DEGRADED_PROMOTED;
    return known ? status : UNKNOWN_ERROR;
  }

  private static String reason(String errors) {
    var at = errors.lastIndexOf(REASON);
    return at < 0
        ? ""
        : errors.substring(at + REASON.length()).lines().findFirst().orElse("").strip();
  }
}
