package org.systole.common.alerts;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.OperationResult;
import org.systole.common.operation.TransitionKey;
import org.systole.common.output.ExitStatus;
import org.systole.common.output.Product;
import org.systole.common.rules.DatedRules;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.world.Processes.Exit;
import org.systole.common.world.Processes.Program;
import org.systole.common.world.World;
import org.systole.common.xml.Element;

/// Runs the configured alert programs when something happens: one run for each recipient, all at
/// the same time, none waited for. Lives on the daemon's loop.
public final class Alerts {
  private static final int RUNNING_MAX = 200;

  private final World world;
  private final Map<String, String> environment;
  private List<Alert> alerts = List.of();
  private @Nullable Element dated;
  private long sequence;
  private int running;

  /// @param environment what the daemon was started with
  public Alerts(World world, Map<String, String> environment) {
    this.world = world;
    this.environment = environment;
  }

  /// Takes the alerts of this CIB from now on. Rules about dates hold as they do when something
  /// happens.
  public void configure(Element cib) {
    dated = DatedRules.among(cib) ? cib : null;
    alerts = Alert.of(cib, world.now(), world.zone());
  }

  /// A node came or went.
  ///
  /// @param state `member` or `lost`
  public void node(NodeName name, NodeId id, String state) {
    send(
        Alert.Kind.NODE,
        "",
        Map.of(
            "CRM_alert_node", name.text(),
            "CRM_alert_nodeid", id.toString(),
            "CRM_alert_desc", state));
  }

  /// Something is to be known about a host that host HA looks after.
  ///
  /// @param host null if it is about more than one
  public void host(@Nullable NodeName host, String text) {
    var values = new LinkedHashMap<String, String>();
    if (host != null) {
      values.put("CRM_alert_node", host.text());
      values.put("CRM_alert_nodeid", host.text());
    }
    values.put("CRM_alert_task", "host-ha");
    values.put("CRM_alert_desc", text);
    send(Alert.Kind.NODE, "", values);
  }

  /// Something is to be known about a role of a node.
  ///
  /// @param id null if the node is none of the cluster's
  /// @param values what else is told, by the ends of the variables' names
  public void role(NodeName node, @Nullable NodeId id, Map<String, String> values, String text) {
    var all = new LinkedHashMap<String, String>();
    values.forEach((name, value) -> all.put("CRM_alert_" + name, value));
    all.put("CRM_alert_node", node.text());
    all.put("CRM_alert_nodeid", id == null ? "0" : id.toString());
    all.put("CRM_alert_task", "role");
    all.put("CRM_alert_desc", text);
    send(Alert.Kind.NODE, "", all);
  }

  /// A node was fenced, or could not be.
  public void fencing(NodeName target, String action, String description, int rc) {
    send(
        Alert.Kind.FENCING,
        "",
        Map.of(
            "CRM_alert_node", target.text(),
            "CRM_alert_task", action,
            "CRM_alert_desc", description,
            "CRM_alert_rc", String.valueOf(rc)));
  }

  /// An operation of a resource has a result.
  public void resource(NodeName node, OperationResult result) {
    var expectedRc = TransitionKey.expectedRc(result.transitionKey());
    if (result.request().isProbe() && result.rc() == expectedRc) {
      return; // a probe that found what it should is no news
    }
    var done = result.status() == ExecStatus.DONE;
    var unmeasured = result.status() == ExecStatus.TIMEOUT && result.execMillis() == 0;
    var execMillis = unmeasured ? result.request().timeoutMillis() : result.execMillis();
    var values = new LinkedHashMap<String, String>();
    values.put("CRM_alert_node", node.text());
    values.put("CRM_alert_rsc", result.resource().text());
    values.put("CRM_alert_task", result.operation().text());
    values.put("CRM_alert_interval", String.valueOf(result.intervalMillis()));
    values.put("CRM_alert_target_rc", String.valueOf(expectedRc));
    values.put("CRM_alert_status", String.valueOf(result.status().code()));
    values.put("CRM_alert_rc", String.valueOf(result.rc()));
    values.put("CRM_alert_exec_time", String.valueOf(execMillis));
    values.put("CRM_alert_desc", done ? ExitStatus.text(result.rc()) : result.status().text());
    send(Alert.Kind.RESOURCE, "", values);
  }

  /// A node attribute changed.
  ///
  /// @param nodeId null for a remote node, which has none
  public void attribute(NodeName node, @Nullable NodeId nodeId, String name, String value) {
    send(
        Alert.Kind.ATTRIBUTE,
        name,
        Map.of(
            "CRM_alert_node",
            node.text(),
            "CRM_alert_nodeid",
            nodeId == null ? "0" : nodeId.toString(),
            "CRM_alert_attribute_name",
            name,
            "CRM_alert_attribute_value",
            value));
  }

  private void send(Alert.Kind kind, String attribute, Map<String, String> values) {
    if (dated != null) {
      alerts = Alert.of(dated, world.now(), world.zone());
    }
    for (var alert : alerts) {
      var wanted =
          alert.kinds().contains(kind)
              && (attribute.isEmpty()
                  || alert.attributes().isEmpty()
                  || alert.attributes().contains(attribute));
      if (wanted) {
        run(alert, kind, values);
      }
    }
  }

  private void run(Alert alert, Alert.Kind kind, Map<String, String> values) {
    if (running >= RUNNING_MAX) {
      world.log().error("Too many alerts are running; dropping one of " + alert.id());
      return;
    }
    running++;
    var now = world.now();
    var variables = new TreeMap<String, String>();
    variables.put("PATH", environment.getOrDefault("PATH", "/usr/sbin:/usr/bin:/sbin:/bin"));
    variables.putAll(values);
    variables.put("CRM_alert_kind", kind.word());
    variables.put("CRM_alert_version", Product.COMPATIBLE_VERSION);
    variables.put("CRM_alert_node_sequence", String.valueOf(++sequence));
    variables.put("CRM_alert_recipient", alert.recipient());
    variables.put(
        "CRM_alert_timestamp",
        TimeFormat.format(alert.timestampFormat(), now.atZone(world.zone())));
    variables.put("CRM_alert_timestamp_epoch", String.valueOf(now.getEpochSecond()));
    variables.put("CRM_alert_timestamp_usec", "%06d".formatted(now.getNano() / 1000));
    variables.putAll(alert.variables());
    world
        .processes()
        .start(
            new Program(List.of(alert.path()), variables, "", alert.timeout(), 4096),
            exit -> ended(alert, exit));
  }

  private void ended(Alert alert, Exit exit) {
    running--;
    var to = alert.recipient().isEmpty() ? "" : " to " + alert.recipient();
    var who = "%s%s (%s)".formatted(alert.id(), to, alert.path());
    switch (exit) {
      case Exit.Exited(var status, var signal, var _, var errors, var _) -> {
        if (status != 0 || signal != 0) {
          var said = errors.isBlank() ? "" : ": " + errors.strip();
          var how = signal == 0 ? "ended with " + status : "was ended by signal " + signal;
          world.log().warning("Alert %s %s%s".formatted(who, how, said));
        }
      }
      case Exit.TimedOut _ -> world.log().warning("Alert %s was %s".formatted(who, exit.words()));
      case Exit.NotStarted(var why) ->
          world.log().error("Alert %s cannot be run: %s".formatted(who, why));
    }
  }
}
